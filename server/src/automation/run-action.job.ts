import { z } from 'zod';
import { ApiError, messageOf } from '@cloudfit/contract/errors.ts';
import { builtInAction, builtInActionTypes, resultStatus } from '@cloudfit/contract/enums.ts';
import type { HopCounts } from '../auth/hop-count.ts';
import type { TenantSecrets } from '../auth/tenant-secrets.ts';
import type { Ctx } from '../context/ctx.ts';
import { defineJob, NotTried, type Job, type JobAttempt } from '../jobs/job.ts';
import type { OutboundHttp } from '../outbound/http.ts';
import type { Mail } from '../outbound/mail.ts';
import { loadExecution, type QueuedExecution } from './action-context.ts';
import { ActionFailure, recordAttempt, recordKept, recordResult, type ActionResult, type KeptMail } from './action-result.ts';
import { callEndpoint } from './call-endpoint.ts';
import { openWorkUnit } from './open-work-unit.ts';
import { runActionName } from '../executions/executions.ts';
import { sendEmail } from './send-email.ts';
import { setColor } from './set-color.ts';

const payload = z.object({ messageId: z.uuid() });

/** The egress of actions. Without `mail` mails are kept in the outbox. */
export interface Channels {
  http: OutboundHttp;
  mail: Mail | undefined;
  /** The values of `{Secret:name}`, which are read only when an action is sent. */
  secrets: TenantSecrets;
  hopCounts: HopCounts;
  /** The address of the portal, for links in mails. */
  publicUrl: string;
}

function act(ctx: Ctx, channels: Channels, execution: QueuedExecution, attempt: JobAttempt): Promise<ActionResult | KeptMail> {
  const { definition } = execution;
  if (!definition) throw new ActionFailure('The action definition is no longer there.');
  if (definition.id === builtInAction.createWorkUnit) return openWorkUnit(ctx, execution);
  if (definition.id === builtInAction.email) return sendEmail(ctx.db, channels, execution, attempt);
  if (definition.id === builtInAction.setColor) return setColor(ctx, execution);
  if (builtInActionTypes.includes(definition.typeId)) throw new ActionFailure('This built-in action is not known.');
  return callEndpoint({ ...channels, db: ctx.db }, definition, execution, attempt);
}

/** Runs one queued execution and records its outcome. Ignores a finished one. */
export function runActionJob(channels: Channels): Job {
  return defineJob({
    name: runActionName,
    schema: payload,
    async run(ctx, { messageId }, attempt) {
      const execution = await loadExecution(ctx.db, messageId, channels.publicUrl);
      if (!execution || execution.statusId !== resultStatus.enqueueSuccess) return;
      try {
        const result = await act(ctx, channels, execution, attempt);
        if ('isKept' in result) await recordKept(ctx.db, messageId, result.detail);
        else await recordResult(ctx.db, messageId, result);
      } catch (error) {
        if (error instanceof NotTried) throw error;
        const message = messageOf(error);
        if (error instanceof ActionFailure)
          return recordResult(ctx.db, messageId, { succeeded: false, detail: { error: message, ...error.detail } });
        // A refusal by a rule of the product repeats at each attempt.
        if (error instanceof ApiError && error.status < 500)
          return recordResult(ctx.db, messageId, { succeeded: false, detail: { error: message } });
        await recordAttempt(ctx.db, messageId, attempt.number, message);
        throw error;
      }
    },
    onDeadLetter: (ctx, { messageId }, error) => recordResult(ctx.db, messageId, { succeeded: false, detail: { error } }),
  });
}
