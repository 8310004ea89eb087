/** Texts about mails that wait in the outbox. */
export const outboxTexts = {
  title: 'Outbox',
  emptyText: 'Every mail was handed to the mail server.',
  kept: (n: number) => `${n === 1 ? '1 mail is' : `${n} mails are`} kept, not sent: no mail server is set.`,
  why: 'Set SMTP_URL, and they are sent. After 7 days they count as failed.',
  show: 'Show',
} as const;
