/** What an evaluation, on record or repeated, says about a rule and a subject. Pure. */
import type { ExplainedOutcome, Explanation } from '@cloudfit/contract/actions/explain.ts';
import { compileRule } from '@cloudfit/contract/rules/compile.ts';
import { RuleError } from '@cloudfit/contract/rules/errors.ts';
import type { ExplanationWords } from '@cloudfit/contract/rules/rule-words.ts';
import { evaluate, type Trace } from '@cloudfit/contract/rules/evaluate/evaluate.ts';
import type { Entity } from '../run/entity.ts';
import type { ReplayedPacket } from './replay-packet.ts';
import { traceIn, type ExplainedMatch, type RecordedEvaluation } from './on-record.ts';
import { definitionOf, type RuleVersion, type WireRule } from '../past/rule-versions.ts';

export interface Finding {
  outcome: ExplainedOutcome;
  basis: Explanation['basis'];
  trace?: Trace | undefined;
  reasons: string[];
}

const asRecorded: Record<string, ExplainedOutcome> = {
  hit: 'hit',
  late: 'late',
  suppressed: 'suppressed',
  miss: 'miss',
  stale: 'stale',
  failed: 'failed',
};

function errorIn(detail: unknown): string[] {
  const error = typeof detail === 'object' && detail !== null && 'error' in detail ? detail.error : undefined;
  return typeof error === 'string' ? [error] : [];
}

function missOf(trace: Trace): ExplainedOutcome {
  return trace.inScope && trace.inTimeWindow === false && trace.groups.some(Boolean) ? 'outsideTime' : 'miss';
}

export function fromRecord(recorded: RecordedEvaluation, { message }: ExplanationWords): Finding {
  const trace = traceIn(recorded.detail);
  const outcome = asRecorded[recorded.outcome] ?? 'notEvaluated';
  return {
    outcome: outcome === 'miss' && trace ? missOf(trace) : outcome,
    basis: 'recorded',
    trace,
    reasons: errorIn(recorded.detail).map(message),
  };
}

export function none(outcome: ExplainedOutcome, ...reasons: string[]): Finding {
  return { outcome, basis: 'none', reasons };
}

export function notInForce({ rule }: RuleVersion | { rule: null }): Finding | undefined {
  if (!rule) return none('absent');
  return rule.enabled ? undefined : none('disabled');
}

/** Says that a packet ended the match of the rule. */
export function endedBy(recoveryConditions: readonly unknown[] | null | undefined, { why }: ExplanationWords): string {
  return recoveryConditions?.length ? why.recoveryEndedIt : why.reportEndedIt;
}

export function isInScope(rule: WireRule, entity: Entity): boolean {
  return (
    rule.tenantId === entity.tenantId && (!rule.subscriptionId || entity.kind === 'group' || rule.subscriptionId === entity.subscriptionId)
  );
}

/** The finding of a repeated evaluation; `match` is the match that a hit counted in. */
export function fromTrace(
  evaluated: { trace: Trace | undefined; error?: string | undefined },
  match: ExplainedMatch | undefined,
  opened: boolean,
  { why, message }: ExplanationWords,
): Finding {
  const basis = 'evaluatedAgain';
  const { trace, error } = evaluated;
  if (error !== undefined || !trace) return { outcome: 'failed', basis, reasons: error ? [message(error)] : [] };
  if (trace.outcome !== 'hit') return { outcome: trace.inScope ? missOf(trace) : 'outOfScope', basis, trace, reasons: [] };
  const reasons = match ? [] : [why.matchNotOnRecord];
  return { outcome: opened ? 'hit' : 'repeated', basis, trace, reasons };
}

export function fromLook(look: ReplayedPacket, match: ExplainedMatch | undefined, opened: boolean, words: ExplanationWords): Finding {
  const reasons = look.cut ? [words.why.lookedBack] : [];
  if (look.stale) return { outcome: 'stale', basis: 'evaluatedAgain', reasons };
  const finding = fromTrace(look, match, opened, words);
  return { ...finding, reasons: [...reasons, ...finding.reasons] };
}

/** Evaluates a maintenance rule, which depends on the time, not on packets. */
export function ofMaintenanceRule(rule: WireRule, entity: Entity, at: number, { why, message }: ExplanationWords): Finding {
  const event = { entity, packet: { timestamp: at, message: {} } };
  try {
    const { trace } = evaluate(compileRule(definitionOf(rule)), event, undefined, { trace: true });
    const outcome = trace?.outcome === 'hit' ? 'hit' : trace ? missOf(trace) : 'miss';
    return { outcome, basis: 'evaluatedAgain', trace, reasons: outcome === 'hit' ? [why.keepsInMaintenance] : [] };
  } catch (error) {
    // The version of the rule at that time does not compile; the explanation contains the reason.
    if (!(error instanceof RuleError)) throw error;
    return { outcome: 'failed', basis: 'evaluatedAgain', reasons: [message(error.message)] };
  }
}
