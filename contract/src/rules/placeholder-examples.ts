/** Example values of the placeholders of actions, for the choice of a placeholder and for tests without a real match. */
import { placeholderPattern } from './placeholders.ts';

/** The groups in which placeholders are listed. */
export const placeholderGroups = ['unit', 'match', 'device', 'tenant', 'packet'] as const;
export type PlaceholderGroup = (typeof placeholderGroups)[number];

type Example = readonly [group: PlaceholderGroup, value: string | number];

const url = 'https://cloudfit.example.com';
const tenantId = '5b1f3c52-6c1e-4c5b-9a5e-0c7f6d1a2b30';
const deviceId = '8a2e4d63-7d2f-4d6c-8b6f-1d807e2b3c41';
const ruleId = '9b3f5e74-8e30-4e7d-9c70-2e918f3c4d52';
const matchId = 'ac406f85-9f41-4f8e-8d81-3fa2904d5e63';
const subscriptionId = 'bd517096-a052-4a9f-9e92-40b3a15e6f74';
const messageId = 'ce6281a7-b163-4bb0-8fa3-51c4b26f7085';
const at = '2026-03-02T08:15:00.000Z';

const examples: Readonly<Record<string, Example>> = {
  WorkUnitId: ['unit', 1042],
  PublicWorkUnitId: ['unit', 2042],
  WorkUnitUrl: ['unit', `${url}/${tenantId}/workunitsv2?workUnitId=1042`],
  AckUrl: ['unit', `${url}/ack/example`],
  Title: ['unit', 'Disk almost full: web-1'],
  Description: ['unit', 'The disk of web-1 is 96 % full.'],
  Severity: ['unit', 'Sev2'],
  State: ['unit', 'New'],
  AssignedTo: ['unit', 'mara@example.com'],
  AssignedToName: ['unit', 'Mara Okafor'],
  AssignmentGroup: ['unit', 'Operations'],
  Resolution: ['unit', 'Old logs were removed.'],
  ReferenceId: ['unit', 'INC-77'],
  ReferenceUrl: ['unit', 'https://tickets.example.com/INC-77'],
  StakeHolderFullName: ['unit', 'Jonas Feld'],
  StakeHolderEmailAddress: ['unit', 'jonas@example.com'],
  StakeHolderPhoneNumber: ['unit', '+15550100'],
  CreatedBy: ['unit', 'Rule Disk almost full'],
  CreatedByName: ['unit', 'Rule Disk almost full'],
  Created: ['match', at],
  RuleName: ['match', 'Disk almost full'],
  RunbookTitle: ['match', 'Clear a full disk'],
  RunbookUrl: ['match', 'https://ops.example.com/01a1fcdb-e331-70c1-ba47-fd1610462aee/knowledge/01a1fcdb-e331-70c1-ba47-fd1610462aef'],
  RuleDescription: ['match', 'More than 95 % of a disk is used.'],
  RuleId: ['match', ruleId],
  RuleUrl: ['match', `${url}/${tenantId}/rules?id=${ruleId}`],
  RuleMatchId: ['match', matchId],
  Label: ['match', 'Disk almost full: web-1'],
  Condition: ['match', 'Metric DiskUsed > 95'],
  Seen: ['match', 'DiskUsed 96'],
  Facts: ['match', 'Metric DiskUsed > 95\nDiskUsed 96\nsince 08:15\nDevice web-1'],
  MatchCount: ['match', 3],
  FirstMatch: ['match', at],
  LastMatch: ['match', '2026-03-02T08:25:00.000Z'],
  Expires: ['match', '2026-03-02T08:40:00.000Z'],
  MatchState: ['match', 'Active'],
  Closed: ['match', '2026-03-02T08:40:00.000Z'],
  CountedFor: ['match', 'Hall 2'],
  GroupName: ['match', 'Hall 2'],
  GroupCount: ['match', 4],
  GroupOpen: ['match', 2],
  SubjectId: ['match', deviceId],
  SubjectType: ['match', 'Device'],
  DeviceId: ['device', deviceId],
  DeviceName: ['device', 'web-1'],
  DeviceTags: ['device', 'production, web'],
  DeviceDescription: ['device', 'Web server'],
  DeviceUrl: ['device', `${url}/${tenantId}/devices/${deviceId}`],
  LocationName: ['device', 'Hall 2'],
  OperationName: ['device', 'System metrics'],
  BlockName: ['device', 'Disk of web-1'],
  EntityId: ['device', deviceId],
  SubscriptionId: ['device', subscriptionId],
  SubscriptionName: ['device', 'Grid operations'],
  TenantId: ['tenant', tenantId],
  TenantName: ['tenant', 'Northwind Energy'],
  CorrelationId: ['tenant', messageId],
  MessageId: ['tenant', messageId],
  Value: ['packet', 96],
  Timestamp: ['packet', at],
};

/** Alternative names of placeholders. */
const others: Readonly<Record<string, string>> = { ackUrl: 'AckUrl', ProtocolActionId: 'MessageId' };

const ownOf = <T>(all: Readonly<Record<string, T>>, name: string): T | undefined => (Object.hasOwn(all, name) ? all[name] : undefined);

/** Examples of readings of a packet, by the prefix of the placeholder. */
export const readingExamples = { 'Metrics.': 42.5, 'States.': 'Running', 'Properties.': 'Ubuntu 24.04' } as const;

export const placeholderGroupOf = (name: string): PlaceholderGroup => ownOf(examples, name)?.[0] ?? 'packet';

/** Returns the example value of a placeholder; undefined for a secret and for a name that is no placeholder. */
export function placeholderExample(name: string): string | number | undefined {
  const example = ownOf(examples, ownOf(others, name) ?? name);
  if (example) return example[1];
  return Object.entries(readingExamples).find(([part]) => name.startsWith(part) && name.length > part.length)?.[1];
}

const placeholders = new RegExp(placeholderPattern, 'g');

/** Example values of all placeholders, and of the readings that the texts name. */
export function exampleValues(texts: readonly string[]): Record<string, string | number> {
  const named = [...texts.join('\n').matchAll(placeholders)].map(([, name = '']) => name);
  const names = [...Object.keys(examples), ...Object.keys(others), ...named];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = placeholderExample(name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
