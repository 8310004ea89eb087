/** Texts of the resolution center; quoted texts of the spec stand verbatim, odd spellings included. */

import type { WorkUnitState } from '../enums.ts';

export const resolutionCenterEn = {
  title: 'Resolution Center',
  emptyText: 'Tell us what you need, and follow it here until it is done.',
  toPortal: 'Go to the portal',

  columns: {
    id: 'Work Unit ID',
    created: 'Created',
    title: 'Title',
    service: 'Service',
    need: 'Need',
    status: 'Status',
    satisfaction: 'Satisfaction',
    phone: 'Phone',
    callMe: 'Call Me',
  },
  reference: (title: string) => `Reference of ${title} (opens in a new tab)`,
  referenceUrl: 'Reference',

  callMe: {
    action: 'Call Me',
    label: (title: string) => `Call me about ${title}`,
    done: 'Your call back request has been received. You should receive a call within the next 15 minutes.',
    failed: 'A problem occured making your call back request.',
  },

  progress: {
    label: 'Progress',
    states: {
      New: 'We have received your request.',
      Acknowledged: 'We are looking at your request.',
      InProgress: 'We are working on your request.',
      OnHold: 'Your request is on hold.',
      Mitigated: 'We have eased the problem and keep watching it.',
      Resolved: 'Your request is resolved.',
      Closed: 'Your request is closed.',
      Canceled: 'Your request was canceled.',
    } satisfies Record<WorkUnitState, string>,
    assigned: 'Somebody is assigned to it.',
    unassigned: 'Nobody is assigned to it yet.',
    nextUpdate: 'We expect to write again',
    late: 'An update is due. You will hear from us soon.',
    callAsked: 'You asked for a call. We promised it',
    callLate: 'You asked for a call. It is late; we have been reminded.',
    callTaken: 'Somebody has taken your call and will ring you.',
  },

  reply: {
    label: 'Your message',
    help: 'Add what we should know, or answer a question.',
    required: 'Please write your message.',
    send: 'Send',
    sent: 'Your message was sent.',
    from: 'You',
  },

  subscription: {
    title: 'News by Mail',
    hint: (email: string) => `We tell you of incidents and maintenance by mail to ${email}. Each mail has a link that ends them.`,
    active: 'Send me mails',
    kinds: 'About',
    severity: 'From severity',
    severityHelp: 'Sev0 is the most severe; Sev4 sends everything.',
    of: 'Of which organization',
    subscribed: 'You get these mails from now on.',
    ended: 'You get no more of these mails.',
    failed: 'Your settings could not be loaded.',
    none: 'There is nothing to subscribe to.',
    noAddress: 'Your account has no confirmed mail address.',
    noAddressText: 'Please ask your administrator to invite you by mail.',
  },

  feedback: {
    question: 'How did we do?',
    heading: 'Your feedback',
    thanks: 'Thank you for your valuable feedback!',
    close: 'Close this message',
    failed: 'Your feedback could not be saved. Please try again.',
  },

  detail: {
    label: 'Request',
    title: (id: number, title: string) => `Request #${id}: ${title}`,
    description: 'Description',
    resolution: 'Resolution',
    notes: 'Notes',
    noNotes: 'There are no notes yet. We write here when there is news.',
    notesFailed: 'The notes could not be loaded.',
    facts: 'Details',
    updated: 'Last updated',
    resolved: 'Resolved',
    none: 'Not given',
  },

  request: {
    create: 'Create Request',
    title: 'Title',
    description: 'Description',
    phone: 'Phone',
    service: 'Service',
    need: 'Need',
    tenant: 'Tenant',
    titleRequired: 'Please enter a title for the Work Unit.',
    descriptionRequired: 'Please enter a Work Unit description',
    phoneRequired: 'Please enter a phone number.',
    tenantRequired: 'Please choose a tenant.',
    phoneExample: 'For example 202-555-0143 or 202-555-0143 x12.',
    serviceFirst: 'Choose a service first',
    submit: 'Submit',
    created: 'Successfully created work unit.',
    failed: 'A problem occurred. Please try again.',
    counter: (n: number, max: number) => `${n}/${max}`,
  },
} as const;
