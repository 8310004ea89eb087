/** The sums that batches add and a timer merges equal the sums of all packets. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { countGroups } from '@cloudfit/contract/enums.ts';
import { compileRule } from '@cloudfit/contract/rules/compile.ts';
import { buildRuleIndex } from '@cloudfit/contract/rules/rule-index.ts';
import type { Condition } from '@cloudfit/contract/rules/schema.ts';
import { totalsFromScratch, type CountEvent } from '@cloudfit/contract/rules/testing/from-scratch.ts';
import { runs } from '@cloudfit/contract/testing/runs.ts';
import type { IngestRule } from './ingest-rule.ts';
import { countGroupId } from './count-groups.ts';
import { countParts, countSweepWork, storeParts, sumsAt } from './count-many.ts';
import type { Entity } from './entity.ts';
import { createFlow, type Flow } from '../testing/flow.ts';

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
      name: fc.constantFrom('web', 'db', 'web-2'),
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
  const [here, there] = [crypto.randomUUID(), crypto.randomUUID()];
  const devices: Record<string, { locationId: string; tags: string | null; deviceTypeId: number }> = {
    web: { locationId: here, tags: 'Site:a, prod', deviceTypeId: 1 },
    db: { locationId: there, tags: null, deviceTypeId: 1 },
    'web-2': { locationId: there, tags: 'prod,site:b', deviceTypeId: 2 },
  };
  const subscriptionSubject = { id: subscriptionId, kind: 'subscription' as const, tenantId: flow.tenantId };
  const groups = (by: 'Location' | 'Tag' | 'DeviceType', ...keys: string[]) =>
    keys.map((key) => ({ id: countGroupId(flow.tenantId, by, key), kind: 'group' as const, tenantId: flow.tenantId, group: { by, key } }));
  const subjectsBy = {
    Subscription: [subscriptionSubject],
    Location: groups('Location', here, there),
    Tag: groups('Tag', 'site:a', 'site:b'),
    DeviceType: groups('DeviceType', '1', '2'),
  };
  const entity = (name: string): Entity => ({
    id: crypto.randomUUID(),
    kind: 'device',
    tenantId: flow.tenantId,
    subscriptionId,
    name,
    enabled: true,
    device: { id: 'd', name, ...devices[name] },
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
    .map(([id, seconds]) => [{ Type: 'And' as const, LeftOperand: 31, Operator: 9, RightOperand: 'web' }, condition(id, seconds)]);
  await fc.assert(
    fc.asyncProperty(
      conditions,
      fc.constantFrom(...countGroups),
      fc.array(step, { minLength: 2, maxLength: 12 }),
      async (group, countBy, steps) => {
        const compiled = compileRule<IngestRule>({
          ruleId: crypto.randomUUID(),
          name: 'r',
          ruleTypeId: 6,
          tenantId: flow.tenantId,
          subscriptionId: null,
          conditions: group,
          countBy,
          countTag: 'Site:',
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
          const expected = subjectsBy[countBy].flatMap((subject) => {
            const look: CountEvent = { kind: 'count', entity: subject, packet: { timestamp: at, message: {} }, earlier };
            const { count, sum, min, max } = totalsFromScratch(group[1] as Condition, look, { rule: compiled.rule, group });
            return count === 0 ? [] : [{ subject_id: subject.id, count, sum, min, max }];
          });
          const bySubject = (a: { subject_id: string }, b: { subject_id: string }) => (a.subject_id < b.subject_id ? -1 : 1);
          expect(again.toSorted(bySubject)).toMatchObject(expected.toSorted(bySubject));
          // During a merge rows may be missing, but are never counted twice.
          for (const { subject_id, count } of sums)
            expect(count).toBeLessThanOrEqual(expected.find((candidate) => candidate.subject_id === subject_id)?.count ?? 0);
          const rows = await flow.rows('select 1 from rule_count where rule_id = $1 and not merged', compiled.ruleId);
          expect(rows).toHaveLength(0);
        }
      },
    ),
    { numRuns: runs(15, 40), endOnFailure: true },
  );
  await countSweepWork({ rules: { aggregation: () => buildRuleIndex([]) } as never }).run(flow.db);
  expect(await flow.rows('select 1 from rule_count')).toHaveLength(0);
});
