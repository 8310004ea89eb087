/** Texts of public status pages, of their subscriptions, and of the mails to their subscribers. */
const days = (n: number) => (n === 1 ? '1 day' : `${n} days`);

export const publicStatusTexts = {
  lang: 'en',
  levels: { Operational: 'Operational', Maintenance: 'Under maintenance', Degraded: 'Degraded', Outage: 'Outage' },
  headlines: {
    Operational: 'All systems are operational',
    Maintenance: 'Maintenance is in progress',
    Degraded: 'Some systems are degraded',
    Outage: 'Some systems have an outage',
  },
  /** The public text for the status of a communication. */
  statuses: {
    Investigating: 'Investigating',
    ConfirmedImpact: 'Impact confirmed',
    ServiceRestored: 'Service restored',
    Resolved: 'Resolved',
    Cancelled: 'Withdrawn',
  },
  unwatched: 'not watched',
  summary: (of: number, outage: number, degraded: number) => {
    const parts = [...(outage > 0 ? [`${days(outage)} with an outage`] : []), ...(degraded > 0 ? [`${days(degraded)} degraded`] : [])];
    return `Last ${of} days: ${parts.join(', ') || 'no outage'}`;
  },
  daysAgo: (n: number) => `${n} days ago`,
  withoutOutage: (share: string) => `${share} without an outage`,
  today: 'Today',
  next: 'Next',
  since: 'Since',
  until: 'until',
  impact: 'Impact:',
  nextUpdate: 'Next update by',
  open: 'Open incidents',
  components: 'Components',
  planned: 'Planned maintenance',
  past: 'Past incidents',
  asOf: 'As of',
  reload: 'Reload the page for the current state.',
  feed: 'Follow by Atom',
  missing: {
    page: 'Status page',
    title: 'There is no status page here',
    text: 'The address is wrong, or the page is not public.',
  },
  updates: {
    title: 'Updates by mail',
    email: 'Email',
    subscribe: 'Subscribe',
    wrong: 'This is not an email address',
    wrongText: 'Go back and enter one such as name@example.com.',
    many: 'Too many requests. Please try again later.',
    failed: 'This did not work. Please try again in a moment.',
    sent: 'Check your mail',
    sentText: 'A mail with a link is on its way to you. Its link confirms the address and is good for a day.',
    notValid: 'This link is not valid: it was changed on its way, or the page is no longer public.',
    expired: 'This link has expired',
    expiredText: 'Subscribe again on the status page.',
    ask: (email: string) => `Send updates to ${email}?`,
    confirm: 'Confirm',
    confirmed: (email: string) => `Updates go to ${email} from now on. Each mail has a link that ends them.`,
    full: 'This page has reached its limit of subscribers.',
    askEnd: 'End the updates to your address?',
    unsubscribe: 'Unsubscribe',
    ended: 'You get no more updates.',
  },
  contactMails: {
    title: 'Mails to contacts',
    notValid: 'This link is not valid: it was changed on its way.',
    askEnd: 'End the mails about incidents and maintenance to your address?',
    ended: 'You get no more of these mails.',
  },
  reportMails: {
    title: 'Reports by mail',
    notValid: 'This link is not valid: it was changed on its way.',
    askEnd: 'End this report by mail for you?',
    ended: 'You get this report no more by mail.',
  },
  digestMails: {
    title: 'Digest of your inbox',
    notValid: 'This link is not valid: it was changed on its way.',
    askEnd: 'End the digest of your inbox by mail?',
    ended: 'You get no more digests by mail. You can choose them again in "How I am notified".',
  },
  mails: {
    confirmSubject: (page: string) => `Confirm: updates of ${page}`,
    confirm: (page: string, link: string) =>
      [
        `Somebody, probably you, asked for updates of "${page}" by mail to this address.`,
        `Confirm it within a day: ${link}`,
        'If you do not confirm, you get no mails, and there is nothing to do.',
      ].join('\n\n'),
    incidentSubject: (page: string, incident: string, status: string) => `${page}: ${incident} (${status})`,
    incident: (incident: string, status: string) => `${incident}: ${status}`,
    maintenanceSubject: (page: string, components: string, what: string) => `${page}: maintenance of ${components} (${what})`,
    what: { Planned: 'planned', Changed: 'changed', Canceled: 'canceled', Started: 'started', Ended: 'ended' },
    maintenance: {
      Planned: (components: string, from: string, to: string) => `Maintenance of ${components} is planned from ${from} until ${to}.`,
      Changed: (components: string, from: string, to: string) =>
        `The maintenance of ${components} was changed: it is from ${from} until ${to} now.`,
      Canceled: (components: string, from: string, to: string) =>
        `The maintenance of ${components} that was planned from ${from} until ${to} does not take place.`,
      Started: (components: string, _from: string, to: string) => `Maintenance of ${components} has started. It is planned until ${to}.`,
      Ended: (components: string) => `The maintenance of ${components} has ended.`,
    },
    more: (address: string) => `All of it: ${address}`,
    end: (page: string, link: string) => `You get this because you subscribed to updates of "${page}". To end them: ${link}`,
  },
} as const;
