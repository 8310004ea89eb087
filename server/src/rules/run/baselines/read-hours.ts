/** Reads the readings of metrics in past hours from the pages of series. */
import { dayMs } from '@cloudfit/contract/durations.ts';
import type { HourReadings } from '@cloudfit/contract/rules/baselines/baseline.ts';
import type { Db } from '../../../db/db.ts';

export interface EntityMetric {
  tenantId: string;
  entityId: string;
  metric: string;
}

export interface HourRow extends HourReadings {
  /** The index of the metric in the request, and the beginning of the hour. */
  n: number;
  hour: number;
}

const bounded = (number: string): string => `least(greatest(${number}, -1e140), 1e140)`;

/**
 * An hour that a server of the previous version has computed has no squares. They are estimated as the largest that its
 * minimum, mean and maximum permit: too large a deviation causes no false match. $1 to $4: the metrics; $5: the days of the
 * hours; $6: the hours, null for all hours of the days.
 */
const text = `select k.n, (extract(epoch from p.page) * 1000 + u.slot * 3600000)::float8 as hour, u.count, u.sum,
  coalesce(u.square, u.count * (${bounded('u.max')} - ${bounded('u.sum / u.count')}) * (${bounded('u.sum / u.count')} - ${bounded('u.min')})) as squares
from unnest($1::int[], $2::uuid[], $3::uuid[], $4::text[]) as k (n, tenant_id, entity_id, metric)
  join series_hour p on p.entity_id = k.entity_id and p.metric = k.metric and p.tenant_id = k.tenant_id and p.page = any($5::timestamptz[])
  cross join lateral unnest(p.slots, p.mins, p.sums, p.maxs, p.counts, case when cardinality(p.squares) = cardinality(p.slots) then p.squares end)
    as u (slot, min, sum, max, count, square)
where $6::timestamptz[] is null or p.page + make_interval(hours => u.slot) = any($6::timestamptz[])`;

const dates = (times: Iterable<number>): Date[] => Array.from(times, (time) => new Date(time));

/**
 * Reads the readings of metrics by hour. `hours`: beginnings of hours, or the first and the last time of a period, whose days
 * are read completely.
 */
export function readHours(
  db: Db,
  metrics: readonly EntityMetric[],
  hours: readonly number[] | { from: number; to: number },
): Promise<HourRow[]> {
  const days = new Set<number>();
  const dayOf = (time: number) => Math.floor(time / dayMs) * dayMs;
  if ('from' in hours) for (let day = dayOf(hours.from); day <= hours.to; day += dayMs) days.add(day);
  else for (const hour of hours) days.add(dayOf(hour));
  return db.query<HourRow>({
    name: 'baseline-hours',
    text,
    values: [
      metrics.map((_one, n) => n),
      metrics.map((metric) => metric.tenantId),
      metrics.map((metric) => metric.entityId),
      metrics.map((metric) => `Metrics.${metric.metric}`),
      dates(days),
      'from' in hours ? null : dates(hours),
    ],
  });
}
