/**
 * Queues mails about sign-ins as jobs; the folder `auth` gets this function, because it may not import jobs (scripts/rooms.ts).
 */
import { randomUUID } from 'node:crypto';
import type { QueueSignInMail } from '../auth/sign-in/sign-in-devices.ts';
import { sendMailName } from '../automation/send-mail.job.ts';
import { enqueue } from '../jobs/queue.ts';

export const queueSignInMail: QueueSignInMail = (db, mail) =>
  enqueue(db, { name: sendMailName, payload: { messageId: randomUUID(), ...mail }, tenantId: mail.tenantId, correlationId: randomUUID() });
