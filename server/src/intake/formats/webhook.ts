/** Any JSON: an object or a list of them, of which the mapping of the source says what goes where. */
import { ApiError } from '@cloudfit/contract/errors.ts';
import type { Mapping } from '@cloudfit/contract/sources/mapping.ts';
import { valueAt } from '@cloudfit/contract/sources/template.ts';
import type { Format, FormatContext } from '../format.ts';
import {
  jsonOf,
  linesIn,
  readEach,
  refusedReading,
  type Payload,
  type PayloadReadings,
  type SourceReading,
  type RefusedReading,
} from '../readings.ts';

const stateNames = /^(?:status|state|health|severity|level)$/i;
const maxDepth = 4;
const maxFields = 300;

interface PlacedValues {
  Metrics: Record<string, number>;
  States: Record<string, string | boolean>;
  Properties: Record<string, string | boolean>;
}

/**
 * Where values go that no mapping places: numbers into Metrics, texts into Properties, and those that are named as a state into
 * States; values in objects by their paths.
 */
function place(message: PlacedValues, value: unknown, path: string, depth: number): number {
  if (typeof value === 'number') message.Metrics[path] = value;
  else if (typeof value === 'string' || typeof value === 'boolean')
    (stateNames.test(path.split('.').at(-1) ?? '') ? message.States : message.Properties)[path] = value;
  else if (typeof value === 'object' && value !== null && !Array.isArray(value) && depth < maxDepth) {
    let count = 0;
    for (const [name, part] of Object.entries(value)) {
      if (count > maxFields) break;
      count += place(message, part, path === '' ? name : `${path}.${name}`, depth + 1);
    }
    return count;
  } else return 0;
  return 1;
}

export function readItem(item: unknown, index: number, isMapped: boolean): SourceReading | RefusedReading {
  if (typeof item !== 'object' || item === null || Array.isArray(item))
    return refusedReading('InvalidItem', `Item ${index + 1} is no object. Name the list of objects by a line Items = path.`, item);
  if (isMapped) return { labels: {}, body: item, message: {} };
  const message: PlacedValues = { Metrics: {}, States: {}, Properties: {} };
  const count = place(message, item, '', 0);
  if (count > maxFields)
    return refusedReading(
      'TooManyValues',
      `Item ${index + 1} has more than ${maxFields} values. Say by a mapping which of them count.`,
      item,
    );
  return { labels: {}, body: item, message };
}

/** Whether the mapping says where values go, so that nothing is placed by its name. */
export const isPlaced = (mapping: Mapping): boolean => mapping.fields.length > 0 || mapping.value !== undefined;

/** Whether each line is a value: by the type, or, as some shippers send them without it, by a second object behind a whole one. */
function isLines({ contentType, bytes }: Payload): boolean {
  if (/^application\/(?:x-)?(?:ndjson|jsonl|json-lines|jsonlines)\b/i.test(contentType)) return true;
  const end = bytes.indexOf('\n');
  const before = bytes
    .subarray(Math.max(0, end - 10), Math.max(0, end))
    .toString()
    .trimEnd();
  const behind = bytes
    .subarray(end + 1, end + 11)
    .toString()
    .trimStart();
  return end > 0 && before.endsWith('}') && behind.startsWith('{');
}

/** One JSON value in each line, as shippers of logs send: read as the list of them, so that all limits of a list count. */
const linesOf = (payload: Payload): Buffer => Buffer.from(`[${linesIn(payload).join(',')}]`);

async function readWebhook(payload: Payload, { plan: { mapping }, turn }: FormatContext): Promise<PayloadReadings> {
  const body = await jsonOf(isLines(payload) ? { bytes: linesOf(payload) } : payload, turn);
  const list = mapping.items === undefined ? body : valueAt(body, mapping.items);
  if (mapping.items !== undefined && !Array.isArray(list))
    throw new ApiError('InvalidBody', `There is no list at ${mapping.items}, which the mapping of the source names by Items.`);
  const items: unknown[] = Array.isArray(list) ? list : [list];
  return readEach(items, (item, index) => readItem(item, index, isPlaced(mapping)), turn);
}

export const webhook: Format = { read: readWebhook };
