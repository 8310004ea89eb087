/** A slow reference evaluation: computes the outcome of the last event from all events, without memory. */
import type { RuleDefinition } from '../compile.ts';
import { silenceMs, type Fact, type RuleEvent } from '../facts.ts';
import { fold } from '../fold.ts';
import { operatorOf } from '../operators.ts';
import { operandOf } from '../operands.ts';
import { windowLength } from '../reading-measures.ts';
import { defaultWindowSeconds, type Condition } from '../schema.ts';
import { compileTimeWindow } from '../time-window.ts';

/** An event of kind `count`, with all packets before it. */
export interface CountEvent extends RuleEvent {
  kind: 'count';
  earlier: readonly RuleEvent[];
}

/** A past reading of a metric, `days` whole days before the event. */
export interface PastReading {
  metric: string;
  days: number;
  value: number;
}

/** A packet with readings of the same hour of earlier days. */
export interface PastEvent extends RuleEvent {
  past?: readonly PastReading[];
}

/** Returns how many standard deviations the reading is away from the mean of all past readings of the baseline's hours. */
function deviations(c: Condition, event: PastEvent): Fact {
  const value: unknown = event.packet.message.Metrics?.[c.LeftOperandFieldName ?? ''];
  const { Weeks, Hour } = c.Baseline ?? { Weeks: 4, Hour: 'OfWeek' };
  const compared = (event.past ?? []).filter(
    ({ metric, days }) => metric === c.LeftOperandFieldName && days <= Weeks * 7 && (Hour === 'OfDay' || days % 7 === 0),
  );
  const weeks = new Set(compared.map(({ days }) => Math.ceil(days / 7)));
  if (typeof value !== 'number' || compared.length < 5 || weeks.size < Math.min(3, Weeks)) return undefined;
  const mean = compared.reduce((sum, item) => sum + item.value, 0) / compared.length;
  const variance = compared.reduce((sum, item) => sum + (item.value - mean) ** 2, 0) / compared.length;
  const count = (value - mean) / Math.max(Math.sqrt(variance), Math.abs(mean) / 1_000, 1e-9);
  const signed = { above: count, below: -count, away: Math.abs(count) }[operandOf(c.LeftOperand)?.baseline ?? 'above'];
  return Number(Math.min(1_000, Math.max(-1_000, signed)).toPrecision(12));
}

/** The rule and the Or-group of a condition, on which some conditions depend. */
interface ConditionContext {
  rule: RuleDefinition;
  group: readonly Condition[];
}

const activeMatch = 80;
const matchCount = 81;

/**
 * Whether the entity satisfies the conditions that select the members of a rule about many entities. These conditions are no
 * gates.
 */
function isMember({ rule, group }: ConditionContext, entity: RuleEvent['entity']): boolean {
  if (rule.ruleTypeId !== 6) return true;
  const event = { entity, packet: { timestamp: 0, message: {} } };
  return group
    .filter(isGate)
    .every((c) =>
      operatorOf(c.Operator)?.test(c.RightOperand ?? '')(
        operandOf(c.LeftOperand)?.isIn ? setOf(c, event) : operandOf(c.LeftOperand)?.read?.(event, ''),
      ),
    );
}

function ofMatches(c: Condition, event: RuleEvent, around: ConditionContext): Fact {
  const others = (event.matches ?? []).filter((match) => match.ruleId !== around.rule.ruleId && isMember(around, match.entity));
  const right = (c.RightOperand ?? '').toLowerCase();
  if (c.LeftOperand === activeMatch) return others.find((match) => match.open && (right === '' || match.ruleId === right))?.ruleId ?? '';
  const named = around.group
    .filter((item) => item.LeftOperand === activeMatch && item.Operator === 1)
    .map((item) => item.RightOperand ?? '');
  const counted = others.filter(
    (match) =>
      (named.length === 0 || named.includes(match.ruleId)) && (match.open || event.packet.timestamp - match.lastMatch < windowMs(c)),
  );
  return c.LeftOperand === matchCount ? counted.length : new Set(counted.map((match) => match.entity.id)).size;
}

/** Whether a packet of an entity belongs to the sums of a subscription, location, tag or device type. */
export function isCounted(rule: RuleDefinition, reporter: RuleEvent['entity'], subject: RuleEvent['entity']): boolean {
  const { device } = reporter;
  switch (rule.countBy) {
    case 'Location':
      return device?.locationId === subject.group?.key;
    case 'DeviceType':
      return `${device?.deviceTypeId}` === subject.group?.key;
    case 'Tag':
      return (device?.tags ?? '')
        .toLowerCase()
        .split(/\s*,\s*/)
        .includes(subject.group?.key ?? '-');
    default:
      return reporter.subscriptionId === subject.id;
  }
}

/** Sums up every packet of the members in the window of a `count` event. */
export function totalsFromScratch(
  c: Condition,
  look: CountEvent,
  around: ConditionContext,
): { count: number; sum: number; min: number; max: number } {
  const stepMs = Math.max(1_000, Math.ceil(windowMs(c) / 30));
  const first = Math.floor(look.packet.timestamp / stepMs) - Math.ceil(windowMs(c) / stepMs) + 1;
  const values = look.earlier
    .filter((e) => inScope(around.rule, e) && isCounted(around.rule, e.entity, look.entity) && isMember(around, e.entity))
    .filter((e) => Math.floor(e.packet.timestamp / stepMs) >= first)
    .map((e) => (measureOf(c) === 'count' ? 0 : e.packet.message.Metrics?.[c.LeftOperandFieldName ?? '']))
    .filter((value) => typeof value === 'number');
  return { count: values.length, sum: values.reduce((a, b) => a + b, 0), min: Math.min(...values), max: Math.max(...values) };
}

/** The end of the last outage, if outages took more than a step of the window; otherwise 0. */
function missedUntil(c: Condition, { packet: { timestamp: at }, gaps = [] }: RuleEvent): number {
  const within = gaps.filter((gap) => gap.until > at - windowMs(c) && gap.from < at);
  const missed = within.map((gap) => Math.min(gap.until, at) - Math.max(gap.from, at - windowMs(c))).reduce((a, b) => a + b, 0);
  return missed > windowLength(windowMs(c) / 1_000).stepMs ? Math.max(...within.map((gap) => Math.min(gap.until, at))) : 0;
}

function ofMany(c: Condition, look: CountEvent, around: ConditionContext): Fact {
  const { count, sum, min, max } = totalsFromScratch(c, look, around);
  if (measureOf(c) === 'count') {
    const watched = look.packet.timestamp - Math.max(around.rule.since ?? 0, missedUntil(c, look)) >= windowMs(c);
    return watched || c.Operator === 3 || c.Operator === 6 ? count : undefined;
  }
  if (count === 0) return undefined;
  return { average: sum / count, sum, minimum: min, maximum: max }[measureOf(c) as 'average'];
}

/** For a set that the condition names: its id if the device is in it. */
const setOf = (c: Condition, { entity }: Pick<RuleEvent, 'entity'>): Fact =>
  (entity.device?.selections ?? []).some((id) => id === c.RightOperand?.toLowerCase()) ? c.RightOperand : 'none';

const placeOf = (c: Condition) => operandOf(c.LeftOperand)?.place;

function valueOf(c: Condition, event: RuleEvent, around: ConditionContext): Fact {
  const place = placeOf(c);
  if (operandOf(c.LeftOperand)?.baseline) return deviations(c, event);
  if (place) return event.matching && (event.matching(place, c.RightOperand ?? '') ? c.RightOperand : 'none');
  if (operandOf(c.LeftOperand)?.readMatches) return ofMatches(c, event, around);
  if (event.kind === 'count' && measureOf(c)) return ofMany(c, event as CountEvent, around);
  if (operandOf(c.LeftOperand)?.isIn) return setOf(c, event);
  return operandOf(c.LeftOperand)?.read?.(event, c.LeftOperandFieldName ?? '');
}

const numbersAlone = [3, 4, 6, 7];

/** Returns the condition with the right side read from the event; undefined when the event has no right side. */
function withRight(c: Condition, event: RuleEvent): Condition | undefined {
  if (!c.RightReading || c.Operator >= 13) return c;
  const { Operand, FieldName, Factor } = c.RightReading;
  const value = operandOf(Operand)?.read?.(event, FieldName ?? '');
  if (value === undefined || value === null) return undefined;
  const asNumber = numbersAlone.includes(c.Operator) || (Factor ?? 1) !== 1;
  const number = typeof value === 'boolean' || String(value).trim() === '' ? Number.NaN : Number(value) * (Factor ?? 1);
  if (asNumber && Number.isNaN(number)) return undefined;
  return { ...c, RightReading: null, RightOperand: String(asNumber ? number : value) };
}

/** Whether the event has nothing to compare. `isCount`: an unknown count is nothing even for IsEmpty and IsNotEmpty. */
function saysNothing(c: Condition, event: RuleEvent, around: ConditionContext, isCount = false): boolean {
  if (!withRight(c, event)) return true;
  const reads =
    operandOf(c.LeftOperand)?.reading !== undefined || placeOf(c) !== undefined || (event.kind === 'count' && measureOf(c) !== undefined);
  return reads && (isCount || c.Operator < 13) && valueOf(c, event, around) === undefined;
}

function operatorHolds(c: Condition, event: RuleEvent, around: ConditionContext): boolean {
  const right = withRight(c, event)?.RightOperand ?? '';
  return !saysNothing(c, event, around) && (operatorOf(c.Operator)?.test(right)(valueOf(c, event, around)) ?? false);
}

function isGate(c: Condition): boolean {
  return operandOf(c.LeftOperand)?.selects === true && (c.OccurrencePattern ?? { Kind: 'EveryTime' }).Kind === 'EveryTime';
}

function comparable(value: Fact): string {
  return typeof value === 'string' ? fold(value) : String(value ?? '');
}

function satisfied(c: Condition, observed: readonly RuleEvent[], event: RuleEvent, around: ConditionContext): boolean {
  if (!operatorHolds(c, event, around)) return false;
  const at = event.packet.timestamp;
  const p = c.OccurrencePattern;
  switch (p?.Kind) {
    case 'TimesInRow':
      return observed.length >= p.Times && observed.slice(-p.Times).every((e) => operatorHolds(c, e, around));
    case 'TimesWithin':
      return observed.filter((e) => operatorHolds(c, e, around) && at - e.packet.timestamp <= p.Seconds * 1_000).length >= p.Times;
    case 'EveryTimeDuring': {
      const broken = observed.findLastIndex((e) => !operatorHolds(c, e, around));
      const first = observed[broken + 1];
      return first !== undefined && at - first.packet.timestamp >= p.Seconds * 1_000;
    }
    case 'Changed': {
      const before = observed.at(-2);
      return before !== undefined && comparable(valueOf(c, before, around)) !== comparable(valueOf(c, event, around));
    }
    case 'NotSeenFor':
      return event.previous !== undefined && at - event.previous.timestamp > p.Seconds * 1_000;
    default:
      return true;
  }
}

function inScope(rule: RuleDefinition, event: RuleEvent): boolean {
  const { tenantId, subscriptionId, group } = event.entity;
  return (
    rule.tenantId === tenantId &&
    (!rule.subscriptionId || rule.subscriptionId === subscriptionId || (group?.subscriptionIds ?? []).includes(rule.subscriptionId))
  );
}

const shares: Readonly<Record<string, number>> = { p50: 0.5, p90: 0.9, p95: 0.95, p99: 0.99 };
const ofTwo: readonly (string | undefined)[] = ['change', 'perSecond', 'perMinute'];

/**
 * Samples the readings of one step: keeps every reading, or every second, fourth, ..., so that at most 20 remain, and repeats
 * each sample for the readings that it represents.
 */
function spread(values: readonly number[]): number[] {
  let every = 1;
  while (values.length > every * 20) every *= 2;
  return values.filter((_, i) => i % every === 0).flatMap((value) => Array.from({ length: every }, () => value));
}

/**
 * Returns the forecast of the least-squares line through all readings of the window, computed from the deviations from the
 * means.
 */
function forecast(c: Condition, readings: readonly { at: number; value: number }[], at: number): Fact {
  const mean = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0) / numbers.length;
  const [meanX, meanY] = [mean(readings.map((reading) => reading.at - at)), mean(readings.map((reading) => reading.value))];
  const products = readings.map((reading) => (reading.at - at - meanX) * (reading.value - meanY));
  const squares = readings.map((reading) => (reading.at - at - meanX) ** 2);
  const slope = mean(products) / mean(squares);
  return Number((meanY + slope * ((c.AheadSeconds ?? 0) * 1_000 - meanX)).toPrecision(9));
}

/** Returns the value of a condition on successive readings at the time `at`, which is that of the last packet or after it. */
function ofReadings(
  c: Condition,
  earlier: readonly RuleEvent[],
  at: number,
  step: (time: number) => number,
  inWindow: readonly RuleEvent[],
): Fact {
  const read = (events: readonly RuleEvent[]) =>
    events.flatMap((e) => {
      const value: unknown = e.packet.message.Metrics?.[c.LeftOperandFieldName ?? ''];
      return typeof value === 'number' ? [{ at: e.packet.timestamp, value }] : [];
    });
  const measure = measureOf(c) ?? '';
  if (ofTwo.includes(measure)) {
    const [before, now] = read(earlier).slice(-2);
    if (!before || !now || read(earlier.slice(-1)).length === 0) return undefined;
    if (measure === 'change') return now.value - before.value;
    const counted = now.value < before.value ? now.value : now.value - before.value;
    const seconds = (now.at - before.at) / 1_000;
    return seconds === 0 ? undefined : Number((counted / (measure === 'perMinute' ? seconds / 60 : seconds)).toPrecision(12));
  }
  const readings = read(inWindow);
  const bySteps = [...Map.groupBy(readings, (item) => step(item.at)).values()];
  if (measure === 'forecast') {
    const span = step(readings.at(-1)?.at ?? 0) - step(readings[0]?.at ?? 0);
    return span < (step(at) - step(at - windowMs(c))) / 2 ? undefined : forecast(c, readings, at);
  }
  const sorted = bySteps.flatMap((some) => spread(some.map((item) => item.value))).toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((shares[measure] ?? 0) * sorted.length) - 1)];
}

const measureOf = (c: Condition) => operandOf(c.LeftOperand)?.measure;
const windowMs = (c: Condition) => {
  const asFarAhead = Math.min(24 * 3_600, Math.max(defaultWindowSeconds, c.AheadSeconds ?? 0));
  return (c.WindowSeconds ?? (measureOf(c) === 'forecast' ? asFarAhead : defaultWindowSeconds)) * 1_000;
};

/** Computes the value of a window from all its packets. `earlier`: the packets that concern the group, up to `at`. */
function windowValue(c: Condition, earlier: readonly RuleEvent[], at: number, from: number): Fact {
  const stepMs = Math.max(1_000, Math.ceil(windowMs(c) / 30));
  const step = (time: number) => Math.floor(time / stepMs);
  const inWindow = earlier.filter((e) => step(e.packet.timestamp) > step(at) - Math.ceil(windowMs(c) / stepMs));
  const values = inWindow.map((e) => e.packet.message.Metrics?.[c.LeftOperandFieldName ?? '']).filter((v) => typeof v === 'number');
  const sum = values.reduce((a, b) => a + b, 0);
  switch (measureOf(c)) {
    case 'count': {
      const first = earlier[0];
      const watched = first !== undefined && at - Math.max(first.packet.timestamp, from) >= windowMs(c);
      return watched || c.Operator === 3 || c.Operator === 6 ? inWindow.length : undefined;
    }
    case 'average':
      return values.length > 0 ? sum / values.length : undefined;
    case 'sum':
      return values.length > 0 ? sum : undefined;
    case 'minimum':
      return values.length > 0 ? Math.min(...values) : undefined;
    case 'maximum':
      return values.length > 0 ? Math.max(...values) : undefined;
    default:
      return ofReadings(c, earlier, at, step, inWindow);
  }
}

/**
 * Turns a condition with a window into a condition on a metric `it`, and adds to each packet the window's value at that packet.
 */
function asReading(c: Condition, earlier: readonly RuleEvent[]): [Condition, RuleEvent[]] {
  const readings = earlier.map((e, i) => {
    const value = windowValue(c, earlier.slice(0, i + 1), e.packet.timestamp, 0);
    const { message } = e.packet;
    return {
      ...e,
      packet: {
        ...e.packet,
        message: value === undefined ? message : { ...message, Metrics: { ...message.Metrics, it: value as number } },
      },
    };
  });
  return [{ ...c, LeftOperand: 62, LeftOperandFieldName: 'it' }, readings];
}

function silentSatisfied(c: Condition, earlier: readonly RuleEvent[], event: RuleEvent, around: ConditionContext): boolean {
  const silence = silenceMs(event) ?? 0;
  const long = c.OccurrencePattern?.Kind !== 'NotSeenFor' || silence > c.OccurrencePattern.Seconds * 1_000;
  if (operandOf(c.LeftOperand)?.reading) return long;
  let value = valueOf(c, event, around);
  if (measureOf(c)) {
    const from = missedUntil(c, event);
    const quiet = measureOf(c) === 'count' ? 0 : undefined;
    value = silence > windowMs(c) ? quiet : windowValue(c, earlier, event.packet.timestamp, from);
    if (value === undefined && (c.Operator < 13 || measureOf(c) === 'count')) return false;
  }
  const right = withRight(c, event);
  if (placeOf(c) && value === undefined) return false;
  return long && right !== undefined && (operatorOf(c.Operator)?.test(right.RightOperand ?? '')(value) ?? false);
}

/**
 * Whether silence can satisfy a condition. A tick satisfies a group only if silence can satisfy all its conditions except gates
 * and conditions on other rules.
 */
function isOfSilence(c: Condition): boolean {
  const kind = c.OccurrencePattern?.Kind ?? 'EveryTime';
  if (kind !== 'EveryTime' && kind !== 'NotSeenFor') return false;
  const hasWindow = measureOf(c) !== undefined && !ofTwo.includes(measureOf(c));
  return kind === 'NotSeenFor' || hasWindow || (c.LeftOperand === 70 && (c.Operator === 3 || c.Operator === 6));
}

function groupHolds(rule: RuleDefinition, group: readonly Condition[], events: readonly RuleEvent[]): boolean {
  const event = events.at(-1);
  if (!event) return false;
  const around = { rule, group };
  const gates = rule.ruleTypeId === 6 ? [] : group.filter(isGate);
  const isAbout = (e: RuleEvent) => inScope(rule, e) && gates.every((gate) => operatorHolds(gate, e, around));
  const about = events.filter((e) => e.kind !== 'tick' && isAbout(e));
  if (event.kind === 'tick') {
    const isState = (c: Condition) => placeOf(c) !== undefined && (c.OccurrencePattern?.Kind ?? 'EveryTime') === 'EveryTime';
    const [states, others] = [group.filter(isState), group.filter((c) => !isGate(c) && !isState(c))];
    return (
      isAbout(event) &&
      states.every((c) => operatorHolds(c, event, around)) &&
      others.length > 0 &&
      others.every((c) => isOfSilence(c) && silentSatisfied(c, about, event, around))
    );
  }
  if (about.at(-1) !== event) return false;
  return group.every((c) => {
    if (rule.ruleTypeId === 6) {
      if (isGate(c)) return true;
      const observed = about.filter((e) => !saysNothing(c, e, around));
      return observed.at(-1) === event && satisfied(c, observed, event, around);
    }
    const [condition, earlier] = measureOf(c) ? asReading(c, about) : [c, about];
    const last = earlier.at(-1);
    const isCount = measureOf(c) === 'count';
    if (!last || saysNothing(condition, last, around, isCount)) return false;
    const observed = earlier.filter((e) => !saysNothing(condition, e, around, isCount));
    return satisfied(condition, observed, last, around);
  });
}

/** Whether the rule hits at the last of one entity's events. */
export function hitsFromScratch(rule: RuleDefinition, events: readonly RuleEvent[]): boolean {
  const event = events.at(-1);
  if (!event || !inScope(rule, event)) return false;
  if (rule.timeConditions && !compileTimeWindow(rule.timeConditions)(event.packet.timestamp)) return false;
  const starts = rule.conditions.flatMap((c, i) => (i === 0 || c.Type === 'Or' ? [i] : []));
  return starts.some((from, i) => groupHolds(rule, rule.conditions.slice(from, starts[i + 1]), events));
}
