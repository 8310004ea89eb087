/** Ids derived from a cause: the same cause gives the same id, so that nothing is queued twice. */
import { uuidV5 } from '../platform/uuid-v5.ts';

/** When a rule runs an action: when its match opens, or when it ends. */
export type Phase = 'match' | 'expiration';

/** `messageId` of an execution: the n-th action of that phase of that match. One that was held has a second execution. */
export function executionId(ruleMatchId: string, phase: Phase, index: number, wasHeld = false): string {
  return uuidV5(ruleMatchId, `${phase}:${index}${wasHeld ? ':held' : ''}`);
}
