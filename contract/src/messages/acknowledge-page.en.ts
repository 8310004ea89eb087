/** Texts of the page behind a link that acknowledges a work unit. */
export const acknowledgePage = {
  lang: 'en',
  title: 'Acknowledge',
  unit: (id: number) => `Work unit #${id}`,
  notValid: 'This link is not valid. It was changed on its way, or the work unit is no longer there for you.',
  expired: 'This link has expired. Sign in to the portal to acknowledge the work unit.',
  facts: { title: 'Title', severity: 'Severity', state: 'State', tenant: 'Tenant' },
  submit: 'Acknowledge',
  nothing: (state: string) => `It is ${state}; there is nothing to acknowledge.`,
  already: (by: string, at: string, state: string) => `Already acknowledged by ${by}, ${at}. It is ${state} now.`,
  done: (unit: string) => `${unit} is acknowledged.`,
  failed: 'The work unit could not be acknowledged:',
} as const;
