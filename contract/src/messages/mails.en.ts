/** Texts of the mails and push messages that the server writes to people. */
import type { InboxKind } from '../resources/inbox-items.ts';

const counted = (n: number, one: string, many = `${one}s`) => `${n.toLocaleString('en-US')} ${n === 1 ? one : many}`;

export const mailTexts = {
  lang: 'en',
  /** About the own sign-in. */
  signIn: {
    changed: 'Your sign-in to CloudFit was changed',
    changes: {
      codesAdded: 'An authenticator app was set up for your sign-in to CloudFit.',
      codesRemoved: 'The authenticator app was removed from your sign-in to CloudFit.',
      passkeyAdded: 'A passkey was added to your sign-in to CloudFit.',
      passkeyRemoved: 'A passkey was removed from your sign-in to CloudFit.',
      removedByAdministrator: 'An administrator removed the second factor of your sign-in to CloudFit.',
    },
    change: (name: string, change: string, when: string) =>
      [
        `${name}: ${change}`,
        `When: ${when}`,
        'If you know about this, there is nothing to do. If not, change your password and ask an administrator:',
      ].join('\n\n'),
    chat: 'A chat account was connected with yours in CloudFit',
    chatText: (name: string, account: string, when: string) =>
      [
        `${name}, ${account} was connected with you in CloudFit. Its buttons and threads act in your name.`,
        `When: ${when}`,
        'If that was you, there is nothing to do. If not, disconnect it on the page How I am notified:',
      ].join('\n\n'),
    emergency: 'An emergency account of CloudFit was used',
    emergencyText: (name: string, account: string, when: string, from: string | undefined) =>
      [
        `${name}, somebody signed in to CloudFit with the emergency account ${account}.`,
        `When: ${when}\nFrom: ${from ?? 'an unknown address'}`,
        'If nobody of you did, disable the account, and give it another password:',
      ].join('\n\n'),
    begun: 'A new sign-in to CloudFit',
    begin: (name: string, isNewBrowser: boolean, facts: { when: string; from: string | undefined; browser: string | undefined }) =>
      [
        `${name}, somebody signed in to CloudFit as you ${isNewBrowser ? 'by a browser that you have not used before' : 'from a network that you have not used before'}.`,
        `When: ${facts.when}\nFrom: ${facts.from ?? 'an unknown address'}\nWith: ${facts.browser ?? 'an unknown browser'}`,
        'If that was you, there is nothing to do. If not, change your password, which ends every other sign-in:',
      ].join('\n\n'),
    browserOn: (browser: string, system: string) => `${browser} on ${system}`,
  },
  invitation: {
    subject: (by: string) => `${by} invites you to CloudFit`,
    place: (tenant: string | null, permissionSet: string) => `to ${tenant ?? 'all tenants'} in CloudFit as ${permissionSet}`,
    text: (name: string, by: string, places: readonly string[], days: number) =>
      `${name}, ${by} gives you access ${places.join(',\n')}.\n\nThis link is good once, and for ${days} days:\n\n`,
  },
  /** To somebody whom a directory has given access. */
  provisioned: {
    subject: 'You have access to CloudFit',
    text: (name: string, directory: string, userName: string) =>
      `${name}, ${directory} has given you access to CloudFit. You sign in as ${userName}, as usual in your organisation:`,
    withPassword: (name: string, directory: string, userName: string, days: number) =>
      `${name}, ${directory} has given you access to CloudFit. You sign in as ${userName}. Choose a password first; this link is good once, and for ${days} days:`,
  },
  tokenEnds: {
    subject: (token: string, day: string) => `The token ${token} ends on ${day}`,
    text: (token: string, tenant: string, day: string, link: string) =>
      [
        `The token ${token} of the tenant ${tenant} ends on ${day}. From then on it is refused.`,
        `Make a new one and put it in its place: ${link}`,
      ].join('\n\n'),
  },
  directoryTokenEnds: {
    subject: (directory: string, day: string) => `The SCIM token of ${directory} ends on ${day}`,
    text: (directory: string, day: string, link: string) =>
      [
        `The token with which the directory ${directory} provisions people ends on ${day}. From then on people who leave keep their access, and new ones get none.`,
        `Make a new one and enter it at the provider: ${link}`,
      ].join('\n\n'),
  },
  approval: {
    subject: (id: number) => `Change Request #${id} awaits your decision`,
    text: (slot: number, id: number, by: string, title: string, edited: string) =>
      `You are approver ${slot} of the Change Request #${id}, which ${by} asked for:\n\n${title}\n\n${edited === '' ? '' : `You had approved it. Since then, these have changed: ${edited}.\n\n`}Read it and decide here:`,
  },
  /** An update that a communication promised; `nextUpdate` is for customers. */
  reminder: {
    subject: (id: number, isInternal: boolean) => `WUCOMM #${id}: the ${isInternal ? 'internal' : 'customer'} update is due`,
    text: (title: string, isInternal: boolean, when: string, status: string) =>
      `The next ${isInternal ? 'internal' : 'customer'} update of "${title}" was promised for ${when}. Its status is ${status}.\n\nSend it, or promise another time.`,
    statuses: {
      Investigating: 'Investigating',
      ConfirmedImpact: 'ConfirmedImpact',
      ServiceRestored: 'ServiceRestored',
      Cancelled: 'Cancelled',
      Resolved: 'Resolved',
    },
  },
  callBack: {
    overdue: (id: number) => `Call back overdue: work unit ${id}`,
    overdueText: (due: string, takenBy: string | null, names: readonly string[], id: number, title: string) =>
      `The customer was promised a call until ${due}: ${takenBy === null ? 'nobody has taken it' : `${takenBy} has taken it and not closed it`}. ${
        names.length > 0 ? `${names.join(', ')} ${names.length > 1 ? 'are' : 'is'} told.` : 'Nobody who is on call for it could be told.'
      }\n\nWork unit ${id}: ${title}`,
    requested: (id: number) => `Call back requested: work unit ${id}`,
    requestedText: (by: string, phone: string | null, id: number, title: string) =>
      `${by} asks to be called back${phone ? ` at ${phone}` : ''}.\n\nWork unit ${id}: ${title}\nA call within the next 15 minutes was promised.`,
    /** With placeholders, which the message fills. */
    message: (isOverdue: boolean) => `${isOverdue ? 'Call back overdue' : 'Call back'}: {Title} ({TenantName})`,
    messageText: (hasPhone: boolean, due: string) =>
      `${hasPhone ? 'The customer asks at {StakeHolderPhoneNumber}' : 'The customer asks'} to be called back; a call until ${due} was promised.`,
  },
  destination: {
    subject: (origin: string) => `Calls to ${origin} are disabled`,
    text: (origin: string, error: string) =>
      `Calls to ${origin} have failed for a day and are disabled. The last failure: ${error}\n\nWhen it works again, remove it from the destinations.`,
  },
  /** Something that has stopped working and tells nobody itself. */
  fault: {
    subject: {
      mailbox: (name: string, _count: number) => `The mailbox ${name} cannot be read`,
      mails: (name: string, count: number) => `${counted(count, 'mail')} to ${name} ${count === 1 ? 'waits' : 'wait'} for somebody`,
      source: (name: string, _count: number) => `All that ${name} sends is refused`,
      rule: (name: string, _count: number) => `The rule ${name} does not work as it is written`,
      eventsGivenUp: (name: string, count: number) => `${name} has given up ${counted(count, 'event')}`,
      report: (name: string, _count: number) => `The report ${name} is no longer sent`,
      failing: (name: string, _count: number) => `${name} takes no calls`,
      mail: (_name: string, _count: number) => 'No mail arrives: the mail server fails',
      undelivered: (name: string, count: number) =>
        count === 1 ? `Not delivered: ${name}` : `${counted(count, 'message')} not delivered, the last: ${name}`,
      untold: (name: string, count: number) =>
        `Nobody has taken up: ${count === 1 ? name : `${name}, and ${counted(count - 1, 'other work unit')}`}`,
      left: (name: string, count: number) =>
        `${counted(count, 'open work unit')} ${count === 1 ? 'waits' : 'wait'} for somebody who has left: ${name}`,
      jobs: (name: string, _count: number) => `Work of the installation fails: ${name}`,
      campaign: (name: string, _count: number) => `The campaign ${name} has stopped by itself`,
      storage: (name: string, _count: number) => `The disk of ${name} is nearly full`,
      archive: (_name: string, _count: number) => 'The archive of the database is not kept',
    },
    text: {
      mailbox: (name: string, problem: string, link: string, _count: number) =>
        `Mails to ${name} become no work units at present. The mail server says: ${problem}\n\nThe mailboxes: ${link}`,
      mails: (name: string, problem: string, link: string, count: number) =>
        `${counted(count, 'mail')} to the mailbox ${name} could not be stored, or ${count === 1 ? 'is' : 'are'} of senders whom nobody knows, so no work unit has ${count === 1 ? 'it' : 'them'}. The last, of ${problem}\n\nTake ${count === 1 ? 'it' : 'them'} in at the mailbox: ${link}`,
      source: (name: string, problem: string, link: string, _count: number) =>
        `The source ${name} sends, and nothing of it is stored: no rule sees it. The last reason: ${problem}\n\nThe sources: ${link}`,
      rule: (name: string, problem: string, link: string, _count: number) =>
        `The rule ${name} may not match although it should. ${problem}\n\nThe rules: ${link}`,
      eventsGivenUp: (name: string, problem: string, link: string, count: number) =>
        `The receiver of the event subscription ${name} has not taken ${counted(count, 'event')}, and ${count === 1 ? 'it is' : 'they are'} not sent again by ${count === 1 ? 'itself' : 'themselves'}. The last failure: ${problem}\n\nSend ${count === 1 ? 'it' : 'them'} again when the receiver is mended: ${link}`,
      report: (name: string, owner: string, link: string, _count: number) =>
        `${owner}, to whom the report ${name} belongs, has left or may not view it any more, so its receivers get no mail. Make a new one if they still need it: ${link}`,
      failing: (name: string, problem: string, link: string, _count: number) =>
        `Calls to ${name} failed one after the other, so calls wait until it answers again. What they were to tell arrives nowhere until then. The last failure: ${problem}\n\nWhat waits: ${link}`,
      mail: (_name: string, problem: string, link: string, _count: number) =>
        `Mails wait, those of alarms too. The last failure: ${problem}\n\nWhat waits: ${link}`,
      undelivered: (name: string, problem: string, link: string, count: number) =>
        `${counted(count, 'message or call', 'messages and calls')} of today failed for good, and nobody has taken up what they were about. The last, ${name}: ${problem}\n\nThe activity: ${link}`,
      untold: (_name: string, units: string, link: string, count: number) =>
        `${counted(count, 'work unit')} of Sev0 or Sev1 ${count === 1 ? 'is' : 'are'} new for a quarter of an hour: ${units}. No message, call or event told anybody, or all steps of the protocol ran and nobody answered. Take ${count === 1 ? 'it' : 'them'} up, and see whom the rule and the protocol notify.\n\nThe work units: ${link}`,
      left: (name: string, units: string, link: string, count: number) =>
        `${counted(count, 'open work unit')} ${count === 1 ? 'is' : 'are'} assigned to ${name} or another person who is disabled or may not edit work units here any more, or ${count === 1 ? 'waits' : 'wait'} for the approval of one: ${units}. Nobody else has them in a list. Assign them to somebody else, or name other approvers.\n\nThe work units: ${link}`,
      jobs: (name: string, problem: string, link: string, count: number) =>
        `${name}${count > 1 ? ` (${count} in all)` : ''} has failed in its last try, or fails again and again, so what it does for the tenants is not done: ${problem}\n\nThe installation: ${link}`,
      campaign: (name: string, reason: string, link: string, _count: number) =>
        `The campaign ${name} has stopped: ${reason}\n\nWhat it has changed is undone where the campaign can do that. See its devices before you start another: ${link}`,
      storage: (name: string, free: string, link: string, _count: number) =>
        `Less than a tenth of the disk with the data folder of ${name} is free: ${free} When it is full, nothing more is stored, packets of devices either. Make room, or give it a larger disk.\n\nThe installation: ${link}`,
      archive: (_name: string, problem: string, link: string, _count: number) =>
        `What is written now cannot be restored from the archive, and the log of the database grows in the data folder until it can be sent again. The last failure: ${problem}\n\nThe installation: ${link}`,
    },
  },
  /** Feeds that people read in other programs. */
  feeds: {
    units: (of: string) => `Open work units: ${of}`,
    state: (state: string) => `State: ${state}`,
    assigned: (name: string) => `Assigned to ${name}`,
    unassigned: 'Assigned to nobody',
    calendar: (tenant: string) => `Changes and maintenance: ${tenant}`,
    change: (id: number, title: string) => `Change #${id}: ${title}`,
    maintenance: (reason: string) => `Maintenance: ${reason}`,
    freeze: (name: string) => `No changes: ${name}`,
  },
  eventSubscription: {
    paused: {
      subject: (name: string) => `The event subscription ${name} is paused`,
      text: (name: string, error: string, link: string) =>
        `The receiver of ${name} has taken no event for three days, so nothing more is sent to it. Events go on being recorded, for 30 days. The last failure: ${error}\n\nWhen the receiver works again, resume the subscription: ${link}`,
    },
    ended: {
      subject: (name: string) => `The event subscription ${name} has ended`,
      text: (name: string, error: string, link: string) =>
        `${error} The subscription ${name} is disabled, and what waited is canceled.\n\nThe subscription: ${link}`,
    },
  },
  handover: {
    title: (schedule: string, from: string) => `You are on call: ${schedule}. Handover from ${from}`,
    noNote: (from: string) => `${from} has written no note yet.`,
    facts: (units: number, open: number, messages: number) =>
      `${counted(units, 'work unit')} in the shift, ${open} open. ${counted(messages, 'message')} of the schedule.`,
  },
  /** A report of work units at its set time. */
  report: {
    subject: (name: string, days: string) => `${name}: work units ${days}`,
    begin: (by: string, name: string, isTest: boolean) =>
      isTest ? `A test of the report "${name}", as only you get it now.` : `${by} has the report "${name}" sent to you.`,
    tenants: 'Tenants',
    allTenants: 'all whose work units you may view',
    compared: (now: string, before: string) => `${now} (before: ${before})`,
    inBrackets: (by: string) => `By ${by.toLowerCase()} below; in brackets, the period before. The attached file has all figures.`,
    more: (groups: number) => `${counted(groups, 'further group')} ${groups === 1 ? 'is' : 'are'} in the attached file.`,
    notOver: 'The last day (UTC) was not over yet when this was sent.',
    end: (link: string) => `To end these mails: ${link}`,
    link: 'This report in the portal:',
  },
  /** Labels of the facts about a match, by the English label. */
  facts: {
    Condition: 'Condition',
    Seen: 'Seen',
    Since: 'Since',
    Runbook: 'Runbook',
    Device: 'Device',
    Operation: 'Operation',
    Block: 'Block',
    'Counted for': 'Counted for',
    Location: 'Location',
    Subscription: 'Subscription',
    'About the rule': 'About the rule',
    'Device page': 'Device page',
    Rule: 'Rule',
  },
  /** What a message to a person says about a work unit; with placeholders. */
  unit: {
    customer: 'Work unit {PublicWorkUnitId}: {Title}\nSeverity: {Severity}\nState: {State}\nTenant: {TenantName}',
    staff: 'Work unit {PublicWorkUnitId}: {Title}\nSeverity: {Severity}\nState: {State}\nCustomer: {TenantName}\nOpened: {Created}',
    acknowledge: 'Acknowledge: {AckUrl}',
    open: 'Open: {WorkUnitUrl}',
  },
  push: {
    condition: (text: string) => `Condition: ${text}`,
    seen: (text: string) => `Seen: ${text}`,
    device: (name: string) => `Device ${name}`,
    unit: (id: string, state: string, tenant: string) => `Work unit ${id}, ${state}, ${tenant}`,
    acknowledge: 'Acknowledge',
    acknowledged: 'Acknowledged',
    since: 'Since',
  },
  allClear: { title: (label: string) => `All clear: ${label}`, text: 'Back to normal.' },
  summary: {
    goesOn: 'GOES ON',
    ended: 'ENDED',
    counts: (matches: number, rules: number, sites: number, ended: number) =>
      [
        `${counted(matches, 'match', 'matches')}: ${counted(rules, 'rule')}${sites > 0 ? `, ${counted(sites, 'site')}` : ''}`,
        ...(ended === 0 ? [] : [ended === matches ? 'all have ended' : counted(ended, 'has ended', 'have ended')]),
      ].join('; '),
    title: (isOver: boolean, severity: string, rule: string, customer: string, more: number) =>
      `${isOver ? 'Ended: ' : ''}${severity === '' ? '' : `${severity}: `}${rule}, ${customer}${more > 0 ? ` and ${more.toLocaleString('en-US')} more` : ''}`,
    units: (n: number, open: number) => `${n} work unit${n === 1 ? '' : 's'}, ${open} not acknowledged`,
    inQuietHours: (title: string) => `${title} in your quiet hours`,
    more: (n: number) => `and ${n} more`,
    since: (state: string, when: string) => `${state}, since ${when}`,
    matches: (count: number, open: number) => `Matches: ${count}, ${open} of them go on`,
    acknowledge: (link: string) => `Acknowledge: ${link}`,
    open: (link: string) => `Open: ${link}`,
    endedAt: (when: string) => `Ended: ${when}`,
    sinceFirst: (when: string) => `Since: ${when}`,
    workUnit: (link: string) => `Work unit: ${link}`,
  },
  digest: {
    subject: (n: number) => `${counted(n, 'new entry', 'new entries')} in your inbox`,
    intro: (name: string, n: number) =>
      `${name}, ${n === 1 ? 'one entry of your inbox is new and unread' : `${n.toLocaleString('en-US')} entries of your inbox are new and unread`}.`,
    kinds: {
      Assigned: 'Assigned to you',
      Approval: 'Waits for your approval',
      Mentioned: 'Mentions you',
      CallMe: 'Asks for a call back',
      Reply: 'The customer replied',
      AssignedToGroup: 'Assigned to your group',
      Watched: 'Watched or yours, and changed',
    } satisfies Record<InboxKind, string>,
    unit: (id: number, tenant: string, title: string) => `#${id}, ${tenant}: ${title}`,
    more: (n: number) => `${counted(n, 'more entry', 'more entries')} in the inbox.`,
    inbox: (link: string) => `Inbox: ${link}`,
    doNow: (n: number, link: string) => `To do now: ${n.toLocaleString('en-US')}, ${link}`,
    noMore: (link: string) => `You chose this mail. Change or end it here: ${link}`,
  },
  /** The mails of the action Email by template, in parts; with placeholders. */
  templates: {
    short: '{Label}\n\n{Facts}\nTenant: {TenantName}\nTime: {Timestamp}\nWork unit: {WorkUnitUrl}',
    more: 'Matches: {MatchCount}, first {FirstMatch}, last {LastMatch}\nEnds: {Expires}\nRule match: {RuleMatchId}\nCorrelation: {CorrelationId}',
    head: 'Work unit {PublicWorkUnitId}: {Title}\n\nState: {State}\nSeverity: {Severity}\nAssigned to: {AssignedTo}\nTenant: {TenantName}\n{WorkUnitUrl}',
    backToNormal: 'Back to normal.\nEnded: {Closed}',
    workUnit: 'Work unit: {PublicWorkUnitId}',
    alert: 'Alert: {Label}',
    securityAlert: 'Security alert: {Label}',
    allClear: 'All clear: {Label}',
    ofUnit: 'Work unit {PublicWorkUnitId}: {Label}',
    unit: 'Work unit {PublicWorkUnitId}: {Title}',
    unitAlert: 'Alert: {Title}',
    unitSecurityAlert: 'Security alert: {Title}',
    unitAllClear: 'All clear: {Title}',
    received: 'We received your request {PublicWorkUnitId}',
    receivedText: 'Hello {StakeHolderFullName},\n\nwe received your request "{Title}". Its number is {PublicWorkUnitId}.',
    resolved: 'Your request {PublicWorkUnitId} is resolved',
    resolvedText: 'Hello {StakeHolderFullName},\n\nyour request "{Title}" is resolved.\n\n{Resolution}',
  },
} as const;
