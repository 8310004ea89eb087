/** Measures rule evaluation on one core: packets and evaluations per second, and the ratio to hand-written predicates. */
import { compileRule, type CompiledRule } from '@cloudfit/contract/rules/compile.ts';
import { evaluate, newReadings, type RuleState } from '@cloudfit/contract/rules/evaluate/evaluate.ts';
import type { RuleEvent } from '@cloudfit/contract/rules/facts.ts';
import { buildRuleIndex, type RuleIndex } from '@cloudfit/contract/rules/rule-index.ts';
import type { Condition, OccurrencePattern } from '@cloudfit/contract/rules/schema.ts';
import type { Db } from '../server/src/db/db.ts';
import { UsualValues, type UsualAt } from '../server/src/rules/run/baselines/usual-values.ts';
import { compiledWithExceptions, withException, type StoredException } from '../server/src/rules/run/exceptions.ts';
import { inForce } from '../server/src/rules/run/rollout.ts';
import type { IngestRule } from '../server/src/rules/run/ingest-rule.ts';
import type { BenchRow } from './load.ts';

const candidates = 20;
const secondsPerFigure = 1;

function metric(field: string, operator: number, right: number, pattern?: OccurrencePattern): Condition {
  return {
    Type: 'And',
    LeftOperand: 62,
    LeftOperandFieldName: field,
    Operator: operator,
    RightOperand: String(right),
    OccurrencePattern: pattern,
  };
}

/** Five conditions, only the last of which decides, so that all five are evaluated. */
function fiveConditions(i: number): Condition[] {
  return [
    { Type: 'And', LeftOperand: 30, Operator: 1, RightOperand: 'device-7' },
    metric('Cpu', 3, i % 10),
    metric('Memory', 4, 99 + i),
    { Type: 'And', LeftOperand: 63, LeftOperandFieldName: 'Service', Operator: 1, RightOperand: 'running' },
    metric('Disk', 3, 50 + i),
  ];
}

const readings = newReadings();

function ruleOf(i: number, conditions: Condition[]): CompiledRule {
  return compileRule({ ruleId: `rule-${i}`, name: `rule ${i}`, ruleTypeId: 1, tenantId: 'tenant-1', conditions }, readings);
}

const device = { id: 'device-7', name: 'web-07', tags: 'prod, web', deviceTypeId: 2, operatingSystemId: 4 };
const events: RuleEvent[] = Array.from({ length: 64 }, (_, i) => ({
  entity: { id: 'device-7', kind: 'device', tenantId: 'tenant-1', subscriptionId: 'subscription-1', device },
  packet: {
    timestamp: 1_780_000_000_000 + i * 1_000,
    message: {
      Metrics: { Cpu: 20 + (i % 70), Memory: 40 + (i % 30), Uptime: 1_000 + i, Disk: 45 + (i % 40) },
      States: { Service: 'running' },
    },
  },
  previous: { timestamp: 1_780_000_000_000 + (i - 1) * 1_000 },
}));

let sink = 0;

/** CPU time of this process in milliseconds, which does not depend on other work on the machine. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** Packets per second of CPU time; `work` handles one packet. */
function measure(work: (event: RuleEvent) => void): number {
  const round = (seconds: number) => {
    const started = cpuMs();
    let packets = 0;
    while (cpuMs() - started < seconds * 1_000) {
      for (let i = 0; i < 10; i += 1) for (const event of events) work(event);
      packets += 10 * events.length;
    }
    return (packets * 1_000) / (cpuMs() - started);
  };
  round(0.3);
  return Math.max(round(secondsPerFigure), round(secondsPerFigure));
}

const plain = Array.from({ length: candidates }, (_, i) => ruleOf(i, fiveConditions(i)));

function all(rules: readonly CompiledRule[], trace: boolean): (event: RuleEvent) => void {
  const options = trace ? { trace } : undefined;
  return (event) => {
    for (const rule of rules) if (evaluate(rule, event, undefined, options).outcome === 'hit') sink += 1;
  };
}

function remembering(rules: readonly CompiledRule[]): (event: RuleEvent) => void {
  const states = new Map<string, RuleState | undefined>();
  return (event) => {
    for (const rule of rules) {
      const result = evaluate(rule, event, states.get(rule.ruleId));
      if (result.changed) states.set(rule.ruleId, result.state);
      if (result.outcome === 'hit') sink += 1;
    }
  };
}

const byHand = Array.from({ length: candidates }, (_, i) => (event: RuleEvent) => {
  const { Metrics, States } = event.packet.message;
  return (
    event.entity.tenantId === 'tenant-1' &&
    event.entity.device?.id === 'device-7' &&
    Metrics !== undefined &&
    (Metrics['Cpu'] ?? 0) > i % 10 &&
    (Metrics['Memory'] ?? 0) < 99 + i &&
    States?.['Service'] === 'running' &&
    (Metrics['Disk'] ?? 0) > 50 + i
  );
});

/** The last condition compares with the same hour of past weeks instead of a fixed value. */
const withBaseline = Array.from({ length: candidates }, (_, i) =>
  ruleOf(i, [
    ...fiveConditions(i).slice(0, 4),
    { Type: 'And', LeftOperand: 87, LeftOperandFieldName: 'Disk', Operator: 3, RightOperand: String(i % 3) },
  ]),
);

/** Evaluates `withBaseline` as the server does: reads each baseline once per entity, metric and hour, then caches it. */
async function againstUsual(): Promise<(event: RuleEvent) => void> {
  // `values[5]`, the last parameter of the query, has the hours.
  const query = ({ values }: { values: readonly unknown[] }) =>
    Promise.resolve(
      (values[5] as readonly Date[]).map((hour) => ({ n: 0, hour: hour.getTime(), count: 120, sum: 120 * 50, squares: 120 * 25 })),
    );
  const db = { query } as unknown as Db;
  const values = new UsualValues(db);
  const index = buildRuleIndex(withBaseline) as unknown as RuleIndex<IngestRule>;
  let usualAt: UsualAt | undefined;
  const work = (event: RuleEvent): void => {
    const compared = { ...event, ...(usualAt ? { usual: usualAt(event.entity, event.packet.timestamp) } : {}) };
    for (const rule of withBaseline) if (evaluate(rule, compared, undefined).outcome === 'hit') sink += 1;
  };
  await values.evaluate(db, index, (at) => {
    usualAt = at;
    for (const event of events) work(event);
  });
  return work;
}

const ownValues = 5_000;

/** One rule more that holds for all devices, with or without own values of 5,000 devices, among the 20 candidates. */
function indexWith(count: number): RuleIndex<IngestRule> {
  const definition = {
    ruleId: 'rule-of-all',
    name: 'CPU of all',
    ruleTypeId: 1,
    tenantId: 'tenant-1',
    conditions: [metric('Cpu', 3, 60)],
    lifetimeMs: 300_000,
    sliding: false,
    matchActions: [],
    expirationActions: [],
  };
  const none = {
    tenantGroupId: null,
    subscriptionId: null,
    locationId: null,
    tag: null,
    entityName: null,
    matchLifetime: null,
    severityId: null,
  };
  const exceptions = Array.from({ length: count }, (_, i): StoredException => ({
    ...none,
    ruleExceptionId: `exception-${i}`,
    appliesTo: 'Device',
    tenantId: 'tenant-1',
    deviceId: `device-${i}`,
    rank: 100,
    isOff: false,
    ownValues: { '62 Cpu 3': String(53 + (i % 40)) },
    tenants: null,
    since: 0,
    until: null,
  }));
  const ofAll = compiledWithExceptions(exceptions, (exception) => [
    compileRule(exception ? withException(definition, exception) : definition, readings),
  ]);
  return buildRuleIndex<IngestRule>([...(plain as CompiledRule<IngestRule>[]), ...ofAll]);
}

/** In turn, so that what else the machine does costs both the same. */
function withExceptionsRow(): BenchRow {
  const evaluated = (index: RuleIndex<IngestRule>) => (event: RuleEvent) => {
    for (const candidate of index.candidates(event, [])) {
      const rule = inForce(candidate, event.entity);
      if (rule && evaluate(rule, event, undefined).outcome === 'hit') sink += 1;
    }
  };
  const [without, withOwn] = [evaluated(indexWith(0)), evaluated(indexWith(ownValues))];
  const figures = { with: 0, without: 0 };
  for (let turn = 0; turn < 3; turn += 1) {
    figures.without = Math.max(figures.without, measure(without));
    figures.with = Math.max(figures.with, measure(withOwn));
  }
  return {
    name: `one packet against ${candidates} candidate rules of 5 conditions and one of all devices, one core: with ${ownValues.toLocaleString('en')} own values`,
    figures: { 'packets/s': Math.round(figures.with), 'without packets/s': Math.round(figures.without) },
    ratio: { of: 'the same rules without', value: Math.round((figures.with / figures.without) * 100) / 100 },
  };
}

function rowOf(name: string, perSecond: number, byHandPerSecond: number): BenchRow {
  return {
    name: `one packet against ${candidates} candidate rules of 5 conditions, one core: ${name}`,
    figures: {
      'packets/s': Math.round(perSecond),
      'evaluations/s': Math.round(perSecond * candidates),
      'by hand packets/s': Math.round(byHandPerSecond),
    },
    ratio: { of: 'hand-written predicates', value: Math.round((perSecond / byHandPerSecond) * 100) / 100 },
  };
}

/** Runs the bench, which uses no database. */
export async function bench(): Promise<BenchRow[]> {
  const hand = measure((event) => {
    for (const predicate of byHand) if (predicate(event)) sink += 1;
  });
  const rows = [rowOf('nothing remembered', measure(all(plain, false)), hand)];
  const inRow = Array.from({ length: candidates }, (_, i) =>
    ruleOf(i, [...fiveConditions(i).slice(0, 4), metric('Disk', 3, 50 + i, { Kind: 'TimesInRow', Times: 3 })]),
  );
  rows.push(rowOf('one of five remembers (3 in a row)', measure(remembering(inRow)), hand));
  rows.push(rowOf('with trace', measure(all(plain, true)), hand));
  for (const total of [20, 10_000]) {
    const others = Array.from({ length: total - candidates }, (_, i) =>
      ruleOf(candidates + i, [
        ...fiveConditions(i).slice(1),
        { Type: 'And', LeftOperand: 30, Operator: 1, RightOperand: `other-${i % 500}` },
      ]),
    );
    const index = buildRuleIndex([...plain, ...others]);
    rows.push(
      rowOf(
        `found by the index among ${total.toLocaleString('en')} rules`,
        measure((event) => {
          for (const rule of index.candidates(event, [])) if (evaluate(rule, event, undefined).outcome === 'hit') sink += 1;
        }),
        hand,
      ),
    );
  }
  if (sink === 0) throw new Error('No rule matched: what was measured is not what was meant.');
  const hits = sink;
  const baseline = await againstUsual();
  if (sink === hits) throw new Error('No rule with a baseline matched: what was measured is not what was meant.');
  const [withoutPerSecond, withPerSecond] = [measure(all(plain, false)), measure(baseline)];
  rows.push({
    name: `one packet against ${candidates} candidate rules of 5 conditions, one core: one of five compares with a baseline`,
    figures: { 'packets/s': Math.round(withPerSecond), 'without packets/s': Math.round(withoutPerSecond) },
    ratio: { of: 'the same rules with a fixed value', value: Math.round((withPerSecond / withoutPerSecond) * 100) / 100 },
  });
  rows.push(withExceptionsRow());
  return rows;
}

if (process.argv[1] === import.meta.filename) console.log(JSON.stringify(await bench(), null, 2));
