/** A slow reference: decides the last of a list of events by looking at all of them again, with no memory. */
import type { RuleDefinition } from '../compile.ts';
import type { Fact, RuleEvent } from '../facts.ts';
import { fold } from '../fold.ts';
import { operatorOf } from '../operators.ts';
import { operandOf } from '../operands.ts';
import type { Condition } from '../schema.ts';
import { compileTimeWindow } from '../time-window.ts';

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

function groupHolds(rule: RuleDefinition, group: readonly Condition[], events: readonly RuleEvent[]): boolean {
  const about = events.filter((e) => inScope(rule, e) && group.filter(isGate).every((gate) => held(gate, e)));
  const event = events.at(-1);
  if (!event || about.at(-1) !== event) return false;
  return group.every((c) =>
    satisfied(
      c,
      about.filter((e) => !saysNothing(c, e)),
      event,
    ),
  );
}

/** Whether the rule hits at the last of one entity's events. */
export function hitsFromScratch(rule: RuleDefinition, events: readonly RuleEvent[]): boolean {
  const event = events.at(-1);
  if (!event || !inScope(rule, event)) return false;
  if (rule.timeConditions && !compileTimeWindow(rule.timeConditions)(event.packet.timestamp)) return false;
  const starts = rule.conditions.flatMap((c, i) => (i === 0 || c.Type === 'Or' ? [i] : []));
  return starts.some((from, i) => groupHolds(rule, rule.conditions.slice(from, starts[i + 1]), events));
}
