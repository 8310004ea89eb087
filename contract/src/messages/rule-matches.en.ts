/** Texts of rule matches and of the actions that they ran. */

export const ruleMatchTexts = {
  title: 'Rule Matches',
  of: (rule: string) => `Rule Matches: ${rule}`,
  none: 'No Rule Matches Found.',
  noneNamed: 'No match has this label.',
  failed: 'The rule matches could not be loaded.',
  forbidden: 'You may not see rule matches.',
  search: 'Search rule matches',
  status: 'Status',
  active: 'Active',
  inactive: 'Inactive',
  rule: 'Rule',
  subject: 'Subject',
  label: 'Label',
  created: 'Created',
  lastMatch: 'Last match',
  firstMatch: 'First match',
  expires: 'Expires',
  count: 'Matches',
  inMaintenance: 'In maintenance',
  heldSince: (since: string) => `Actions wait for its end since ${since}`,
  completed: 'Completed',
  history: 'Action history',
  historyOf: (label: string) => `Action history of ${label}`,
  pages: 'Pages of rule matches',
  back: 'All matches',
  openRule: 'Open rule',
  noHistory: 'No action ran for this match.',
  historyFailed: 'The action history could not be loaded.',
  historyForbidden: 'You may not see what actions did.',
  packet: 'Packet that matched',
  matchId: 'Rule match ID',
  gone: 'The rule match was not found. It may have been deleted, or you do not have access to it.',
} as const;

/** Row actions of the rules list that concern matches and copies. */
export const ruleActionTexts = {
  matches: 'Matches',
  copy: 'Copy',
  copySuffix: ' (copy)',
  copied: (name: string) => `${name} created. It is disabled until you enable it.`,
} as const;
