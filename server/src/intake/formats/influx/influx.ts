/** What senders of InfluxDB write: the line protocol at `/write` (version 1) and `/api/v2/write`. */
import { ApiError } from '@cloudfit/contract/errors.ts';
import type { Format, FormatContext } from '../../format.ts';
import type { FormatAnswer, IntakeOutcome, Payload, PayloadReadings } from '../../readings.ts';
import { gatherSamples } from '../../series/gather.ts';
import { linesOf, parseLine } from './line.ts';

/** Milliseconds of one unit. */
const precisions: Readonly<Record<string, number>> = {
  n: 1e-6,
  ns: 1e-6,
  u: 1e-3,
  us: 1e-3,
  µ: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};

function unitOf({ query }: Payload): number {
  const precision = query.get('precision') || 'ns';
  const unit = Object.hasOwn(precisions, precision) ? precisions[precision] : undefined;
  if (unit === undefined)
    throw new ApiError('InvalidBody', `The precision is one of ns, us, ms, s, m and h, not ${precision.slice(0, 20)}.`);
  return unit;
}

const prefixed = <T>(values: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [`.${name}`, value]));

async function read(payload: Payload, { plan, turn }: FormatContext): Promise<PayloadReadings> {
  const unit = unitOf(payload);
  const gathering = gatherSamples(plan);
  for (const { number, line } of linesOf(payload.bytes.toString())) {
    const point = parseLine(line);
    if (typeof point === 'string') gathering.refuse('InvalidLine', `Line ${number}: ${point}.`, line.slice(0, 1_000));
    else {
      const { measurement, tags, metrics, states, properties, time } = point;
      gathering.add({
        common: { measurement },
        pointLabels: tags,
        name: measurement,
        time: time === undefined ? undefined : Math.round(Number(time) * unit),
        values: prefixed(metrics),
        states: prefixed(states),
        properties: prefixed(properties),
      });
    }
    await turn();
  }
  return gathering.readings();
}

const isFirstVersion = ({ path }: Payload): boolean => /\/write\/?$/.test(path) && !path.includes('/api/v2/');

function answer({ total, refused, reasons }: IntakeOutcome, payload: Payload): FormatAnswer {
  if (refused === 0) return { status: 204 };
  const why = reasons
    .map(({ message }) => message)
    .join(' ')
    .slice(0, 2_000);
  const message = `${refused < total ? 'partial write' : 'unable to parse or store'}: ${why} dropped=${refused}`;
  return { status: 400, body: isFirstVersion(payload) ? { error: message } : { code: 'invalid', message } };
}

/** What senders ask before they write: whether anybody is there, and that their database be created. */
function respond({ method, path }: Payload): FormatAnswer | undefined {
  if (/\/ping\/?$/.test(path)) return { status: 204, headers: { 'x-influxdb-version': '2.7.0' } };
  if (/\/health\/?$/.test(path)) return { status: 200, body: { name: 'influxdb', message: 'ready for writes', status: 'pass' } };
  if (method === 'POST' && /\/query\/?$/.test(path)) return { status: 200, body: { results: [{ statement_id: 0 }] } };
  return undefined;
}

const codes: Readonly<Record<number, string>> = {
  400: 'invalid',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not found',
  413: 'request too large',
  429: 'too many requests',
  503: 'unavailable',
};

export const influx: Format = {
  read,
  answer,
  respond,
  fault: ({ status, message }) => ({
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: { code: codes[status] ?? 'internal error', message, error: message },
  }),
};
