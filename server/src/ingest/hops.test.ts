/** A rule on work units whose action leads to another change of a unit is cut where it has come too far. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { builtInAction, resultStatus } from '@cloudfit/contract/enums.ts';
import { systemCtx } from '../auth/system-ctx.ts';
import { mostHops } from '../jobs/executions.ts';
import type { Ingest } from './accept.ts';
import { createFlow, silent, until, type Flow } from './test-flow.ts';
import { workUnitRules } from './work-unit-rules.ts';

let flow: Flow;
let ingest: Ingest;

beforeAll(async () => {
  flow = await createFlow();
  ingest = await flow.openIngest();
});
afterAll(() => flow.close());

it('records the actions of a rule with the hops of their cause, and runs none beyond the limit', async () => {
  const rule = await flow.rule({
    name: 'Any unit',
    ruleTypeId: 4,
    conditions: [{ Type: 'And', LeftOperand: 100, Operator: 5, RightOperand: 'pump' }],
    matchActions: [{ ActionDefinitionId: builtInAction.email, Parameters: { To: 'desk@example.com' } }],
  });
  await until(() => ingest.rules.workUnit().size > 0);
  const ctx = systemCtx({ database: flow.database, log: silent, name: 'test' });
  for (const [workUnitId, hops] of [
    [1, mostHops - 1],
    [2, mostHops],
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
  const rows = await flow.rows<{ result_status_id: number; result_detail: Record<string, unknown> }>(
    'select h.result_status_id, h.result_detail from action_history h join rule_match m on m.rule_match_id::text = h.reference_id where m.rule_id = $1 order by h.action_history_id',
    rule,
  );
  expect(rows).toMatchObject([
    { result_status_id: resultStatus.enqueueSuccess, result_detail: { hops: mostHops - 1 } },
    { result_status_id: resultStatus.suppressed, result_detail: { hops: mostHops, reason: 'loop' } },
  ]);
});
