/** A column per day with one segment per severity or state, distinguished by pattern and order as well as by colour. */
import { useMemo, useState } from 'react';
import UPlot, { type AlignedData } from 'uplot';
import { home } from '@cloudfit/contract/messages/home.en.ts';
import { shortDay } from '../../theme/times.ts';
import { Chart, tokenColor, type ChartOptions } from '../../components/chart/chart.tsx';
import { niceTop, totalOf, type Day } from './open-over-time.ts';
import { hatching } from './series-patterns.tsx';
import { countsOf, type Series } from './series.ts';

const t = home.trend;
const plot = { height: 168, top: 8, bottom: 22 };
const full = plot.height - plot.top - plot.bottom;

export function dayName(day: string): string {
  return shortDay(day);
}

function Readout({ day, at, of, series }: { day: Day; at: number; of: number; series: readonly Series[] }) {
  const counts = countsOf(day, series);
  const side = at < of / 2 ? { left: `${((at + 1) * 100) / of}%` } : { right: `${((of - at) * 100) / of}%` };
  return (
    <div className="readout num" style={side}>
      <strong>{at === of - 1 ? t.today : dayName(day.day)}</strong>
      {series.map((line, place) => (
        <span key={line.name} className="row">
          <span className="grow">{line.label}</span>
          {counts[place]}
        </span>
      ))}
      <span className="row sum">
        <span className="grow">{t.total}</span>
        {totalOf(day)}
      </span>
    </div>
  );
}

/** The labelled days: the first, the middle one, today. The outer labels stay inside the chart. */
function DayNames({ days }: { days: readonly Day[] }) {
  const of = days.length;
  const middle = Math.floor((of - 1) / 2);
  return (
    <div className="day-names" aria-hidden>
      <span>{dayName(days[0]?.day ?? '')}</span>
      <span style={{ left: `${((middle + 0.5) * 100) / of}%` }}>{dayName(days[middle]?.day ?? '')}</span>
      <span>{t.today}</span>
    </div>
  );
}

const sum = (counts: readonly number[]) => counts.reduce((total, n) => total + n, 0);

/** Each series has the sum of its counts and those of the series below it. Null replaces 0, because uPlot would outline a 0. */
function stacked(days: readonly Day[], series: readonly Series[]): AlignedData {
  const counts = days.map((day) => countsOf(day, series));
  const tops = series.map((_, place) => counts.map((ofDay) => sum(ofDay.slice(0, place + 1)) || null));
  return [days.map((_, at) => at), ...tops];
}

function chartOptions(count: number, top: number, series: readonly Series[], onPoint: (day: number | undefined) => void): ChartOptions {
  const none = { show: false };
  const bars = UPlot.paths.bars?.({ size: [0.62] });
  return {
    axes: [
      none,
      { size: 0, splits: [0, top / 2, top], values: () => [], ticks: none, grid: { stroke: () => tokenColor('--line-soft'), width: 1 } },
    ],
    bands: series.slice(1).map((_, at) => ({ series: [at + 2, at + 1] })),
    cursor: { x: false, y: false, points: none, drag: { x: false, y: false } },
    hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? undefined)] },
    padding: [plot.top, 0, plot.bottom, 0],
    scales: { x: { time: false, range: [-0.5, count - 0.5] }, y: { range: [0, top] } },
    series: [
      {},
      ...series.map(({ color, pattern }) => ({
        ...(bars ? { paths: bars } : {}),
        points: none,
        // A gap separates neighbours with similar colours.
        stroke: () => tokenColor('--surface'),
        width: 1,
        fill: ({ ctx }: UPlot) => hatching(ctx, tokenColor(color), pattern),
      })),
    ],
  };
}

export function TrendChart({ days, series, by }: { days: readonly Day[]; series: readonly Series[]; by: string }) {
  const [shown, setShown] = useState<number>();
  const of = days.length;
  const totals = days.map((day) => sum(countsOf(day, series)));
  const max = Math.max(0, ...totals);
  const top = niceTop(max);
  const data = useMemo(() => stacked(days, series), [days, series]);
  const options = useMemo(() => chartOptions(of, top, series, setShown), [of, top, series]);
  const active = shown === undefined ? undefined : days[shown];
  return (
    <div className="plot">
      {active && shown !== undefined && (
        <div className="pointed-day" style={{ left: `${(shown * 100) / of}%`, width: `${100 / of}%`, top: plot.top, height: full }} />
      )}
      <Chart
        label={t.summary(by, dayName(days[0]?.day ?? ''), totals[0] ?? 0, totals.at(-1) ?? 0, max)}
        height={plot.height}
        data={data}
        options={options}
      />
      <DayNames days={days} />
      <div className="scale num" aria-hidden>
        {[top, top / 2, 0].map((value) => (
          <span key={value} style={{ top: plot.top + full * (1 - value / top) }}>
            {value}
          </span>
        ))}
      </div>
      {active && shown !== undefined && <Readout day={active} at={shown} of={of} series={series} />}
    </div>
  );
}
