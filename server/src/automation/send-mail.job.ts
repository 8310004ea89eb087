/** Sends one mail on a person's request: internal notifications, call back requests. */
import { z } from 'zod';
import { defineJob, type Job } from '../jobs/job.ts';
import type { Mail } from '../outbound/mail.ts';
import { deliver } from './deliver.ts';

/** `messageId` lets the receiver recognize a repeated mail. */
const schema = z.object({ messageId: z.uuid(), tenantId: z.uuid(), to: z.string(), subject: z.string(), text: z.string() });

export function sendMailJob(mail: Mail | undefined): Job {
  return defineJob({
    name: 'send-mail',
    schema,
    run: async (ctx, { tenantId, ...message }) => {
      await deliver(ctx.db, mail, { ...message, important: false }, { tenantId, correlationId: ctx.correlationId });
    },
  });
}
