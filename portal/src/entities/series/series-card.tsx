/** The series of a few metrics in the range of the page: as a chart, with the current value, as a table, as a CSV file. */
import { useMemo } from 'react';
import { chartTexts as t } from '@cloudfit/contract/messages/charts.en.ts';
import { failureText } from '../../api/client.ts';
import { Button } from '../../components/button.tsx';
import { BandChart } from '../../components/chart/band-chart.tsx';
import { numberText, unitOf } from '../../components/chart/number-text.ts';
import type { ChartMark, ChartSeries } from '../../components/chart/points.ts';
import { Swatch } from '../../components/chart/series-look.tsx';
import { TimeChart } from '../../components/chart/time-chart-lazy.tsx';
import { saveCsv } from '../../components/save-file.ts';
import { EmptyState, ErrorState } from '../../components/states.tsx';
import { toastFailure } from '../../hooks/toast-failure.ts';
import { SeriesTable } from './series-table.tsx';
import { readCsv, useSeries, weekMs, type OneSeries, type RequestedSeries } from './use-series.ts';
import type { ChartView } from './use-time-range.ts';
import './series.css';

export interface LabelledSeries {
  entityId: string;
  metric: string;
  label: string;
}

interface SeriesCardProps {
  title: string;
  /** A smaller text beside the title. */
  hint?: string | undefined;
  /** Must be the same array until it changes. */
  series: readonly LabelledSeries[];
  view: ChartView;
  marks?: readonly ChartMark[] | undefined;
  height?: number;
}

/** The number of buckets that a chart requests: about one for two pixels. */
const points = 400;
const noSeries: readonly OneSeries[] = [];

function toChart(oneSeries: OneSeries, label: string): ChartSeries {
  return {
    id: `${oneSeries.entityId} ${oneSeries.metric}`,
    label,
    unit: unitOf(oneSeries.metric),
    buckets: oneSeries.buckets,
    gap: oneSeries.gap,
  };
}

/** The values of the week before, moved to this week. */
function fromWeekBefore(oneSeries: OneSeries, label: string): ChartSeries {
  const chart = toChart(oneSeries, t.weekBefore(label));
  const buckets = oneSeries.buckets.map(([start, ...rest]) => [start + weekMs, ...rest] as const);
  return { ...chart, id: `${chart.id} before`, faint: true, buckets };
}

export function SeriesCard({ title, hint, series: named, view, marks, height = 150 }: SeriesCardProps) {
  const requested = useMemo(() => named.map(({ entityId, metric }): RequestedSeries => ({ entityId, metric })), [named]);
  const { data, error, refetch } = useSeries(requested, view.range, { points });
  const compares = view.isOn('compare');
  const before = useSeries(requested, view.range, { points, before: weekMs, enabled: compares });
  const answered = data?.series ?? noSeries;
  const numbers = useMemo(
    () => [
      ...answered.flatMap((item, at) => (item.kind === 'number' ? [toChart(item, named[at]?.label ?? item.metric)] : [])),
      ...(compares ? (before.data?.series ?? noSeries) : noSeries).flatMap((item, at) =>
        item.kind === 'number' && item.buckets.length > 0 ? [fromWeekBefore(item, named[at]?.label ?? item.metric)] : [],
      ),
    ],
    [answered, before.data, compares, named],
  );
  const texts = answered.flatMap((item, at) => (item.kind === 'text' ? [{ ...item, label: named[at]?.label ?? item.metric }] : []));
  const isEmpty = answered.every((item) => item.buckets.length === 0 && item.bands.length === 0);
  const [first] = numbers;
  const last = first?.buckets.at(-1);
  const download = () =>
    readCsv(requested, view.range, points).then(
      (text) => saveCsv(`${title}.csv`, text),
      (failure: unknown) => toastFailure(failure, t.csvFailed),
    );
  return (
    <section className="series-card" aria-label={title}>
      <div className="series-head">
        <h3>{title}</h3>
        {hint && <small className="faint ellipsis">{hint}</small>}
        <span className="grow" />
        <Button small look="quiet" aria-label={t.csvOf(title)} onClick={() => void download()}>
          {t.csv}
        </Button>
        {last && named.length === 1 && <strong className="num">{numberText(last[4], first?.unit)}</strong>}
      </div>
      {error && !data ? (
        <ErrorState small title={t.failed} text={failureText(error)} onRetry={() => void refetch()} />
      ) : !data ? (
        <div className="series-waiting" style={{ height }} aria-busy />
      ) : isEmpty ? (
        <EmptyState small title={t.noData} text={t.noDataText} />
      ) : view.isOn('as') ? (
        <SeriesTable title={title} series={numbers} bands={texts} marks={marks} />
      ) : (
        <>
          {numbers.length > 0 && (
            <TimeChart
              title={title}
              series={numbers}
              from={data.from}
              to={data.to}
              marks={marks ?? []}
              isLog={view.isOn('log')}
              height={height}
              onZoom={view.zoom}
              onReset={view.reset}
            />
          )}
          {texts.map((text) => (
            <BandChart key={text.metric} label={text.label} bands={text.bands} from={data.from} to={data.to} />
          ))}
          {numbers.length > 1 && (
            <ul className="series-legend">
              {numbers.map((number, at) => (
                <li key={number.id}>
                  <Swatch at={at} faint={number.faint} />
                  {number.label}
                </li>
              ))}
            </ul>
          )}
        </>
      )}
    </section>
  );
}
