/** Random rules and packets for property tests, with so few different values that rules often match. */
import fc from 'fast-check';
import { hourMs } from '../../durations.ts';
import { usualOf } from '../baselines/baseline.ts';
import type { RuleDefinition } from '../compile.ts';
import type { Gap, RuleEvent, StatePlace } from '../facts.ts';
import { comparesReadings, comparing, operandOf } from '../operands.ts';
import type { PastEvent, PastReading } from './from-scratch.ts';
import type { Condition, OccurrencePattern, RightReading, TimeConditions } from '../schema.ts';

const tenants = ['t1', 't2'];
const subscriptions = ['s1', 's2'];
const deviceNames = ['web', 'Web', 'db'];
const fields = ['Cpu', 'Memory'];
const texts = ['ok', 'OK', 'down', '5', '5.0', ''];

// Few round lengths, so that packets fall on the edges of windows too.
const seconds = fc.constantFrom(5, 10, 20, 30);
const times = fc.integer({ min: 2, max: 4 });

export const pattern: fc.Arbitrary<OccurrencePattern | null> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom<OccurrencePattern | null>(null, { Kind: 'EveryTime' }) },
  times.map((Times) => ({ Kind: 'TimesInRow' as const, Times })),
  fc.record({ Times: times, Seconds: seconds }).map((r) => ({ Kind: 'TimesWithin' as const, ...r })),
  seconds.map((Seconds) => ({ Kind: 'EveryTimeDuring' as const, Seconds })),
  fc.constant({ Kind: 'Changed' as const }),
  seconds.map((Seconds) => ({ Kind: 'NotSeenFor' as const, Seconds })),
);

type Core = Pick<Condition, 'LeftOperand' | 'LeftOperandFieldName' | 'Operator' | 'RightOperand'>;

function core(
  operands: readonly number[],
  field: string | null,
  operators: readonly number[],
  rights: readonly string[],
): fc.Arbitrary<Core> {
  return fc.record({
    LeftOperand: fc.constantFrom(...operands),
    LeftOperandFieldName: field === null ? fc.constant(null) : fc.constantFrom(...fields),
    Operator: fc.constantFrom(...operators),
    RightOperand: fc.constantFrom(...rights),
  });
}

const equality = [1, 2];
const anyText = [1, 2, 5, 8, 9, 10, 11, 12, 13, 14];

const gate = fc.oneof(
  core([31], null, anyText, ['web', 'db', 'w']),
  core([32], null, [5, 11, 13], ['prod']),
  core([10], null, equality, ['e1', 'E2']),
  core([21], null, equality, subscriptions),
  core([33], null, equality, ['1', '2.0']),
  core([37], null, equality, ['p1', 'P2']),
);
const reading = fc.oneof(
  { weight: 3, arbitrary: core([62], 'any', [1, 2, 3, 4, 6, 7, 13, 14], ['1', '2', '3']) },
  core([61, 63, 64], 'any', [...anyText, 3, 7], ['5', '1']),
  core([60], null, [...anyText, 3], ['5']),
  core([70], null, [3, 4], ['10']),
);

const ofTwo = core([65, 66, 67], 'any', comparing, ['0', '1', '-1', '0.2', '6']);

/**
 * Conditions on baselines. No deviation of the small random readings equals one of these right sides, so rounding changes no
 * outcome.
 */
const fromBaseline = fc
  .tuple(
    core([87, 88, 89], 'any', [3, 6, 4, 7], ['0.37', '1.13', '2.71']),
    fc.constantFrom(null, { Weeks: 1, Hour: 'OfWeek' as const }, { Weeks: 3, Hour: 'OfDay' as const }),
  )
  .map(([one, Baseline]) => ({ ...one, Baseline }));

const otherRules = ['r1', 'r2'];
const places: readonly StatePlace[] = ['device', 'location', 'subscription', 'parent'];
const state = core([83, 84, 85, 86], null, equality, [...otherRules, 'R1']);

const right: fc.Arbitrary<RightReading> = fc.record({
  Operand: fc.constantFrom(36, 60, 61, 62, 62, 62, 63),
  FieldName: fc.constantFrom(...fields, 'max'),
  Factor: fc.constantFrom(null, 1, 0.5, 2),
});

/** Gives some of the conditions a right side that is read from the event, if the condition permits it. */
const someRead = <C extends Condition>(conditions: fc.Arbitrary<C>): fc.Arbitrary<C> =>
  fc
    .tuple(conditions, fc.option(right, { freq: 3 }))
    .map(([one, RightReading]) =>
      RightReading && comparing.includes(one.Operator) && comparesReadings(operandOf(one.LeftOperand)) ? { ...one, RightReading } : one,
    );

const condition: fc.Arbitrary<Condition> = someRead(
  fc
    .record({
      Type: fc.constantFrom('And' as const, 'Or' as const),
      what: fc.oneof(
        { weight: 1, arbitrary: gate },
        { weight: 3, arbitrary: reading },
        { weight: 1, arbitrary: ofTwo },
        { weight: 1, arbitrary: state },
        { weight: 1, arbitrary: fromBaseline },
      ),
      OccurrencePattern: pattern,
    })
    .map(({ Type, what, OccurrencePattern }) => ({ Type, ...what, OccurrencePattern })),
);

export const timeConditions: fc.Arbitrary<TimeConditions> = fc.record({
  DailyStartTime: fc.constantFrom('00:00', '23:59', '00:01'),
  DailyEndTime: fc.constantFrom('00:01', '00:02', '23:59'),
  DaysOfWeek: fc.constantFrom(null, [0, 1, 2], [4, 5]),
  TimeZoneId: fc.constantFrom('UTC', 'Europe/Vienna'),
});

/** Valid ingestion rules of two tenants. */
export const randomRule: fc.Arbitrary<RuleDefinition> = fc.record({
  ruleId: fc.uuid(),
  name: fc.constant('random'),
  ruleTypeId: fc.constant(1),
  tenantId: fc.constantFrom(...tenants),
  subscriptionId: fc.option(fc.constantFrom(...subscriptions)),
  conditions: fc.array(condition, { minLength: 1, maxLength: 5 }),
  timeConditions: fc.option(timeConditions, { freq: 5 }),
});

const text = fc.constantFrom(...texts, null, true);
const named = <T>(value: fc.Arbitrary<T>) => fc.dictionary(fc.constantFrom(...fields), value, { maxKeys: 2 });

const message = fc.record(
  {
    Value: fc.oneof(text, fc.integer({ min: 0, max: 6 })),
    Properties: named(text),
    Metrics: named(fc.integer({ min: 0, max: 4 })),
    States: named(text),
    Diagnostics: fc.oneof(named(text), fc.constantFrom('plain', null)),
  },
  { requiredKeys: [] },
);

const step = fc.record({
  entity: fc.constantFrom('e1', 'e2'),
  subscriptionId: fc.constantFrom(...subscriptions),
  name: fc.constantFrom(...deviceNames),
  tags: fc.constantFrom(null, 'prod, web'),
  deviceTypeId: fc.constantFrom(1, 2),
  selections: fc.subarray(['p1', 'p2']),
  values: fc.constantFrom(undefined, { max: '2', Cpu: 'ok' }, { max: '3.5' }),
  gapSeconds: fc.constantFrom(0, 1, 5, 5, 10, 20),
  matching: fc.option(fc.subarray(places.flatMap((place) => otherRules.map((ruleId) => `${place} ${ruleId}`))), {
    freq: 10,
    nil: undefined,
  }),
  past: fc.constantFrom(0, 1, 1, 2, 2),
  message,
});

const pastReading = fc.record({
  metric: fc.constantFrom(...fields),
  days: fc.constantFrom(1, 6, 7, 7, 7, 8, 14, 14, 14, 21, 21, 28, 35),
  value: fc.integer({ min: 0, max: 4 }),
});
/** Past readings: the first history has enough for a baseline, the second often too few. */
const histories = fc.tuple(fc.array(pastReading, { minLength: 30, maxLength: 50 }), fc.array(pastReading, { maxLength: 12 }));

/** Returns a function with the usual values that the server would compute from the sums of each hour. */
function usualFrom(past: readonly PastReading[], at: number): NonNullable<RuleEvent['usual']> {
  return (metric, baseline) =>
    usualOf(at, baseline, (hour) => {
      const days = Math.round((Math.floor(at / hourMs) * hourMs - hour) / (24 * hourMs));
      const values = past.filter((item) => item.metric === metric && item.days === days).map(({ value }) => value);
      const sum = values.reduce((a, b) => a + b, 0);
      const squares = values.reduce((a, b) => a + (b - sum / values.length) ** 2, 0);
      return { count: values.length, sum, squares };
    });
}

const start = Date.UTC(2026, 2, 4, 22, 58);

/** Packets of two entities of tenant t1, in order of time, with `previous` as in ingest. */
export const randomEvents: fc.Arbitrary<PastEvent[]> = fc.tuple(fc.array(step, { maxLength: 25 }), histories).map(([steps, pasts]) => {
  let at = start;
  const last = new Map<string, number>();
  return steps.map((s) => {
    at += s.gapSeconds * 1_000;
    const before = last.get(s.entity);
    last.set(s.entity, at);
    const past = pasts[s.past - 1];
    return {
      ...(past ? { past, usual: usualFrom(past, at) } : {}),
      entity: {
        id: s.entity,
        kind: 'device' as const,
        tenantId: 't1',
        subscriptionId: s.subscriptionId,
        device: { id: s.entity, name: s.name, tags: s.tags, deviceTypeId: s.deviceTypeId, selections: s.selections, values: s.values },
      },
      packet: { timestamp: at, message: s.message },
      matching: s.matching && ((place: StatePlace, ruleId: string) => s.matching?.includes(`${place} ${ruleId.toLowerCase()}`) === true),
      previous: before === undefined ? undefined : { timestamp: before },
    };
  });
});

const counting = fc.oneof(
  core([71], null, [1, 2, 3, 4, 6, 7, 13, 14], ['0', '1', '2', '3']),
  core([72, 73, 74, 75], 'any', [1, 2, 3, 4, 6, 7, 13, 14], ['1', '2', '3']),
);

const overReadings = fc.oneof(
  core([76, 77, 78, 79], 'any', [...comparing, 13, 14], ['1', '2', '3']),
  core([68], 'any', [...comparing, 13, 14], ['1.37', '2.71', '4.13', '-1.93']),
);

const historyCondition: fc.Arbitrary<Condition> = someRead(
  fc
    .record({
      Type: fc.constantFrom('And' as const, 'Or' as const),
      what: fc.oneof(
        { weight: 1, arbitrary: gate },
        { weight: 1, arbitrary: reading },
        { weight: 1, arbitrary: ofTwo },
        { weight: 1, arbitrary: state },
        { weight: 1, arbitrary: fromBaseline },
        { weight: 3, arbitrary: counting },
        { weight: 2, arbitrary: overReadings },
      ),
      OccurrencePattern: pattern,
      WindowSeconds: fc.constantFrom(1, 5, 20, 60, null),
      AheadSeconds: fc.constantFrom(10, 60),
    })
    .map(({ what, AheadSeconds, ...rest }) => ({ ...rest, ...what, ...(what.LeftOperand === 68 ? { AheadSeconds } : {}) })),
);

/** Valid history rules of tenant t1. */
export const randomHistoryRule: fc.Arbitrary<RuleDefinition> = fc.record({
  ruleId: fc.uuid(),
  name: fc.constant('random'),
  ruleTypeId: fc.constant(3),
  tenantId: fc.constant('t1'),
  subscriptionId: fc.option(fc.constantFrom(...subscriptions), { freq: 3 }),
  conditions: fc.array(historyCondition, { minLength: 1, maxLength: 4 }),
  timeConditions: fc.option(timeConditions, { freq: 5 }),
});

const pause = fc.record({
  afterSeconds: fc.constantFrom(1, 5, 11, 25, 70, 400),
  outage: fc.option(fc.record({ startsIn: fc.constantFrom(0, 3, 20), lasts: fc.constantFrom(5, 40, 100) }), { freq: 3 }),
});

/** Packets of one entity with ticks between the packets; some ticks follow an outage. */
export const randomTimeline: fc.Arbitrary<RuleEvent[]> = fc
  .tuple(randomEvents, fc.array(fc.option(pause), { maxLength: 25 }))
  .map(([events, pauses]) => {
    const ofEntity = events.filter((event) => event.entity.id === 'e1');
    return ofEntity.flatMap((event, i) => {
      const { timestamp } = event.packet;
      const wait = pauses[i];
      if (!wait) return [event];
      const at = Math.min(timestamp + wait.afterSeconds * 1_000, (ofEntity[i + 1]?.packet.timestamp ?? Number.POSITIVE_INFINITY) - 1);
      const gaps: Gap[] = [];
      if (wait.outage && timestamp + wait.outage.startsIn * 1_000 < at) {
        const from = timestamp + wait.outage.startsIn * 1_000;
        gaps.push({ from, until: Math.min(at, from + wait.outage.lasts * 1_000) });
      }
      if (at < timestamp) return [event];
      const tick: RuleEvent = {
        kind: 'tick',
        entity: event.entity,
        packet: { timestamp: at, message: {} },
        previous: { timestamp },
        gaps,
        matching: event.matching,
      };
      return [event, tick];
    });
  });
