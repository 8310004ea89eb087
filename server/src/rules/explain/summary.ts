/** Sums up the explanation of an entity: what its rules did, in numbers and in one sentence. Pure. */
import type { EntityExplanation, RuleOfEntity } from '@cloudfit/contract/actions/explain.ts';
import { resultStatus } from '@cloudfit/contract/enums.ts';
import type { ExplanationWords } from '@cloudfit/contract/rules/rule-words.ts';
import { heldBy } from './explain-maintenance.ts';

/** Counts the actions of these rules that ran, wait, failed or were suppressed. */
export function tallied(rules: readonly RuleOfEntity[]): EntityExplanation['actions'] {
  const tally = { run: 0, waiting: 0, failed: 0, suppressed: 0 };
  const kinds = new Map<number, keyof typeof tally>([
    [resultStatus.success, 'run'],
    [resultStatus.enqueueSuccess, 'waiting'],
    [resultStatus.suppressed, 'suppressed'],
  ]);
  for (const { resultStatusId } of rules.flatMap(({ actions }) => actions)) tally[kinds.get(resultStatusId) ?? 'failed'] += 1;
  return tally;
}

/** The explanation in one sentence. */
export function summaryOf(
  { packet, rules, actions, maintenance }: Pick<EntityExplanation, 'packet' | 'rules' | 'actions' | 'maintenance'>,
  words: ExplanationWords,
): string {
  const { summary: t, outcomes } = words.why;
  const led = rules.filter((rule) => rule.match !== null);
  if (led.length === 0) {
    if (!packet) return t.noPacket;
    if (rules.some((rule) => rule.outcome === 'stale')) return outcomes.stale;
    return t.nobody;
  }
  const parts = [t.matched(led.length)];
  if (actions.run > 0) parts.push(t.ran(actions.run));
  if (actions.waiting > 0) parts.push(t.waiting(actions.waiting));
  if (actions.failed > 0) parts.push(t.failed(actions.failed));
  const waits = led.some(({ match }) => match?.heldSince && !match.heldUntil);
  const holder = heldBy(maintenance, words);
  if (waits) parts.push(maintenance.until ? t.actionsHeldUntil(holder, maintenance.until) : t.actionsHeld(holder));
  else if (actions.suppressed > 0) parts.push(t.notRun(actions.suppressed));
  if (parts.length === 1) parts.push(t.none);
  return `${parts.join(', ')}.`;
}
