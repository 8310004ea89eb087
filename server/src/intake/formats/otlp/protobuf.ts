/** The protobuf encoding of OTLP (opentelemetry-proto 1). */
import { WireType, type BinaryReader } from '@bufbuild/protobuf/wire';
import type { Payload } from '../../readings.ts';
import { BrokenProtobuf, fieldsOf, maxBetween, messageIn, messagesIn, type WireField } from '../wire.ts';
import {
  emptyPoint,
  emptyRecord,
  maxAttributes,
  maxBuckets,
  maxValueDepth,
  milliseconds,
  setAttribute,
  tooManyAttributes,
  tooManyBuckets,
  type OtlpAttributes,
  type OtlpBuckets,
  type OtlpFault,
  type OtlpKind,
  type OtlpLogItem,
  type OtlpMetric,
  type OtlpMetricItem,
  type OtlpPoint,
  type OtlpRecord,
} from './model.ts';

const fixed64 = (reader: BinaryReader): number => Number(reader.fixed64());
const varint64 = (reader: BinaryReader): number => Number(reader.uint64());
const double = (reader: BinaryReader): number => reader.double();

/** The bytes of a list or an object that is read: that of an attribute, of which a point may have many, and that of the text of a log. */
const maxAttributeBytes = 1_000;
const maxBodyBytes = 65_536;

/** A value of any type; a list or an object that nests too deep, or has too many parts, is left out. */
function anyValue(bytes: Uint8Array, maxBytes: number, depth = 0): unknown {
  let value: unknown;
  const isNested = depth < maxValueDepth && bytes.length <= maxBytes;
  for (const field of fieldsOf(bytes)) {
    if (field.no === 1) value = field.text();
    else if (field.no === 2) value = field.bool();
    else if (field.no === 3) value = field.int64();
    else if (field.no === 4) value = field.double();
    else if (field.no === 5) value = isNested ? listOf(field.bytes(), maxBytes, depth + 1) : null;
    else if (field.no === 6) value = isNested ? objectOf(field.bytes(), maxBytes, depth + 1) : null;
    else if (field.no === 7) value = Buffer.from(field.bytes()).toString('base64');
  }
  return value;
}

function listOf(bytes: Uint8Array, maxBytes: number, depth: number): unknown[] {
  const list: unknown[] = [];
  for (const item of messagesIn(bytes, 1)) {
    if (list.length === maxAttributes) break;
    list.push(anyValue(item, maxBytes, depth) ?? null);
  }
  return list;
}

function keyValue(bytes: Uint8Array, maxBytes: number, depth: number): [string, unknown] {
  let key = '';
  let value: unknown;
  for (const field of fieldsOf(bytes))
    if (field.no === 1) key = field.text();
    else if (field.no === 2) value = anyValue(field.bytes(), maxBytes, depth);
  return [key, value];
}

function objectOf(bytes: Uint8Array, maxBytes: number, depth: number): Record<string, unknown> {
  const entries: [string, unknown][] = [];
  for (const item of messagesIn(bytes, 1)) {
    if (entries.length === maxAttributes) break;
    entries.push(keyValue(item, maxBytes, depth));
  }
  return Object.fromEntries(entries);
}

class Attributes {
  readonly values: OtlpAttributes = {};
  count = 0;

  /** Reads one of many; false when there are too many. */
  add(field: WireField): boolean {
    this.count += 1;
    if (this.count > maxAttributes) return false;
    setAttribute(this.values, ...keyValue(field.bytes(), maxAttributeBytes, 0));
    return true;
  }
}

function resourceOf(bytes: Uint8Array): OtlpAttributes {
  const attributes = new Attributes();
  for (const field of fieldsOf(bytes)) if (field.no === 1 && !attributes.add(field)) break;
  return attributes.values;
}

function bucketsOf(bytes: Uint8Array): OtlpBuckets | OtlpFault {
  const buckets: OtlpBuckets = { offset: 0, counts: [] };
  for (const field of fieldsOf(bytes)) {
    if (field.no === 1) buckets.offset = field.sint32();
    else if (field.no === 2 && field.numbersInto(buckets.counts, WireType.Varint, varint64, maxBuckets)) return { fault: tooManyBuckets };
  }
  return buckets;
}

function quantileAt(bytes: Uint8Array): [number, number] {
  const pair: [number, number] = [0, 0];
  for (const field of fieldsOf(bytes))
    if (field.no === 1) pair[0] = field.double();
    else if (field.no === 2) pair[1] = field.double();
  return pair;
}

/** The numbers of the fields of each kind of point that differ; those of start, time, count and sum are the same. */
const attributesAt: Readonly<Record<OtlpKind, number>> = { gauge: 7, sum: 7, histogram: 9, exponentialHistogram: 1, summary: 7 };
const flagsAt: Readonly<Record<OtlpKind, number>> = { gauge: 8, sum: 8, histogram: 10, exponentialHistogram: 10, summary: 8 };

/** Reads the fields that only one kind of point has; returns why it cannot be read. */
function readOwn(kind: OtlpKind, point: OtlpPoint, field: WireField): string | undefined {
  if (kind === 'gauge' || kind === 'sum') {
    if (field.no === 4) point.value = field.double();
    else if (field.no === 6) point.value = field.sfixed64();
    return undefined;
  }
  if (field.no === 4) point.count = field.fixed64();
  else if (field.no === 5) point.sum = field.double();
  else if (kind === 'histogram') {
    if (field.no === 6 && field.numbersInto(point.counts, WireType.Bit64, fixed64, maxBuckets)) return tooManyBuckets;
    if (field.no === 7 && field.numbersInto(point.bounds, WireType.Bit64, double, maxBuckets)) return tooManyBuckets;
  } else if (kind === 'exponentialHistogram') {
    if (field.no === 6) point.scale = field.sint32();
    else if (field.no === 7) point.zeroCount = field.fixed64();
    else if (field.no === 8 || field.no === 9) {
      const buckets = bucketsOf(field.bytes());
      if ('fault' in buckets) return buckets.fault;
      point[field.no === 8 ? 'positive' : 'negative'] = buckets;
    }
  } else if (field.no === 6 && point.quantiles.length < maxBuckets) point.quantiles.push(quantileAt(field.bytes()));
  return undefined;
}

function pointOf(kind: OtlpKind, bytes: Uint8Array): { point: OtlpPoint } | OtlpFault {
  const point = emptyPoint();
  const attributes = new Attributes();
  for (const field of fieldsOf(bytes)) {
    if (field.no === attributesAt[kind]) {
      if (!attributes.add(field)) return { fault: tooManyAttributes };
    } else if (field.no === flagsAt[kind]) point.isAbsent = (field.uint32() & 1) === 1;
    else if (field.no === 2) point.start = milliseconds(field.fixed64());
    else if (field.no === 3) point.time = milliseconds(field.fixed64());
    else {
      const fault = readOwn(kind, point, field);
      if (fault !== undefined) return { fault };
    }
  }
  return { point: { ...point, attributes: attributes.values } };
}

const kinds: Readonly<Record<number, OtlpKind>> = { 5: 'gauge', 7: 'sum', 9: 'histogram', 10: 'exponentialHistogram', 11: 'summary' };

function metricOf(bytes: Uint8Array): { metric: OtlpMetric; data: Uint8Array } {
  let name = '';
  let kind: OtlpKind = 'gauge';
  let data: Uint8Array = new Uint8Array(0);
  for (const field of fieldsOf(bytes)) {
    const has = kinds[field.no];
    if (field.no === 1) name = field.text();
    else if (has) [kind, data] = [has, field.bytes()];
  }
  const metric: OtlpMetric = { name, kind, isDelta: false, isMonotonic: false };
  if (kind !== 'gauge' && kind !== 'summary')
    for (const field of fieldsOf(data, maxBetween))
      if (field.no === 2) metric.isDelta = field.uint32() === 1;
      else if (field.no === 3 && kind === 'sum') metric.isMonotonic = field.bool();
  return { metric, data };
}

function recordOf(bytes: Uint8Array): { record: OtlpRecord } | OtlpFault {
  const record = emptyRecord();
  const attributes = new Attributes();
  let observed = 0;
  const hex = (field: WireField): string => Buffer.from(field.bytes().subarray(0, 16)).toString('hex');
  for (const field of fieldsOf(bytes)) {
    if (field.no === 1) record.time = milliseconds(field.fixed64());
    else if (field.no === 2) record.severityNumber = field.uint32();
    else if (field.no === 3) record.severityText = field.text();
    else if (field.no === 5) {
      const body = anyValue(field.bytes(), maxBodyBytes);
      record.body = typeof body === 'string' ? body : (JSON.stringify(body) ?? '');
    } else if (field.no === 6) {
      if (!attributes.add(field)) return { fault: tooManyAttributes };
    } else if (field.no === 9) record.traceId = hex(field);
    else if (field.no === 10) record.spanId = hex(field);
    else if (field.no === 11) observed = milliseconds(field.fixed64());
    else if (field.no === 12) record.eventName = field.text();
  }
  return { record: { ...record, time: record.time || observed, attributes: attributes.values } };
}

function scopeName(bytes: Uint8Array): string {
  for (const field of fieldsOf(messageIn(bytes, 1))) if (field.no === 1) return field.text();
  return '';
}

/** A fault inside an item belongs to it if the item itself is whole. */
function itemOf<T extends object>(read: () => T | OtlpFault): T | OtlpFault {
  try {
    return read();
  } catch (error) {
    if (error instanceof BrokenProtobuf) return { fault: 'It is not the protobuf message that belongs here.' };
    throw error;
  }
}

/** Undefined stands for a part of the body that has nothing to store: a body may have millions of these, and each of them counts. */
export function* metricsOfProtobuf({ bytes }: Payload): Generator<OtlpMetricItem | undefined> {
  for (const group of messagesIn(bytes, 1)) {
    yield undefined;
    const resource = resourceOf(messageIn(group, 1));
    for (const scope of messagesIn(group, 2)) {
      yield undefined;
      for (const written of messagesIn(scope, 2)) {
        yield undefined;
        const { metric, data } = metricOf(written);
        for (const point of messagesIn(data, 1)) yield { resource, metric, ...itemOf(() => pointOf(metric.kind, point)) };
      }
    }
  }
}

export function* logsOfProtobuf({ bytes }: Payload): Generator<OtlpLogItem | undefined> {
  for (const group of messagesIn(bytes, 1)) {
    yield undefined;
    const resource = resourceOf(messageIn(group, 1));
    for (const part of messagesIn(group, 2)) {
      yield undefined;
      const scope = scopeName(part);
      for (const record of messagesIn(part, 2)) yield { resource, scope, ...itemOf(() => recordOf(record)) };
    }
  }
}
