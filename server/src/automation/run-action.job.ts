import { z } from 'zod';
import { backoffMs } from '@cloudfit/contract/backoff.ts';
import { ApiError, messageOf } from '@cloudfit/contract/errors.ts';
import { builtInAction, builtInActionTypes, resultStatus } from '@cloudfit/contract/enums.ts';
import type { HopCounts } from '../context/hop-count.ts';
import type { TenantSecrets } from '../auth/tenant-secrets.ts';
import type { Ctx } from '../context/ctx.ts';
import type { Db } from '../db/db.ts';
import { defineJob, NotDue, NotTried, PermanentFailure, RetryLater, type Job } from '../jobs/job.ts';
import { jobBackoff } from '../jobs/run-job.ts';
import type { OutboundHttp } from '../outbound/http.ts';
import type { Mail } from '../outbound/mail.ts';
import { loadExecution, type Links } from './action-context.ts';
import type { QueuedExecution } from './execution.ts';
import {
  ActionFailure,
  recordAttempt,
  recordKept,
  recordLast,
  recordResult,
  recordWaiting,
  type ActionResult,
  type KeptMail,
} from './action-result.ts';
import { callEndpoint } from './call-endpoint.ts';
import { endMatches } from './expire-matches.ts';
import { notify } from './notify/notify.ts';
import { sendPush, type Push } from './notify/send-push.ts';
import { endedBefore, useNextChannel, requireLoudHours } from './notify/turns.ts';
import { openWorkUnit } from './open-work-unit.ts';
import { dropOvertaken, superseded, waitFor } from './order-of-messages.ts';
import { notesOf, requireFilled, unfilledOf } from './previews/unfilled.ts';
import { runActionName } from '../executions/executions.ts';
import { notifyBackToNormal } from './units/back-to-normal.ts';
import { changeUnit, resolveUnit } from './units/change-unit.ts';
import { notifiedUnitOf } from './units/rule-unit.ts';
import { sendEmailInTurn } from './notify/mail-in-turn.ts';
import { storeReference } from './units/store-reference.ts';
import { setColor } from './set-color.ts';
import { ExecutionEnded, openTry, recordLostTries, type Try } from './tries.ts';

const payload = z.object({ messageId: z.uuid() });

/** The egress of actions. Without `mail`, mails wait in the outbox. */
export interface Channels extends Links {
  http: OutboundHttp;
  mail: Mail | undefined;
  /** The values of `{Secret:name}`, which are read only when an action is sent. */
  secrets: TenantSecrets;
  hopCounts: HopCounts;
  push: Push;
  /** The time between two messages to one person. Default: none. */
  personPauseMs?: number;
}

/** Whether this is a message of Notify to one browser, rather than the step that notifies people. */
const isPush = ({ parameters }: QueuedExecution): boolean => parameters['PushSubscriptionId'] !== undefined;

/** Notes the placeholders that became empty in the parameters of a built-in action, whose outcome keeps the note. */
async function notePlaceholders(db: Db, execution: QueuedExecution): Promise<void> {
  const noted = notesOf(execution, { unknown: [], empty: [] });
  if (Object.keys(noted).length === 0) return;
  await db.query({
    name: 'action-notes',
    text: `update action_history set result_detail = coalesce(result_detail, '{}') || $2::jsonb where message_id = $1 and result_status_id = ${resultStatus.enqueueSuccess}`,
    values: [execution.messageId, JSON.stringify(noted)],
  });
}

async function act(ctx: Ctx, channels: Channels, execution: QueuedExecution, attempt: Try): Promise<ActionResult | KeptMail> {
  const { definition } = execution;
  if (!definition) throw new ActionFailure('The action definition is no longer there.');
  const isFilledLater = definition.id === builtInAction.email || !builtInActionTypes.includes(definition.typeId);
  if (execution.isTest && !isFilledLater) requireFilled(unfilledOf(execution));
  if (!isFilledLater) await notePlaceholders(ctx.db, execution);
  if (definition.id === builtInAction.createWorkUnit) return openWorkUnit(ctx, execution, attempt);
  if (definition.id === builtInAction.email) return sendEmailInTurn(channels, ctx.db, execution, attempt);
  if (definition.id === builtInAction.notify)
    return isPush(execution) ? sendPush(ctx.db, channels, execution, attempt) : notify(ctx, execution, attempt, channels.personPauseMs);
  if (definition.id === builtInAction.setColor) return setColor(ctx, execution, attempt);
  if (definition.id === builtInAction.resolveWorkUnit) return resolveUnit(ctx, execution, attempt);
  if (definition.id === builtInAction.changeWorkUnit) return changeUnit(ctx, execution, attempt);
  if (definition.id === builtInAction.backToNormal) return notifyBackToNormal(execution, attempt);
  if (builtInActionTypes.includes(definition.typeId)) throw new ActionFailure('This built-in action is not known.');
  return callEndpoint({ ...channels, db: ctx.db }, definition, execution, attempt);
}

/**
 * Returns the detail of an error after which no further attempt can succeed, else undefined. A refusal by a business rule would
 * be repeated at each attempt.
 */
function finalDetail(error: unknown): Record<string, unknown> | undefined {
  if (error instanceof ActionFailure) return error.detail;
  return error instanceof ApiError && error.status < 500 ? {} : undefined;
}

/** Loads an execution whose earlier matches have ended: the end of the match before is queued before this one starts. */
async function loadInOrder(db: Db, messageId: string, links: Links): Promise<QueuedExecution | undefined> {
  const execution = await loadExecution(db, messageId, links);
  const unended = execution?.order.unendedMatchIds ?? [];
  if (unended.length === 0) return execution;
  await endMatches(db, unended);
  return loadExecution(db, messageId, links);
}

/** Runs one queued execution and records its outcome. Does nothing if the execution has an outcome. */
export function runActionJob(channels: Channels): Job {
  return defineJob({
    name: runActionName,
    schema: payload,
    async run(ctx, { messageId }, job) {
      const execution = await loadInOrder(ctx.db, messageId, channels);
      if (!execution || execution.statusId !== resultStatus.enqueueSuccess) return;
      const { holdMs, heldBy, overtaken, isOvertaken } = execution.order;
      if (heldBy !== null && !(await waitFor(ctx.db, messageId, heldBy))) throw new NotDue('The action before it is just ending.', 50);
      if (holdMs > 0) throw new NotDue('The action before it has not ended.', holdMs);
      if (isOvertaken) return recordResult(ctx.db, messageId, superseded);
      const workUnitId = notifiedUnitOf(execution);
      if (workUnitId !== undefined)
        return recordResult(ctx.db, messageId, { succeeded: true, isSuppressed: true, detail: { reason: 'appended', workUnitId } });
      const why = await endedBefore(ctx.db, execution);
      if (why !== undefined)
        return recordResult(ctx.db, messageId, { succeeded: true, isSuppressed: true, detail: { reason: 'ended', why } });
      await requireLoudHours(ctx.db, execution);
      const attempt = openTry(ctx.db, messageId, job, overtaken.length > 0 ? (db) => dropOvertaken(db, overtaken) : undefined);
      /** Records the end of the try together with its consequences. */
      const end = (error: string | undefined, record: (db: Db) => Promise<void>) =>
        ctx.db.transaction(async (db) => {
          await attempt.end(db, error);
          await record(db);
        });
      try {
        const result = await act(ctx, channels, execution, attempt);
        if (attempt.isRecorded) return;
        await end(undefined, async (db) => {
          if ('isKept' in result) return recordKept(db, messageId, result.detail);
          if (result.reference && !execution.isTest) await storeReference(db, execution, result.reference);
          return recordLast(db, messageId, result);
        });
      } catch (error) {
        if (error instanceof ExecutionEnded) return;
        if (error instanceof NotDue) throw error;
        if (error instanceof NotTried) {
          await recordWaiting(ctx.db, messageId, error.destination);
          throw error;
        }
        const message = messageOf(error);
        const detail = finalDetail(error);
        if (detail) {
          await end(message, async (db) => {
            await recordResult(db, messageId, { succeeded: false, detail: { error: message, ...detail } });
            await useNextChannel(db, messageId);
          });
          return;
        }
        // The delay is calculated here and not by the worker, so that the execution can show when it is retried.
        const delayMs = error instanceof RetryLater ? error.delayMs : backoffMs(job.number, jobBackoff);
        await end(message, (db) => recordAttempt(db, messageId, { number: job.number, error: message, delayMs }));
        throw error instanceof RetryLater || error instanceof PermanentFailure ? error : new RetryLater(message, delayMs);
      }
    },
    onDeadLetter: (ctx, { messageId }, error) =>
      ctx.db.transaction(async (db) => {
        await recordLostTries(db, messageId);
        await recordResult(db, messageId, { succeeded: false, detail: { error } });
        await useNextChannel(db, messageId);
      }),
  });
}
