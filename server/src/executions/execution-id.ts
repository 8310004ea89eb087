/** Ids derived from a cause: the same cause gives the same id, so that nothing is queued twice. */
import { uuidV5 } from '../platform/uuid-v5.ts';

/** When a rule runs an action: when its match opens, when it ends, or when its group sums up what has changed. */
export type Phase = 'match' | 'expiration' | 'summary';

/**
 * Why an action is recorded again under another id: the maintenance that held it is over; a later packet of the same buffer
 * extended the match that had ended; the group of the match has ended; the match went on after its unit had ended, with the
 * time of that end; nobody works on what it tells of, with the time of the repetition; or, as a number, which summary of the
 * group it sends.
 */
export type RepeatReason = 'held' | 'revived' | 'group' | `goesOn:${number}` | `nobody:${number}` | `${number}`;

/**
 * Returns the `messageId` of an execution: the action number `index` of a phase of a match. With `again`, returns the id of a
 * further execution of this action.
 */
export function executionId(ruleMatchId: string, phase: Phase, index: number, again?: RepeatReason): string {
  return uuidV5(ruleMatchId, `${phase}:${index}${again ? `:${again}` : ''}`);
}
