/** Ids derived from a cause: the same cause gives the same id, so that nothing is queued twice. */
import { uuidV5 } from '../platform/uuid-v5.ts';

/** When a rule runs an action: when its match opens, when it ends, or when its group sums up what has changed. */
export type Phase = 'match' | 'expiration' | 'summary';

/**
 * Why an action that was recorded but not run is recorded a second time: the maintenance that held it is over; a later packet
 * of the same buffer extended the match that had ended; the group of the match has ended; or the group sends its n-th summary.
 */
export type Again = 'held' | 'revived' | 'group' | `${number}`;

/**
 * Returns the `messageId` of an execution: the action number `index` of a phase of a match. With `again`, returns the id of the
 * second execution of an action that was not run at first.
 */
export function executionId(ruleMatchId: string, phase: Phase, index: number, again?: Again): string {
  return uuidV5(ruleMatchId, `${phase}:${index}${again ? `:${again}` : ''}`);
}
