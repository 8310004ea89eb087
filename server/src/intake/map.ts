/** Turns readings into packets of named devices and blocks, by the templates and the mapping of their source. */
import { createHash } from 'node:crypto';
import type { PacketMessage } from '@cloudfit/contract/resources/packets.ts';
import { kindDefaults, type SourceKind } from '@cloudfit/contract/sources/kinds.ts';
import { numeric, parseMapping, type MappedField, type Mapping } from '@cloudfit/contract/sources/mapping.ts';
import { fillTemplate, namesIn, parseTemplate, type ValueTemplate } from '@cloudfit/contract/sources/template.ts';
import { isRefused, type SourceReading, type RefusedReading, type ItemRefusal } from './readings.ts';

export interface EntityName {
  kind: 'device' | 'block';
  name: string;
}

/** A packet before its entity is known by id. */
export interface PacketDraft {
  entity: EntityName;
  timestamp?: string;
  messageId?: string;
  message: PacketMessage;
  /** The name of the device that the block is about. */
  about?: string;
}

export type DraftOrRefusal = (PacketDraft | { entity?: EntityName; refusal: ItemRefusal }) & {
  /** What was sent, for a sample of it. */
  sent: unknown;
  weight?: number;
};

/** The parts of a source that decide what becomes of a reading, parsed once. */
export interface SourcePlan {
  kind: SourceKind;
  source: { id: string; name: string };
  device: ValueTemplate | undefined;
  block: ValueTemplate | undefined;
  mapping: Mapping;
  isTimeSent: boolean;
}

const templateOf = (text: string | null): ValueTemplate | undefined => {
  const parsed = text ? parseTemplate(text) : undefined;
  return typeof parsed === 'string' ? undefined : parsed;
};

export function planOf(row: {
  source_id: string;
  name: string;
  kind: SourceKind;
  device_name: string | null;
  block_name: string | null;
  mapping: string | null;
  clock: string;
}): SourcePlan {
  const mapping = parseMapping(row.mapping ?? '');
  return {
    kind: row.kind,
    source: { id: row.source_id, name: row.name },
    device: templateOf(row.device_name),
    block: templateOf(row.block_name),
    mapping: typeof mapping === 'string' ? { fields: [] } : mapping,
    isTimeSent: row.clock === 'Sent',
  };
}

const longestName = 200;

/** A name of one line that is not too long; names that differ only behind the end stay different. */
function nameOf(filled: string | number | boolean): string {
  const text = String(filled)
    .replaceAll(/\p{C}+/gu, ' ')
    .trim();
  if (text.length <= longestName) return text;
  const mark = createHash('sha256').update(text).digest('base64url').slice(0, 8);
  return `${text.slice(0, longestName - mark.length - 2).toWellFormed()}… ${mark}`;
}

/** The block of a reading if the source names blocks, else its device. */
function entityOf(plan: SourcePlan, reading: SourceReading): EntityName | ItemRefusal {
  const kind = plan.block ? 'block' : 'device';
  const template = plan.block ?? plan.device;
  if (!template) return { code: 'NoName', message: 'The source says neither how a device nor how a block is named.' };
  const filled = fillTemplate(template, reading);
  const name = filled === undefined ? '' : nameOf(filled);
  return name === ''
    ? { code: 'NoName', message: `There is no value for ${namesIn(template)}, by which the source names the ${kind}.` }
    : { kind, name };
}

/** The name of the device that a block is about, if what was sent says one. */
function aboutOf({ block, device }: SourcePlan, reading: SourceReading): string {
  const filled = block && device ? fillTemplate(device, reading) : undefined;
  return filled === undefined ? '' : nameOf(filled);
}

function numberOf(value: string | number | boolean): number | undefined {
  if (typeof value !== 'string') return Number(value);
  const text = value.trim();
  return numeric.test(text) ? Number(text) : undefined;
}

/** Adds the mapped values that the reading has; returns why one of them has no place where the mapping puts it. */
function addMapped(fields: readonly MappedField[], reading: SourceReading, message: PacketMessage): ItemRefusal | undefined {
  for (const { part, name, value } of fields) {
    const [key, filled] = [fillTemplate(name, reading), fillTemplate(value, reading)];
    if (key === undefined || filled === undefined || key === '') continue;
    if (part !== 'Metrics') (message[part] ??= {})[String(key)] = filled;
    else {
      const number = numberOf(filled);
      if (number === undefined)
        return {
          code: 'InvalidMetric',
          message: `Metrics.${String(key)} is ${JSON.stringify(String(filled).slice(0, 100))}, which is no number.`,
        };
      (message.Metrics ??= {})[String(key)] = number;
    }
  }
  return undefined;
}

/** The time that was sent: a text of ISO 8601, or a number of seconds, milliseconds, microseconds or nanoseconds since 1970. */
function timeOf(value: string | number | boolean): number | undefined {
  const number = typeof value === 'boolean' ? undefined : numberOf(value);
  const time = number === undefined ? Date.parse(String(value)) : number;
  if (!Number.isFinite(time)) return undefined;
  if (number === undefined || number < 0) return number === undefined ? time : undefined;
  return number < 1e11 ? number * 1_000 : number < 1e14 ? number : number < 1e17 ? number / 1e3 : number / 1e6;
}

function timestampOf(plan: SourcePlan, reading: SourceReading): string | undefined | ItemRefusal {
  const { received: at } = reading;
  const received = at === undefined ? undefined : new Date(at).toISOString();
  if (!plan.isTimeSent) return received;
  const sent = plan.mapping.time ? fillTemplate(plan.mapping.time, reading) : reading.time;
  if (sent === undefined) return received;
  const time = plan.mapping.time ? timeOf(sent) : Number(sent);
  if (time === undefined || Math.abs(time) > 8.64e15)
    return { code: 'InvalidTimestamp', message: `${String(sent).slice(0, 100)} is no time.` };
  // Rounded, because seconds and nanoseconds as numbers are often a little less than the millisecond that they mean.
  return new Date(Math.round(time)).toISOString();
}

/** Sources that share a device number their messages each for itself. */
const messageIdOf = ({ source }: SourcePlan, id: string): string => createHash('sha256').update(`${source.id} ${id}`).digest('base64url');

const isRefusal = (value: unknown): value is ItemRefusal => typeof value === 'object' && value !== null && 'code' in value;

export function draftOf(plan: SourcePlan, reading: SourceReading | RefusedReading): DraftOrRefusal {
  if (isRefused(reading)) return reading;
  const { body, labels, message, weight = 1 } = reading;
  return { ...mapped(plan, reading), sent: body ?? { labels, message }, weight };
}

function mapped(plan: SourcePlan, reading: SourceReading): PacketDraft | { entity?: EntityName; refusal: ItemRefusal } {
  const entity = entityOf(plan, reading);
  if (isRefusal(entity)) return { refusal: entity };
  const timestamp = timestampOf(plan, reading);
  if (isRefusal(timestamp)) return { entity, refusal: timestamp };
  const { mapping } = plan;
  const message: PacketMessage = { ...reading.message };
  const problem = addMapped(mapping.fields, reading, message);
  if (problem) return { entity, refusal: problem };
  const value = mapping.value && fillTemplate(mapping.value, reading);
  if (value !== undefined) message.Value = value;
  if (Object.keys(message).length === 0)
    return { entity, refusal: { code: 'NothingMapped', message: 'It has none of the values that the mapping of the source names.' } };
  if (kindDefaults[plan.kind].alerts) message.Properties = { ...message.Properties, Source: plan.source.name, SourceId: plan.source.id };
  const id = mapping.id ? fillTemplate(mapping.id, reading) : reading.id;
  const about = aboutOf(plan, reading);
  return {
    entity,
    ...(about === '' ? {} : { about }),
    ...(timestamp === undefined ? {} : { timestamp }),
    ...(id === undefined || id === '' ? {} : { messageId: messageIdOf(plan, String(id)) }),
    message,
  };
}
