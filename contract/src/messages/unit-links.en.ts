/** Texts of the tickets and messages that a work unit has in trackers and chats. */
export const unitLinkTexts = {
  heading: 'In other systems',
  inStep: 'in step since',
  notYet: 'not in step yet',
  open: (service: string, name: string) => `Open ${name} in ${service}`,
} as const;
