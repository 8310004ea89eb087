/** Texts of the resolution center; quoted texts of the spec stand verbatim, odd spellings included. */

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
