/** The sums that batches add and a timer merges equal the sums of all packets. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { compileRule } from '@cloudfit/contract/rules/compile.ts';
import { buildRuleIndex } from '@cloudfit/contract/rules/rule-index.ts';
import type { Condition } from '@cloudfit/contract/rules/schema.ts';
import { totalsFromScratch, type CountEvent } from '@cloudfit/contract/rules/testing/from-scratch.ts';
import type { IngestRule } from './compiled-rules.ts';
import { countParts, countSweepWork, storeParts, sumsAt } from './count-many.ts';
import type { Entity } from './entities.ts';
import { createFlow, type Flow } from './testing/flow.ts';

let flow: Flow;
beforeAll(async () => {
  flow = await createFlow();
});
afterAll(() => flow.close());

const start = Date.UTC(2026, 2, 4, 22, 58);
const step = fc.record({
  gap: fc.constantFrom(1_000, 5_000, 20_000, 61_000),
  packets: fc.array(
    fc.record({
      name: fc.constantFrom('web', 'db'),
      Cpu: fc.integer({ min: 0, max: 9 }),
      late: fc.constantFrom(0, 0, 7_000, 40_000, -4_000),
    }),
    {
      maxLength: 4,
    },
  ),
  /** Whether the timer runs; several batches may come between two runs. */
  looks: fc.boolean(),
});

it('whatever comes late or between two looks, and whichever looks at once', async () => {
  const [subscription] = await flow.rows<{ subscription_id: string }>(
    'select subscription_id from subscription where tenant_id = $1',
    flow.tenantId,
  );
  const subscriptionId = subscription?.subscription_id ?? '';
  const entity = (name: string): Entity => ({
    id: crypto.randomUUID(),
    kind: 'device',
    tenantId: flow.tenantId,
    subscriptionId,
    name,
    enabled: true,
    device: { id: 'd', name },
  });
  const condition = (LeftOperand: number, WindowSeconds: number): Condition => ({
    Type: 'And',
    LeftOperand,
    LeftOperandFieldName: LeftOperand === 71 ? null : 'Cpu',
    Operator: 3,
    RightOperand: '1',
    WindowSeconds,
  });
  const conditions = fc
    .tuple(fc.constantFrom(71, 72, 73, 74, 75), fc.constantFrom(5, 20, 60))
    .map(([id, seconds]) => [{ Type: 'And' as const, LeftOperand: 31, Operator: 1, RightOperand: 'web' }, condition(id, seconds)]);
  await fc.assert(
    fc.asyncProperty(conditions, fc.array(step, { minLength: 2, maxLength: 12 }), async (group, steps) => {
      const compiled = compileRule<IngestRule>({
        ruleId: crypto.randomUUID(),
        name: 'r',
        ruleTypeId: 6,
        tenantId: flow.tenantId,
        subscriptionId: null,
        conditions: group,
        lifetimeMs: 300_000,
        sliding: false,
        matchActions: [],
        expirationActions: [],
      });
      const rules = buildRuleIndex([compiled]);
      const earlier: CountEvent['earlier'][number][] = [];
      let at = start;
      for (const { gap, packets, looks } of steps) {
        at += gap;
        const batch = packets.map(({ name, Cpu, late }) => ({
          entity: entity(name),
          packet: { timestamp: at - late, message: { Metrics: { Cpu } } },
        }));
        await storeParts(flow.db, countParts(rules, batch));
        earlier.push(...batch);
        if (!looks) continue;
        const [sums] = await Promise.all([sumsAt(flow.db, rules, at), sumsAt(flow.db, rules, at)]);
        const again = await sumsAt(flow.db, rules, at);
        const look: CountEvent = {
          kind: 'count',
          entity: { id: subscriptionId, kind: 'subscription', tenantId: flow.tenantId },
          packet: { timestamp: at, message: {} },
          earlier,
        };
        const { count, sum, min, max } = totalsFromScratch(group[1] as Condition, look, { rule: compiled.rule, group });
        const expected = count === 0 ? [] : [{ subject_id: subscriptionId, count, sum, min, max }];
        expect(again).toMatchObject(expected);
        expect(again).toHaveLength(expected.length);
        // During a merge rows may be missing, but are never counted twice.
        expect(sums[0]?.count ?? 0).toBeLessThanOrEqual(count);
        const rows = await flow.rows('select 1 from rule_count where rule_id = $1 and not merged', compiled.ruleId);
        expect(rows).toHaveLength(0);
      }
    }),
    { numRuns: 40, endOnFailure: true },
  );
  await countSweepWork({ rules: { aggregation: () => buildRuleIndex([]) } as never }).run(flow.db);
  expect(await flow.rows('select 1 from rule_count')).toHaveLength(0);
});
