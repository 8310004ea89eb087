/**
 * The placeholders `{Name}` and `{Name|default}` of actions (RULE-023), which the server fills when it runs the action.
 * Case-sensitive.
 */
import { builtInAction } from '../enums.ts';
import type { LookupRow } from './lookups.ts';

/**
 * When a placeholder has a value: always; for a subject that belongs to a device; when the part that it names exists, such as a
 * location; or when there is a work unit, which the match has opened or is about.
 */
export const placeholderAvailabilities = ['always', 'device', 'part', 'workUnit'] as const;

type PlaceholderAvailability = (typeof placeholderAvailabilities)[number];

interface PlaceholderRow extends LookupRow<string> {
  reach: PlaceholderAvailability;
}

const row = (availability: PlaceholderAvailability, id: string, name: string): PlaceholderRow => ({ id, name, reach: availability });

/**
 * `GET /generalLookup/ruleplaceholders`. Also valid: `Metrics.`, `States.` or `Properties.` before the name of a reading of the
 * packet, the parameters of a mail action, and `Secret:` before the name of a tenant's secret.
 */
export const rulePlaceholders: readonly PlaceholderRow[] = [
  row('always', 'RuleName', 'Name of the rule'),
  row('always', 'RuleId', 'ID of the rule'),
  row('always', 'RuleUrl', 'Address of the rule'),
  row('always', 'RuleMatchId', 'ID of the match'),
  row('always', 'Label', 'Label of the match'),
  row('always', 'SubjectId', 'ID of what the match is about'),
  row('always', 'SubjectType', 'Device, DeviceOperation, Block, Subscription or WorkUnit'),
  row('always', 'EntityId', 'ID of what reported'),
  row('always', 'Condition', 'The conditions that held'),
  row('always', 'Seen', 'The values that they saw'),
  row('always', 'Facts', 'Condition, values, since when, and what it is about, one per line'),
  row('always', 'MatchCount', 'How often the match was hit'),
  row('always', 'FirstMatch', 'Time of the first hit'),
  row('always', 'LastMatch', 'Time of the last hit'),
  row('always', 'Created', 'When the match was opened'),
  row('always', 'Expires', 'When the match ends'),
  row('always', 'MatchState', 'Active, or Ended when the match is over'),
  row('always', 'Timestamp', 'Time of the packet'),
  row('always', 'TenantId', 'ID of the tenant'),
  row('always', 'TenantName', 'Name of the tenant'),
  row('always', 'CorrelationId', 'ID of all that one packet causes'),
  row('always', 'MessageId', 'ID of this execution'),
  row('device', 'DeviceId', 'ID of the device'),
  row('device', 'DeviceName', 'Name of the device'),
  row('device', 'DeviceTags', 'Tags of the device'),
  row('device', 'DeviceDescription', 'Description of the device'),
  row('device', 'DeviceUrl', 'Address of the device'),
  row('device', 'SubscriptionId', 'ID of the subscription'),
  row('device', 'SubscriptionName', 'Name of the subscription'),
  row('part', 'Value', 'The Value of the packet'),
  row('part', 'Closed', 'When the match ended'),
  row('part', 'OperationName', 'Name of the operation'),
  row('part', 'BlockName', 'Name of the block'),
  row('part', 'CountedFor', 'Location, tag or device type that the rule counts for'),
  row('part', 'LocationName', 'Location of the device'),
  row('part', 'RuleDescription', 'Description of the rule'),
  row('part', 'RunbookTitle', 'Title of the runbook of the rule'),
  row('part', 'RunbookUrl', 'Address of the runbook of the rule'),
  row('part', 'GroupName', 'What the matches of the group share'),
  row('part', 'GroupCount', 'Number of matches in the group'),
  row('part', 'GroupOpen', 'Number of them that are open'),
  row('workUnit', 'WorkUnitId', 'ID of the work unit'),
  row('workUnit', 'PublicWorkUnitId', 'Public ID of the work unit'),
  row('workUnit', 'WorkUnitUrl', 'Address of the work unit'),
  row('workUnit', 'AckUrl', 'Link that acknowledges the work unit'),
  row('workUnit', 'Title', 'Title of the work unit'),
  row('workUnit', 'Description', 'Description of the work unit'),
  row('workUnit', 'Severity', 'Severity of the work unit'),
  row('workUnit', 'State', 'State of the work unit'),
  row('workUnit', 'AssignedTo', 'Sign-in name of the person it is assigned to'),
  row('workUnit', 'AssignedToName', 'Name of the person it is assigned to'),
  row('workUnit', 'AssignmentGroup', 'Group that it is assigned to'),
  row('workUnit', 'Resolution', 'Resolution of the work unit'),
  row('workUnit', 'ReferenceId', 'Reference ID of the work unit'),
  row('workUnit', 'ReferenceUrl', 'Reference URL of the work unit'),
  row('workUnit', 'StakeHolderFullName', 'Name of the stakeholder'),
  row('workUnit', 'StakeHolderEmailAddress', 'Email address of the stakeholder'),
  row('workUnit', 'StakeHolderPhoneNumber', 'Phone number of the stakeholder'),
  row('workUnit', 'CreatedBy', 'Who created the work unit'),
  row('workUnit', 'CreatedByName', 'Name of the person who created the work unit'),
];

/** Further valid names: the id that protocol actions use, and another spelling of `AckUrl` in stored actions. */
const others = ['ProtocolActionId', 'ackUrl'];

/** Longest default that a placeholder may have. */
const longestDefault = 200;

/**
 * A placeholder: its name, and after `|` the text that stands for it when it has no value, which may be empty. The text has no
 * quotes, backslashes, braces or line breaks, so that it cannot end the JSON string or the header that it stands in.
 */
export const placeholderPattern = /\{([A-Za-z][\w.:-]*)(?:\|([^{}"\\\r\n]{0,200}))?\}/;
const placeholders = new RegExp(placeholderPattern, 'g');
const begunDefaults = /\{([A-Za-z][\w.:-]*)\|/g;
const named = new Set([...rulePlaceholders.map(({ id }) => id), ...others]);
const isReadingOrSecret = (name: string): boolean => /^(?:Metrics|States|Properties)\./.test(name) || /^secret:/i.test(name);

/** Whether a name stands for a value that a match, packet or work unit may have. Not for secrets, which have no default. */
export const isValueName = (name: string): boolean => named.has(name) || /^(?:Metrics|States|Properties)\../.test(name);

/** Why the default of a placeholder is not valid; undefined when all are. */
function defaultProblem(text: string, alsoKnown: readonly string[]): string | undefined {
  for (const { 1: name = '', index } of text.matchAll(begunDefaults)) {
    if (/^secret:/i.test(name)) return `{${name}} is a secret, which has no default. Remove the | and what follows it.`;
    if (!isValueName(name) && !alsoKnown.includes(name)) continue;
    const whole = placeholderPattern.exec(text.slice(index));
    if (whole?.index !== 0)
      return `The default of {${name}} has at most ${longestDefault} characters, and no quotes, backslashes, braces or line breaks. Write it as {${name}|none}.`;
  }
  return undefined;
}

/** The unknown placeholders of a text, each once. `alsoKnown`: the parameters of the action. */
export function unknownPlaceholders(text: string, alsoKnown: readonly string[] = []): string[] {
  const names = [...text.matchAll(placeholders)].map(([, name = '']) => name);
  return [...new Set(names)].filter((name) => !named.has(name) && !isReadingOrSecret(name) && !alsoKnown.includes(name));
}

/** Returns the Levenshtein distance of two texts. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 0; i < one.length; i += 1) {
    const next = [i + 1];
    for (let j = 0; j < other.length; j += 1)
      next.push(Math.min((next[j] ?? 0) + 1, (row[j + 1] ?? 0) + 1, (row[j] ?? 0) + (one[i] === other[j] ? 0 : 1)));
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** Returns the name most similar to an unknown name; undefined when none is similar enough. */
function nearest(name: string, names: readonly string[]): string | undefined {
  const [, source, reading] = /^(Metrics|States|Properties)\.(.+)$/i.exec(name) ?? [];
  if (source) return `${source.charAt(0).toUpperCase()}${source.slice(1).toLowerCase()}.${reading}`;
  const bare = name.slice(0, 100).toLowerCase();
  const [best] = names
    .map((id) => ({ id, away: distance(bare, id.toLowerCase()) }))
    .filter(({ id, away }) => away <= Math.max(1, Math.floor(id.length / 3)))
    .toSorted((a, b) => a.away - b.away);
  return best?.id;
}

/** Returns the unknown placeholders of a text, each with the most similar valid name. */
export function unknownNames(text: string, alsoKnown: readonly string[] = []): { name: string; like: string | undefined }[] {
  const names = [...alsoKnown, ...rulePlaceholders.map(({ id }) => id)];
  return unknownPlaceholders(text, alsoKnown).map((name) => ({ name: name.slice(0, 100), like: nearest(name, names) }));
}

/** A sentence about the first unknown placeholder or wrong default of a text; undefined when there is none. */
export function placeholderProblem(text: string, alsoKnown: readonly string[] = []): string | undefined {
  const [unknown] = unknownNames(text, alsoKnown);
  if (unknown === undefined) return defaultProblem(text, alsoKnown);
  const names = [...alsoKnown, ...rulePlaceholders.map(({ id }) => id)];
  const suggestion = unknown.like ? ` Did you mean {${unknown.like}}?` : '';
  return `There is no placeholder {${unknown.name}}.${suggestion} These exist: ${names.join(', ')}, and Metrics., States. or Properties. before the name of a reading. For a brace itself, put a space after it.`;
}

/** Parses `key=value` pairs, one per line or separated by semicolons. Other texts are ignored. */
export function extraParameters(text: string): Record<string, string> {
  const pairs = text.split(/[\n;]/).flatMap((pair) => {
    const at = pair.indexOf('=');
    const name = pair.slice(0, Math.max(at, 0)).trim();
    return name === '' ? [] : [[name, pair.slice(at + 1).trim()] as const];
  });
  return Object.fromEntries(pairs);
}

/**
 * Returns the parameters that contain an unknown placeholder, each with a message. Only in a mail, the names of its parameters
 * are valid too.
 */
export function parameterProblems(call: {
  actionDefinitionId: string;
  /** The names of the action's parameters, separated by commas. */
  inputParameters: string | null | undefined;
  parameters: Readonly<Record<string, unknown>>;
}): { name: string; message: string }[] {
  const { actionDefinitionId, inputParameters, parameters } = call;
  const ownNames = (inputParameters ?? '').split(',').map((name) => name.trim());
  const extra = Object.keys(extraParameters(String(parameters['ExtraParameters'] ?? '')));
  const alsoKnown = actionDefinitionId === builtInAction.email ? [...ownNames.filter(Boolean), ...extra] : [];
  return Object.entries(parameters).flatMap(([name, value]) => {
    const message = typeof value === 'string' ? placeholderProblem(value, alsoKnown) : undefined;
    return message ? [{ name, message }] : [];
  });
}
