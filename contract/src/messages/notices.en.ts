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
  fault: {
    mailbox: (name: string, since: string, problem: string) =>
      `The mailbox ${name} has not been read since ${since}: mails to it become no work units. ${problem}`,
    mails: (name: string, since: string, problem: string) =>
      `Mails to the mailbox ${name} have waited for somebody since ${since}, because they could not be stored or their sender is unknown. The last, of ${problem}`,
    source: (name: string, since: string, problem: string) => `All that the source ${name} has sent since ${since} was refused. ${problem}`,
    rule: (name: string, since: string, problem: string) => `The rule ${name} does not work as it is written, since ${since}. ${problem}`,
    events: (name: string, since: string, problem: string) =>
      `The event subscription ${name} has been paused since ${since}: nothing is sent to its receiver. ${problem}`,
    eventsEnded: (name: string, since: string, problem: string) =>
      `The event subscription ${name} has ended on ${since}, so events are no longer recorded for it. ${problem} Enable it again, or delete it.`,
    eventsGivenUp: (name: string, since: string, problem: string) =>
      `The event subscription ${name} has given events up since ${since}: its receiver does not have them. The last: ${problem}`,
    report: (name: string, since: string, owner: string) =>
      `The report ${name} is no longer sent by mail, since ${since}: ${owner}, to whom it belongs, has left or may not view it. Make a new one if its receivers still need it.`,
    failing: (name: string, since: string, problem: string) =>
      `${name} has taken no calls since ${since}: what is sent to it waits. ${problem}`,
    destination: (name: string, since: string, problem: string) => `Calls to ${name} have been disabled since ${since}. ${problem}`,
    undelivered: (name: string, since: string, problem: string) =>
      `What was to tell somebody has failed for good since ${since}, and nobody has taken up what it was about. The last, ${name}: ${problem}`,
    untold: (name: string, _since: string, units: string) =>
      `Nobody has taken up work units of Sev0 or Sev1 for a quarter of an hour, as ${name}: ${units}. Nobody was told of them, or all steps of the protocol ran and nobody answered.`,
    left: (name: string, _since: string, units: string) =>
      `Open work units wait for people who have left or may not edit them any more, as ${name}, and nobody else has them in a list: ${units}. Assign them to somebody else.`,
    jobs: (name: string, since: string, problem: string) => `Work of the installation fails since ${since}, as ${name}: ${problem}`,
    campaign: (name: string, since: string, reason: string) => `The campaign ${name} has stopped by itself on ${since}: ${reason}`,
  },
  others: (count: number) => `+${count}`,
  close: 'Show less',
  more: (text: string, count: number) => `${text} (${count} in all)`,
} as const;
