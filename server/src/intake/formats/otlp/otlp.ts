/** OTLP over HTTP: metrics and logs, in JSON and protobuf, with the answers that the specification of OTLP gives. */
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { ApiError } from '@cloudfit/contract/errors.ts';
import type { Format, FormatContext } from '../../format.ts';
import { jsonOf, maxReadings, type FormatAnswer, type IntakeOutcome, type Payload, type PayloadReadings } from '../../readings.ts';
import { gatherSamples } from '../../series/gather.ts';
import { logsOfJson, metricsOfJson } from './json.ts';
import { readLog } from './logs.ts';
import { addMetric } from './metrics.ts';
import { logsOfProtobuf, metricsOfProtobuf } from './protobuf.ts';

type OtlpSignal = 'metrics' | 'logs';

const isJson = (contentType: string): boolean => /^application\/(?:[\w.+-]+\+)?json\b/i.test(contentType);

function signalOf({ path, bytes, contentType }: Payload): OtlpSignal {
  if (/\/v1\/metrics\/?$/.test(path)) return 'metrics';
  if (/\/v1\/logs\/?$/.test(path)) return 'logs';
  if (/\/v1\/(?:traces|profiles)\/?$/.test(path) || /\/v1development\//.test(path))
    throw new ApiError('NotFound', 'Only metrics and logs are taken here. Switch the exporter of traces off: OTEL_TRACES_EXPORTER=none.');
  // A trial of a payload has no path, and a collector may be given the whole address.
  if (isJson(contentType)) return bytes.includes('"resourceLogs"') ? 'logs' : 'metrics';
  throw new ApiError(
    'NotFound',
    'Send to /v1/metrics or /v1/logs below the address of the source, as exporters do with it as their endpoint.',
  );
}

async function readMetrics(payload: Payload, { plan, memory, turn }: FormatContext): Promise<PayloadReadings> {
  const gathering = gatherSamples(plan);
  for (const item of isJson(payload.contentType) ? metricsOfJson(await jsonOf(payload, turn)) : metricsOfProtobuf(payload)) {
    if (item) addMetric(item, gathering, (series, point) => memory.step(plan.source.id, series, point));
    await turn();
  }
  return gathering.readings();
}

async function readLogs(payload: Payload, { turn }: FormatContext): Promise<PayloadReadings> {
  const readings: PayloadReadings = [];
  for (const item of isJson(payload.contentType) ? logsOfJson(await jsonOf(payload, turn)) : logsOfProtobuf(payload)) {
    if (item) readings.push(readLog(item));
    if (readings.length > maxReadings)
      throw new ApiError('PayloadTooLarge', `A payload has at most ${maxReadings} records. Send it in parts.`);
    await turn();
  }
  return readings;
}

const types = { json: 'application/json', protobuf: 'application/x-protobuf' } as const;

function answered({ total, refused, reasons }: IntakeOutcome, { path, contentType, bytes }: Payload): FormatAnswer {
  const json = isJson(contentType);
  const headers = { 'content-type': json ? types.json : types.protobuf };
  if (refused === 0) return { status: 200, headers, body: json ? {} : Buffer.alloc(0) };
  const message = reasons
    .map((reason) => reason.message)
    .join(' ')
    .slice(0, 2_000);
  // Exporters show a failure in their log, but not the text of a success.
  if (refused === total) return { status: 400, ...status(new ApiError('InvalidBody', message), contentType) };
  if (json) {
    const signal = signalOf({ path, contentType, bytes } as Payload);
    const rejected = signal === 'logs' ? 'rejectedLogRecords' : 'rejectedDataPoints';
    return { status: 200, headers, body: { partialSuccess: { [rejected]: String(refused), errorMessage: message } } };
  }
  // The messages of both signals have the same fields.
  const partial = new BinaryWriter().tag(1, WireType.Varint).int64(refused).tag(2, WireType.LengthDelimited).string(message.toWellFormed());
  const answer = new BinaryWriter().tag(1, WireType.LengthDelimited).bytes(partial.finish()).finish();
  return { status: 200, headers, body: Buffer.from(answer) };
}

/** The codes of google.rpc by the status of HTTP. */
const rpcCodes: Readonly<Record<number, number>> = { 400: 3, 401: 16, 403: 7, 404: 5, 408: 4, 413: 3, 415: 3, 429: 8, 500: 13, 503: 14 };

function status({ status: http, message }: ApiError, contentType: string): Pick<FormatAnswer, 'body' | 'headers'> {
  const code = rpcCodes[http] ?? 2;
  if (isJson(contentType)) return { headers: { 'content-type': types.json }, body: { code, message } };
  const body = new BinaryWriter()
    .tag(1, WireType.Varint)
    .int32(code)
    .tag(2, WireType.LengthDelimited)
    .string(message.toWellFormed())
    .finish();
  return { headers: { 'content-type': types.protobuf }, body: Buffer.from(body) };
}

/** JSON is kept in memory as a whole; protobuf is not. */
const maxJsonBytes = 4 * 1_048_576;

export const otlp: Format = {
  read: (payload, context) => {
    if (isJson(payload.contentType) && payload.bytes.length > maxJsonBytes)
      throw new ApiError('PayloadTooLarge', 'JSON has at most 4 MiB here. Send smaller batches, or protobuf.');
    if (!isJson(payload.contentType) && !/^application\/x-protobuf\b/i.test(payload.contentType))
      throw new ApiError('UnsupportedMediaType', 'OTLP is sent as application/x-protobuf or application/json.');
    return signalOf(payload) === 'logs' ? readLogs(payload, context) : readMetrics(payload, context);
  },
  answer: answered,
  fault: status,
};
