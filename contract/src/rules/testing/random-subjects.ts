/** Random rules about matches, many entities and work units, with events that often match. */
import fc from 'fast-check';
import { countGroups } from '../../enums.ts';
import type { RuleDefinition } from '../compile.ts';
import type { MatchFact, RuleEntity, RuleEvent } from '../facts.ts';
import type { Condition } from '../schema.ts';
import type { CountEvent } from './from-scratch.ts';
import { pattern, timeConditions } from './random-rules.ts';

type ConditionOperands = Pick<Condition, 'LeftOperand' | 'LeftOperandFieldName' | 'Operator' | 'RightOperand'>;

const ruleIds = ['r1', 'r2', 'r3'];
const entities: readonly RuleEntity[] = ['web', 'db', 'web-2'].map((name, i) => ({
  id: `e${i}`,
  kind: 'device',
  tenantId: 't1',
  subscriptionId: i === 1 ? 's2' : 's1',
  device: { id: `e${i}`, name, locationId: i === 2 ? 'l2' : 'l1', deviceTypeId: i === 0 ? 1 : 2, tags: ['Prod, web', 'prod', null][i] },
}));

/** Returns the subject of an Aggregation rule's sums in `randomLooks`: the subscription `s1`, or a group of the devices. */
export function countSubject({ countBy = 'Subscription' }: RuleDefinition): RuleEntity {
  if (countBy === 'Subscription') return { id: 's1', kind: 'subscription', tenantId: 't1', subscriptionId: 's1' };
  const key = { Location: 'l1', DeviceType: '2', Tag: 'prod' }[countBy];
  return { id: 'group', kind: 'group', tenantId: 't1', group: { by: countBy, key, subscriptionIds: ['s1', 's2'] } };
}

const what = (
  operands: readonly number[],
  operators: readonly number[],
  rights: readonly string[],
  field?: string,
): fc.Arbitrary<ConditionOperands> =>
  fc.record({
    LeftOperand: fc.constantFrom(...operands),
    LeftOperandFieldName: fc.constant(field ?? null),
    Operator: fc.constantFrom(...operators),
    RightOperand: fc.constantFrom(...rights),
  });

const numeric = [1, 2, 3, 4, 6, 7, 13, 14];
const selecting = what([31], [1, 2, 9], ['web', 'db']);
const ofMatches = fc.oneof(what([80], [1, 2, 13, 14], ruleIds), what([81, 82], numeric, ['0', '1', '2']));
const ofPackets = fc.oneof(what([71], numeric, ['0', '1', '3']), what([72, 73, 74, 75], numeric, ['1', '2', '5'], 'Cpu'));
const ofUnits = fc.oneof(
  what([100, 101], [1, 2, 5, 9, 13, 14], ['printer', 'Paper']),
  what([103], [1, 2], ['Sev1', 'Sev2']),
  what([112], numeric, ['1', '2']),
);

function ruleOf(ruleTypeId: number, conditions: fc.Arbitrary<ConditionOperands>): fc.Arbitrary<RuleDefinition> {
  const condition: fc.Arbitrary<Condition> = fc
    .record({
      Type: fc.constantFrom('And' as const, 'Or' as const),
      it: conditions,
      // These events have no previous packet.
      OccurrencePattern: pattern.map((item) => (item?.Kind === 'NotSeenFor' ? null : item)),
      WindowSeconds: fc.constantFrom(5, 20, 60, null),
    })
    .map(({ it, ...rest }) => ({ ...rest, ...it }));
  return fc.record({
    ruleId: fc.constantFrom('r1', 'own'),
    name: fc.constant('random'),
    ruleTypeId: fc.constant(ruleTypeId),
    tenantId: fc.constant('t1'),
    subscriptionId: ruleTypeId === 4 ? fc.constant(null) : fc.option(fc.constantFrom('s1', 's2'), { freq: 3 }),
    conditions: fc.array(condition, { minLength: 1, maxLength: 4 }),
    timeConditions: fc.option(timeConditions, { freq: 5 }),
    since: fc.constantFrom(0, start + 30_000),
    ...(ruleTypeId === 6 ? { countBy: fc.constantFrom(undefined, ...countGroups) } : {}),
  });
}

const start = Date.UTC(2026, 2, 4, 22, 58);

export const randomCorrelationRule = ruleOf(2, fc.oneof({ weight: 1, arbitrary: selecting }, { weight: 3, arbitrary: ofMatches }));
export const randomAggregationRule = ruleOf(
  6,
  fc.oneof({ weight: 1, arbitrary: selecting }, { weight: 1, arbitrary: ofMatches }, { weight: 3, arbitrary: ofPackets }),
);
export const randomWorkUnitRule = ruleOf(4, ofUnits);

const fact = fc.record({
  ruleId: fc.constantFrom(...ruleIds),
  entity: fc.constantFrom(...entities),
  open: fc.boolean(),
  ago: fc.constantFrom(0, 4_000, 5_000, 19_000, 61_000),
});
const gapMs = fc.constantFrom(1_000, 5_000, 20_000, 61_000);

function inTime<T extends { gap: number }>(steps: readonly T[]): { at: number; step: T }[] {
  let at = start;
  return steps.map((step) => ({ at: (at += step.gap), step }));
}

const factsAt = (facts: readonly { ruleId: string; entity: RuleEntity; open: boolean; ago: number }[], at: number): MatchFact[] =>
  facts.map(({ ago, ...one }) => ({ ...one, lastMatch: at - ago }));

/** Random `match` events of one device, each with the matches of the device at that time. */
export const randomMatchEvents: fc.Arbitrary<RuleEvent[]> = fc
  .array(fc.record({ gap: gapMs, facts: fc.array(fact, { maxLength: 4 }) }), { maxLength: 20 })
  .map((steps) =>
    inTime(steps).map(({ at, step }) => ({
      kind: 'match' as const,
      entity: entities[0] as RuleEntity,
      packet: { timestamp: at, message: {} },
      matches: factsAt(step.facts, at),
    })),
  );

const packet = fc.record({
  entity: fc.constantFrom(...entities),
  message: fc.oneof(fc.constant({}), fc.record({ Metrics: fc.record({ Cpu: fc.integer({ min: 0, max: 6 }) }) })),
  /** Milliseconds by which the packet's time is before the `count` event; negative: after it. */
  late: fc.constantFrom(0, 0, 0, 7_000, 40_000, -4_000),
});

/** Random `count` events of the subscription `s1`, each with the packets before it. The caller fills `totals`. */
export const randomLooks: fc.Arbitrary<CountEvent[]> = fc
  .array(
    fc.record({ gap: gapMs, packets: fc.array(packet, { maxLength: 3 }), facts: fc.array(fact, { maxLength: 3 }), outage: fc.boolean() }),
    { maxLength: 15 },
  )
  .map((steps) => {
    const earlier: RuleEvent[] = [];
    const entity: RuleEntity = { id: 's1', kind: 'subscription', tenantId: 't1', subscriptionId: 's1' };
    return inTime(steps).map(({ at, step }) => {
      for (const { entity: reporter, message, late } of step.packets)
        earlier.push({ entity: reporter, packet: { timestamp: at - late, message } });
      return {
        kind: 'count' as const,
        entity,
        packet: { timestamp: at, message: {} },
        matches: factsAt(
          step.facts.filter((fact) => fact.entity.subscriptionId === 's1'),
          at,
        ),
        gaps: step.outage ? [{ from: at - 30_000, until: at - 10_000 }] : [],
        earlier: [...earlier],
      };
    });
  });

const unit = fc.record(
  {
    title: fc.constantFrom('Printer', 'paper', ''),
    description: fc.constantFrom('printer on fire', null),
    severityId: fc.constantFrom('Sev1', 'Sev2'),
    effort: fc.constantFrom(0, 1, 2, null),
  },
  { requiredKeys: ['title'] },
);

/** Random changes of one work unit, each with the fields of the unit after the change. */
export const randomUnitEvents: fc.Arbitrary<RuleEvent[]> = fc.array(fc.record({ gap: gapMs, unit }), { maxLength: 20 }).map((steps) =>
  inTime(steps).map(({ at, step }) => ({
    kind: 'workUnit' as const,
    entity: { id: 'u1', kind: 'workUnit' as const, tenantId: 't1' },
    packet: { timestamp: at, message: {} },
    workUnit: step.unit,
  })),
);
