/** Records the executions that a match causes and queues jobs for them, in the caller's transaction. */
import type { ActionCall } from '@cloudfit/contract/rules/schema.ts';
import type { Db } from '../db/connection.ts';
import { writeExecutions, type NewExecution } from '../executions/executions.ts';
import { executionId, type Phase } from '../executions/execution-id.ts';

/** Why an action is recorded but not run. */
export type SuppressedBecause = 'late' | 'maintenance';

/** The actions of one phase of one match. */
export interface ActionsOfMatch {
  ruleMatchId: string;
  tenantId: string;
  correlationId: string;
  phase: Phase;
  calls: readonly ActionCall[];
  suppressed?: SuppressedBecause | 'loop' | undefined;
  /** See `Ctx`. Default: 0. */
  hops?: number;
  /** `messageId` of an earlier execution that the first of these waits for. */
  follows?: string | undefined;
}

function executionsOf(match: ActionsOfMatch): NewExecution[] {
  return match.calls.map((call, index) => ({
    tenantId: match.tenantId,
    actionDefinitionId: call.ActionDefinitionId,
    messageId: executionId(match.ruleMatchId, match.phase, index),
    correlationId: match.correlationId,
    referenceId: match.ruleMatchId,
    parameters: call.Parameters,
    suppressed: match.suppressed !== undefined,
    follows: index === 0 ? match.follows : executionId(match.ruleMatchId, match.phase, index - 1),
    queuedBefore: index,
    detail: {
      ...(match.suppressed ? { reason: match.suppressed } : {}),
      phase: match.phase,
      ...(match.hops ? { hops: match.hops } : {}),
    },
  }));
}

/**
 * Call it in a transaction. Adds a history row per action, and a job unless it is suppressed. They run in their order. A repeated
 * call adds nothing.
 */
export function queueActions(db: Db, matches: readonly ActionsOfMatch[]): Promise<void> {
  return writeExecutions(db, matches.flatMap(executionsOf));
}
