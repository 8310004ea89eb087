/** The texts of the email action by template name (ACT-037..039), with the placeholders of all actions. */
import type { EmailTemplate } from '@cloudfit/contract/enums.ts';

export interface Template {
  subject: string;
  body: string;
}

// `Facts` are several lines about the match, its subject and its rule (`factsOf`).
const short = '{Label}\n\n{Facts}\nTenant: {TenantName}\nTime: {Timestamp}\nWork unit: {WorkUnitUrl}';
const long = `${short}\nMatches: {MatchCount}, first {FirstMatch}, last {LastMatch}\nEnds: {Expires}\nRule match: {RuleMatchId}\nCorrelation: {CorrelationId}`;
const head =
  'Work unit {PublicWorkUnitId}: {Title}\n\nState: {State}\nSeverity: {Severity}\nAssigned to: {AssignedTo}\nTenant: {TenantName}\n{WorkUnitUrl}';
const unit = `${head}\n\n{Facts}`;

/** Templates for rule matches and other causes without a work unit. `None` sends only the text of the parameters. */
export const matchTemplates: Readonly<Record<EmailTemplate, Template>> = {
  None: { subject: '{Label}', body: '' },
  Simple: { subject: '{Label}', body: short },
  Rule: { subject: '{Label}', body: long },
  Detailed: { subject: '{Label}', body: long },
  GeneralAlert: { subject: 'Alert: {Label}', body: short },
  SOCAlert: { subject: 'Security alert: {Label}', body: long },
  AllClear: { subject: 'All clear: {Label}', body: `Back to normal.\nEnded: {Closed}\n\n${short}` },
  CfsInternalWuCommNotification: { subject: 'Work unit {PublicWorkUnitId}: {Label}', body: `Work unit: {PublicWorkUnitId}\n${long}` },
  ResolutionCenterCreated: {
    subject: 'We received your request {PublicWorkUnitId}',
    body: 'Hello {StakeHolderFullName},\n\nwe received your request "{Title}". Its number is {PublicWorkUnitId}.',
  },
  ResolutionCenterResolved: {
    subject: 'Your request {PublicWorkUnitId} is resolved',
    body: 'Hello {StakeHolderFullName},\n\nyour request "{Title}" is resolved.\n\n{Resolution}',
  },
};

// `MoreFacts` has only the facts that the description does not contain, so that no fact is repeated.
const detailed = `${head}\n\n{Description}\n\n{MoreFacts}`;

/** Templates for the work unit whose protocol sends the mail. */
export const unitTemplates: Readonly<Record<EmailTemplate, Template>> = {
  ...matchTemplates,
  Simple: { subject: 'Work unit {PublicWorkUnitId}: {Title}', body: unit },
  Rule: { subject: 'Work unit {PublicWorkUnitId}: {Title}', body: detailed },
  Detailed: { subject: 'Work unit {PublicWorkUnitId}: {Title}', body: detailed },
  GeneralAlert: { subject: 'Alert: {Title}', body: unit },
  SOCAlert: { subject: 'Security alert: {Title}', body: detailed },
  AllClear: { subject: 'All clear: {Title}', body: unit },
  CfsInternalWuCommNotification: { subject: 'Work unit {PublicWorkUnitId}: {Title}', body: detailed },
};

export function isTemplate(name: string): name is EmailTemplate {
  return Object.hasOwn(matchTemplates, name);
}
