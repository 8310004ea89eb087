/** Bodies of Prometheus remote write, as its senders encode them. */
import { compressSync } from 'snappy';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';

export interface WrittenSeries {
  labels: Record<string, string>;
  samples: readonly (readonly [value: number, time: number])[];
}

const message = (no: number, bytes: Uint8Array): Uint8Array => new BinaryWriter().tag(no, WireType.LengthDelimited).bytes(bytes).finish();

const sample = ([value, time]: readonly [number, number]): Uint8Array =>
  message(2, new BinaryWriter().tag(1, WireType.Bit64).double(value).tag(2, WireType.Varint).int64(time).finish());

const label = ([name, value]: [string, string]): Uint8Array =>
  message(1, new BinaryWriter().tag(1, WireType.LengthDelimited).string(name).tag(2, WireType.LengthDelimited).string(value).finish());

/** A WriteRequest of version 1.0, not yet within snappy. */
export const writeRequest = (series: readonly WrittenSeries[]): Buffer =>
  Buffer.concat(
    series.map(({ labels, samples }) => message(1, Buffer.concat([...Object.entries(labels).map(label), ...samples.map(sample)]))),
  );

/** A Request of version 2.0: labels by numbers of symbols. `histograms` are added to the first series. */
export function writeRequest2(series: readonly WrittenSeries[], histograms: readonly Uint8Array[] = []): Buffer {
  const symbols = ['', ...new Set(series.flatMap(({ labels }) => Object.entries(labels).flat()))];
  const written = series.map(({ labels, samples }, at) => {
    const references = new BinaryWriter();
    for (const text of Object.entries(labels).flat()) references.uint32(symbols.indexOf(text));
    const histogramFields = at === 0 ? histograms.map((histogram) => message(3, histogram)) : [];
    return message(5, Buffer.concat([message(1, references.finish()), ...samples.map(sample), ...histogramFields]));
  });
  return Buffer.concat([
    ...symbols.map((symbol) => new BinaryWriter().tag(4, WireType.LengthDelimited).string(symbol).finish()),
    ...written,
  ]);
}

export const snappy = (bytes: Uint8Array): Buffer => compressSync(bytes);

/** The number that Prometheus writes when a series has ended. */
export const staleNumber = (): number => {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, 0x7ff0000000000002n);
  return view.getFloat64(0);
};
