/** Reads a metric of the last six hours for a sparkline; sparklines that a screen reads within `gatherMs` share one call. */
import { useQuery } from '@tanstack/react-query';
import { packets } from '@cloudfit/contract/resources/packets.ts';
import { useMay } from '../../api/lookups.ts';
import { readSeries, type OneSeries } from './use-series.ts';

const hoursMs = 6 * 3_600_000;
const points = 60;
const gatherMs = 8;
const usualRefreshMs = 60_000;
/** The maximum number of series in one call. */
const maxSeries = 100;

export interface SparkValues extends Pick<OneSeries, 'buckets' | 'gap'> {
  from: number;
  to: number;
  /** Length of a bucket. */
  step: number;
}

type LineListener = (values: SparkValues | null) => void;
type PendingLines = Map<string, { entityId: string; metric: string; answers: LineListener[] }>;
let waiting: PendingLines | undefined;

async function answerPart(part: readonly { entityId: string; metric: string; answers: LineListener[] }[]) {
  const to = Date.now();
  const from = to - hoursMs;
  try {
    const { series, step } = await readSeries(
      part.map(({ entityId, metric }) => ({ entityId, metric })),
      { from, to },
      points,
    );
    for (const [at, { answers }] of part.entries()) {
      const one = series[at];
      for (const answer of answers) answer(one ? { buckets: one.buckets, gap: one.gap, from, to, step } : null);
    }
  } catch (error) {
    console.debug('The readings for small lines could not be read.', error);
    for (const { answers } of part) for (const answer of answers) answer(null);
  }
}

function readLine(entityId: string, metric: string): Promise<SparkValues | null> {
  return new Promise((resolve) => {
    if (!waiting) {
      const pending: PendingLines = new Map();
      waiting = pending;
      setTimeout(() => {
        waiting = undefined;
        const all = [...pending.values()];
        for (let at = 0; at < all.length; at += maxSeries) void answerPart(all.slice(at, at + maxSeries));
      }, gatherMs);
    }
    const key = `${entityId} ${metric}`;
    const line = waiting.get(key) ?? { entityId, metric, answers: [] };
    line.answers.push(resolve);
    waiting.set(key, line);
  });
}

/** Reads the values of a sparkline; null when they could not be read. */
export const sparklineQuery = (entityId: string, metric: string) => ({
  queryKey: ['series', 'line', entityId, metric],
  queryFn: () => readLine(entityId, metric),
});

export function useSparkline(
  entityId: string,
  metric: string,
  { enabled = true, refreshMs = usualRefreshMs }: { enabled?: boolean; refreshMs?: number } = {},
) {
  const maySee = useMay()(packets.area, 'view');
  return useQuery({
    ...sparklineQuery(entityId, metric),
    enabled: enabled && maySee,
    refetchInterval: refreshMs,
    staleTime: refreshMs / 2,
  });
}
