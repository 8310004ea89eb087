/** What a mailbox is set to, and what becomes of its mails. */

/** TLS from the first byte, or after STARTTLS; never without, because a password is sent. */
export const mailboxSecurity = ['Tls', 'StartTls'] as const;

/** By a password, or by the token that a client of OAuth 2.0 gets (XOAUTH2), as Microsoft 365 requires. */
export const mailboxSignIns = ['Password', 'OAuth2'] as const;

/** What happens to mails of senders whom the tenant does not know: they open units, wait for a person, or are refused. */
export const unknownSenderPolicies = ['Open', 'Hold', 'Refuse'] as const;

/** What became of a mail. A held or refused one is stored whole, and a person may take it in. */
export const mailOutcomes = ['Opened', 'Replied', 'Held', 'Refused'] as const;
export type MailFate = (typeof mailOutcomes)[number];

/** Why a mail waits or was refused. */
export const mailReasons = [
  'AutoReply',
  'Bounce',
  'Bulk',
  'OwnMail',
  'OwnAddress',
  'TooMany',
  'NoSender',
  'UnknownSender',
  'FailedDmarc',
  'TooLarge',
  'Unreadable',
  'NotTaken',
] as const;
export type MailReason = (typeof mailReasons)[number];

/** The prefix of the tokens of mailboxes, by which they are told from others. */
export const mailboxTokenPrefix = 'cfmb_';

/** Bytes of a mail that is taken whole: more than mail servers usually let through. Of a larger one the beginning is stored. */
export const mailBytes = 26_214_400;
