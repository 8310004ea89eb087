/** The ledger lists what is stuck, late or failed in the caller's tenants, by indexes. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, holder, type TestWorld } from '../../testing/world.ts';
import { ledgerStatements } from './ledger.action.ts';

let world: TestWorld;
let home: { tenantId: string };
let other: { tenantId: string };
const rows = <T>(text: string, ...values: unknown[]) => world.system.db.query<T>({ text, values });

async function trouble(tenantId: string): Promise<void> {
  await rows(
    `insert into rule_evaluation (tenant_id, rule_id, subject_id, outcome, detail, correlation_id)
     values ($1, gen_random_uuid(), gen_random_uuid(), 'failed', '{"error": "broken"}', gen_random_uuid()), ($1, gen_random_uuid(), gen_random_uuid(), 'hit', null, gen_random_uuid())`,
    tenantId,
  );
  await rows(
    `insert into rule_match (tenant_id, rule_id, subject_id, label, expires, first_match, last_match, correlation_id)
     values ($1, gen_random_uuid(), gen_random_uuid(), 'x', now() - interval '2 minutes', now(), now(), gen_random_uuid())`,
    tenantId,
  );
  await rows(
    `insert into action_history (tenant_id, action_definition_id, result_status_id, result_detail, correlation_id, message_id)
     values ($1, gen_random_uuid(), 2, '{"error": "HTTP 500"}', gen_random_uuid(), gen_random_uuid())`,
    tenantId,
  );
  await rows(
    `insert into job (name, tenant_id, payload, run_at, last_error, dead_at, attempts, correlation_id)
     values ('run-action', $1, '{}', now(), 'gave up', now(), 6, gen_random_uuid()), ('run-action', $1, '{}', now() - interval '1 hour', null, null, 0, gen_random_uuid())`,
    tenantId,
  );
}

/** Three runs: one whose step was lost, one whose step is retried, and one that continues. */
async function protocolTrouble(tenantId: string): Promise<string[]> {
  const events = await rows<{ event_id: string }>(
    `with unit as (
  insert into work_unit (tenant_id, title, work_unit_type_id, created_by, modified_by) values ($1, 'u', 1, 't', 't') returning work_unit_id
), runs as (
  insert into protocol_run (event_id, tenant_id, work_unit_id, protocol_id, work_unit_event_type_id, steps, correlation_id, looked)
  select gen_random_uuid(), $1, work_unit_id, gen_random_uuid(), 1, '{}', gen_random_uuid(), now() - make_interval(mins => n)
  from unit cross join generate_series(0, 10, 5) n returning event_id, looked
), step as (
  insert into action_history (tenant_id, action_definition_id, result_status_id, correlation_id, message_id, protocol_event_id)
  select $1, gen_random_uuid(), 3, gen_random_uuid(), gen_random_uuid(), (select event_id from runs order by looked limit 1) returning message_id
), waits as (
  insert into job (name, tenant_id, payload, run_at, last_error, attempts, correlation_id, once_key)
  select 'run-action', $1, '{}', now() + interval '1 hour', 'HTTP 503', 2, gen_random_uuid(), message_id::text from step
)
select event_id from runs order by looked`,
    tenantId,
  );
  return events.map((row) => row.event_id);
}

beforeAll(async () => {
  world = await createWorld();
  [home, other] = [await world.tenant(), await world.tenant()];
  for (const { tenantId } of [home, other]) await trouble(tenantId);
});
afterAll(() => world.close());

describe('the ledger', () => {
  it('names devices that report with a wrong clock, and what follows from it', async () => {
    const tenant = await world.tenant();
    const me = holder([tenant.tenantId]);
    const { body } = await world.call(me, 'PUT', '/v1/devices', { name: 'till-1', ...tenant });
    const deviceId = String(body['deviceId']);
    await rows('update device set clock_skew_seconds = -360 where device_id = $1', deviceId);
    const list = async () => (await world.call(me, 'GET', '/v1/ledger')).body.value;
    expect(await list()).toEqual([]);
    await rows(
      `insert into latest_packet (entity_id, tenant_id, timestamp, received_timestamp, packet_id, message) values ($1, $2, now(), now(), uuidv7(), '{}')`,
      deviceId,
      tenant.tenantId,
    );
    const cause = 'Its clock is 360 s behind: packets are evaluated as of their receipt.';
    expect(await list()).toMatchObject([{ kind: 'packet', state: 'late', title: 'till-1', cause }]);
  });

  it('tells what is stuck, late or failed with its age and cause, of the tenants of the caller alone', async () => {
    const answer = await world.call(holder([home.tenantId]), 'GET', '/v1/ledger');
    const summaries = (answer.body.value ?? []).map((item) => `${String(item['kind'])} ${String(item['state'])} ${String(item['cause'])}`);
    expect(summaries.toSorted()).toEqual([
      'action failed HTTP 500',
      'job failed gave up',
      'job late Due, and no worker has taken it.',
      'match stuck Over, but its end has not been processed.',
      'packet failed broken',
    ]);
    expect(answer.body.value?.every((item) => item['tenantId'] === home.tenantId)).toBe(true);
    expect(answer.body.value?.at(-1)).toMatchObject({ kind: 'job', ageSeconds: expect.any(Number) });
    const all = await world.call(holder('all'), 'GET', `/v1/ledger?kind=action`);
    expect(all.body.value).toHaveLength(2);
    expect((await world.call(holder('all'), 'GET', `/v1/ledger?kind=action&tenantId=${other.tenantId}`)).body.value).toHaveLength(1);
  });

  it('tells the runs of protocols whose step was lost or does not end', async () => {
    const { tenantId } = await world.tenant();
    const [late, stuck] = await protocolTrouble(tenantId);
    const answer = await world.call(holder([tenantId]), 'GET', '/v1/ledger?kind=protocol');
    expect(answer.body.value).toMatchObject([
      { id: stuck, state: 'stuck', cause: 'No step is under way, and nobody has looked for the next one.', subject: expect.any(String) },
      { id: late, state: 'late', cause: 'Its step has not ended: HTTP 503' },
    ]);
    expect((await world.call(holder([home.tenantId]), 'GET', '/v1/ledger?kind=protocol')).body.value).toEqual([]);
  });

  it('names the work unit or the device that a failed action is about', async () => {
    const { tenantId, subscriptionId } = await world.tenant();
    await rows(
      `with unit as (
  insert into work_unit (tenant_id, title, work_unit_type_id, created_by, modified_by) values ($1, 'Till 7 is silent', 1, 't', 't') returning work_unit_id
), machine as (
  insert into device (tenant_id, subscription_id, name) values ($1, $2, 'till-07') returning device_id
), hit as (
  insert into rule_match (tenant_id, rule_id, subject_id, label, expires, first_match, last_match, correlation_id)
  select $1, gen_random_uuid(), device_id, 'x', now() + interval '1 hour', now(), now(), gen_random_uuid() from machine returning rule_match_id
)
insert into action_history (tenant_id, action_definition_id, result_status_id, correlation_id, message_id, work_unit_id, reference_id, action_processed)
select $1, gen_random_uuid(), 2, gen_random_uuid(), gen_random_uuid(), work_unit_id, null, now() from unit
union all select $1, gen_random_uuid(), 2, gen_random_uuid(), gen_random_uuid(), null, rule_match_id::text, now() - interval '1 minute' from hit
union all select $1, gen_random_uuid(), 2, gen_random_uuid(), gen_random_uuid(), null, 'a test', now() - interval '2 minutes'`,
      tenantId,
      subscriptionId,
    );
    const { body } = await world.call(holder([tenantId]), 'GET', '/v1/ledger?kind=action');
    expect((body.value ?? []).map((item) => item['subjectName'])).toEqual([
      expect.stringMatching(/^#\d+ Till 7 is silent$/),
      'till-07',
      null,
    ]);
  });

  it('tells on request what waits for its next try or a mail server, what is held, and what was suppressed, by name', async () => {
    const { tenantId } = await world.tenant();
    const [action] = await rows<{ action_definition_id: string }>(
      `insert into action_definition (tenant_id, name, action_definition_type_id) values ($1, 'Page on-call', 4) returning action_definition_id`,
      tenantId,
    );
    const [rule] = await rows<{ rule_id: string }>(
      `insert into rule (tenant_id, name, rule_type_id, match_lifetime, conditions) values ($1, 'CPU high', 1, 300, '[]') returning rule_id`,
      tenantId,
    );
    await rows(
      `with h as (
  insert into action_history (tenant_id, action_definition_id, result_status_id, result_detail, correlation_id, message_id, next_try, kept_since)
  values ($1, $2, 3, '{"error": "HTTP 500", "attempt": 5}', gen_random_uuid(), gen_random_uuid(), now() + interval '1 hour', null),
    ($1, $2, 3, '{}', gen_random_uuid(), gen_random_uuid(), null, now()), ($1, $2, 5, '{"reason": "late"}', gen_random_uuid(), gen_random_uuid(), null, null)
  returning message_id, next_try, kept_since
), waits as (
  insert into job (name, tenant_id, payload, run_at, attempts, correlation_id)
  select 'run-action', $1, jsonb_build_object('messageId', message_id), next_try, 5, gen_random_uuid() from h where next_try is not null
)
insert into outbox_message (tenant_id, message_id, recipients, subject, body, correlation_id)
select $1, message_id, 'a@example.com', 's', 'b', gen_random_uuid() from h where kept_since is not null`,
      tenantId,
      action?.action_definition_id,
    );
    await rows(
      `insert into rule_match (tenant_id, rule_id, subject_id, label, expires, first_match, last_match, correlation_id, held_since)
       values ($1, $2, gen_random_uuid(), 'x', now() + interval '1 hour', now(), now(), gen_random_uuid(), now())`,
      tenantId,
      rule?.rule_id,
    );
    const caller = holder([tenantId]);
    expect((await world.call(caller, 'GET', '/v1/ledger')).body.value).toEqual([]);
    const answer = await world.call(caller, 'GET', '/v1/ledger?waiting=true');
    const entries = (answer.body.value ?? []).map(({ kind, state, title, cause }) => [kind, state, title, cause].join(' | '));
    expect(entries.toSorted()).toEqual([
      'action | suppressed | Page on-call | late',
      'action | waiting | Page on-call | HTTP 500',
      'action | waiting | Page on-call | No mail server is set; the mail is kept.',
      'match | held | CPU high | Its actions wait for the end of the maintenance.',
    ]);
    const waiting = answer.body.value?.find((candidate) => candidate['cause'] === 'HTTP 500');
    expect(waiting).toMatchObject({ actionHistoryId: expect.any(Number), nextTry: expect.any(String) });
    expect((await world.call(holder([home.tenantId]), 'GET', '/v1/ledger?waiting=true&kind=match')).body.value).toHaveLength(1);
    const blind = holder([tenantId], ['CloudFit.CFS.Settings:view', 'CloudFit.CFS.Rules:view']);
    expect((await world.call(blind, 'GET', '/v1/ledger?waiting=true')).body.value).toMatchObject([{ state: 'held' }]);
  });

  it('shows nobody more than the lists of the rows do', async () => {
    const kinds = async (...permissions: string[]) => {
      const caller = holder([home.tenantId], ['CloudFit.CFS.Settings:view', ...permissions]);
      return new Set((await world.call(caller, 'GET', '/v1/ledger')).body.value?.map((item) => item['kind']));
    };
    expect(await kinds()).toEqual(new Set());
    expect(await kinds('CloudFit.CFS.Rules:view')).toEqual(new Set(['packet', 'match']));
    expect(await kinds('CloudFit.CFS.ActionDefinitions:view', 'CloudFit.CFS.Settings:edit')).toEqual(new Set(['action', 'job']));
  });

  it('is refused without the permission, for another tenant, and with bad input', async () => {
    expect((await world.call(holder([home.tenantId], ['CloudFit.CFS.Rules:view']), 'GET', '/v1/ledger')).status).toBe(403);
    expect((await world.call(holder([home.tenantId]), 'GET', `/v1/ledger?tenantId=${other.tenantId}`)).status).toBe(404);
    for (const [query, target] of [
      ['kind=x', 'kind'],
      ['hours=0', 'hours'],
      ['top=501', 'top'],
    ]) {
      const answer = await world.call(holder([home.tenantId]), 'GET', `/v1/ledger?${query}`);
      expect([answer.status, (answer.body['error'] as { target: string }).target]).toEqual([400, target]);
    }
  });

  it('reads large tables by index', async () => {
    const tenant = (await world.tenant()).tenantId;
    await rows(
      `insert into rule_evaluation (tenant_id, rule_id, subject_id, outcome, correlation_id) select $1, gen_random_uuid(), gen_random_uuid(), 'hit', gen_random_uuid() from generate_series(1, 20000)`,
      tenant,
    );
    await rows(
      `insert into action_history (tenant_id, action_definition_id, result_status_id, correlation_id, message_id) select $1, gen_random_uuid(), 1, gen_random_uuid(), gen_random_uuid() from generate_series(1, 20000)`,
      tenant,
    );
    await rows(
      `insert into rule_match (tenant_id, rule_id, subject_id, label, expires, closed, completion_processed, first_match, last_match, correlation_id)
       select $1, gen_random_uuid(), gen_random_uuid(), 'x', now(), now(), true, now(), now(), gen_random_uuid() from generate_series(1, 20000)`,
      tenant,
    );
    await rows('analyze rule_evaluation, action_history, rule_match');
    const plan = async (kind: 'packet' | 'action' | 'match') =>
      JSON.stringify(
        await rows(`explain with given as (select $1::uuid[], $2::int, $3::int) ${ledgerStatements[kind]}`, [tenant], 24, 100),
      );
    const packets = await plan('packet');
    expect(packets).toContain('rule_evaluation_before_trouble');
    expect(packets).not.toContain('Seq Scan');
    expect(await plan('action')).toContain('action_history_failed');
    expect(await plan('match')).toContain('rule_match_unended');
  });
});
