/** Sums up the explanation of an entity: what its rules did, in numbers and in one sentence. Pure. */
import type { EntityExplanation, RuleOfEntity } from '@cloudfit/contract/actions/explain.ts';
import { resultStatus } from '@cloudfit/contract/enums.ts';
import { texts } from './explain-at.ts';
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

const some = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** The explanation in one sentence. */
export function summaryOf({
  packet,
  rules,
  actions,
  maintenance,
}: Pick<EntityExplanation, 'packet' | 'rules' | 'actions' | 'maintenance'>): string {
  const led = rules.filter((rule) => rule.match !== null);
  if (led.length === 0) {
    if (!packet) return 'The entity had not sent a packet by then, and no rule on silence held.';
    if (rules.some((rule) => rule.outcome === 'stale')) return texts.stale;
    return 'No rule held, so nobody was notified.';
  }
  const parts = [`${some(led.length, 'rule')} held`];
  if (actions.run > 0) parts.push(`${some(actions.run, 'action')} ran`);
  if (actions.waiting > 0) parts.push(`${some(actions.waiting, 'action')} will be tried again`);
  if (actions.failed > 0) parts.push(`${some(actions.failed, 'action')} failed`);
  const waits = led.some(({ match }) => match?.heldSince && !match.heldUntil);
  if (waits) parts.push(`actions are ${heldBy(maintenance)}${maintenance.until ? ` until ${maintenance.until}` : ''}`);
  else if (actions.suppressed > 0) parts.push(`${some(actions.suppressed, 'action')} did not run`);
  if (parts.length === 1) parts.push('no action of theirs is on record');
  return `${parts.join(', ')}.`;
}
