/** Metrics over time of entities, for people who may view packets. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { CallInput, CallOutput } from '@cloudfit/contract/call.ts';
import { listMetrics, readSeries as seriesCall } from '@cloudfit/contract/calls.ts';
import type { OneSeries } from '@cloudfit/contract/actions/series/series.ts';
import type { ErrorCode } from '@cloudfit/contract/errors.ts';
import { packets } from '@cloudfit/contract/resources/packets.ts';
import { call, callFile, callQuery } from '../../api/call.ts';
import { RequestFailed } from '../../api/client.ts';
import { useMay } from '../../api/lookups.ts';
import { boundsOf, type TimeRange } from './use-time-range.ts';
import { nowMs } from '../../theme/now.ts';

export type { OneSeries };

/** One metric of one or several entities. */
export interface RequestedSeries {
  entityId?: string;
  entityIds?: string[];
  metric: string;
}

export interface SeriesAnswer {
  /** In epoch milliseconds. */
  from: number;
  to: number;
  step: number;
  series: readonly OneSeries[];
}

const unknownSeries: ErrorCode = 'UnknownSeries';
const refreshMs = 15_000;
/** A long range divided by this number is the time between refreshes: earlier, the chart would move by less than a pixel. */
const refreshShare = 2_000;
export const weekMs = 7 * 86_400_000;

const inputOf = (
  series: readonly RequestedSeries[],
  from: number,
  to: number,
  points: number,
  format: 'json' | 'csv',
): CallInput<typeof seriesCall> => ({
  from: new Date(from).toISOString(),
  to: new Date(to).toISOString(),
  points,
  series: [...series],
  format,
});

export async function readSeries(
  series: readonly RequestedSeries[],
  { from, to }: { from: number; to: number },
  points: number,
  signal?: AbortSignal,
): Promise<SeriesAnswer> {
  const answer = await call(seriesCall, inputOf(series, from, to, points, 'json'), { signal }).catch((error: unknown) => {
    // A tile or a line of a device that is deleted, or that reports something else, has no data.
    if (error instanceof RequestFailed && error.code === unknownSeries) return { step: to - from, series: [] };
    throw error;
  });
  return { from, to, step: answer.step, series: answer.series };
}

export async function readCsv(series: readonly RequestedSeries[], range: TimeRange, points: number): Promise<string> {
  const { from, to } = boundsOf(range, nowMs());
  const answer = await callFile(seriesCall, inputOf(series, from, to, points, 'csv'), { accept: 'text/csv' });
  return answer.text();
}

interface SeriesOptions {
  points: number;
  /** By how many milliseconds the requested time is earlier than the range. */
  before?: number;
  enabled?: boolean;
}

/** Reads series. While the range ends now, refetches as often as a change could be visible. */
export function useSeries(series: readonly RequestedSeries[], range: TimeRange, { points, before = 0, enabled = true }: SeriesOptions) {
  const maySee = useMay()(packets.area, 'view');
  const bounds = boundsOf(range, 0);
  return useQuery({
    queryKey: ['series', series, range, points, before],
    queryFn: ({ signal }) => {
      const { from, to } = boundsOf(range, nowMs());
      return readSeries(series, { from: from - before, to: to - before }, points, signal);
    },
    placeholderData: keepPreviousData,
    enabled: enabled && maySee && series.length > 0,
    staleTime: 2_000,
    refetchInterval: 'last' in range ? Math.max(refreshMs, (bounds.to - bounds.from) / refreshShare) : false,
  });
}

export type MetricInfo = CallOutput<typeof listMetrics>['value'][number];

export const metricsQuery = (entityId: string | undefined) => callQuery(listMetrics, { id: entityId ?? '' }, { quiet: false });

/** Reads the names of the metrics that an entity reports, with the last values. */
export function useMetrics(entityId: string | undefined) {
  const maySee = useMay()(packets.area, 'view');
  return useQuery({
    ...metricsQuery(entityId),
    enabled: maySee && entityId !== undefined,
    refetchInterval: 60_000,
  });
}
