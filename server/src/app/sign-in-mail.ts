/** Queues mails about sign-ins as jobs, because the room `auth` may not import jobs. */
import { randomUUID } from 'node:crypto';
import type { QueueSignInMail } from '../auth/sign-in/sign-in-devices.ts';
import { sendMailName } from '../automation/send-mail.job.ts';
import { enqueue } from '../jobs/queue.ts';

export const queueSignInMail: QueueSignInMail = (db, mail) =>
  enqueue(db, { name: sendMailName, payload: { messageId: randomUUID(), ...mail }, tenantId: mail.tenantId, correlationId: randomUUID() });
