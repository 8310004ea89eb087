/** The metric that a match compared, around the match: with the limit of the rule as a line, and the value now. */
import { useMemo, useState } from 'react';
import { hourMs, minuteMs } from '@cloudfit/contract/durations.ts';
import { chartTexts } from '@cloudfit/contract/messages/charts.en.ts';
import { situationTexts as t } from '@cloudfit/contract/messages/work-unit-situation.en.ts';
import { numberText, unitOf } from '../../../components/chart/number-text.ts';
import type { ChartMark, ChartSeries } from '../../../components/chart/points.ts';
import { TimeChart } from '../../../components/chart/time-chart-lazy.tsx';
import { useNow } from '../../../components/relative-time.tsx';
import { useSeries } from '../../../entities/series/use-series.ts';
import type { RelatedMatch } from '../related/use-related.ts';
import type { MatchedMetric } from './metric-of-match.ts';

interface MatchChartProps {
  match: RelatedMatch;
  measured: MatchedMetric;
  isActive: boolean;
  /** When the unit was opened. */
  opened: string;
}

const [points, height] = [200, 108];

/** From two hours before the match to now, or to an hour after its end. */
function timesAround({ firstMatch, lastMatch, closed }: RelatedMatch, isActive: boolean, now: number) {
  // The next minute, so that a minute asks once.
  const present = Math.ceil(now / minuteMs) * minuteMs;
  return {
    from: Date.parse(firstMatch) - 2 * hourMs,
    to: isActive ? present : Math.min(present, Date.parse(closed ?? lastMatch) + hourMs),
  };
}

export function MatchChart({ match, measured: { metric, limit }, isActive, opened }: MatchChartProps) {
  const [zoomed, setZoomed] = useState<{ from: number; to: number }>();
  const now = useNow();
  const { from, to } = zoomed ?? timesAround(match, isActive, now);
  const requested = useMemo(() => [{ entityId: match.subjectId, metric }], [match.subjectId, metric]);
  const range = useMemo(() => ({ from, to }), [from, to]);
  const { data } = useSeries(requested, range, { points });
  const unit = unitOf(metric);
  const answered = data?.series[0];
  const series = useMemo((): ChartSeries[] => {
    if (answered?.kind !== 'number' || answered.buckets.length === 0) return [];
    const { buckets, gap } = answered;
    const line = [from, to].map((time) => [time, limit ?? 0, limit ?? 0, limit ?? 0, limit ?? 0, 1] as const);
    return [
      { id: metric, label: metric, unit, buckets, gap },
      ...(limit === undefined ? [] : [{ id: 'limit', label: t.limit, unit, buckets: line, gap: Infinity, faint: true }]),
    ];
  }, [answered, from, to, limit, metric, unit]);
  const marks = useMemo(
    (): ChartMark[] => [
      { id: 'match', kind: 'match', label: t.matched, from: Date.parse(match.firstMatch) },
      { id: 'unit', kind: 'unit', label: t.opened, from: Date.parse(opened) },
    ],
    [match.firstMatch, opened],
  );
  // The place of the chart is there before its values, so that what is below does not move.
  if (!data) return <div className="match-chart" style={{ height }} aria-busy />;
  const last = series[0]?.buckets.at(-1)?.[4];
  if (last === undefined) return <p className="faint">{chartTexts.noData}</p>;
  return (
    <div className="match-chart">
      <p className="muted">
        {limit !== undefined && <>{t.limitIs(numberText(limit, unit))} · </>}
        {isActive && !zoomed ? t.nowIs(metric) : t.lastIs(metric)} <b className="num">{numberText(last, unit)}</b>
      </p>
      <TimeChart
        title={t.chart(metric)}
        series={series}
        from={from}
        to={to}
        marks={marks}
        height={height}
        onZoom={(start, end) => setZoomed({ from: start, to: end })}
        onReset={() => setZoomed(undefined)}
      />
    </div>
  );
}
