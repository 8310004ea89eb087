/** What OTLP says, from either of its encodings: one point or record at a time, so that nobody else waits while a large body is read. */

export type OtlpAttributes = Record<string, string>;

export type OtlpKind = 'gauge' | 'sum' | 'histogram' | 'exponentialHistogram' | 'summary';

export interface OtlpBuckets {
  offset: number;
  counts: number[];
}

export interface OtlpPoint {
  attributes: OtlpAttributes;
  /** In milliseconds; 0 when the sender does not say. */
  start: number;
  time: number;
  /** The sender says that there is no value, such as at the end of a series. */
  isAbsent: boolean;
  value?: number;
  count?: number;
  sum?: number;
  bounds: number[];
  counts: number[];
  scale: number;
  zeroCount: number;
  positive: OtlpBuckets;
  negative: OtlpBuckets;
  quantiles: [quantile: number, value: number][];
}

export interface OtlpMetric {
  name: string;
  kind: OtlpKind;
  /** Each point is what happened since the one before, not a total. */
  isDelta: boolean;
  isMonotonic: boolean;
}

export interface OtlpRecord {
  attributes: OtlpAttributes;
  /** In milliseconds; 0 when the sender does not say. */
  time: number;
  severityNumber: number;
  severityText: string;
  body: string;
  traceId: string;
  spanId: string;
  eventName: string;
}

/** An item that cannot be read, with why; its neighbours can. */
export interface OtlpFault {
  fault: string;
}

export type OtlpMetricItem = { resource: OtlpAttributes; metric: OtlpMetric } & ({ point: OtlpPoint } | OtlpFault);
export type OtlpLogItem = { resource: OtlpAttributes; scope: string } & ({ record: OtlpRecord } | OtlpFault);

/** Beyond these, a point is refused: no real one has as many. */
export const maxAttributes = 200;
export const maxBuckets = 1_000;
/** Levels of lists and objects in an attribute or a body. */
export const maxValueDepth = 8;

export const tooManyAttributes = `It has more than ${maxAttributes} attributes.`;
export const tooManyBuckets = `It has more than ${maxBuckets} buckets.`;

export const emptyPoint = (): OtlpPoint => ({
  attributes: {},
  start: 0,
  time: 0,
  isAbsent: false,
  bounds: [],
  counts: [],
  scale: 0,
  zeroCount: 0,
  positive: { offset: 0, counts: [] },
  negative: { offset: 0, counts: [] },
  quantiles: [],
});

export const emptyRecord = (): OtlpRecord => ({
  attributes: {},
  time: 0,
  severityNumber: 0,
  severityText: '',
  body: '',
  traceId: '',
  spanId: '',
  eventName: '',
});

const longestValue = 4_000;

/** Sets an attribute by its name; those that JSON and its readers treat in a way of their own are left out. */
export function setAttribute(attributes: OtlpAttributes, key: string, value: unknown): void {
  if (key === '' || key === '__proto__' || key === 'constructor' || value === undefined) return;
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  attributes[key.slice(0, 200)] = text.length > longestValue ? `${text.slice(0, longestValue).toWellFormed()}…` : text;
}

export const milliseconds = (nanoseconds: number): number => Math.round(nanoseconds / 1e6);
