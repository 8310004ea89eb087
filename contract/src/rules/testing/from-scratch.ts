/** A slow reference: decides the last of a list of events by looking at all of them again, with no memory. */
import type { RuleDefinition } from '../compile.ts';
import { silenceMs, type Fact, type RuleEvent } from '../facts.ts';
import { fold } from '../fold.ts';
import { operatorOf } from '../operators.ts';
import { operandOf } from '../operands.ts';
import type { Condition } from '../schema.ts';
import { compileTimeWindow } from '../time-window.ts';
import { defaultWindowSeconds } from '../window.ts';

function valueOf(c: Condition, event: RuleEvent): Fact {
  return operandOf(c.LeftOperand)?.read?.(event, c.LeftOperandFieldName ?? '');
}

function saysNothing(c: Condition, event: RuleEvent): boolean {
  return operandOf(c.LeftOperand)?.reading !== undefined && c.Operator < 13 && valueOf(c, event) === undefined;
}

function held(c: Condition, event: RuleEvent): boolean {
  return !saysNothing(c, event) && (operatorOf(c.Operator)?.test(c.RightOperand ?? '')(valueOf(c, event)) ?? false);
}

function isGate(c: Condition): boolean {
  return operandOf(c.LeftOperand)?.selects === true && (c.OccurrencePattern ?? { Kind: 'EveryTime' }).Kind === 'EveryTime';
}

function seen(value: Fact): string {
  return typeof value === 'string' ? fold(value) : String(value ?? '');
}

function satisfied(c: Condition, observed: readonly RuleEvent[], event: RuleEvent): boolean {
  if (!held(c, event)) return false;
  const at = event.packet.timestamp;
  const p = c.OccurrencePattern;
  switch (p?.Kind) {
    case 'TimesInRow':
      return observed.length >= p.Times && observed.slice(-p.Times).every((e) => held(c, e));
    case 'TimesWithin':
      return observed.filter((e) => held(c, e) && at - e.packet.timestamp <= p.Seconds * 1_000).length >= p.Times;
    case 'EveryTimeDuring': {
      const broken = observed.findLastIndex((e) => !held(c, e));
      const first = observed[broken + 1];
      return first !== undefined && at - first.packet.timestamp >= p.Seconds * 1_000;
    }
    case 'Changed': {
      const before = observed.at(-2);
      return before !== undefined && seen(valueOf(c, before)) !== seen(valueOf(c, event));
    }
    case 'NotSeenFor':
      return event.previous !== undefined && at - event.previous.timestamp > p.Seconds * 1_000;
    default:
      return true;
  }
}

function inScope(rule: RuleDefinition, event: RuleEvent): boolean {
  return rule.tenantId === event.entity.tenantId && (!rule.subscriptionId || rule.subscriptionId === event.entity.subscriptionId);
}

const measureOf = (c: Condition) => operandOf(c.LeftOperand)?.measure;
const windowMs = (c: Condition) => (c.WindowSeconds ?? defaultWindowSeconds) * 1_000;

/** Everything in the window again, packet by packet. `seen` are the packets that the group is about, up to now. */
function windowValue(c: Condition, seen: readonly RuleEvent[], at: number, from: number): Fact {
  const stepMs = Math.max(1_000, Math.ceil(windowMs(c) / 30));
  const step = (time: number) => Math.floor(time / stepMs);
  const inWindow = seen.filter((e) => step(e.packet.timestamp) > step(at) - Math.ceil(windowMs(c) / stepMs));
  const values = inWindow.map((e) => e.packet.message.Metrics?.[c.LeftOperandFieldName ?? '']).filter((v) => typeof v === 'number');
  const sum = values.reduce((a, b) => a + b, 0);
  switch (measureOf(c)) {
    case 'count': {
      const first = seen[0];
      const watched = first !== undefined && at - Math.max(first.packet.timestamp, from) >= windowMs(c);
      return watched || c.Operator === 3 || c.Operator === 6 ? inWindow.length : undefined;
    }
    case 'average':
      return values.length > 0 ? sum / values.length : undefined;
    case 'sum':
      return values.length > 0 ? sum : undefined;
    case 'minimum':
      return values.length > 0 ? Math.min(...values) : undefined;
    default:
      return values.length > 0 ? Math.max(...values) : undefined;
  }
}

/** A windowed condition as one on a reading that each packet carried: what it would have read there. */
function asReading(c: Condition, seen: readonly RuleEvent[]): [Condition, RuleEvent[]] {
  const readings = seen.map((e, i) => {
    const value = windowValue(c, seen.slice(0, i + 1), e.packet.timestamp, 0);
    return { ...e, packet: { ...e.packet, message: value === undefined ? {} : { Metrics: { it: value as number } } } };
  });
  return [{ ...c, LeftOperand: 62, LeftOperandFieldName: 'it' }, readings];
}

function silentSatisfied(c: Condition, seen: readonly RuleEvent[], event: RuleEvent): boolean {
  const silence = silenceMs(event) ?? 0;
  const long = c.OccurrencePattern?.Kind !== 'NotSeenFor' || silence > c.OccurrencePattern.Seconds * 1_000;
  if (operandOf(c.LeftOperand)?.reading) return long;
  let value = valueOf(c, event);
  if (measureOf(c)) {
    const from = event.gaps?.at(-1)?.until ?? 0;
    const quiet = measureOf(c) === 'count' ? 0 : undefined;
    value = silence > windowMs(c) ? quiet : windowValue(c, seen, event.packet.timestamp, from);
    if (value === undefined && (c.Operator < 13 || measureOf(c) === 'count')) return false;
  }
  return long && (operatorOf(c.Operator)?.test(c.RightOperand ?? '')(value) ?? false);
}

/** Which conditions silence can satisfy; where all but the gates are so, time alone makes the group hold. */
function isOfSilence(c: Condition): boolean {
  const kind = c.OccurrencePattern?.Kind ?? 'EveryTime';
  if (kind !== 'EveryTime' && kind !== 'NotSeenFor') return false;
  return kind === 'NotSeenFor' || measureOf(c) !== undefined || (c.LeftOperand === 70 && (c.Operator === 3 || c.Operator === 6));
}

function groupHolds(rule: RuleDefinition, group: readonly Condition[], events: readonly RuleEvent[]): boolean {
  const event = events.at(-1);
  if (!event) return false;
  const gates = group.filter(isGate);
  const isAbout = (e: RuleEvent) => inScope(rule, e) && gates.every((gate) => held(gate, e));
  const about = events.filter((e) => e.kind !== 'tick' && isAbout(e));
  if (event.kind === 'tick') {
    const others = group.filter((c) => !isGate(c));
    return isAbout(event) && others.length > 0 && others.every((c) => isOfSilence(c) && silentSatisfied(c, about, event));
  }
  if (about.at(-1) !== event) return false;
  return group.every((c) => {
    const [condition, seen] = measureOf(c) ? asReading(c, about) : [c, about];
    const last = seen.at(-1);
    if (!last || (measureOf(c) === 'count' && saysNothing({ ...condition, Operator: 1 }, last))) return false;
    const observed = seen.filter((e) => !saysNothing(measureOf(c) === 'count' ? { ...condition, Operator: 1 } : condition, e));
    return satisfied(condition, observed, last);
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
