import { mailboxTexts as t } from '@cloudfit/contract/messages/mailboxes.en.ts';
import type { mailboxes } from '@cloudfit/contract/resources/mailboxes.ts';
import type { Row } from '@cloudfit/contract/resource.ts';

export type MailboxEntity = Row<typeof mailboxes>;
export type NewMailbox = MailboxEntity & { generatedToken: string };

/** Whether a mailbox is read, as its list says it, and how good that is. */
export function stateOf({ enabled, host, problem, connected }: MailboxEntity): {
  text: string;
  tone: 'ok' | 'info' | 'danger' | 'unknown';
} {
  if (!enabled) return { text: t.off, tone: 'unknown' };
  if (!host) return { text: t.pushed, tone: 'info' };
  if (problem) return { text: t.failing, tone: 'danger' };
  return connected ? { text: t.reads, tone: 'ok' } : { text: t.waits, tone: 'info' };
}

/** The line of a mail server's configuration that hands each mail over. */
export const pipeLine = ({ mailboxId }: Pick<MailboxEntity, 'mailboxId'>, origin: string, token: string): string =>
  `CLOUDFIT_SERVER=${origin} CLOUDFIT_MAIL_TOKEN=${token} cloudfit mail ${mailboxId}`;
