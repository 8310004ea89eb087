/** Texts of the notices for administrators. */
export const noticeTexts = {
  storage: {
    low: (free: string, percent: number) =>
      `${free} of disk space are left on the server, ${percent} %. When it is full, nothing can be saved and packets are refused.`,
    full: (free: string) =>
      `The disk of the server is full (${free} left): nothing can be saved and packets are refused. Free up space on it.`,
  },
  archive: (since: string | null, size: string | null, error: string | null) =>
    `The log of the database ${since ? `has not been archived since ${since}` : 'cannot be archived'}: later changes cannot be restored from the archive, and the log grows on the disk of the server${size ? ` (${size})` : ''}. ${error ?? 'Make room in the folder of ARCHIVE_DIR, or let PostgreSQL write to it'}.`,
  noMailServer:
    'No mail server is set: no mail reaches anybody, neither pages nor invitations. Set SMTP_URL and MAIL_FROM, restart the server and send a test mail.',
  mailFails: (since: string, isDisabled: boolean) =>
    `Mails have not been accepted by the mail server since ${since}. ${isDisabled ? 'They are no longer tried; allow them again in the outbox.' : 'They are tried again.'}`,
  mailUntried: 'No mail has been accepted by the mail server yet: nobody knows whether pages arrive. Send a test mail.',
  emergency: (account: string, when: string) =>
    `The emergency account ${account} was used on ${when}. If nobody of you did, disable it and give it another password.`,
  people: 'People',
  settings: 'Settings',
  installation: 'Installation',
  nobodyOnCall: (schedule: string, next: string | undefined) =>
    `Nobody is on call in ${schedule}${next === undefined ? ', and nobody follows' : ` until ${next}`}: its pages reach nobody.`,
  onCallUnreached: (name: string, schedule: string, problem: string) => `${name}, on call in ${schedule}, is not reached. ${problem}`,
  schedule: 'Schedule',
  archiveCopies: (since: string, error: string) =>
    `The archive has not been kept since ${since}: ${error}. A restore from it cannot go back to a later moment with all files.`,
} as const;
