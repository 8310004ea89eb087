/** Texts of who has seen a work unit. */
export const visitTexts = {
  by: (name: string) => `seen by ${name}`,
  more: (n: number) => `+${n}`,
  somebody: 'Somebody',
  first: 'opened it for the first time',
  last: 'opened it last',
  linkFirst: 'opened the link of a message for the first time',
  linkLast: 'opened the link of a message last',
} as const;
