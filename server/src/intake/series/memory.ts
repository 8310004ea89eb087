/**
 * The last points of cumulative series, from which their rates and the quantiles of an interval follow. A process that has not seen a series
 * says its totals only; two processes that take turns say means over longer intervals, never a part twice.
 */

/** A point of a cumulative series: its total, or the counts of its buckets. */
export interface SeriesPoint {
  /** In milliseconds. */
  time: number;
  /** When the series began to count, in milliseconds; 0 if the sender does not say. */
  start: number;
  numbers: readonly number[];
  /** What has to be the same for two points to be compared, such as the bounds of buckets. */
  shape: string;
}

export interface SeriesMemory {
  /** Remembers the point of a series, and returns the one before it. The same point twice has the same one before it. */
  step(sourceId: string, series: string, point: SeriesPoint): SeriesPoint | undefined;
}

interface Remembered {
  last: SeriesPoint;
  before: SeriesPoint | undefined;
}

/** All numbers of all sources together; a source with many loses its oldest series first, not those of others. */
const maxNumbers = 1_000_000;
/** What a series costs beside its numbers. */
const base = 20;

const costOf = ({ last, before }: Remembered): number => base + last.numbers.length + (before?.numbers.length ?? 0);

class SourceSeries {
  readonly series = new Map<string, Remembered>();
  cost = 0;

  set(name: string, remembered: Remembered): void {
    this.forget(name);
    this.series.set(name, remembered);
    this.cost += costOf(remembered);
  }

  forget(name: string): void {
    const old = this.series.get(name);
    if (!old) return;
    this.series.delete(name);
    this.cost -= costOf(old);
  }
}

export function rememberSeries(max: number = maxNumbers): SeriesMemory {
  const sources = new Map<string, SourceSeries>();
  let total = 0;

  function makeRoom(): void {
    while (total > max) {
      const [largest] = [...sources.values()].toSorted((a, b) => b.cost - a.cost);
      if (!largest) return;
      // A tenth at a time, so that a full memory is not sorted for each point.
      const minCost = largest.cost * 0.9;
      const costBefore = largest.cost;
      for (const name of largest.series.keys()) {
        if (largest.cost <= minCost) break;
        largest.forget(name);
      }
      total -= costBefore - largest.cost;
    }
  }

  return {
    step: (sourceId, name, point) => {
      let source = sources.get(sourceId);
      if (!source) sources.set(sourceId, (source = new SourceSeries()));
      const remembered = source.series.get(name);
      if (remembered && point.time < remembered.last.time) return undefined;
      if (remembered && point.time === remembered.last.time) return remembered.before;
      const costBefore = source.cost;
      source.set(name, { last: point, before: remembered?.last });
      total += source.cost - costBefore;
      makeRoom();
      return remembered?.last;
    },
  };
}

/** For a trial of a payload: every series is new. */
export const noMemory: SeriesMemory = { step: () => undefined };

/** Whether the later point goes on counting where the earlier one was; after a reset it began again. */
export const goesOn = (before: SeriesPoint, point: SeriesPoint): boolean =>
  before.shape === point.shape &&
  (before.start === 0 || point.start === 0 || before.start === point.start) &&
  point.numbers.every((number, at) => number >= (before.numbers[at] ?? 0));
