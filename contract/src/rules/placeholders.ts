/** The placeholders `{Name}` of rule actions (RULE-023), which the server fills when it runs the action. Case-sensitive. */
import type { LookupRow } from './lookups.ts';

/** When a placeholder has a value: always, for a match about a device, or after the match has opened a work unit. */
type PlaceholderReach = 'always' | 'device' | 'workUnit';

interface PlaceholderRow extends LookupRow<string> {
  reach: PlaceholderReach;
}

const row = (reach: PlaceholderReach, id: string, name: string): PlaceholderRow => ({ id, name, reach });

/**
 * `GET /generalLookup/ruleplaceholders`. Besides them: `Metrics.`, `States.` or `Properties.` before the name of a reading of the
 * packet, `Value` where it has one, the action's own parameters, and `Secret:` before the name of a tenant's secret.
 */
export const rulePlaceholders: readonly PlaceholderRow[] = [
  row('always', 'RuleName', 'Name of the rule'),
  row('always', 'RuleId', 'ID of the rule'),
  row('always', 'RuleMatchId', 'ID of the match'),
  row('always', 'Label', 'Label of the match'),
  row('always', 'SubjectId', 'ID of what the match is about'),
  row('always', 'EntityId', 'ID of what reported'),
  row('always', 'MatchCount', 'How often the match was hit'),
  row('always', 'FirstMatch', 'Time of the first hit'),
  row('always', 'LastMatch', 'Time of the last hit'),
  row('always', 'Created', 'When the match was opened'),
  row('always', 'Expires', 'When the match ends'),
  row('always', 'Timestamp', 'Time of the packet'),
  row('always', 'TenantId', 'ID of the tenant'),
  row('always', 'TenantName', 'Name of the tenant'),
  row('always', 'CorrelationId', 'ID of all that one packet causes'),
  row('always', 'MessageId', 'ID of this execution'),
  row('device', 'DeviceId', 'ID of the device'),
  row('device', 'DeviceName', 'Name of the device'),
  row('device', 'DeviceTags', 'Tags of the device'),
  row('device', 'DeviceDescription', 'Description of the device'),
  row('device', 'SubscriptionId', 'ID of the subscription'),
  row('device', 'SubscriptionName', 'Name of the subscription'),
  row('workUnit', 'WorkUnitId', 'ID of the work unit'),
  row('workUnit', 'PublicWorkUnitId', 'Public ID of the work unit'),
  row('workUnit', 'WorkUnitUrl', 'Address of the work unit'),
  row('workUnit', 'Title', 'Title of the work unit'),
  row('workUnit', 'Severity', 'Severity of the work unit'),
  row('workUnit', 'State', 'State of the work unit'),
];
