/** The job of a backtest: how its row ends, and when it stops. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtInAction } from '@cloudfit/contract/enums.ts';
import type { Job } from '../../jobs/job.ts';
import { attemptOf } from '../../testing/attempt.ts';
import { cpu, cpuOver90, createFlow, send, ago, type Flow } from '../testing/flow.ts';
import { backtestJob, rightsFor } from './backtest.job.ts';

let flow: Flow;
let job: Job;
let device: string;

beforeAll(async () => {
  flow = await createFlow();
  const ingest = await flow.openIngest();
  device = await flow.device();
  await send(ingest, flow.ctx, cpu(device, 95, ago(60)), cpu(device, 85, ago(30)));
  job = backtestJob({ database: flow.database, ingest });
});
afterAll(() => flow.close());

interface Run {
  state: string;
  progress: number;
  packets: number;
  result: { draft: { matches: number }; inForce?: { matches: number } | null } | null;
  error: string | null;
}

const draft = (right: string, extra: object = {}) => ({
  tenantId: flow.tenantId,
  ruleTypeId: 1,
  conditions: [{ ...cpuOver90, RightOperand: right }],
  ...extra,
});

async function row(input: object = {}, { state = 'queued', ownerKind = 'system', ownerId = null as string | null } = {}): Promise<string> {
  const stored = { rule: draft('80'), from: ago(3_600), to: new Date().toISOString(), entityIds: [device], inForce: null, ...input };
  const [created] = await flow.rows<{ id: string }>(
    `insert into backtest_run (tenant_id, input, owner_kind, owner_id, created_by, correlation_id, state) values ($1, $2, $3, $4, 'test', $5, $6)
     returning backtest_run_id as id`,
    flow.tenantId,
    JSON.stringify(stored),
    ownerKind,
    ownerId,
    randomUUID(),
    state,
  );
  return created?.id ?? '';
}

async function runOf(id: string): Promise<Run | undefined> {
  const [run] = await flow.rows<Run>(
    'select state, progress, packets::int as packets, result, error from backtest_run where backtest_run_id = $1',
    id,
  );
  return run;
}

const ctx = () => ({ ...flow.ctx, db: flow.db });
const run = (id: string) => job.run(ctx(), { id }, attemptOf());

async function personWith(...permissions: string[]): Promise<string> {
  const [person] = await flow.rows<{ id: string }>(
    `with p as (insert into person (name, user_name) values ('P', gen_random_uuid()::text || '@example.com') returning person_id),
s as (insert into permission_set (name, permissions) values (gen_random_uuid()::text, $2) returning permission_set_id),
g as (insert into access_grant (person_id, permission_set_id, tenant_id) select person_id, permission_set_id, $1 from p, s)
select person_id as id from p`,
    flow.tenantId,
    JSON.stringify(permissions),
  );
  return person?.id ?? '';
}

describe('the job of a backtest', () => {
  it('stores the result with the packets that it read, and changes no other backtest', async () => {
    const [other, id] = [await row(), await row()];
    await run(id);
    expect(await runOf(id)).toMatchObject({
      state: 'done',
      progress: 1,
      packets: 2,
      error: null,
      result: { draft: { matches: 1 }, inForce: null },
    });
    expect(await runOf(other)).toEqual({ state: 'queued', progress: 0, packets: 0, result: null, error: null });
  });

  it('adds up work units with the steps of their protocol', async () => {
    const [protocol] = await flow.rows<{ id: string }>(
      `with p as (insert into protocol (tenant_id, name, modified_by) values ($1, 'Calls', 'test') returning protocol_id)
insert into protocol_action (protocol_id, action_definition_id, work_unit_event_type_id, sequence, run_automatically, created_by, modified_by)
select protocol_id, $2::uuid, event, 1, true, 'test', 'test' from p, unnest(array[1, 2]) as event returning protocol_id as id`,
      flow.tenantId,
      builtInAction.email,
    );
    const create = { ActionDefinitionId: builtInAction.createWorkUnit, Parameters: { SeverityId: 'Sev1', ProtocolId: protocol?.id } };
    const mail = { ActionDefinitionId: builtInAction.email, Parameters: {} };
    const rule = draft('80', { matchActions: [create, mail] });
    const id = await row({ rule, inForce: { ...rule, recurrence: 'New' }, ruleId: randomUUID() });
    await run(id);
    // The work unit is resolved after four hours, so the steps of New and of Acknowledged count.
    const load = { workUnits: 1, added: 0, calls: 3, steps: 2 };
    expect((await runOf(id))?.result).toMatchObject({ draft: { load }, inForce: { load } });
  });

  it('compares with the rule in force', async () => {
    const id = await row({ ruleId: randomUUID(), inForce: draft('90', { matchLifetime: '00:05:00' }) });
    await run(id);
    expect((await runOf(id))?.result).toMatchObject({ draft: { matches: 1 }, inForce: { matches: 1 }, difference: { same: 1 } });
  });

  it('begins again after its process was lost, and leaves alone what has ended', async () => {
    const lost = await row({}, { state: 'running' });
    await run(lost);
    expect((await runOf(lost))?.state).toBe('done');
    for (const state of ['stopped', 'failed', 'done']) {
      const ended = await row({}, { state });
      await run(ended);
      expect(await runOf(ended)).toMatchObject({ state, result: null, packets: 0 });
    }
  });

  it('ends with the right of who started it, which depends on the type of the rule', async () => {
    const [reader, nobody] = [await personWith('CloudFit.CFS.Rules:view'), await personWith()];
    const as = (ownerId: string) => ({ ownerKind: 'person', ownerId });
    const units = { rule: draft('80', { ruleTypeId: 4, conditions: [{ Type: 'And', LeftOperand: 100, Operator: 5, RightOperand: 'x' }] }) };
    const [allowed, refused, blind] = [await row({}, as(reader)), await row({}, as(nobody)), await row(units, as(reader))];
    for (const id of [allowed, refused, blind]) await run(id);
    expect((await runOf(allowed))?.state).toBe('done');
    const stopped = { state: 'stopped', result: null, progress: expect.any(Number) as number };
    expect(await runOf(refused)).toMatchObject({ ...stopped, error: 'The person who started it may no longer view rules.' });
    expect(await runOf(blind)).toMatchObject({ ...stopped, error: 'The person who started it may no longer view work units.' });
    expect([rightsFor(1).length, rightsFor(4).length]).toEqual([1, 2]);
  });

  it('fails for good when a rule does not compile, and is tried again after another failure', async () => {
    const broken = await row({ rule: draft('80', { conditions: [{ ...cpuOver90, Operator: 8, RightOperand: '(' }] }) });
    await expect(run(broken)).rejects.toMatchObject({ name: 'PermanentFailure' });
    expect(await runOf(broken)).toMatchObject({
      state: 'failed',
      result: null,
      error: 'Condition 1: Matches does not make sense for Metric.',
    });
    const maintenance = await row({
      rule: draft('80', { ruleTypeId: 5, conditions: [{ Type: 'And', LeftOperand: 31, Operator: 1, RightOperand: 'x' }] }),
    });
    await expect(run(maintenance)).rejects.toThrow('Rules of this type open no matches.');
    expect(await runOf(maintenance)).toMatchObject({ state: 'running', error: null });
    await job.onDeadLetter?.(ctx(), { id: maintenance }, 'It failed six times.');
    expect(await runOf(maintenance)).toMatchObject({ state: 'failed', error: 'It failed six times.', progress: 0 });
  });

  it('does not end one that was stopped in the meantime', async () => {
    const id = await row({}, { state: 'stopped' });
    await job.onDeadLetter?.(ctx(), { id }, 'It failed six times.');
    expect(await runOf(id)).toMatchObject({ state: 'stopped', error: null });
  });
});
