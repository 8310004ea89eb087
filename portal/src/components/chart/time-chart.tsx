/**
 * Metrics over time on a canvas: averages as lines, the spread as a band, gaps, marks. The pointer and the arrow keys show
 * values, a drag zooms, a double click resets the zoom.
 */
import { useCallback, useEffect, useEffectEvent, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import UPlot, { type AlignedData } from 'uplot';
import { chartTexts as t } from '@cloudfit/contract/messages/charts.en.ts';
import { exactTime, axisTime } from '../../theme/times.ts';
import { Chart, tokenColor, type ChartOptions } from './chart.tsx';
import { numberText, type MetricUnit } from './number-text.ts';
import { drawMarks } from './marks.ts';
import { bucketAt, extremesOf, lonePoints, toColumns, type ChartMark, type ChartSeries } from './points.ts';
import { dashOf, colorOf, Swatch } from './series-look.tsx';
import './time-chart.css';

export interface TimeChartProps {
  title: string;
  series: readonly ChartSeries[];
  /** In epoch milliseconds. */
  from: number;
  to: number;
  marks?: readonly ChartMark[];
  isLog?: boolean;
  height?: number;
  onZoom: (from: number, to: number) => void;
  onReset: () => void;
  /** Whether the values are counts: drawn from zero, with a dot for each point, so that a single point is visible. */
  isCount?: boolean;
  /** Formats the time that is shown with the values; by default as date and time. */
  readTime?: (time: number) => string;
}

const noMarks: readonly ChartMark[] = [];
const dateAndTime = (time: number) => exactTime(new Date(time).toISOString());
const axisFont = "11px 'Inter Variable', system-ui, sans-serif";
/** The shortest drag that zooms, in pixels. */
const minDragPx = 6;
const minZoomMs = 60_000;
/** The cursor synchronization of uPlot: all charts of a page show their cursor at the same time. */
const together = { key: 'time', setSeries: false, scales: ['x', null] as [string, null] };

function rangeOf(unit: MetricUnit, isLog: boolean, isCount: boolean) {
  return (_plot: UPlot, min: number | null, max: number | null): UPlot.Range.MinMax => {
    if (min === null || max === null) return isLog ? [1, 10] : [0, 1];
    if (isLog) return UPlot.rangeLog(min, max, 10, false);
    if (unit === 'percent' && min >= 0 && max <= 100) return [0, 100];
    if (isCount) return [0, Math.max(4, max * 1.1)];
    // A line that hardly changes must not fill the height of the chart.
    const room = Math.max((max - min) * 0.1, Math.abs(max) * 0.02, 1e-6);
    return [min >= 0 && min - room < max * 0.5 ? 0 : min - room, max + room];
  };
}

/** Which points have a dot although the line has none: those that it does not reach, such as the only one. */
const lone = (plot: UPlot, at: number): number[] | null => {
  const points = lonePoints([...(plot.data[at] ?? [])]);
  return points.length > 0 ? points : null;
};

interface Cursor {
  time: number;
  left: number;
  width: number;
}

interface ReadoutProps {
  cursor: Cursor;
  series: readonly ChartSeries[];
  marks: readonly ChartMark[];
  readTime: (time: number) => string;
}

function Readout({ cursor, series, marks, readTime }: ReadoutProps) {
  const side = cursor.left < cursor.width / 2 ? { left: cursor.left + 14 } : { right: cursor.width - cursor.left + 14 };
  return (
    <div className="chart-readout num" style={side} aria-hidden>
      <strong>{readTime(cursor.time)}</strong>
      {series.map((line, at) => {
        const bucket = bucketAt(line, cursor.time);
        return (
          <span key={line.id} className="row">
            <Swatch at={at} faint={line.faint} />
            <span className="grow ellipsis">{line.label}</span>
            {bucket ? (
              <span>
                <b>{numberText(bucket[2], line.unit)}</b>
                {bucket[3] > bucket[1] && (
                  <small className="faint">{t.spread(numberText(bucket[1], line.unit), numberText(bucket[3], line.unit))}</small>
                )}
              </span>
            ) : (
              <span className="faint">{t.nothing}</span>
            )}
          </span>
        );
      })}
      {marks.map(({ id, kind, label }) => (
        <span key={id} className={`row mark ${kind}`}>
          {t.markKinds[kind]}: {label}
        </span>
      ))}
    </div>
  );
}

function spoken(time: number, series: readonly ChartSeries[], marks: readonly ChartMark[]): string {
  const values = series.map((line) => {
    const bucket = bucketAt(line, time);
    return `${line.label} ${bucket ? numberText(bucket[2], line.unit) : t.nothing}`;
  });
  return [...values, ...marks.map(({ kind, label }) => `${t.markKinds[kind]} ${label}`)].join(', ');
}

/** The options that may change with a render without creating a new plot. */
interface PlotRange {
  from: number;
  to: number;
  marks: readonly ChartMark[];
}

export function TimeChart({
  title,
  series,
  from,
  to,
  marks = noMarks,
  isLog = false,
  height = 180,
  onZoom,
  onReset,
  isCount = false,
  readTime = dateAndTime,
}: TimeChartProps) {
  const plot = useRef<UPlot>(undefined);
  const keepPlot = useCallback((next: UPlot | undefined) => {
    plot.current = next;
  }, []);
  const live = useRef<PlotRange>({ from, to, marks });
  const [cursor, setCursor] = useState<Cursor>();
  const [announcement, announce] = useState('');
  // All charts with the same cursor show its line, but only the chart under the pointer shows the values.
  const [isActive, setIsActive] = useState(false);
  const zoom = useEffectEvent(onZoom);
  const reset = useEffectEvent(onReset);
  const handlers = useRef({ zoom: (_from: number, _to: number) => undefined as void, reset: () => undefined as void });
  const unit = series[0]?.unit ?? 'none';
  const looks = JSON.stringify(series.map(({ id, faint }) => [id, faint === true]));
  const data = useMemo(() => toColumns(series, isLog) as AlignedData, [series, isLog]);

  useEffect(() => {
    handlers.current = { zoom: (a, b) => zoom(a, b), reset: () => reset() };
  }, []);
  useEffect(() => {
    live.current = { from, to, marks };
    plot.current?.setScale('x', { min: from / 1_000, max: to / 1_000 });
  }, [from, to, marks]);

  const options = useMemo((): ChartOptions => {
    const lines = JSON.parse(looks) as [string, boolean][];
    const axis = {
      stroke: () => tokenColor('--faint'),
      font: axisFont,
      ticks: { show: false },
      grid: { stroke: () => tokenColor('--line-soft'), width: 1 },
    };
    const spread = (at: number, faint: boolean) =>
      faint ? 'transparent' : `color-mix(in srgb, ${tokenColor(colorOf(at))} 18%, transparent)`;
    const none = { show: false };
    return {
      axes: [
        { ...axis, size: 24, space: 64, values: (_plot, splits) => splits.map(axisTime) },
        {
          ...axis,
          size: 58,
          gap: 4,
          space: 34,
          values: (_plot, values) => values.map((value) => (value === null ? '' : numberText(value, unit))),
        },
      ],
      bands: lines.map(([, faint], at) => ({ series: [at * 3 + 3, at * 3 + 2] as [number, number], fill: () => spread(at, faint) })),
      cursor: {
        y: false,
        sync: together,
        points: { size: 6 },
        drag: { x: true, y: false, setScale: false, dist: minDragPx },
        bind: {
          dblclick: () => () => {
            handlers.current.reset();
            return null;
          },
        },
      },
      hooks: {
        setCursor: [
          (item) => {
            const left = item.cursor.left ?? -1;
            if (left < 0) {
              setCursor(undefined);
              return;
            }
            const time = item.posToVal(left, 'x') * 1_000;
            setCursor({ time, left: left + item.bbox.left / UPlot.pxRatio, width: item.width });
          },
        ],
        setSelect: [
          (item) => {
            if (item.select.width < minDragPx) return;
            const [a, b] = [item.select.left, item.select.left + item.select.width].map((px) => item.posToVal(px, 'x') * 1_000);
            item.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
            if (a !== undefined && b !== undefined) handlers.current.zoom(a, Math.max(b, a + minZoomMs));
          },
        ],
        drawAxes: [(item) => drawMarks(item, live.current.marks, 'areas')],
        draw: [(item) => drawMarks(item, live.current.marks, 'lines')],
      },
      padding: [14, 10, 0, 0],
      scales: {
        x: { time: true, range: () => [live.current.from / 1_000, live.current.to / 1_000] },
        y: { ...(isLog ? { distr: 3 as const } : {}), range: rangeOf(unit, isLog, isCount) },
      },
      series: [
        {},
        ...lines.flatMap(([, faint], at) => [
          {
            stroke: () => (faint ? tokenColor('--faint') : tokenColor(colorOf(at))),
            width: faint ? 1 : 1.5,
            dash: [...dashOf(at, faint)],
            points: { show: isCount, size: 5, filter: isCount ? null : lone },
          },
          { stroke: 'transparent', width: 0, points: none },
          { stroke: 'transparent', width: 0, points: none },
        ]),
      ],
    };
  }, [looks, unit, isLog, isCount]);

  const near = cursor ? marks.filter((mark) => isNear(mark, cursor.time, (to - from) / 100)) : noMarks;

  const moveTo = (time: number) => {
    const one = plot.current;
    if (!one) return;
    one.setCursor({ left: one.valToPos(time / 1_000, 'x'), top: 0 });
    const near = marks.filter((mark) => isNear(mark, time, (to - from) / 100));
    announce([readTime(time), spoken(time, series, near)].join(', '));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const times = data[0];
    const visible = [...times].filter((time) => time * 1_000 >= from && time * 1_000 <= to);
    const now = (cursor?.time ?? to) / 1_000;
    const centre = cursor?.time ?? (from + to) / 2;
    const scaled = (factor: number) =>
      onZoom(centre - (centre - from) * factor, Math.max(centre + (to - centre) * factor, from + minZoomMs));
    // Half the distance of two points. The cursor is rounded to a pixel, so it may be beside the point from which a key moves.
    const half = ((visible[1] ?? 0) - (visible[0] ?? 0)) / 2;
    const actions: Record<string, () => void> = {
      ArrowLeft: () => moveTo((visible.findLast((time) => time < now - half) ?? visible[0] ?? now) * 1_000),
      ArrowRight: () => moveTo((visible.find((time) => time > now + half) ?? visible.at(-1) ?? now) * 1_000),
      Home: () => moveTo((visible[0] ?? now) * 1_000),
      End: () => moveTo((visible.at(-1) ?? now) * 1_000),
      '+': () => scaled(0.5),
      '-': () => scaled(2),
      '0': onReset,
    };
    const act = actions[event.key];
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  };

  const names = series.map((line) => {
    const extremes = extremesOf(line);
    return extremes
      ? t.summary(
          line.label,
          numberText(extremes.last, line.unit),
          numberText(extremes.min, line.unit),
          numberText(extremes.max, line.unit),
        )
      : `${line.label} ${t.nothing}`;
  });
  const label = t.label(title, names.join('; '));
  return (
    <div
      className="time-chart"
      role="group"
      aria-roledescription={t.chart}
      aria-label={label}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onPointerEnter={() => setIsActive(true)}
      onPointerLeave={() => setIsActive(false)}
      onFocus={() => setIsActive(true)}
      onBlur={() => {
        setIsActive(false);
        plot.current?.setCursor({ left: -10, top: -10 });
      }}
    >
      <Chart label={title} height={height} data={data} options={options} onPlot={keepPlot} />
      {cursor && isActive && <Readout cursor={cursor} series={series} marks={near} readTime={readTime} />}
      <span className="visually-hidden" aria-live="polite">
        {announcement}
      </span>
    </div>
  );
}

function isNear({ from, to }: ChartMark, time: number, room: number): boolean {
  return time >= from - room && time <= (to ?? from) + room;
}
