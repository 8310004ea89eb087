/** The texts of the email action by template name (ACT-037..039), with the placeholders of all actions. */
import type { EmailTemplate } from '@cloudfit/contract/enums.ts';

export interface Template {
  subject: string;
  body: string;
}

const short = '{Label}\n\nDevice: {DeviceName}\nTenant: {TenantName}\nTime: {Timestamp}';
const long = `${short}\nRule: {RuleName}\nSubscription: {SubscriptionName}\nMatches: {MatchCount}, first {FirstMatch}, last {LastMatch}\nEnds: {Expires}\nRule match: {RuleMatchId}\nCorrelation: {CorrelationId}`;
const unit =
  'Work unit {PublicWorkUnitId}: {Title}\n\nState: {State}\nSeverity: {Severity}\nAssigned to: {AssignedTo}\nTenant: {TenantName}\n{WorkUnitUrl}';

/** Templates for rule matches and other causes without a work unit. `None` sends only the text of the parameters. */
export const matchTemplates: Readonly<Record<EmailTemplate, Template>> = {
  None: { subject: '{Label}', body: '' },
  Simple: { subject: '{Label}', body: short },
  Rule: { subject: '{RuleName}: {DeviceName}', body: long },
  Detailed: { subject: '{Label}', body: long },
  GeneralAlert: { subject: 'Alert: {Label}', body: short },
  SOCAlert: { subject: 'Security alert: {Label}', body: long },
  AllClear: { subject: 'All clear: {Label}', body: short },
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

const detailed = `${unit}\n\n{Description}`;

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
