/** Ids derived from a cause: the same cause gives the same id, so that nothing is queued twice. */
import { uuidV5 } from '../platform/uuid-v5.ts';

/** When a rule runs an action: when its match opens, when it ends, or when its group sums up what has changed. */
export type Phase = 'match' | 'expiration' | 'summary';

/**
 * Why an action that was recorded and not run is recorded a second time: the maintenance that held it is over, or the match that was
 * over lasts longer by a later packet of the same buffer, or the group of the match has ended, or sums up for the n-th time.
 */
export type Again = 'held' | 'revived' | 'group' | `${number}`;

/** `messageId` of an execution: the n-th action of that phase of that match. One that did not run at first has a second execution. */
export function executionId(ruleMatchId: string, phase: Phase, index: number, again?: Again): string {
  return uuidV5(ruleMatchId, `${phase}:${index}${again ? `:${again}` : ''}`);
}
