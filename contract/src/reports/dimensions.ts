/** By what a report groups work units. */
export const reportDimensions = ['tenant', 'category', 'rule', 'person', 'severity', 'type', 'change'] as const;
export type ReportDimension = (typeof reportDimensions)[number];

/** What has become of a change request: the groups of the dimension `change`, which leaves out other work units. */
export type ChangeOutcome = 'Done' | 'DoneByOverride' | 'Declined' | 'Canceled' | 'Open';
