/** Records the executions that a match causes and queues jobs for them, in the caller's transaction. */
import { builtInAction } from '@cloudfit/contract/enums.ts';
import type { ActionCall } from '@cloudfit/contract/rules/schema.ts';
import type { Db } from '../db/db.ts';
import { writeExecutions, type NewExecution } from '../executions/executions.ts';
import { executionId, type RepeatReason, type Phase } from '../executions/execution-id.ts';

/**
 * Why an action is recorded but not run. `late`: the match had ended before it was written. `maintenance`: held until its end.
 * `loop`: `maxHops` is reached. `grouped`: the actions of the group run once for all its matches. The others: the match ended
 * or the fault came back during the maintenance; the rule was disabled or deleted; the subject is gone.
 */
export type SuppressedBecause =
  | 'late'
  | 'maintenance'
  | 'loop'
  | 'endedInMaintenance'
  | 'cameBack'
  | 'ruleDisabled'
  | 'ruleDeleted'
  | 'subjectGone'
  | 'grouped';

/** The time for which a maintenance held actions. */
export interface HeldPeriod {
  since: string;
  until: string;
}

/** The actions of one phase of one match. */
export interface ActionsOfMatch {
  ruleMatchId: string;
  tenantId: string;
  correlationId: string;
  phase: Phase;
  calls: readonly ActionCall[];
  suppressed?: SuppressedBecause | undefined;
  /** The time for which a maintenance held these actions. They get a second history row. */
  heldDuring?: HeldPeriod;
  again?: RepeatReason;
  /** The number of the first of `calls` among the actions of the phase; by default 0. */
  firstIndex?: number;
  /** Whether they run again because nobody works on the fault: they end when somebody does. */
  isReminder?: boolean;
  /** The ended unit of a match that goes on: the actions open it again, or another one. */
  endedUnitId?: number;
  /** Hops of the cause, see `Ctx`; by default 0. */
  hops?: number;
  /** `messageId` of an earlier execution; the first of these actions waits for it. */
  follows?: string | undefined;
}

/**
 * Why the call is recorded but not run; undefined if it runs. Except for `late` and `loop`, a colour is restored at the end of
 * each match, and set for each match of a group, although the other actions do not run, because each match has its own block.
 */
function suppressedBecause({ phase, suppressed }: ActionsOfMatch, call: ActionCall): SuppressedBecause | undefined {
  const putsBack = call.ActionDefinitionId === builtInAction.setColor && (phase === 'expiration' || suppressed === 'grouped');
  return putsBack && suppressed !== 'late' && suppressed !== 'loop' ? undefined : suppressed;
}

function executionsOf(match: ActionsOfMatch): NewExecution[] {
  let follows = match.follows;
  let queuedBefore = 0;
  return match.calls.map((call, index) => {
    const suppressed = suppressedBecause(match, call);
    const execution: NewExecution = {
      tenantId: match.tenantId,
      actionDefinitionId: call.ActionDefinitionId,
      messageId: executionId(match.ruleMatchId, match.phase, (match.firstIndex ?? 0) + index, match.heldDuring ? 'held' : match.again),
      correlationId: match.correlationId,
      referenceId: match.ruleMatchId,
      parameters: call.Parameters,
      suppressed: suppressed !== undefined,
      follows,
      queuedBefore,
      detail: {
        ...(suppressed ? { reason: suppressed } : {}),
        phase: match.phase,
        ...(match.heldDuring ? { heldDuring: match.heldDuring } : {}),
        ...(match.isReminder ? { reminder: true } : {}),
        ...(match.endedUnitId === undefined ? {} : { endedUnitId: match.endedUnitId }),
        ...(match.hops ? { hops: match.hops } : {}),
      },
    };
    if (!execution.suppressed) {
      follows = execution.messageId;
      queuedBefore += 1;
    }
    return execution;
  });
}

/**
 * Call it in a transaction. Adds a history row per action, and a job unless the action is suppressed. The actions run in their
 * order. A repeated call adds nothing.
 */
export function queueActions(db: Db, matches: readonly ActionsOfMatch[]): Promise<void> {
  return writeExecutions(db, matches.flatMap(executionsOf));
}
