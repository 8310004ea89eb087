/** Prometheus remote write, versions 1.0 and 2.0: protobuf within snappy, which is unpacked with all other encodings of bodies. */
import { WireType, type BinaryReader } from '@bufbuild/protobuf/wire';
import { ApiError } from '@cloudfit/contract/errors.ts';
import type { Format, FormatContext } from '../format.ts';
import type { IntakeOutcome, Payload, PayloadReadings } from '../readings.ts';
import { gatherSamples, type Gathering } from '../series/gather.ts';
import { exponentialBuckets, quantileOf, quantiles } from '../series/quantiles.ts';
import { fieldsOf, messagesIn } from './wire.ts';

/** Beyond these, a series is refused, or a body that shares its texts among series. */
const maxLabels = 200;
const maxSymbols = 100_000;
const maxSpans = 1_000;
const maxCounts = 1_000;

const uint32 = (reader: BinaryReader): number => reader.uint32();
const sint64 = (reader: BinaryReader): number => Number(reader.sint64());
const double = (reader: BinaryReader): number => reader.double();

type LabelsOrFault = { labels: Record<string, string> } | { fault: string };

function setLabel(labels: Record<string, string>, name: string, value: string): void {
  if (name !== '' && name !== '__proto__' && name !== 'constructor' && value !== '') labels[name] = value;
}

/** The labels of a series, which version 1 writes as texts, and version 2 as numbers of texts that all series share. */
function labelsOf(series: Uint8Array, symbols: readonly string[] | undefined): LabelsOrFault {
  const labels: Record<string, string> = {};
  const references: number[] = [];
  let count = 0;
  for (const field of fieldsOf(series)) {
    if (field.no !== 1) continue;
    if (symbols) {
      if (field.numbersInto(references, WireType.Varint, uint32, maxLabels * 2))
        return { fault: `A series has more than ${maxLabels} labels.` };
      continue;
    }
    count += 1;
    if (count > maxLabels) return { fault: `A series has more than ${maxLabels} labels.` };
    let [name, value] = ['', ''];
    for (const part of fieldsOf(field.bytes()))
      if (part.no === 1) name = part.text();
      else if (part.no === 2) value = part.text();
    setLabel(labels, name, value);
  }
  if (references.length % 2 === 1 || references.some((at) => at >= (symbols?.length ?? 0)))
    return { fault: 'A series refers to symbols that the body does not have.' };
  for (let at = 0; at < references.length; at += 2)
    setLabel(labels, symbols?.[references[at] ?? 0] ?? '', symbols?.[references[at + 1] ?? 0] ?? '');
  return { labels };
}

/** The number that Prometheus writes when a series has ended. */
const staleMarker = 0x7ff0000000000002n;
const numberView = new DataView(new ArrayBuffer(8));
function isStale(value: number): boolean {
  numberView.setFloat64(0, value);
  return numberView.getBigUint64(0) === staleMarker;
}

function sampleOf(bytes: Uint8Array): { value: number; time: number } {
  const sample = { value: 0, time: 0 };
  for (const field of fieldsOf(bytes))
    if (field.no === 1) sample.value = field.double();
    else if (field.no === 2) sample.time = field.int64();
  return sample;
}

interface NativeSide {
  spans: [offset: number, length: number][];
  deltas: number[];
  counts: number[];
}

/** Counts by the index of their bucket: gaps and lengths of runs, and whole counts or the differences between them. */
function sideCounts({ spans, deltas, counts }: NativeSide): Map<number, number> {
  const map = new Map<number, number>();
  let [index, at, count] = [0, 0, 0];
  for (const [offset, length] of spans) {
    index += offset;
    for (let n = 0; n < length && at < Math.max(deltas.length, counts.length); n += 1, at += 1, index += 1) {
      count = counts.length > 0 ? (counts[at] ?? 0) : count + (deltas[at] ?? 0);
      // Bucket n of Prometheus ends at base ** n.
      map.set(index - 1, count);
    }
  }
  return map;
}

interface NativeHistogram {
  time: number;
  values: Record<string, number>;
  derived: Record<string, number | undefined>;
}

function spanOf(bytes: Uint8Array): [number, number] {
  const span: [number, number] = [0, 0];
  for (const field of fieldsOf(bytes))
    if (field.no === 1) span[0] = field.sint32();
    else if (field.no === 2) span[1] = field.uint32();
  return span;
}

function histogramOf(bytes: Uint8Array): NativeHistogram | { fault: string } {
  const sides: { negative: NativeSide; positive: NativeSide } = {
    negative: { spans: [], deltas: [], counts: [] },
    positive: { spans: [], deltas: [], counts: [] },
  };
  let [count, sum, schema, zero, time, isTooLarge] = [0, 0, 0, 0, 0, false];
  for (const field of fieldsOf(bytes)) {
    const side = field.no <= 10 ? sides.negative : sides.positive;
    if (field.no === 1) count = field.uint64();
    else if (field.no === 2) count = field.double();
    else if (field.no === 3) sum = field.double();
    else if (field.no === 4) schema = field.sint32();
    else if (field.no === 6) zero = field.uint64();
    else if (field.no === 7) zero = field.double();
    else if (field.no === 8 || field.no === 11) isTooLarge ||= side.spans.push(spanOf(field.bytes())) > maxSpans;
    else if (field.no === 9 || field.no === 12) isTooLarge ||= field.numbersInto(side.deltas, WireType.Varint, sint64, maxCounts);
    else if (field.no === 10 || field.no === 13) isTooLarge ||= field.numbersInto(side.counts, WireType.Bit64, double, maxCounts);
    else if (field.no === 15) time = field.int64();
    if (isTooLarge) return { fault: `A histogram has more than ${maxCounts} buckets.` };
  }
  if (isStale(sum)) return { time, values: {}, derived: {} };
  // Bounds of other schemas are the sender's own; what all have is how many values there were, and their sum.
  const hasExponents = schema >= -4 && schema <= 8;
  const buckets = hasExponents ? exponentialBuckets(schema, zero, sideCounts(sides.positive), sideCounts(sides.negative)) : [];
  return {
    time,
    values: { _count: count, ...(Number.isFinite(sum) ? { _sum: sum } : {}) },
    derived: Object.fromEntries(quantiles.map((share) => [`_p${share * 100}`, quantileOf(buckets, share)])),
  };
}

/** What was sent of each kind, for the headers of the answer. */
interface SentKinds {
  samples: number;
  histograms: number;
}
const sentKinds = new WeakMap<Payload, SentKinds>();

/** Adds a series; samples and histograms have other field numbers in the two versions. */
async function addSeries(
  series: Uint8Array,
  symbols: readonly string[] | undefined,
  { gathering, sent, turn }: { gathering: Gathering; sent: SentKinds; turn: FormatContext['turn'] },
): Promise<void> {
  const histogramsAt = symbols ? 3 : 4;
  const labelled = labelsOf(series, symbols);
  const { __name__: name, ...pointLabels } = 'fault' in labelled ? {} : labelled.labels;
  for (const field of fieldsOf(series)) {
    if (field.no !== 2 && field.no !== histogramsAt) continue;
    const isHistogram = field.no === histogramsAt;
    sent[isHistogram ? 'histograms' : 'samples'] += 1;
    if ('fault' in labelled) gathering.refuse('InvalidLabels', labelled.fault, {});
    else if (name === undefined) gathering.refuse('NoMetricName', 'A series has no label __name__.', { labels: pointLabels });
    else if (isHistogram) {
      const histogram = histogramOf(field.bytes());
      if ('fault' in histogram) gathering.refuse('InvalidHistogram', histogram.fault, { labels: pointLabels });
      else gathering.add({ common: {}, pointLabels, name, ...histogram });
    } else {
      const { value, time } = sampleOf(field.bytes());
      if (value === Infinity || value === -Infinity) gathering.refuse('NotFinite', `${name} is infinite.`, { labels: pointLabels });
      // A series that has ended, and one without a value, have nothing to store.
      else if (!Number.isNaN(value)) gathering.add({ common: {}, pointLabels, name, time, values: { '': value } });
    }
    await turn();
  }
}

const isSecondVersion = ({ contentType }: Payload): boolean => /proto\s*=\s*"?io\.prometheus\.write\.v2\.Request/i.test(contentType);

async function symbolsOf(bytes: Uint8Array, turn: FormatContext['turn']): Promise<string[]> {
  const symbols: string[] = [];
  for (const symbol of messagesIn(bytes, 4)) {
    if (symbols.push(Buffer.from(symbol).toString()) > maxSymbols)
      throw new ApiError('InvalidBody', `The body has more than ${maxSymbols} symbols.`);
    await turn();
  }
  return symbols;
}

async function read(payload: Payload, { plan, turn }: FormatContext): Promise<PayloadReadings> {
  const { contentType, bytes } = payload;
  if (
    !/^application\/x-protobuf\b/i.test(contentType) ||
    (/proto\s*=/i.test(contentType) && !/io\.prometheus\.write\.v2\.Request|prometheus\.WriteRequest/.test(contentType))
  )
    throw new ApiError(
      'UnsupportedMediaType',
      'Remote write is sent as application/x-protobuf, of the message prometheus.WriteRequest or io.prometheus.write.v2.Request.',
    );
  const gathering = gatherSamples(plan);
  const sent: SentKinds = { samples: 0, histograms: 0 };
  const isSecond = isSecondVersion(payload);
  const symbols = isSecond ? await symbolsOf(bytes, turn) : undefined;
  for (const series of messagesIn(bytes, isSecond ? 5 : 1)) {
    await addSeries(series, symbols, { gathering, sent, turn });
    await turn();
  }
  sentKinds.set(payload, sent);
  return gathering.readings();
}

/** Everything is written, or the sender hears 400 and how much was: it must not send the rest again, because it would fail again. */
function answer({ refused, reasons }: IntakeOutcome, payload: Payload): ReturnType<NonNullable<Format['answer']>> {
  const { samples, histograms } = sentKinds.get(payload) ?? { samples: 0, histograms: 0 };
  const samplesLost = Math.min(samples, refused);
  const written: Record<string, string> = isSecondVersion(payload)
    ? {
        'x-prometheus-remote-write-samples-written': String(samples - samplesLost),
        'x-prometheus-remote-write-histograms-written': String(histograms - Math.min(histograms, refused - samplesLost)),
        'x-prometheus-remote-write-exemplars-written': '0',
      }
    : {};
  if (refused === 0) return { status: 204, headers: written };
  const message = `${refused} of ${samples + histograms} values were not stored. ${reasons.map((reason) => reason.message).join(' ')}`;
  return { status: 400, headers: { 'content-type': 'text/plain; charset=utf-8', ...written }, body: message.slice(0, 2_000) };
}

export const remoteWrite: Format = {
  read,
  answer,
  fault: ({ message }) => ({ headers: { 'content-type': 'text/plain; charset=utf-8' }, body: message }),
};
