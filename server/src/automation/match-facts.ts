/** The subject of a match and why the match holds, as values for placeholders. */
import { ruleTypeId } from '@cloudfit/contract/rules/compile.ts';
import { operandId } from '@cloudfit/contract/rules/operands.ts';
import type { RuleWords } from '@cloudfit/contract/rules/rule-words.ts';
import type { Condition } from '@cloudfit/contract/rules/schema.ts';
import type { Trace } from '@cloudfit/contract/rules/evaluate/evaluate.ts';
import { satisfiedInWords } from '@cloudfit/contract/rules/satisfied-in-words.ts';
import type { PlaceholderValues } from './placeholders.ts';

/** The subject of a match. A device operation and a block belong to a device, or a block of a source is about one, which has a location and a subscription. */
export interface MatchSubject {
  /** The type in the spelling of work unit relations. */
  type: string;
  operationName: string | null;
  blockName: string | null;
  /** The group of devices over which a rule of type Aggregation counts. */
  countedFor: string | null;
  device: { id: string; name: string; tags: string | null; description: string | null } | null;
  locationName: string | null;
  subscriptionId: string | null;
  subscriptionName: string | null;
  /** The work unit that the match of a rule about work units is about. */
  workUnitId: number | null;
}

/** Joins for `subjectColumns`; `id` is the SQL of the id of the subject. */
export const subjectJoins = (id: string): string => `left join device_operation so on so.device_operation_id = ${id}
left join block sb on sb.block_id = ${id}
left join lateral (select a.device_id from source_entity e join device a on a.device_id = e.about_device_id and not a.is_deleted
  where e.block_id = sb.block_id order by e.created desc limit 1) sa on true
left join device sd on sd.device_id = coalesce(so.device_id, sb.device_id, sa.device_id, ${id})
left join counted_group sg on sg.group_id = ${id}
left join location sl on sl.location_id = coalesce(sd.location_id, case when sg.kind = 'Location' then sg.key::uuid end)
left join subscription ss on ss.subscription_id = coalesce(sd.subscription_id, sb.subscription_id, ${id})`;

/** A `MatchSubject` as one JSON value; `ruleType` is the SQL of the type of the rule. */
export const subjectColumns = (id: string, ruleType: string): string => `jsonb_build_object('type', case
    when so.device_operation_id is not null then 'DeviceOperation' when sb.block_id is not null then 'Block' when sd.device_id is not null then 'Device'
    when ss.subscription_id is not null then 'Subscription' when sg.group_id is not null then 'Group' when ${ruleType} = ${ruleTypeId.workUnit} then 'WorkUnit' else 'Entity' end,
  'operationName', so.label, 'blockName', sb.name, 'countedFor', sg.name, 'locationName', sl.name, 'subscriptionId', ss.subscription_id, 'subscriptionName', ss.name,
  'device', case when sd.device_id is not null then jsonb_build_object('id', sd.device_id, 'name', sd.name, 'tags', sd.tags, 'description', sd.description) end,
  'workUnitId', ${unitOfSubject(id)})`;

/** SQL: the number of the work unit for which a subject id stands (see `subjectOfWorkUnit`); null for any other subject. */
export const unitOfSubject = (id: string): string =>
  `case when ${id}::text like '00000000-0000-8000-8000-%' then ('x' || right(${id}::text, 12))::bit(48)::bigint end`;

/** The properties of a rule that the facts about its matches use. */
export interface RuleOfMatch {
  ruleId: string;
  name: string;
  description: string | null;
  conditions: readonly Condition[];
  /** The names of the rules to which the conditions of this rule refer, by id. */
  ruleNames: Readonly<Record<string, string>> | null;
  /** The published article that says what to do. */
  runbook: { id: string; title: string } | null;
}

/** A `RuleOfMatch` as one JSON value; `r` is the alias of the table. */
export const ruleColumns = (
  r: string,
): string => `jsonb_build_object('ruleId', ${r}.rule_id, 'name', ${r}.name, 'description', ${r}.description,
  'conditions', ${r}.conditions, 'runbook', (
    select jsonb_build_object('id', k.knowledge_article_id, 'title', k.title) from knowledge_article k where k.knowledge_article_id = ${r}.runbook_id and k.state = 'Published'), 'ruleNames', case when ${r}.rule_type_id in (${ruleTypeId.correlation}, ${ruleTypeId.aggregation})
    or jsonb_path_exists(${r}.conditions, '$[*].LeftOperand ? (@ >= ${operandId.matchOnDevice} && @ <= ${operandId.matchOnParent})') then (
    select jsonb_object_agg(n.rule_id, n.name) from rule n join jsonb_array_elements(${r}.conditions) c on lower(c ->> 'RightOperand') = n.rule_id::text
    where n.tenant_id = ${r}.tenant_id) end)`;

export interface MatchedPacket {
  Timestamp?: string;
  Value?: string | number | boolean | null;
  Metrics?: Record<string, number>;
  States?: Record<string, string | number | boolean | null>;
  Properties?: Record<string, string | number | boolean | null>;
}

function readings(packet: MatchedPacket | undefined): PlaceholderValues {
  const values: Record<string, string | number | boolean | null> = {};
  for (const part of ['Metrics', 'States', 'Properties'] as const) {
    for (const [name, value] of Object.entries(packet?.[part] ?? {})) values[`${part}.${name}`] = value;
  }
  return packet?.Value === undefined ? values : { ...values, Value: packet.Value };
}

const factLines = [
  ['Condition', 'Condition'],
  ['Seen', 'Seen'],
  ['Since', 'FirstMatch'],
  ['Runbook', 'RunbookUrl'],
  ['Device', 'DeviceName'],
  ['Operation', 'OperationName'],
  ['Block', 'BlockName'],
  ['Counted for', 'CountedFor'],
  ['Location', 'LocationName'],
  ['Subscription', 'SubscriptionName'],
  ['About the rule', 'RuleDescription'],
  ['Device page', 'DeviceUrl'],
  ['Rule', 'RuleUrl'],
] as const;

/** Returns the facts about the match that have a value, one per line. */
function factsOf(values: PlaceholderValues): string {
  return factLines
    .flatMap(([label, name]) => {
      const value = values[name];
      return value === undefined || value === null || value === '' ? [] : [`${label}: ${value}`];
    })
    .join('\n');
}

export interface MatchFactsInput {
  tenantId: string;
  publicUrl: string;
  subject: MatchSubject;
  rule: RuleOfMatch | null;
  packet: MatchedPacket;
  /** The evaluation that opened the match. */
  trace: Trace | undefined;
  firstMatch: string;
  words: RuleWords;
}

/** Returns the values that describe the fault, by the name of their placeholder. */
export function matchFacts({ tenantId, publicUrl, subject, rule, packet, trace, firstMatch, words }: MatchFactsInput): PlaceholderValues {
  const { device, subscriptionId, subscriptionName, operationName, blockName, countedFor, locationName } = subject;
  const cause = satisfiedInWords(rule?.conditions ?? [], trace, packet, words, (_, id) => rule?.ruleNames?.[id.toLowerCase()]);
  const at = `${publicUrl}/${tenantId}`;
  const values = {
    ...readings(packet),
    SubjectType: subject.type,
    Condition: cause.condition,
    Seen: cause.values,
    FirstMatch: firstMatch,
    Timestamp: packet.Timestamp,
    ...(rule ? { RuleName: rule.name, RuleDescription: rule.description, RuleUrl: `${at}/rules?id=${rule.ruleId}&q=disabled` } : {}),
    ...(rule?.runbook ? { RunbookTitle: rule.runbook.title, RunbookUrl: `${at}/knowledge/${rule.runbook.id}` } : {}),
    ...(device
      ? {
          DeviceId: device.id,
          DeviceName: device.name,
          DeviceTags: device.tags,
          DeviceDescription: device.description,
          DeviceUrl: `${at}/devices?id=${device.id}`,
        }
      : {}),
    ...(operationName === null ? {} : { OperationName: operationName }),
    ...(blockName === null ? {} : { BlockName: blockName }),
    ...(countedFor === null ? {} : { CountedFor: countedFor }),
    ...(locationName === null ? {} : { LocationName: locationName }),
    ...(subscriptionId === null ? {} : { SubscriptionId: subscriptionId, SubscriptionName: subscriptionName }),
  };
  return { ...values, Facts: factsOf(values) };
}

/** The lines of `lines` that `text` does not contain. */
export function otherLines(lines: string, text: string): string {
  const there = new Set(text.split('\n').map((line) => line.trim()));
  return lines
    .split('\n')
    .filter((line) => !there.has(line))
    .join('\n');
}
