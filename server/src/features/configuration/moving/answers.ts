/** Reads the files of a move: answers of the API of another product, alone or together, and says of which product they are. */
import { parse } from 'yaml';
import { ApiError, messageOf } from '@cloudfit/contract/errors.ts';
import { limits } from '@cloudfit/contract/limits.ts';
import type { MovingProduct } from '@cloudfit/contract/configuration/moving.ts';
import { isItem, itemsOf, type ForeignItem } from './reading.ts';
import { isDump, parseDump } from './sql-dump.ts';
import { parseXml } from './xml.ts';

/** One thing of an answer; `of` is the id in the address of the answer, such as that of the schedule of its overrides. */
export interface AnsweredItem {
  item: ForeignItem;
  of: string;
}

export interface ForeignAnswers {
  product: MovingProduct;
  /** By kind of thing. */
  of: (kind: string) => readonly AnsweredItem[];
  /** Files of which nothing was read, with what they say instead. */
  unread: readonly { name: string; why: string }[];
}

type ItemKind = readonly [product: MovingProduct, kind: string, has: (item: ForeignItem) => boolean];

const has =
  (...names: string[]) =>
  (item: ForeignItem): boolean =>
    names.every((name) => name in item);

/** By what things are recognized, the most telling first. */
const kinds: readonly ItemKind[] = [
  ['Zabbix', 'export', (item) => isItem(item['zabbix_export'])],
  ['OsTicket', 'tables', (item) => item['type'] === 'table' && typeof item['name'] === 'string' && Array.isArray(item['data'])],
  ['Zammad', 'tickets', (item) => has('id', 'number', 'title', 'created_at')(item) && ('state_id' in item || 'state' in item)],
  ['Zammad', 'articles', has('id', 'ticket_id', 'body')],
  ['Zammad', 'states', has('id', 'name', 'state_type_id')],
  ['Zammad', 'priorities', has('id', 'name', 'ui_icon')],
  ['Zammad', 'groups', has('id', 'name', 'follow_up_possible')],
  ['Zammad', 'users', has('id', 'login', 'firstname')],
  ['GrafanaOnCall', 'shifts', (item) => has('id', 'type', 'start', 'duration')(item)],
  ['GrafanaOnCall', 'finalShifts', has('user_pk', 'shift_start', 'shift_end')],
  ['GrafanaOnCall', 'steps', has('escalation_chain_id', 'position', 'type')],
  ['GrafanaOnCall', 'routes', has('integration_id', 'escalation_chain_id')],
  ['GrafanaOnCall', 'integrations', has('id', 'link', 'default_route')],
  [
    'GrafanaOnCall',
    'schedules',
    (item) => ['web', 'calendar', 'ical'].includes(String(item['type'])) && has('id', 'name', 'team_id')(item),
  ],
  ['GrafanaOnCall', 'users', has('id', 'username', 'grafana_id')],
  ['GrafanaOnCall', 'users', has('id', 'username', 'email', 'role')],
  ['GrafanaOnCall', 'chains', (item) => has('id', 'name', 'team_id')(item) && !('type' in item)],
  ['Opsgenie', 'timelines', has('finalTimeline')],
  ['Opsgenie', 'overrides', has('alias', 'user', 'startDate', 'endDate')],
  ['Opsgenie', 'schedules', (item) => has('id', 'name', 'timezone')(item) && !('email' in item)],
  ['Opsgenie', 'escalations', (item) => has('id', 'name', 'rules')(item) && itemsOf(item['rules']).every(has('recipient'))],
  ['Opsgenie', 'users', has('id', 'username', 'fullName')],
  ['Opsgenie', 'integrations', (item) => has('id', 'name', 'type', 'enabled')(item) && !('summary' in item)],
  ['PagerDuty', 'schedules', (item) => has('id', 'time_zone')(item) && ('schedule_layers' in item || item['type'] === 'schedule')],
  ['PagerDuty', 'escalations', has('id', 'escalation_rules')],
  ['PagerDuty', 'overrides', has('start', 'end', 'user')],
  ['PagerDuty', 'users', (item) => has('id', 'email')(item) && (item['type'] === 'user' || 'html_url' in item)],
  ['PagerDuty', 'services', has('id', 'escalation_policy')],
];

/** Properties of answers that have the things. */
const lists = [
  'data',
  'results',
  'schedules',
  'schedule',
  'escalation_policies',
  'escalation_policy',
  'users',
  'user',
  'services',
  'service',
  'overrides',
  'teams',
  'tickets',
  'articles',
  'ticket_articles',
];

const isAnswer = (value: ForeignItem): boolean => kinds.some(([, , is]) => is(value));
/** Answers by the addresses that gave them: every value is an answer or a list, and no name is that of a property of an answer. */
const isByAddress = (value: ForeignItem): boolean =>
  Object.keys(value).length > 0 && Object.keys(value).every((key) => key.includes('/') || key === 'cloudfit') && !isAnswer(value);

/** `/v2/schedules/{id}/overrides?limit=100` and the name of a file such as `overrides-{id}.json` name the schedule. */
function idIn(address: string): string {
  const path = address.split('?')[0] ?? '';
  const parts =
    /\/(?:schedules|escalations|teams)\/([^/]+)\/\w+\/?$/.exec(path) ??
    /(?:overrides|final_shifts|timeline)[-_.]([A-Za-z0-9-]+?)(?:\.json)?$/.exec(path);
  return parts?.[1] ?? '';
}

interface RecognizedItem {
  product: MovingProduct;
  kind: string;
  answered: AnsweredItem;
}

function refuse(message: string): never {
  throw new ApiError('ValidationFailed', message, { target: 'files' });
}

/** Of lists and objects around the things of an answer; no file is so deep that reading it overflows. */
const maxDepth = 8;

function collect(value: unknown, address: string, recognized: RecognizedItem[], others: Set<string>, depth = 0): void {
  if (depth > maxDepth) return;
  if (Array.isArray(value)) {
    for (const item of value as unknown[]) collect(item, address, recognized, others, depth + 1);
    return;
  }
  if (!isItem(value)) return;
  if (isByAddress(value)) {
    for (const [key, part] of Object.entries(value)) if (key !== 'cloudfit') collect(part, key, recognized, others, depth + 1);
    return;
  }
  const kind = kinds.find(([, , is]) => is(value));
  if (kind) {
    if (recognized.length >= limits.importRows) refuse(`These files have more than ${limits.importRows} things. Choose fewer of them.`);
    recognized.push({ product: kind[0], kind: kind[1], answered: { item: value, of: idIn(address) } });
    return;
  }
  // Answers with `full=true` have everything by kind and id.
  if (isItem(value['assets'])) {
    for (const some of Object.values(value['assets']))
      if (isItem(some)) for (const item of Object.values(some)) collect(item, address, recognized, others, depth + 1);
    return;
  }
  const inner = lists.filter((name) => typeof value[name] === 'object' && value[name] !== null);
  if (inner.length === 0) others.add(address);
  for (const name of inner) collect(value[name], address, recognized, others, depth + 1);
}

/** The content of a file: JSON as APIs answer it, or an export in YAML or XML. */
function contentOf(name: string, file: string): unknown {
  // Without a byte order mark, which some editors write.
  const text = file.replace(/^\uFEFF/, '');
  const begins = text.slice(0, 2_000);
  try {
    if (begins.trimStart().startsWith('<')) return parseXml(text);
    if (isDump(text)) return parseDump(text);
    // Exports have no aliases; a few of them could stand for more values than memory has.
    if (/^['"]?zabbix_export['"]?:/m.test(begins)) return parse(text, { maxAliasCount: 0, logLevel: 'error' }) as unknown;
  } catch (error) {
    refuse(`${name} cannot be read: ${messageOf(error).split('\n')[0]}. Choose the file as the other product wrote it.`);
  }
  try {
    return JSON.parse(text) as unknown;
  } catch {
    refuse(`${name} is not JSON. Choose a configuration, or the answers of another product as its API gave them.`);
  }
}

/** What an API answers to a call that it refuses; an empty text for anything else. */
function refusalIn(content: unknown): string {
  if (!isItem(content)) return '';
  const { message, detail, error, errors } = content;
  const texts = [message, detail, isItem(error) ? error['message'] : error, Array.isArray(errors) ? (errors as unknown[])[0] : undefined];
  return texts.find((text): text is string => typeof text === 'string' && text !== '')?.slice(0, 200) ?? '';
}

/** Throws 400 when a file is no JSON, is of no product of these, or of another product than the others. */
export function readAnswers(files: readonly { name: string; text: string }[]): ForeignAnswers {
  const recognized: RecognizedItem[] = [];
  const unread: { name: string; why: string }[] = [];
  for (const { name, text } of files) {
    const others = new Set<string>();
    const [content, before] = [contentOf(name, text), recognized.length];
    collect(content, name, recognized, others);
    // An answer that is an empty list says all that there is.
    if (recognized.length === before && others.size > 0) unread.push({ name, why: refusalIn(content) });
  }
  const [product, another] = [...new Set(recognized.map((entry) => entry.product))];
  const refused = unread.find(({ why }) => why !== '');
  if (product === undefined && refused)
    refuse(`${refused.name} is what the API answers to a call that it refuses: ${refused.why} Check key and address, and fetch it again.`);
  if (product === undefined)
    refuse(
      'These files are neither a configuration nor answers of Opsgenie, PagerDuty, Grafana OnCall or Zammad, nor an export of Zabbix or a dump of osTicket. MOVING-IN.md says which are read.',
    );
  if (another !== undefined) refuse(`These files are of ${product} and of ${another}. Import one product after the other.`);
  const byKind = Map.groupBy(recognized, ({ kind }) => kind);
  // An item that several answers contain, such as two pages that overlap, counts once; the fullest of them.
  const once = new Map(
    [...byKind].map(([kind, some]) => {
      const byId = new Map<string, AnsweredItem>();
      for (const { answered } of some) {
        const id = answered.item['id'] ?? answered.item['alias'];
        const key = typeof id === 'string' || typeof id === 'number' ? `${answered.of} ${id}` : `at ${byId.size}`;
        const before = byId.get(key);
        if (!before || Object.keys(answered.item).length >= Object.keys(before.item).length) byId.set(key, answered);
      }
      return [kind, [...byId.values()]] as const;
    }),
  );
  return { product, of: (kind) => once.get(kind) ?? [], unread };
}
