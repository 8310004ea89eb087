/** MQTT: messages that a subscription of an agent has got, or that a broker posts; payloads are JSON, a number, or a text. */
import { parseSafely } from '../../ingest/safe-json.ts';
import type { Format } from '../format.ts';
import type { SourcePlan } from '../map.ts';
import { valueAt } from '@cloudfit/contract/sources/template.ts';
import { isRefused, refusedReading, type Payload, type RefusedReading, type SourceReading } from '../readings.ts';
import { isPlaced, readItem } from './webhook.ts';
import { cut, listenerReading, readItems, withoutEmpty, type ListenerItem } from './listener-items.ts';

const maxLevels = 30;
const maxDepth = 20;

/** The levels of a topic: `{topic.1}` is the first, and `{topic.last}` the last one. */
function levelsOf(topic: string): Record<string, string> {
  const levels = topic.split('/').slice(0, maxLevels);
  const last = topic.slice(topic.lastIndexOf('/') + 1);
  return { topic, ...Object.fromEntries(levels.map((level, n) => [`topic.${n + 1}`, level])), 'topic.last': last };
}

function nestsTooDeep(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth === maxDepth || Object.values(value).some((part) => nestsTooDeep(part, depth + 1));
}

/** What a payload says: JSON, if it is; otherwise a text, which may be a number. */
function contentOf(payload: unknown): unknown {
  if (typeof payload !== 'string') return payload;
  try {
    return parseSafely(payload);
  } catch {
    return payload;
  }
}

function readContent(
  content: unknown,
  reading: SourceReading,
  levels: Record<string, string>,
  plan: SourcePlan,
): SourceReading | RefusedReading {
  const labels = { ...reading.labels, ...levels };
  const { Properties } = reading.message;
  if (typeof content === 'object' && content !== null && !Array.isArray(content)) {
    const placed = readItem(content, 0, isPlaced(plan.mapping));
    if (isRefused(placed)) return placed;
    const { message } = placed;
    return {
      ...reading,
      labels,
      body: { ...content, payload: content },
      message: withoutEmpty({ ...message, Properties: { ...message.Properties, ...Properties, Topic: levels['topic'] ?? '' } }),
    };
  }
  if (Array.isArray(content) || content === null || content === undefined || content === '')
    return refusedReading('InvalidItem', 'The payload says nothing: it is empty, or a list that no line Items = payload names.', {
      ...levels,
      content,
    });
  const value = typeof content === 'string' ? cut(content) : (content as number | boolean);
  return {
    ...reading,
    labels,
    body: { payload: content },
    message: withoutEmpty({
      ...(isPlaced(plan.mapping)
        ? {}
        : { Value: value, ...(typeof value === 'number' ? { Metrics: { [levels['topic.last'] || 'Value']: value } } : {}) }),
      Properties: { ...Properties, Topic: levels['topic'] ?? '' },
    }),
  };
}

/** The contents of a payload: one, or the items of the list that the mapping names, by its path in the payload. */
function contentsOf(content: unknown, { mapping: { items } }: SourcePlan): readonly unknown[] | RefusedReading {
  if (items === undefined) return [content];
  const path = items.replace(/^payload(?:\.|$)/, '');
  const list = path === '' ? content : valueAt(content, path);
  return Array.isArray(list)
    ? list
    : refusedReading('InvalidItem', `There is no list at ${items}, which the mapping of the source names by Items.`, content);
}

function readMessages(item: ListenerItem, payload: Payload, plan: SourcePlan): (SourceReading | RefusedReading)[] {
  const { topic, payload: sent } = item;
  if (typeof topic !== 'string' || topic === '' || topic.length > 1_024)
    return [
      refusedReading(
        'InvalidItem',
        'A message has a topic of at most 1024 characters, behind the address or in JSON, and a payload.',
        item,
      ),
    ];
  // A level may become the name of a metric.
  if (/(?:^|\/)(?:__proto__|constructor)(?:\/|$)/.test(topic))
    return [refusedReading('InvalidItem', 'A topic has no level that is named __proto__ or constructor.', item)];
  const content = contentOf(sent);
  if (nestsTooDeep(content)) return [refusedReading('InvalidItem', `The payload nests deeper than ${maxDepth} levels.`, item)];
  const contents = contentsOf(content, plan);
  if ('refusal' in contents) return [contents];
  const reading = listenerReading(item, payload);
  const levels = levelsOf(topic);
  return contents.map((content, index) =>
    readContent(content, index > 0 && reading.id !== undefined ? { ...reading, id: `${reading.id} ${index}` } : reading, levels, plan),
  );
}

/** A message whose topic is what follows the address, as `mosquitto_pub` would name it. */
const addressedTopic = ({ path }: Payload): string => decodeURIComponent(path.slice(1));

export const mqtt: Format = {
  read: async (payload, { plan, turn }) => {
    const isAddressed = payload.path !== '' && payload.gateway === undefined;
    if (isAddressed) return readMessages({ topic: addressedTopic(payload), payload: payload.bytes.toString() }, payload, plan);
    const many: (SourceReading | RefusedReading)[] = [];
    const read = await readItems(
      payload,
      (item) => {
        const [first, ...more] = readMessages(item, payload, plan);
        many.push(...more);
        return first ?? refusedReading('InvalidItem', 'The list in the payload is empty.', item);
      },
      turn,
    );
    return [...read, ...many];
  },
};
