/** The JSON encoding of OTLP: names in lowerCamelCase, 64-bit integers as texts or numbers, ids in hexadecimal. */
import { ApiError } from '@cloudfit/contract/errors.ts';
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

type JsonObject = Record<string, unknown>;

const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);
const objectAt = (value: JsonObject, name: string): JsonObject => (isObject(value[name]) ? value[name] : {});
const textAt = (value: JsonObject, name: string): string => (typeof value[name] === 'string' ? value[name] : '');

function listAt(value: JsonObject, name: string): readonly unknown[] {
  const list = value[name];
  if (list === undefined || list === null) return [];
  if (!Array.isArray(list)) throw new ApiError('InvalidBody', `${name} is no list.`);
  return list;
}

function number(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || value.trim() === '') return undefined;
  return value === 'Infinity' || value === '-Infinity' || Number.isFinite(Number(value)) ? Number(value) : Number.NaN;
}
const numberAt = (value: JsonObject, name: string): number => number(value[name]) ?? 0;
const timeAt = (value: JsonObject, name: string): number => milliseconds(numberAt(value, name));
const numbersAt = (value: JsonObject, name: string): number[] => listAt(value, name).map((item) => number(item) ?? Number.NaN);

function anyValue(value: unknown, depth = 0): unknown {
  if (!isObject(value)) return undefined;
  if ('stringValue' in value) return value['stringValue'];
  if ('boolValue' in value) return value['boolValue'];
  if ('intValue' in value) return number(value['intValue']);
  if ('doubleValue' in value) return number(value['doubleValue']);
  if ('bytesValue' in value) return value['bytesValue'];
  if (depth >= maxValueDepth) return null;
  if ('arrayValue' in value) return listAt(objectAt(value, 'arrayValue'), 'values').map((item) => anyValue(item, depth + 1) ?? null);
  if ('kvlistValue' in value)
    return Object.fromEntries(
      listAt(objectAt(value, 'kvlistValue'), 'values').flatMap((item) =>
        isObject(item) ? [[textAt(item, 'key'), anyValue(item['value'], depth + 1)]] : [],
      ),
    );
  return undefined;
}

function attributesOf(value: JsonObject): OtlpAttributes | undefined {
  const list = listAt(value, 'attributes');
  if (list.length > maxAttributes) return undefined;
  const attributes: OtlpAttributes = {};
  for (const item of list) if (isObject(item)) setAttribute(attributes, textAt(item, 'key'), anyValue(item['value']));
  return attributes;
}

const bucketsOf = (value: JsonObject): OtlpBuckets => ({ offset: numberAt(value, 'offset'), counts: numbersAt(value, 'bucketCounts') });

const kinds: readonly OtlpKind[] = ['gauge', 'sum', 'histogram', 'exponentialHistogram', 'summary'];

/** Enumerations are numbers; some senders write their names. */
const isDelta = (value: unknown): boolean => value === 1 || value === 'AGGREGATION_TEMPORALITY_DELTA';

function pointOf(raw: unknown): { point: OtlpPoint } | OtlpFault {
  if (!isObject(raw)) return { fault: 'It is no object.' };
  const attributes = attributesOf(raw);
  if (!attributes) return { fault: tooManyAttributes };
  const [positive, negative] = [objectAt(raw, 'positive'), objectAt(raw, 'negative')];
  const lists = [
    listAt(raw, 'bucketCounts'),
    listAt(raw, 'explicitBounds'),
    listAt(positive, 'bucketCounts'),
    listAt(negative, 'bucketCounts'),
  ];
  // Before any of them is read: a body may have many more numbers than a histogram may, and reading them blocks others.
  if (lists.some((list) => list.length > maxBuckets)) return { fault: tooManyBuckets };
  const value = number(raw['asDouble']) ?? number(raw['asInt']);
  const count = number(raw['count']);
  const sum = number(raw['sum']);
  const point: OtlpPoint = {
    ...emptyPoint(),
    attributes,
    start: timeAt(raw, 'startTimeUnixNano'),
    time: timeAt(raw, 'timeUnixNano'),
    isAbsent: (numberAt(raw, 'flags') & 1) === 1,
    ...(value === undefined ? {} : { value }),
    ...(count === undefined ? {} : { count }),
    ...(sum === undefined ? {} : { sum }),
    bounds: numbersAt(raw, 'explicitBounds'),
    counts: numbersAt(raw, 'bucketCounts'),
    scale: numberAt(raw, 'scale'),
    zeroCount: numberAt(raw, 'zeroCount'),
    positive: bucketsOf(positive),
    negative: bucketsOf(negative),
    quantiles: listAt(raw, 'quantileValues').flatMap((item) =>
      isObject(item) ? [[numberAt(item, 'quantile'), numberAt(item, 'value')] as [number, number]] : [],
    ),
  };
  return { point };
}

function recordOf(raw: unknown): { record: OtlpRecord } | OtlpFault {
  if (!isObject(raw)) return { fault: 'It is no object.' };
  const attributes = attributesOf(raw);
  if (!attributes) return { fault: tooManyAttributes };
  const body = anyValue(raw['body']);
  const record: OtlpRecord = {
    ...emptyRecord(),
    attributes,
    time: timeAt(raw, 'timeUnixNano') || timeAt(raw, 'observedTimeUnixNano'),
    severityNumber: numberAt(raw, 'severityNumber'),
    severityText: textAt(raw, 'severityText'),
    body: typeof body === 'string' ? body : (JSON.stringify(body) ?? ''),
    traceId: textAt(raw, 'traceId'),
    spanId: textAt(raw, 'spanId'),
    eventName: textAt(raw, 'eventName'),
  };
  return { record };
}

function* groupsOf(body: unknown, groups: string, parts: string): Generator<{ resource: OtlpAttributes; part: JsonObject }> {
  // An exporter with nothing to say sends an empty request, which protobuf writes as no bytes.
  if (isObject(body) && Object.keys(body).length === 0) return;
  if (!isObject(body) || !(groups in body))
    throw new ApiError('InvalidBody', `This is not a body of OTLP for this address: it has no list named ${groups}.`);
  for (const group of listAt(body, groups)) {
    if (!isObject(group)) throw new ApiError('InvalidBody', `An item of ${groups} is no object.`);
    const resource = attributesOf(objectAt(group, 'resource')) ?? {};
    for (const part of listAt(group, parts)) if (isObject(part)) yield { resource, part };
  }
}

export function* metricsOfJson(body: unknown): Generator<OtlpMetricItem> {
  for (const { resource, part } of groupsOf(body, 'resourceMetrics', 'scopeMetrics'))
    for (const written of listAt(part, 'metrics')) {
      if (!isObject(written)) throw new ApiError('InvalidBody', 'An item of metrics is no object.');
      const kind = kinds.find((name) => isObject(written[name])) ?? 'gauge';
      const data = objectAt(written, kind);
      const metric: OtlpMetric = {
        name: textAt(written, 'name'),
        kind,
        isDelta: isDelta(data['aggregationTemporality']),
        isMonotonic: data['isMonotonic'] === true,
      };
      for (const point of listAt(data, 'dataPoints')) yield { resource, metric, ...pointOf(point) };
    }
}

export function* logsOfJson(body: unknown): Generator<OtlpLogItem> {
  for (const { resource, part } of groupsOf(body, 'resourceLogs', 'scopeLogs')) {
    const scope = textAt(objectAt(part, 'scope'), 'name');
    for (const record of listAt(part, 'logRecords')) yield { resource, scope, ...recordOf(record) };
  }
}
