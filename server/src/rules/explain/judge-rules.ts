/** What each of many rules did with one packet of an entity, without replaying its history. Pure. */
import type { ExplainedEvent, ExplainedOutcome, Explanation } from '@cloudfit/contract/actions/explain.ts';
import { messageOf } from '@cloudfit/contract/errors.ts';
import type { CompiledGroup, CompiledRule } from '@cloudfit/contract/rules/compile.ts';
import type { ExplanationWords } from '@cloudfit/contract/rules/rule-words.ts';
import { evaluate, inScope, type RuleState, type Trace } from '@cloudfit/contract/rules/evaluate/evaluate.ts';
import type { RuleEvent } from '@cloudfit/contract/rules/facts.ts';
import { tickFor } from '../run/circumstances.ts';
import type { IngestRule } from '../run/ingest-rule.ts';
import { endedBy, fromRecord } from './findings.ts';
import { isTooLate, latenessText } from './lateness.ts';
import type { ExplainedMatch, RecordedEvaluation } from './on-record.ts';

type JudgedRule = CompiledRule<IngestRule>;

/** What is known about a packet and the time around it when rules are explained. */
export interface JudgedPacket {
  event: RuleEvent;
  /** The event of the silence from the packet to the time of the question; undefined without such silence. */
  tick: RuleEvent | undefined;
  /** The usual time between the packets of the entity, if known. */
  beatMs?: number | undefined;
  /** The memory of a rule after the packet; undefined when a later packet replaced it. */
  memoryOf: (ruleId: string) => RuleState | undefined;
  isStale: boolean;
  /** The packet with its time by the clock of its sender; by default its time in the event. */
  sent?: { timestamp: number } | undefined;
  /** The newest packet that was received before this one, if that is newer. */
  newer?: { timestamp: string } | undefined;
  recordOf: (ruleId: string) => RecordedEvaluation | undefined;
  /** The latest match of the rule that was open between the packet and the time of the question. */
  matchOf: (ruleId: string) => ExplainedMatch | undefined;
}

export interface Judgement {
  rule: JudgedRule;
  outcome: ExplainedOutcome;
  event: ExplainedEvent;
  basis: Explanation['basis'];
  match: ExplainedMatch | undefined;
  /**
   * How close a rule came to holding: the fraction of conditions that hold, in its best group. Negative when the rule is
   * about other entities, or when a disabled rule would not have held.
   */
  nearness: number;
  reasons: string[];
  trace: () => Trace | undefined;
}

/** The fraction of a group's conditions that hold (those with a window never count); -1 if the group excludes the entity. */
function nearnessOf({ gates, plain, withMemory }: CompiledGroup, event: RuleEvent): number {
  if (!gates.every((gate) => gate.holds(event))) return -1;
  const others = [...plain, ...withMemory];
  return others.length === 0 ? 1 : others.filter((item) => !item.window && item.holds(event)).length / others.length;
}

const nearest = (rule: JudgedRule, event: RuleEvent): number => Math.max(...rule.groups.map((group) => nearnessOf(group, event)));

function countsAt(match: ExplainedMatch | undefined, at: number): boolean {
  return match !== undefined && Date.parse(match.firstMatch) <= at && at <= Date.parse(match.lastMatch);
}

/** Judges the silence after the packet; undefined when the rule does not hold during the silence. */
function ofSilence(
  rule: JudgedRule,
  { tick: silence, beatMs, memoryOf, matchOf }: JudgedPacket,
  { why }: ExplanationWords,
): Judgement | undefined {
  const tick = silence && tickFor(rule, silence, beatMs);
  if (!tick) return undefined;
  const state = memoryOf(rule.ruleId);
  const trace = () => evaluate(rule, tick, state, { trace: true }).trace;
  if (evaluate(rule, tick, state).outcome !== 'hit') return undefined;
  const match = matchOf(rule.ruleId);
  const opened = match === undefined || Date.parse(match.firstMatch) >= tick.packet.timestamp - 5_000;
  return {
    rule,
    outcome: opened ? 'hit' : 'repeated',
    event: 'silence',
    basis: 'evaluatedAgain',
    match,
    nearness: 1,
    reasons: match ? [] : [why.noMatchOpen],
    trace,
  };
}

/** Judges one rule; throws when the rule fails on the event. */
function judgeOne(rule: JudgedRule, circumstances: JudgedPacket, words: ExplanationWords): Judgement {
  const { why } = words;
  const { event, newer } = circumstances;
  const { timestamp } = circumstances.sent ?? event.packet;
  const isStale = circumstances.isStale || (newer !== undefined && isTooLate(Date.parse(newer.timestamp) - timestamp, rule.rule));
  const late = newer ? [latenessText({ timestamp }, newer, rule.rule, !isStale, words)] : [];
  const at = event.packet.timestamp;
  const match = circumstances.matchOf(rule.ruleId);
  const nearness = nearest(rule, event);
  const judged = (outcome: ExplainedOutcome, more: Partial<Judgement> = {}): Judgement => ({
    rule,
    outcome,
    event: 'packet',
    basis: 'evaluatedAgain',
    match: undefined,
    nearness,
    reasons: [],
    trace: () => evaluate(rule, event, undefined, { trace: true }).trace,
    ...more,
  });
  if (!inScope(rule, event)) return judged('outOfScope', { basis: 'none', nearness: -1 });
  const silence = ofSilence(rule, circumstances, words);
  if (silence) return silence;
  const recorded = circumstances.recordOf(rule.ruleId);
  if (recorded) {
    const { trace, ...finding } = fromRecord(recorded, words);
    const led = recorded.ruleMatchId !== null;
    const reasons = [...(finding.outcome === 'stale' ? late : []), ...finding.reasons];
    return judged(finding.outcome, { ...finding, reasons, match: led ? match : undefined, trace: () => trace });
  }
  if (nearness < 0) return judged('miss');
  if (isStale) return judged('stale', { reasons: late });
  if (rule.resting) {
    if (evaluate(rule, event, undefined).outcome === 'hit')
      return countsAt(match, at)
        ? judged('repeated', { match })
        : judged('hit', {
            match,
            reasons: match ? [] : [why.ruleChangedThen],
          });
    return judged(nearness === 1 && rule.inTimeWindow?.(at) === false ? 'outsideTime' : 'miss');
  }
  // The record does not say which packets between the first and the last hit of a match were hits. A packet between them counts
  // as a repeat if all conditions hold for it, or if the rule has a window.
  const holds = nearness === 1 || rule.conditions.some((condition) => condition.window);
  if (holds && countsAt(match, at)) return judged('repeated', { match });
  if (nearness === 1 && rule.inTimeWindow?.(at) === false) return judged('outsideTime');
  return judged('miss', { reasons: nearness === 1 ? [why.countedTooLittle] : [] });
}

export function judge(rule: JudgedRule, circumstances: JudgedPacket, words: ExplanationWords): Judgement {
  try {
    const judged = judgeOne(rule, circumstances, words);
    const match = ['miss', 'hit', 'repeated'].includes(judged.outcome) ? circumstances.matchOf(rule.ruleId) : undefined;
    const recovered = match?.recovered && Date.parse(match.recovered) === circumstances.event.packet.timestamp;
    return recovered ? { ...judged, match, reasons: [endedBy(rule.rule.recoveryConditions, words), ...judged.reasons] } : judged;
  } catch (error) {
    return {
      rule,
      outcome: 'failed',
      event: 'packet',
      basis: 'evaluatedAgain',
      match: undefined,
      nearness: 1,
      reasons: [words.message(messageOf(error))],
      trace: () => undefined,
    };
  }
}

const order: readonly ExplainedOutcome[] = ['hit', 'suppressed', 'late', 'repeated', 'failed', 'stale', 'disabled', 'outsideTime'];

/** Compares judgements for sorting: by the order of outcomes, then by nearness, then by the name of the rule. */
export function byInterest(a: Judgement, b: Judgement): number {
  const place = ({ outcome, nearness }: Judgement) => (order.includes(outcome) && nearness >= 0 ? order.indexOf(outcome) : order.length);
  return place(a) - place(b) || b.nearness - a.nearness || (a.rule.rule.name < b.rule.rule.name ? -1 : 1);
}
