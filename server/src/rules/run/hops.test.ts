/** A chain of causes that repeats itself stops at the maximum number of hops. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { builtInAction, resultStatus } from '@cloudfit/contract/enums.ts';
import type { z } from 'zod';
import { systemCtx } from '../../auth/system-ctx.ts';
import { expireMatches } from '../../automation/expire-matches.ts';
import { runActionJob, type Channels } from '../../automation/run-action.job.ts';
import { workUnitEventJob } from '../../automation/work-unit-event.job.ts';
import { maxHops } from '../../executions/executions.ts';
import type { Job } from '../../jobs/job.ts';
import type { Ingest } from '../../ingest/accept.ts';
import { correlateJob } from './correlate.job.ts';
import { attemptOf } from '../../testing/attempt.ts';
import { cpu, createFlow, createUnit, send, silent, until, type Flow } from '../testing/flow.ts';
import { workUnitRules } from './work-unit-rules.ts';
import { subjectOfWorkUnit } from '../../features/work-units/subject.ts';

let flow: Flow;
let ingest: Ingest;

beforeAll(async () => {
  flow = await createFlow();
  ingest = await flow.openIngest();
});
beforeEach(() => flow.moveToNewTenants());
afterAll(() => flow.close());

interface ExecutionRow {
  message_id: string;
  result_status_id: number;
  result_detail: Record<string, unknown> | null;
}
const executionsOf = (rule: string, subject: string) =>
  flow.rows<ExecutionRow>(
    'select h.message_id, h.result_status_id, h.result_detail from action_history h join rule_match m on m.rule_match_id::text = h.reference_id where m.rule_id = $1 and m.subject_id = $2 order by h.action_history_id',
    rule,
    subject,
  );

it('ends a rule whose call comes back as a packet at the limit, and says why; what the end of a match causes is as far away', async () => {
  const mail = { ActionDefinitionId: builtInAction.email, Parameters: { To: 'desk@example.com' } };
  const rule = await flow.rule({ matchActions: [mail], expirationActions: [mail] });
  await until(() => ingest.rules.ingestion().get(rule));
  const hopCounts: unknown[] = [];
  let hops = 0;
  for (let round = 0; round < 20; round += 1) {
    const device = await flow.device();
    // The receiver of the call sends a packet with the header of the call.
    await send(ingest, { ...flow.ctx, hops }, cpu(device, 99));
    const [execution] = await executionsOf(rule, device);
    hopCounts.push([execution?.result_status_id, execution?.result_detail?.['hops'] ?? 0, execution?.result_detail?.['reason']]);
    await flow.rows("update rule_match set expires = now() - interval '1 second' where subject_id = $1", device);
    // The expiry skips a match that is being written, so it runs until the match has ended.
    const atEnd = await until(async () => {
      await expireMatches(flow.db);
      return (await executionsOf(rule, device))[1];
    });
    expect([atEnd.result_status_id, atEnd.result_detail?.['hops'] ?? 0]).toEqual([execution?.result_status_id, hops]);
    if (execution?.result_status_id === resultStatus.suppressed) break;
    hops = Number(execution?.result_detail?.['hops'] ?? 0) + 1;
  }
  expect(hopCounts).toEqual([
    ...Array.from({ length: maxHops }, (_, i) => [resultStatus.enqueueSuccess, i, undefined]),
    [resultStatus.suppressed, maxHops, 'loop'],
  ]);
});

it('counts on from a packet over the work unit that its rule opens to the rules on that unit, and through correlated matches', async () => {
  const hot = await flow.rule({ name: 'hops hot', matchActions: [createUnit] });
  const units = await flow.rule({
    name: 'hops units',
    ruleTypeId: 4,
    conditions: [{ Type: 'And', LeftOperand: 100, Operator: 5, RightOperand: 'hops hot' }],
    matchActions: [createUnit],
  });
  const correlated = await flow.rule({
    name: 'hops both',
    ruleTypeId: 2,
    conditions: [{ Type: 'And', LeftOperand: 80, Operator: 1, RightOperand: hot }],
    matchActions: [createUnit],
  });
  await until(() => ingest.rules.workUnit().get(units) && ingest.rules.correlation().get(correlated) && ingest.rules.ingestion().get(hot));
  const device = await flow.device();
  await send(ingest, { ...flow.ctx, hops: maxHops - 1 }, cpu(device, 99));
  const [opening] = await executionsOf(hot, device);
  const ctx = systemCtx({ database: flow.database, log: silent, name: 'Automation' });
  await runActionJob({ publicUrl: 'http://localhost' } as Channels).run(ctx, { messageId: opening?.message_id ?? '' }, attemptOf());
  const run = async (job: Job) => {
    for (const row of await flow.rows<{ payload: unknown }>('delete from job where name = $1 returning payload', job.name))
      await job.run(ctx, (job.schema as z.ZodType).parse(row.payload), attemptOf());
  };
  await run(workUnitEventJob([workUnitRules(ingest)]));
  const [unit] = await flow.rows<{ work_unit_id: number }>(
    "select work_unit_id from work_unit where title like 'hops hot%' and tenant_id = $1",
    flow.tenantId,
  );
  // The chain has reached this rule for the first time: it is not a loop yet.
  expect(await executionsOf(units, subjectOfWorkUnit(unit?.work_unit_id ?? 0))).toMatchObject([
    { result_status_id: resultStatus.enqueueSuccess, result_detail: { hops: maxHops - 1 } },
  ]);
  await run(correlateJob(ingest));
  expect(await executionsOf(correlated, device)).toMatchObject([
    { result_status_id: resultStatus.enqueueSuccess, result_detail: { hops: maxHops - 1 } },
  ]);
});

it('records the actions of a rule with the hops of their cause, and runs none beyond the limit', async () => {
  const rule = await flow.rule({
    name: 'Any unit',
    ruleTypeId: 4,
    conditions: [{ Type: 'And', LeftOperand: 100, Operator: 5, RightOperand: 'pump' }],
    matchActions: [{ ActionDefinitionId: builtInAction.email, Parameters: { To: 'desk@example.com' } }],
  });
  await until(() => ingest.rules.workUnit().get(rule));
  const ctx = systemCtx({ database: flow.database, log: silent, name: 'test' });
  for (const [workUnitId, hops] of [
    [1, maxHops - 1],
    [2, maxHops],
  ] as const)
    await workUnitRules(ingest)(ctx, {
      eventId: crypto.randomUUID(),
      workUnitId,
      tenantId: flow.tenantId,
      verb: 'update',
      at: new Date().toISOString(),
      changed: ['title'],
      before: { title: 'x' },
      after: { workUnitId, title: 'A pump' },
      hops,
    });
  const rows = await flow.rows<{ result_status_id: number; result_detail: Record<string, unknown> | null }>(
    'select h.result_status_id, h.result_detail from action_history h join rule_match m on m.rule_match_id::text = h.reference_id where m.rule_id = $1 order by h.action_history_id',
    rule,
  );
  expect(rows).toMatchObject([
    { result_status_id: resultStatus.enqueueSuccess, result_detail: { hops: maxHops - 1 } },
    { result_status_id: resultStatus.suppressed, result_detail: { hops: maxHops, reason: 'loop' } },
  ]);
});

it('does not mute an alarm: what comes by itself after a loop was cut opens a match of its own, and its actions run', async () => {
  const rule = await flow.rule({ matchActions: [{ ActionDefinitionId: builtInAction.email, Parameters: { To: 'desk@example.com' } }] });
  await until(() => ingest.rules.ingestion().get(rule));
  const [other, device] = [await flow.device(), await flow.device()];
  await send(ingest, { ...flow.ctx, hops: 1 }, cpu(other, 99));
  for (let i = 0; i < 3; i += 1) await send(ingest, { ...flow.ctx, hops: maxHops }, cpu(device, 99));
  expect((await executionsOf(rule, device)).map((execution) => execution.result_status_id)).toEqual([resultStatus.suppressed]);
  for (let i = 0; i < 3; i += 1) await send(ingest, flow.ctx, cpu(device, 99));
  expect((await executionsOf(rule, device)).map((execution) => execution.result_status_id)).toEqual([
    resultStatus.suppressed,
    resultStatus.enqueueSuccess,
  ]);
  expect(
    await flow.rows(
      'select match_count, closed is null as open from rule_match where rule_id = $1 and subject_id = $2 order by created',
      rule,
      device,
    ),
  ).toEqual([
    { match_count: 3, open: false },
    { match_count: 3, open: true },
  ]);
});
