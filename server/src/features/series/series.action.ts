/** Metrics over time. */
import type { z } from 'zod';
import {
  listMetrics,
  listOutages,
  packetHistory,
  readSeries,
  seriesLimits,
  type OneSeries,
  type SeriesProblem,
} from '@cloudfit/contract/actions/series/series.ts';
import { ApiError } from '@cloudfit/contract/errors.ts';
import { limits } from '@cloudfit/contract/limits.ts';
import { queryText } from '@cloudfit/contract/query/query-string.ts';
import { blocks } from '@cloudfit/contract/resources/blocks.ts';
import { deviceOperations } from '@cloudfit/contract/resources/device-operations.ts';
import { devices } from '@cloudfit/contract/resources/devices.ts';
import type { PacketMessage } from '@cloudfit/contract/resources/packets.ts';
import { actorName, requireScope, type Ctx } from '../../context/ctx.ts';
import type { TenantScope } from '../../db/db.ts';
import { implement, type ImplementedAction } from '../../resources/action.ts';
import { csvFile, type CsvColumn } from '../../resources/csv.ts';
import { list } from '../../resources/list.ts';
import { servedOf } from '../../resources/served.ts';
import { problemsOf, reportedNames } from './reported-names.ts';
import { gapOf, joinBands, usualDistance } from './bands.rules.ts';
import { nameOf, placeOf } from './metric-name.ts';
import { readTargets } from './read-series.ts';
import { bucketsIn, shortestStep, stepFor, type SeriesRetention } from './step.rules.ts';

type SeriesQuery = z.infer<typeof readSeries.input>;
type SeriesRequest = SeriesQuery['series'][number];

interface NamedSeries {
  entityId: string;
  metric: string;
  /** The place of the series, or of the several that it is one of, in the request. */
  at: number;
}

function tooMany(): ApiError {
  return new ApiError(
    'TooComplex',
    `One call answers at most ${seriesLimits.series} series. Please narrow the filter or ask in several calls.`,
    {
      target: 'series',
    },
  );
}

/** Returns the ids of the entities of a filter; one more than allowed shows that there are too many. */
async function entitiesOf(ctx: Ctx, of: SeriesRequest['of'], filter: string): Promise<string[]> {
  const query = queryText({ filter, top: seriesLimits.series + 1 });
  if (of === 'blocks') return (await list(ctx, servedOf(blocks), query, { select: ['entityId'] })).value.map((row) => row.entityId);
  if (of === 'deviceOperations')
    return (await list(ctx, servedOf(deviceOperations), query, { select: ['deviceOperationId'] })).value.map(
      (row) => row.deviceOperationId,
    );
  return (await list(ctx, servedOf(devices), query, { select: ['deviceId'] })).value.map((row) => row.deviceId);
}

async function expand(ctx: Ctx, targets: readonly SeriesRequest[]): Promise<NamedSeries[]> {
  const named: NamedSeries[] = [];
  for (const [at, { entityId, entityIds, filter, of, metric }] of targets.entries()) {
    const ids = filter === undefined ? (entityIds ?? [entityId ?? '']) : await entitiesOf(ctx, of, filter);
    named.push(...ids.map((id) => ({ entityId: id, metric, at })));
    if (named.length > seriesLimits.series) throw tooMany();
  }
  return named;
}

const namesInMessage = 20;

/** The error of a call of which every series is wrong: an empty answer would look like one without values. */
async function nothingToRead(
  ctx: Ctx,
  tenants: TenantScope,
  named: readonly NamedSeries[],
  problems: ReadonlyMap<number, SeriesProblem>,
): Promise<ApiError> {
  const details = named.slice(0, limits.reasons).map(({ at }, n) => {
    const { code, message } = problems.get(n) ?? { code: 'UnknownMetric', message: '' };
    return { code: 'UnknownSeries' as const, target: `series.${at}.${code === 'UnknownEntity' ? 'entityId' : 'metric'}`, message };
  });
  const metricAt = named.findIndex((_one, n) => problems.get(n)?.code === 'UnknownMetric');
  const entityId = named[metricAt]?.entityId;
  const names = entityId === undefined ? [] : (await reportedNames(ctx, tenants, entityId)).map(nameOf);
  const first = details[Math.max(0, metricAt)];
  const more = names.length > namesInMessage ? ', …' : '';
  const offered = names.length === 0 ? '' : ` It reports ${names.slice(0, namesInMessage).join(', ')}${more}.`;
  return new ApiError('UnknownSeries', `${first?.message ?? ''}${offered}`, { target: first?.target, details });
}

async function readAll(
  ctx: Ctx,
  tenants: TenantScope,
  retention: SeriesRetention,
  input: SeriesQuery,
): Promise<{ from: number; to: number; step: number; series: OneSeries[] }> {
  const now = ctx.now().getTime();
  const [from, to] = [Date.parse(input.from), input.to === undefined ? now : Date.parse(input.to)];
  if (from >= to) throw new ApiError('ValidationFailed', 'from must be earlier than now.', { target: 'from' });
  const step = stepFor({ from, to, points: input.points, shortest: shortestStep(now - from, retention) });
  const named = await expand(ctx, input.series);
  const buckets = named.length * bucketsIn(from, to, step);
  if (buckets > seriesLimits.buckets)
    throw new ApiError(
      'TooComplex',
      `One call answers at most ${seriesLimits.buckets} buckets, and ${named.length} series have ${buckets}. Please ask for fewer points.`,
      { target: 'points' },
    );
  const places = named.map(({ entityId, metric }) => ({ entityId, ...placeOf(metric) }));
  const results = await readTargets(ctx.db, tenants, places, { from, to, step });
  const empty = named.flatMap(({ entityId, metric }, n) =>
    results[n]?.buckets.length === 0 && results[n].bands.length === 0 ? [{ n, metric, target: { entityId, ...placeOf(metric) } }] : [],
  );
  const problems = await problemsOf(ctx.db, tenants, empty);
  if (named.length > 0 && problems.size === named.length) throw await nothingToRead(ctx, tenants, named, problems);
  const series = named.map(({ entityId, metric }, i): OneSeries => {
    const problem = problems.get(i);
    const { buckets = [], bands = [], gap = 0 } = results[i] ?? {};
    const isText = buckets.length === 0 && (bands.length > 0 || places[i]?.part === 'States');
    return {
      entityId,
      metric,
      kind: isText ? 'text' : 'number',
      buckets,
      bands: joinBands(bands, step),
      gap: isText ? Math.max(gap, gapOf(step, 0)) : gapOf(step, usualDistance(buckets)),
      ...(problem ? { problem } : {}),
    };
  });
  return { from, to, step, series };
}

const column = (label: string, name: string): CsvColumn => ({ label, value: (row) => row[name] });
const columns: readonly CsvColumn[] = [
  column('Entity ID', 'entityId'),
  column('Metric', 'metric'),
  column('From', 'from'),
  column('To', 'to'),
  column('Minimum', 'min'),
  column('Average', 'avg'),
  column('Maximum', 'max'),
  column('Last', 'last'),
  column('Count', 'count'),
  column('Value', 'value'),
];

const iso = (at: number): string => new Date(at).toISOString();

/** Returns the lines of the export: one for each bucket and each band. */
function linesOf({ entityId, metric, buckets, bands }: OneSeries, step: number): Record<string, unknown>[] {
  return [
    ...buckets.map(([start, min, avg, max, last, count]) => ({
      entityId,
      metric,
      from: iso(start),
      to: iso(start + step),
      min,
      avg,
      max,
      last,
      count,
    })),
    ...bands.map(({ from, to, value }) => ({ entityId, metric, from: iso(from), to: iso(to), value })),
  ];
}

/** Records in the audit who exported which series, under each tenant to which the series could belong. */
async function recordExport(ctx: Ctx, tenants: TenantScope, after: object): Promise<void> {
  await ctx.db.query({
    text: `insert into audit (tenant_id, actor_kind, actor_id, actor_name, verb, entity, entity_id, after, correlation_id, address)
select id, $2, $3, $4, 'export', 'packets', '', $5::jsonb, $6::uuid, $7 from unnest($1::uuid[]) as t (id)`,
    values: [
      tenants === 'all' ? [null] : [...tenants],
      ctx.actor.kind,
      ctx.actor.id,
      actorName(ctx),
      JSON.stringify(after),
      ctx.correlationId,
      ctx.address ?? null,
    ],
  });
}

const series = (retention: SeriesRetention): ImplementedAction =>
  implement(readSeries, async (ctx, input) => {
    const tenants = requireScope(ctx, 'Packets', 'view');
    const { from, to, step, series } = await readAll(ctx, tenants, retention, input);
    if (input.format === 'json') return { from: iso(from), to: iso(to), step, series };
    const rows = series.flatMap((item) => linesOf(item, step));
    await recordExport(ctx, tenants, { from: iso(from), to: iso(to), series: input.series, rows: rows.length });
    return csvFile('series.csv', columns, rows);
  });

const tooManyNames = `This reports more than ${seriesLimits.metrics.toLocaleString('en')} names of metrics. Names beyond them are read only from packets, as far back as packets are kept. A name that changes with each report (with a time or an id in it) belongs into Properties.`;

const metrics = implement(listMetrics, async (ctx, { id }) => {
  const tenants = requireScope(ctx, 'Packets', 'view');
  const rows = await reportedNames(ctx, tenants, id);
  const limited = await ctx.db.query({
    name: 'series-is-limited',
    text: `select from series_limited where entity_id = $1 and month > now() - interval '31 days' and ($2::uuid[] is null or tenant_id = any($2::uuid[])) limit 1`,
    values: [id, tenants === 'all' ? null : [...tenants]],
  });
  return {
    ...(limited.length > 0 || rows.length > seriesLimits.metrics ? { notice: tooManyNames } : {}),
    value: rows.slice(0, seriesLimits.metrics).map(({ part, key, value, lastAt }) => ({
      name: nameOf({ part, key }),
      kind: typeof value === 'number' ? ('number' as const) : ('text' as const),
      last: value,
      lastAt,
    })),
  };
});

// Reads one row more than requested, to show that there is another page.
const historyText = `select packet_id as "packetId", entity_id as "entityId", tenant_id as "tenantId", timestamp, received_timestamp as "receivedTimestamp", message
from packet where entity_id = $1 and ($2::uuid[] is null or tenant_id = any($2::uuid[])) and timestamp >= $3::timestamptz and timestamp < $4::timestamptz
  and timestamp <= $5::timestamptz and (timestamp, packet_id) < ($5::timestamptz, $6::uuid)
order by timestamp desc, packet_id desc limit $7`;

interface HistoryRow {
  packetId: string;
  entityId: string;
  tenantId: string;
  timestamp: string;
  receivedTimestamp: string;
  message: PacketMessage;
}

const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

const history = implement(packetHistory, async (ctx, { id, from, to, top, after }) => {
  const tenants = requireScope(ctx, 'Packets', 'view');
  const [afterTime, afterId = lastId] = after?.split(',') ?? [];
  const timeOr = (text: string | undefined, otherwise: string): Date | string => (text === undefined ? otherwise : new Date(text));
  const rows = await ctx.db.query<HistoryRow>({
    name: 'packet-history',
    text: historyText,
    values: [
      id,
      tenants === 'all' ? null : [...tenants],
      timeOr(from, '-infinity'),
      timeOr(to, 'infinity'),
      timeOr(afterTime, 'infinity'),
      afterId,
      top + 1,
    ],
  });
  const value = rows.slice(0, top);
  const last = value.at(-1);
  return { value, ...(rows.length > top && last ? { next: `${last.timestamp},${last.packetId}` } : {}) };
});

const maxOutages = 200;

const outages = implement(listOutages, async (ctx, { from, to }) => {
  requireScope(ctx, 'Packets', 'view');
  const rows = await ctx.db.query<{ from: string; to: string }>({
    name: 'series-outages',
    text: `select gap_start as "from", gap_end as "to" from installation_gap where not partial and gap_end > $1::timestamptz and gap_start < $2::timestamptz
order by gap_end desc limit $3`,
    values: [new Date(from), to === undefined ? ctx.now() : new Date(to), maxOutages],
  });
  return { value: rows.toReversed() };
});

/** What the calls need besides a ctx: the retention times of the data that they read. */
export interface SeriesParts {
  seriesRetention: SeriesRetention;
}

export function seriesActions({ seriesRetention }: SeriesParts): readonly ImplementedAction[] {
  return [series(seriesRetention), metrics, history, outages];
}
