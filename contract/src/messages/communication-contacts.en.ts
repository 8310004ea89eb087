/** Texts of the list of contacts. */
export const communicationContactTexts = {
  title: 'Communication Contacts',
  templates: 'Update Templates',
  templateWords: 'canned texts boilerplate communications',
  saveFailed: 'A problem occurred saving the contact. Please try again.',
  emptyText: 'Add whom to tell of incidents and maintenance by mail.',
  news: 'What is mailed',
  active: 'Gets mails',
  paused: 'Paused',
  unsubscribed: 'Unsubscribed',
  byThemselves: 'This person subscribed in the Resolution Center.',
  unsubscribedHint: 'The recipient ended the mails. Switch them on again only if they asked for it.',
  remove: 'Delete contact',
  removed: (name: string) => `Contact ${name} deleted.`,
  removeQuestion: (name: string) => `Delete the contact ${name}? They get no more mails; those that were sent stay in the record.`,
} as const;
