/**
 * Passive results of Nagios and what is like it: lines as `send_nsca` takes them, JSON objects, the JSON of NRDP, and the
 * `process-check-result` of Icinga 2. Each service of a host is a block; OK ends what another state began.
 */
import { parseXml } from '../../features/configuration/moving/xml.ts';
import { z } from 'zod';
import { ApiError, messageOf } from '@cloudfit/contract/errors.ts';
import { limits } from '@cloudfit/contract/limits.ts';
import type { Format, FormatContext } from '../format.ts';
import {
  jsonOf,
  withoutNulls,
  readEach,
  maxReadings,
  refusedReading,
  type FormatAnswer,
  type Payload,
  type PayloadReadings,
  type RefusedReading,
  type SourceReading,
} from '../readings.ts';
import { alertReading } from './alert.ts';

const stateWord = z.union([z.number(), z.string()]);

/** A result under the names of any of the senders. */
const resultSchema = z.object({
  host: z.string().optional(),
  hostname: z.string().optional(),
  host_name: z.string().optional(),
  service: z.string().nullish(),
  servicename: z.string().nullish(),
  service_description: z.string().nullish(),
  state: stateWord.optional(),
  exit_status: stateWord.optional(),
  return_code: stateWord.optional(),
  output: z.string().optional(),
  plugin_output: z.string().optional(),
  perfdata: z.string().optional(),
  performance_data: z.union([z.string(), z.array(z.string())]).optional(),
  time: z.union([z.number(), z.string()]).optional(),
});

interface PassiveResult {
  host: string;
  service: string;
  state: string | number;
  output: string;
  perfdata: string;
  time: number | undefined;
}

const serviceStates = ['OK', 'WARNING', 'CRITICAL', 'UNKNOWN'] as const;
const hostStates = ['UP', 'DOWN', 'UNREACHABLE'] as const;
const levels: Readonly<Record<string, string>> = {
  OK: 'info',
  UP: 'info',
  WARNING: 'warning',
  CRITICAL: 'critical',
  DOWN: 'critical',
  UNREACHABLE: 'critical',
  UNKNOWN: 'warning',
};

/** The word of a state, which is sent as a number or as a word. */
function stateOf({ state, service }: PassiveResult): string | undefined {
  const words: readonly string[] = service === '' ? hostStates : serviceStates;
  const text = String(state).trim().toUpperCase();
  if (/^\d+$/.test(text)) return words[Number(text)];
  const word = text === 'WARN' ? 'WARNING' : text === 'CRIT' ? 'CRITICAL' : text;
  return Object.hasOwn(levels, word) ? word : undefined;
}

const maxPerfdata = 200;
const performance = /(?:'((?:[^']|'')+)'|([^\s'=]+))=([+-]?(?:\d+[.,]?\d*|[.,]\d+)(?:e[+-]?\d+)?)([^\s;\d]*)(?:;\S*)?(?:\s+|$)/giy;

/** Units that plugins write behind a number, as factors of the one that belongs into a name. */
const units: Readonly<Record<string, number>> = { us: 1e-6, ms: 1e-3, KB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 };

/** Metrics of performance data, `'disk /'=93%;80;90`: times in seconds, sizes in bytes. */
function performanceMetrics(text: string): Record<string, number> {
  const metrics: Record<string, number> = {};
  performance.lastIndex = 0;
  const trimmed = text.trim();
  for (let count = 0; count < maxPerfdata; count += 1) {
    const match = performance.exec(trimmed);
    if (!match) break;
    const [, quoted, bare, written = '', unit = ''] = match;
    const name = (quoted?.replaceAll("''", "'") ?? bare ?? '').trim();
    const value = Number(written.replace(',', '.')) * (Object.hasOwn(units, unit) ? (units[unit] ?? 1) : 1);
    if (name !== '' && name !== '__proto__' && name !== 'constructor' && Number.isFinite(value)) metrics[name] = value;
  }
  return metrics;
}

function readResult(result: PassiveResult, sent: unknown): SourceReading | RefusedReading {
  const { host, service, time } = result;
  if (host.trim() === '') return refusedReading('NoHost', 'A result names no host.', sent);
  const state = stateOf(result);
  if (state === undefined)
    return refusedReading(
      'InvalidState',
      `${String(result.state).slice(0, 50)} is no state: it is 0 to ${service === '' ? '2, or UP, DOWN, UNREACHABLE' : '3, or OK, WARNING, CRITICAL, UNKNOWN'}.`,
      sent,
    );
  // The first line says what is the case; performance data stands behind a bar.
  const [text = '', ...inOutput] = result.output.split('|');
  const [first = '', ...more] = text.trim().split('\n');
  const isOver = state === 'OK' || state === 'UP';
  return {
    ...alertReading({
      state: isOver ? 'resolved' : 'firing',
      severity: levels[state],
      title: `${service === '' ? host : `${service} on ${host}`} is ${state}${first === '' ? '' : `: ${first}`}`,
      text: [first, ...more].join('\n'),
      labels: { host, ...(service === '' ? {} : { service }) },
      properties: { Output: first, State: state },
      metrics: performanceMetrics(`${inOutput.join(' ')} ${result.perfdata}`),
      ...(time === undefined ? {} : { id: [host, service, state, String(time), result.output] }),
    }),
    ...(time === undefined ? {} : { time }),
  };
}

const icingaFilter = (filter: unknown, name: 'host' | 'service'): string | undefined =>
  typeof filter === 'string' ? new RegExp(String.raw`${name}\.name\s*==\s*"([^"]*)"`).exec(filter)?.[1] : undefined;

function splitAt(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + mark.length)];
}

/** A command of the command file of Nagios: `[time] PROCESS_SERVICE_CHECK_RESULT;host;service;state;output`. */
const command = /^\[(\d{1,12})\]\s*PROCESS_(HOST|SERVICE)_CHECK_RESULT;(.*)$/;

function commandResult([, time = '', about, values = '']: RegExpExecArray, line: string): SourceReading | RefusedReading {
  const parts = values.split(';');
  const host = parts.shift() ?? '';
  const service = about === 'SERVICE' ? (parts.shift() ?? '') : '';
  const state = parts.shift() ?? '';
  const output = parts.join(';').replaceAll('\\n', '\n');
  return readResult({ host, service, state, output, perfdata: '', time: Number(time) * 1_000 }, line);
}

function resultOf(raw: unknown): SourceReading | RefusedReading {
  const inner = typeof raw === 'object' && raw !== null && 'checkresult' in raw ? { ...raw, type: raw.checkresult } : raw;
  const parsed = resultSchema.safeParse(withoutNulls(inner));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return refusedReading('InvalidResult', `A result cannot be read: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`.trim(), raw);
  }
  const { data } = parsed;
  const { filter } = raw as { filter?: unknown };
  const perfdata = data.perfdata ?? data.performance_data ?? '';
  const time = data.time === undefined ? undefined : Number(data.time);
  const namedHost = data.host ?? data.hostname ?? data.host_name ?? icingaFilter(filter, 'host');
  const namedService = data.service ?? data.servicename ?? data.service_description ?? icingaFilter(filter, 'service') ?? '';
  // Icinga 2 names a service with its host: `web-1!disk`.
  const [host, service] = namedHost === undefined && namedService.includes('!') ? splitAt(namedService, '!') : [namedHost, namedService];
  return readResult(
    {
      host: host ?? '',
      service,
      state: data.state ?? data.exit_status ?? data.return_code ?? '',
      output: data.output ?? data.plugin_output ?? '',
      perfdata: Array.isArray(perfdata) ? perfdata.join(' ') : perfdata,
      time: time !== undefined && Number.isFinite(time) ? time * 1_000 : undefined,
    },
    raw,
  );
}

/** The results in a JSON body: one, a list, or what NRDP names `checkresults`. */
function listOf(body: unknown): readonly unknown[] {
  if (Array.isArray(body)) return body;
  const { checkresults } = (body ?? {}) as { checkresults?: unknown };
  return Array.isArray(checkresults) ? checkresults : [body];
}

/** `host, service, state, output` with tabs between, as `send_nsca` reads them; three parts are the result of a host. */
function lineResult(line: string): SourceReading | RefusedReading {
  const written = command.exec(line);
  if (written) return commandResult(written, line);
  const parts = line.split('\t');
  const [host = '', service = '', state = '', ...output] = parts.length === 3 ? [parts[0], '', parts[1], parts[2]] : parts;
  if (parts.length < 3)
    return refusedReading('InvalidResult', 'A line is host, service, state and output with tabs between them.', line.slice(0, 1_000));
  return readResult({ host, service, state, output: output.join(' ').replaceAll('\\n', '\n'), perfdata: '', time: undefined }, line);
}

const longestLine = 65_536;
/** The results of lines, which also the separator of `send_nsca` ends. */
async function lineResults(text: string, turn: FormatContext['turn']): Promise<PayloadReadings> {
  const readings: PayloadReadings = [];
  const ends = new RegExp(String.raw`[\r\n\u0017]+`, 'g');
  for (let at = 0; at < text.length;) {
    ends.lastIndex = at;
    const end = ends.exec(text)?.index ?? text.length;
    if (end - at > longestLine)
      readings.push(refusedReading('InvalidResult', `A line has at most ${longestLine} characters.`, text.slice(at, at + 100)));
    else if (end > at) readings.push(lineResult(text.slice(at, end)));
    if (readings.length > maxReadings)
      throw new ApiError('PayloadTooLarge', `A payload has at most ${maxReadings} results. Send it in parts.`);
    at = end + 1;
    await turn();
  }
  return readings;
}

/** A form of NRDP. The type alone does not tell: curl sends it with whatever has no type of its own. */
const isNrdp = ({ contentType, bytes }: Payload): boolean =>
  /^application\/x-www-form-urlencoded\b/i.test(contentType) && (bytes.includes('JSONDATA=') || bytes.includes('XMLDATA='));

/** What NRDP sends, which is a field of a form: JSON, or the XML of its older senders. */
async function nrdpOf(payload: Payload, turn: FormatContext['turn']): Promise<unknown> {
  if (payload.bytes.length > limits.bodyBytes) throw new ApiError('PayloadTooLarge', 'A form has at most 1 MiB. Send it in parts.');
  const form = new URLSearchParams(payload.bytes.toString());
  const json = form.get('JSONDATA');
  if (json !== null) return jsonOf({ bytes: Buffer.from(json) }, turn);
  try {
    return parseXml(form.get('XMLDATA') ?? '');
  } catch (error) {
    throw new ApiError('InvalidBody', `XMLDATA cannot be read: ${messageOf(error)}.`);
  }
}

export const nagios: Format = {
  read: async (payload, { turn }) => {
    if (isNrdp(payload)) return readEach(listOf(await nrdpOf(payload, turn)), resultOf, turn);
    const first = payload.bytes.find((byte) => byte > 32);
    const isCommand = /^\s*\[\d+\]\s*PROCESS_/.test(payload.bytes.subarray(0, 100).toString());
    if (!isCommand && (first === 123 || first === 91)) return readEach(listOf(await jsonOf(payload, turn)), resultOf, turn);
    return lineResults(payload.bytes.toString(), turn);
  },
  // Senders of NRDP look into the body.
  answer: ({ total, stored, duplicate, refused, reasons }, payload): FormatAnswer => {
    const isRefused = total > 0 && refused === total;
    const status = isRefused ? 400 : 200;
    const message = reasons.map((reason) => reason.message).join(' ');
    if (isNrdp(payload))
      return {
        status,
        body: {
          result: { status: isRefused ? -1 : 0, message: message || 'OK', meta: { output: `${stored + duplicate} checks processed.` } },
        },
      };
    return isRefused
      ? { status, body: { error: { code: 'ValidationFailed', message, details: reasons } } }
      : { status, body: { stored, duplicate, refused, ...(refused > 0 ? { reasons } : {}) } };
  },
};
