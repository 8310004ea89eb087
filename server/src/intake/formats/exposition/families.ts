/** Metric families of Prometheus in protobuf, each behind its length, as the clients in Go push them. */
import { BinaryReader } from '@bufbuild/protobuf/wire';
import type { Payload } from '../../readings.ts';
import { BrokenProtobuf, fieldsOf, messageIn, messagesIn } from '../wire.ts';
import type { ExposedSample } from './text.ts';

const maxLabels = 200;

function* delimited(bytes: Uint8Array): Generator<Uint8Array> {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    try {
      yield reader.bytes();
    } catch {
      throw new BrokenProtobuf();
    }
  }
}

interface MetricParts {
  labels: Record<string, string>;
  time: number | undefined;
  /** The value of a gauge, counter or untyped metric, a summary, or a histogram. */
  data: { no: number; bytes: Uint8Array } | undefined;
}

function partsOf(bytes: Uint8Array): MetricParts {
  const parts: MetricParts = { labels: {}, time: undefined, data: undefined };
  let count = 0;
  for (const field of fieldsOf(bytes)) {
    if (field.no === 1 && count < maxLabels) {
      count += 1;
      let [name, value] = ['', ''];
      for (const part of fieldsOf(field.bytes()))
        if (part.no === 1) name = part.text();
        else if (part.no === 2) value = part.text();
      if (name !== '' && name !== '__proto__' && name !== 'constructor' && value !== '') parts.labels[name] = value;
    } else if (field.no === 6) parts.time = field.int64();
    else if (field.no > 1) parts.data = { no: field.no, bytes: field.bytes() };
  }
  return parts;
}

/** A pair of numbers, such as a quantile and its value. */
function pairOf(bytes: Uint8Array, isCount: boolean): [number, number] {
  const pair: [number, number] = [0, 0];
  for (const field of fieldsOf(bytes))
    if (field.no === 1) pair[0] = isCount ? field.uint64() : field.double();
    else if (field.no === 2) pair[1] = field.double();
  return pair;
}

const bound = (value: number): string => (value === Infinity ? '+Inf' : String(value));

function* samplesOf(name: string, { labels, time, data }: MetricParts): Generator<ExposedSample> {
  if (!data) return;
  const isHistogram = data.no === 7;
  for (const field of fieldsOf(data.bytes)) {
    if (data.no !== 4 && !isHistogram) {
      if (field.no === 1) yield { name, labels, time, value: field.double() };
    } else if (field.no === 1) yield { name: `${name}_count`, labels, time, value: field.uint64() };
    else if (field.no === 2) yield { name: `${name}_sum`, labels, time, value: field.double() };
    else if (field.no === 3) {
      const [first, second] = pairOf(field.bytes(), isHistogram);
      yield isHistogram
        ? { name: `${name}_bucket`, labels: { ...labels, le: bound(second) }, time, value: first }
        : { name, labels: { ...labels, quantile: String(first) }, time, value: second };
    }
  }
}

/** Undefined stands for a part of the body that may have no sample: a body may have millions of these, and each of them counts. */
export function* familiesOf({ bytes }: Payload): Generator<ExposedSample | undefined> {
  for (const family of delimited(bytes)) {
    yield undefined;
    const name = Buffer.from(messageIn(family, 1)).toString();
    for (const metric of messagesIn(family, 4)) {
      yield undefined;
      yield* samplesOf(name, partsOf(metric));
    }
  }
}
