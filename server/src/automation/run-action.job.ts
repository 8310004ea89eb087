import { z } from 'zod';
import { ApiError, messageOf } from '@cloudfit/contract/errors.ts';
import { builtInAction, builtInActionTypes, resultStatus } from '@cloudfit/contract/enums.ts';
import type { TenantSecrets } from '../auth/tenant-secrets.ts';
import type { Ctx } from '../context/ctx.ts';
import { defineJob, type Job } from '../jobs/job.ts';
import type { OutboundHttp } from '../outbound/http.ts';
import type { Mail } from '../outbound/mail.ts';
import { loadExecution, type QueuedExecution } from './action-context.ts';
import { ActionFailure, recordAttempt, recordResult, type ActionResult } from './action-result.ts';
import { callEndpoint } from './call-endpoint.ts';
import { openWorkUnit } from './open-work-unit.ts';
import { runActionName } from '../executions/executions.ts';
import { sendEmail } from './send-email.ts';
import { setColor } from './set-color.ts';

const payload = z.object({ messageId: z.uuid() });

/** The ways out of the house; without `mail`, mails are kept in the outbox. */
export interface Channels {
  http: OutboundHttp;
  mail: Mail | undefined;
  /** What `{Secret:name}` stands for, known at the time of sending alone. */
  secrets: TenantSecrets;
  /** Where people open the portal: part of what mails link to. */
  publicUrl: string;
}

function act(ctx: Ctx, channels: Channels, execution: QueuedExecution): Promise<ActionResult> {
  const { definition } = execution;
  if (!definition) throw new ActionFailure('The action definition is no longer there.');
  if (definition.id === builtInAction.createWorkUnit) return openWorkUnit(ctx, execution);
  if (definition.id === builtInAction.email) return sendEmail(ctx.db, channels, execution);
  if (definition.id === builtInAction.setColor) return setColor(ctx, execution);
  if (builtInActionTypes.includes(definition.typeId)) throw new ActionFailure('This built-in action is not known.');
  return callEndpoint({ ...channels, db: ctx.db }, definition, execution);
}

/** Runs one queued execution and records what became of it. A finished one is left alone. */
export function runActionJob(channels: Channels): Job {
  return defineJob({
    name: runActionName,
    schema: payload,
    async run(ctx, { messageId }, attempt) {
      const execution = await loadExecution(ctx.db, messageId, channels.publicUrl);
      if (!execution || execution.statusId !== resultStatus.enqueueSuccess) return;
      try {
        await recordResult(ctx.db, messageId, await act(ctx, channels, execution));
      } catch (error) {
        const message = messageOf(error);
        if (error instanceof ActionFailure)
          return recordResult(ctx.db, messageId, { succeeded: false, detail: { error: message, ...error.detail } });
        // What our own rules refuse now they refuse each time.
        if (error instanceof ApiError && error.status < 500)
          return recordResult(ctx.db, messageId, { succeeded: false, detail: { error: message } });
        await recordAttempt(ctx.db, messageId, attempt.number, message);
        throw error;
      }
    },
    onDead: (ctx, { messageId }, error) => recordResult(ctx.db, messageId, { succeeded: false, detail: { error } }),
  });
}
