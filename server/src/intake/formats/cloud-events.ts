/** CloudEvents 1.0 over HTTP: structured, binary and in batches. Attributes name the device; the data is placed as that of a webhook. */
import { isUtf8 } from 'node:buffer';
import { hopAttribute, hopsOf, maxHops } from '@cloudfit/contract/events/hops.ts';
import type { Mapping } from '@cloudfit/contract/sources/mapping.ts';
import type { GiveTurn } from '../../platform/turns.ts';
import type { Format } from '../format.ts';
import {
  isRefused,
  jsonOf,
  readEach,
  refusedReading,
  usualAnswer,
  type Payload,
  type RefusedReading,
  type SourceReading,
} from '../readings.ts';
import { cut } from './alert.ts';
import { readItem, isPlaced } from './webhook.ts';

type EventAttributes = Record<string, string>;

const required = ['id', 'source', 'type', 'specversion'] as const;
const maxAttributes = 100;
const tooManyHops = 'TooManyHops';

const isJsonType = (type: string): boolean => type === '' || /^[\w.+-]+\/(?:[\w.+-]+\+)?json\b/i.test(type);

interface CloudEvent {
  attributes: EventAttributes;
  data: unknown;
}

/** Headers have their values percent-encoded, maybe between quotes; some senders write UTF-8 as it is, which HTTP reads as Latin-1. */
function headerText(value: string): string {
  const [, quoted] = /^"((?:[^"\\]|\\.)*)"$/.exec(value.trim()) ?? [];
  const written = quoted?.replaceAll(/\\(.)/g, '$1') ?? value;
  const bytes = Buffer.from(written, 'latin1');
  const text = isUtf8(bytes) ? bytes.toString() : written;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

async function binaryEvent(payload: Payload, turn: GiveTurn): Promise<CloudEvent> {
  const attributes: EventAttributes = {};
  for (const [name, value] of Object.entries(payload.headers))
    if (name.startsWith('ce-') && typeof value === 'string') attributes[name.slice(3)] = headerText(value);
  if (payload.contentType !== '') attributes['datacontenttype'] = payload.contentType;
  if (payload.bytes.length === 0) return { attributes, data: undefined };
  if (isJsonType(payload.contentType)) return { attributes, data: await jsonOf(payload, turn) };
  const isText = /^text\/|xml|charset/i.test(payload.contentType);
  return { attributes, data: payload.bytes.toString(isText ? 'utf8' : 'base64') };
}

async function structuredEvent(raw: unknown, index: number, turn: GiveTurn): Promise<CloudEvent | RefusedReading> {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw))
    return refusedReading('InvalidEvent', `Event ${index + 1} is no object.`, raw);
  const attributes: EventAttributes = {};
  let data: unknown;
  for (const [name, value] of Object.entries(raw)) {
    if (name === 'data') data = value;
    else if (name === 'data_base64' && typeof value === 'string')
      data = await decodedData(value, (raw as EventAttributes)['datacontenttype'] ?? '', turn);
    else if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') attributes[name] = String(value);
  }
  return { attributes, data };
}

/** Data in base64 that says that it is JSON is read as such; other data stays as it is. */
async function decodedData(base64: string, type: string, turn: GiveTurn): Promise<unknown> {
  if (type === '' || !isJsonType(type)) return base64;
  try {
    return await jsonOf({ bytes: Buffer.from(base64, 'base64') }, turn);
  } catch {
    return base64;
  }
}

const dateTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i;

function readEvent({ attributes, data }: CloudEvent, index: number, mapping: Mapping): SourceReading | RefusedReading {
  const sent = { ...attributes, data };
  const missing = required.filter((name) => (attributes[name] ?? '') === '');
  if (missing.length > 0) return refusedReading('InvalidEvent', `Event ${index + 1} has no ${missing.join(', ')}.`, sent);
  if (attributes['specversion'] !== '1.0')
    return refusedReading(
      'InvalidEvent',
      `Event ${index + 1} is of version ${String(attributes['specversion']).slice(0, 20)}; there is 1.0.`,
      sent,
    );
  if (hopsOf(attributes[hopAttribute]) >= maxHops)
    return refusedReading(
      tooManyHops,
      `Event ${index + 1} has gone through ${maxHops} installations, so it goes round. Let one of them not send what it has from the others.`,
      sent,
    );
  const { time, id = '', source = '', type = '' } = attributes;
  if (time !== undefined && (!dateTime.test(time) || Number.isNaN(Date.parse(time))))
    return refusedReading('InvalidTimestamp', `The time of event ${index + 1} is not one of RFC 3339: ${time.slice(0, 50)}.`, sent);
  if (Object.keys(attributes).length > maxAttributes)
    return refusedReading('InvalidEvent', `Event ${index + 1} has more than ${maxAttributes} attributes.`, sent);
  const isObject = typeof data === 'object' && data !== null && !Array.isArray(data);
  const placed = isObject ? readItem(data, index, isPlaced(mapping)) : undefined;
  if (placed && isRefused(placed)) return placed;
  const scalar = data === undefined || isObject ? {} : { data: cut(typeof data === 'string' ? data : JSON.stringify(data)) };
  const { Metrics = {}, States = {}, Properties = {} } = placed?.message ?? {};
  return {
    labels: attributes,
    body: sent,
    ...(time === undefined ? {} : { time: Date.parse(time) }),
    // An event is the same when its source and id are.
    id: JSON.stringify([source, id]),
    message: {
      Value: type,
      Properties: { ...Properties, ...scalar, ...attributes },
      ...(Object.keys(Metrics).length > 0 ? { Metrics } : {}),
      ...(Object.keys(States).length > 0 ? { States } : {}),
    },
  };
}

/** An event that headers describe; undefined when the body is JSON of one or several. */
async function binaryOf(payload: Payload, turn: GiveTurn): Promise<CloudEvent | undefined> {
  const { contentType, headers } = payload;
  const isBinary = headers['ce-id'] !== undefined || headers['ce-specversion'] !== undefined;
  return isBinary && !/^application\/cloudevents/i.test(contentType) ? binaryEvent(payload, turn) : undefined;
}

export const cloudEvents: Format = {
  // An event that goes round would be sent again for days, and hold up those behind it.
  answer: (outcome) => {
    const { stored, duplicate, refused, reasons } = outcome;
    const goesRound = refused > 0 && reasons.every(({ code }) => code === tooManyHops);
    return goesRound ? { status: 200, body: { stored, duplicate, refused, reasons } } : usualAnswer(outcome);
  },
  read: async (payload, { plan, turn }) => {
    const binary = await binaryOf(payload, turn);
    if (binary) return [readEvent(binary, 0, plan.mapping)];
    const body = await jsonOf(payload, turn);
    const items: readonly unknown[] = Array.isArray(body) ? body : [body];
    const read = async (item: unknown, index: number): Promise<SourceReading | RefusedReading> => {
      const event = await structuredEvent(item, index, turn);
      return 'refusal' in event ? event : readEvent(event, index, plan.mapping);
    };
    return readEach(items, read, turn);
  },
};
