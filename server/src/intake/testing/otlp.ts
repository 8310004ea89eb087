/** Bodies of OTLP metrics in protobuf, as exporters encode them. */
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';

export interface OtlpSeries {
  resource: Readonly<Record<string, string>>;
  /** Names and values of gauges. */
  metrics: readonly (readonly [name: string, value: number])[];
}

const message = (no: number, ...parts: readonly Uint8Array[]): Uint8Array =>
  new BinaryWriter().tag(no, WireType.LengthDelimited).bytes(Buffer.concat(parts)).finish();
const text = (no: number, value: string): Uint8Array => new BinaryWriter().tag(no, WireType.LengthDelimited).string(value).finish();

/** An ExportMetricsServiceRequest with a gauge for each metric of each resource, at one time in milliseconds. */
export function otlpMetrics(series: readonly OtlpSeries[], time: number): Buffer {
  const at = new BinaryWriter()
    .tag(3, WireType.Bit64)
    .fixed64(BigInt(time) * 1_000_000n)
    .finish();
  return Buffer.concat(
    series.map(({ resource, metrics }) =>
      message(
        1,
        message(1, ...Object.entries(resource).map(([name, value]) => message(1, text(1, name), message(2, text(1, value))))),
        message(
          2,
          ...metrics.map(([name, value]) =>
            message(2, text(1, name), message(5, message(1, at, new BinaryWriter().tag(4, WireType.Bit64).double(value).finish()))),
          ),
        ),
      ),
    ),
  );
}
