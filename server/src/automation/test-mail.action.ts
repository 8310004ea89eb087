/** Tries the mail server: one mail, at once, without the queue and its circuit breaker. */
import { randomUUID } from 'node:crypto';
import { sendTestMail } from '@cloudfit/contract/actions/notices.ts';
import { ApiError, forbidden, messageOf } from '@cloudfit/contract/errors.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { recordAudit } from '../auth/audit-entry.ts';
import { actorName, may } from '../context/ctx.ts';
import { openMail } from '../outbound/mail.ts';
import { implement } from '../resources/action.ts';

const editSettings = permission('Settings', 'edit');

export interface MailSettings {
  url: string;
  from: string;
}

/** `settings` is undefined if no mail server is set. */
export const testMailAction = (settings: MailSettings | undefined, publicUrl: string) =>
  implement(sendTestMail, async (ctx, { to }) => {
    if (!may(ctx, editSettings, null)) throw forbidden();
    if (!settings)
      throw new ApiError(
        'Conflict',
        'No mail server is set, so mails wait in the outbox. Set SMTP_URL and MAIL_FROM, and restart the server.',
      );
    const messageId = randomUUID();
    await recordAudit(ctx.db, {
      actor: { ...ctx.actor, name: actorName(ctx) },
      verb: 'test',
      entity: 'installation',
      entityId: 'mail',
      tenantId: null,
      after: { to, messageId },
      correlationId: ctx.correlationId,
      address: ctx.address,
    });
    const mail = openMail(settings);
    try {
      const answer = await mail.send({
        to,
        subject: 'Test mail',
        text: `This installation can send mail.\n${publicUrl}`,
        important: false,
        messageId,
        owner: '',
      });
      return { isSent: true, answer };
    } catch (error) {
      return { isSent: false, answer: messageOf(error) };
    } finally {
      mail.close();
    }
  });
