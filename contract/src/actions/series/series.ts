/** Metrics over time: what entities reported, in buckets of equal length or packet by packet, and outages. */
import { z } from 'zod';
import { defineAction } from '../../action.ts';
import { limits } from '../../limits.ts';
import { guidSchema } from '../../resource.ts';
import { packetMessage } from '../../resources/packets.ts';

/** Limits of one call. */
export const seriesLimits = {
  /** Maximum number of series in an answer; a filter counts as one series for each of its entities. */
  series: 100,
  /** Maximum number of buckets of one series. */
  points: 2_000,
  /** Maximum number of buckets of all series together. */
  buckets: 100_000,
  /** With more bands than this, the bands of a series that begin in one step are joined. */
  bands: 1_000,
  /** Maximum number of characters of a metric's name. */
  name: 200,
  /** Names of metrics per entity and month that are stored by minute, hour and day; other names are read from packets. */
  metrics: 1_000,
} as const;

const access = { area: 'Packets', verb: 'view' } as const;

const notACursor = 'after is the next of the previous page.';

/** Time and id of the last packet of the previous page, after which the next page begins. */
const packetCursor = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT[\d:.]+Z,[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, notACursor)
  .refine((v) => !Number.isNaN(Date.parse(v.split(',')[0] ?? '')), notACursor);

const instant = (message: string) => z.iso.datetime({ offset: true, error: message });

/**
 * `Value`, or the name of a reading with its part of the packet: `Metrics.Cpu`, `States.Health`, `Properties.Version`. A name
 * without a part, such as `Cpu`, is a metric.
 */
const metricName = z
  .string()
  .min(1, 'Please name a metric.')
  .max(seriesLimits.name, `A metric has at most ${seriesLimits.name} characters.`);

const wantedSeries = z
  .object({
    /** A device, a device operation or a block. */
    entityId: z.optional(guidSchema),
    /** Several entities: one series for each. */
    entityIds: z.array(guidSchema).min(1).max(seriesLimits.series, `At most ${seriesLimits.series} entities.`).optional(),
    /** A `$filter` on `of`: one series for each row that the caller may see. */
    filter: z.string().optional(),
    of: z.enum(['devices', 'deviceOperations', 'blocks']).default('devices'),
    metric: metricName,
  })
  .refine(({ entityId, entityIds, filter }) => [entityId, entityIds, filter].filter((item) => item !== undefined).length === 1, {
    path: ['entityId'],
    error: 'Please give one of entityId, entityIds and filter.',
  });

/** A bucket: start in epoch milliseconds, minimum, average, maximum, last value, number of values. */
const bucket = z.tuple([z.number(), z.number(), z.number(), z.number(), z.number(), z.int()]);

export type SeriesBucket = z.infer<typeof bucket>;

/** A period in which a text or boolean had one value; `from` and `to` in epoch milliseconds. */
const band = z.object({
  from: z.number(),
  /** The time of the next reading, or of the last reading before a gap or before the end. */
  to: z.number(),
  value: z.union([z.string(), z.boolean()]),
  /** If there were too many bands: how many others were joined into this one. `value` is the value of the last of these. */
  joined: z.int().optional(),
});

export type SeriesBand = z.infer<typeof band>;

const seriesProblem = z.object({ code: z.enum(['UnknownEntity', 'UnknownMetric']), message: z.string() });

export type SeriesProblem = z.infer<typeof seriesProblem>;

const oneSeries = z.object({
  entityId: z.string(),
  /** The name of the metric as the request spelled it. */
  metric: z.string(),
  /** `number`: the readings are in `buckets`. `text`: texts or booleans, in `bands`. */
  kind: z.enum(['number', 'text']),
  /** In order of time. Times without a reading have no bucket. */
  buckets: z.array(bucket),
  bands: z.array(band),
  /** Milliseconds: between two buckets or bands that are further apart, nothing was reported. */
  gap: z.number(),
  /** Why the series is empty, if the request names no entity that the caller sees, or nothing that the entity has reported. */
  problem: seriesProblem.optional(),
});

export type OneSeries = z.infer<typeof oneSeries>;

export const readSeries = defineAction({
  name: 'readSeries',
  method: 'POST',
  path: '/v1/series',
  reads: true,
  access,
  about:
    'Several metrics over time in buckets of one length, with minimum, average, maximum and last of each; texts as bands. A series of an unknown entity or metric has a `problem`; when all have one, the answer is 400.',
  input: z
    .object({
      from: instant('from must be an ISO 8601 time with a zone.'),
      /** Default: now. */
      to: instant('to must be an ISO 8601 time with a zone.').optional(),
      /** The maximum number of buckets. The step is the shortest of a fixed list that needs no more. */
      points: z
        .int('points must be a whole number.')
        .min(1, 'points is at least 1.')
        .max(seriesLimits.points, `points is at most ${seriesLimits.points}.`)
        .default(200),
      series: z.array(wantedSeries).min(1, 'Please ask for a series.').max(seriesLimits.series, `At most ${seriesLimits.series} series.`),
      /** `csv`: a file with a line for each bucket and band. */
      format: z.enum(['json', 'csv']).default('json'),
    })
    .refine(({ from, to }) => to === undefined || Date.parse(from) < Date.parse(to), {
      path: ['to'],
      error: 'to must be later than from.',
    }),
  output: z.object({
    from: z.string(),
    to: z.string(),
    /** Length of a bucket in milliseconds; buckets begin at its multiples since 1970, the first one may begin before `from`. */
    step: z.number(),
    /** The series in the order of the request; the series of a filter in the order of its rows. */
    series: z.array(oneSeries),
  }),
  content: 'text/csv',
});

export const listMetrics = defineAction({
  name: 'listMetrics',
  method: 'GET',
  path: '/v1/packets/{id}/metrics',
  access,
  about: 'What an entity reports: the names to ask `readSeries` for.',
  input: z.object({ id: guidSchema }),
  output: z.object({
    value: z.array(
      z.object({
        name: z.string(),
        kind: z.enum(['number', 'text']),
        last: z.union([z.string(), z.number(), z.boolean()]),
        lastAt: z.string(),
      }),
    ),
    /** A message for the caller: the entity reports more names than are listed, or than are kept by minute, hour and day. */
    notice: z.string().optional(),
  }),
});

export const packetHistory = defineAction({
  name: 'packetHistory',
  method: 'GET',
  path: '/v1/packets/{id}/history',
  access,
  about:
    'What an entity reported, newest first: the packets behind its series. For the packet of a moment, `to` is the moment after it and `top` is 1.',
  input: z
    .object({
      id: guidSchema,
      from: instant('from must be an ISO 8601 time with a zone.').optional(),
      /** The end of the period: only packets before this time. */
      to: instant('to must be an ISO 8601 time with a zone.').optional(),
      top: z.coerce
        .number()
        .int()
        .min(1, 'top is at least 1.')
        .max(limits.pageMax, `top is at most ${limits.pageMax}.`)
        .default(limits.pageDefault),
      /** `next` of the previous page. */
      after: packetCursor.optional(),
    })
    .refine(({ from, to }) => from === undefined || to === undefined || Date.parse(from) < Date.parse(to), {
      path: ['to'],
      error: 'to must be later than from.',
    }),
  output: z.object({
    value: z.array(
      z.object({
        packetId: z.string(),
        entityId: z.string(),
        tenantId: z.string(),
        timestamp: z.string(),
        receivedTimestamp: z.string(),
        message: packetMessage,
      }),
    ),
    /** Absent on the last page. */
    next: z.string().optional(),
  }),
});

export const listOutages = defineAction({
  name: 'listOutages',
  method: 'GET',
  path: '/v1/series/outages',
  access,
  about:
    'Times in which this installation took no packets, so that nothing in a series comes from them. Those that overlap the range, in order of time.',
  input: z.object({
    from: instant('from must be an ISO 8601 time with a zone.'),
    /** Default: now. */
    to: instant('to must be an ISO 8601 time with a zone.').optional(),
  }),
  output: z.object({ value: z.array(z.object({ from: z.string(), to: z.string() })) }),
});
