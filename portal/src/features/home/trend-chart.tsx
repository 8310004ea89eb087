/** Columns of one day each, one segment per severity or state: told apart by pattern and order as well as by colour. */
import { useId, useState } from 'react';
import { home } from '@cloudfit/contract/messages/home.en.ts';
import { niceTop, totalOf, type Day } from './open-over-time.ts';
import { SeriesPatterns } from './series-patterns.tsx';
import { countsOf, type Series } from './series.ts';

const t = home.trend;
const plot = { height: 168, top: 8, bottom: 22 };
const full = plot.height - plot.top - plot.bottom;
const dayFormat = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric' });

export function dayName(day: string): string {
  return dayFormat.format(new Date(`${day}T12:00:00`));
}

interface ColumnProps {
  day: Day;
  at: number;
  of: number;
  top: number;
  series: readonly Series[];
  patterns: string;
}

function Column({ day, at, of, top, series, patterns }: ColumnProps) {
  const counts = countsOf(day, series);
  const x = `${((at + 0.19) * 100) / of}%`;
  const width = `${62 / of}%`;
  const rest = counts.map((_, place) => counts.slice(0, place).reduce((sum, n) => sum + n, 0));
  return series.map((one, place) => {
    const height = ((counts[place] ?? 0) * full) / top;
    const y = plot.top + full - ((rest[place] ?? 0) * full) / top - height;
    // A gap keeps neighbours apart where their colours are close.
    const box = { x, y: y + (height > 3 ? 1 : 0), width, height: Math.max(0, height - (height > 3 ? 1 : 0)) };
    return (
      <g key={one.name}>
        <rect {...box} rx="1.5" style={{ fill: one.color }} />
        {one.pattern && <rect {...box} rx="1.5" fill={`url(#${patterns}-${one.pattern})`} />}
      </g>
    );
  });
}

/** Where the name of a day stands: those at the ends stay inside. */
function placeOf(at: number, of: number): { x: string; textAnchor: 'start' | 'middle' | 'end' } {
  if (at === 0) return { x: '0', textAnchor: 'start' };
  return at === of - 1 ? { x: '100%', textAnchor: 'end' } : { x: `${((at + 0.5) * 100) / of}%`, textAnchor: 'middle' };
}

function Readout({ day, at, of, series }: { day: Day; at: number; of: number; series: readonly Series[] }) {
  const counts = countsOf(day, series);
  const side = at < of / 2 ? { left: `${((at + 1) * 100) / of}%` } : { right: `${((of - at) * 100) / of}%` };
  return (
    <div className="readout num" style={side}>
      <strong>{at === of - 1 ? t.today : dayName(day.day)}</strong>
      {series.map((one, place) => (
        <span key={one.name} className="row">
          <span className="grow">{one.label}</span>
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

export function TrendChart({ days, series, by }: { days: readonly Day[]; series: readonly Series[]; by: string }) {
  const [shown, setShown] = useState<number>();
  const patterns = useId();
  const of = days.length;
  const totals = days.map((day) => countsOf(day, series).reduce((sum, n) => sum + n, 0));
  const most = Math.max(0, ...totals);
  const top = niceTop(most);
  const labelled = [0, Math.floor((of - 1) / 2), of - 1];
  const active = shown === undefined ? undefined : days[shown];
  const summary = t.summary(by, dayName(days[0]?.day ?? ''), totals[0] ?? 0, totals.at(-1) ?? 0, most);
  return (
    <div className="plot">
      <svg width="100%" height={plot.height} role="img" aria-label={summary} onPointerLeave={() => setShown(undefined)}>
        <SeriesPatterns id={patterns} />
        {[0, 0.5, 1].map((share) => {
          const y = plot.top + full * (1 - share);
          return <line key={share} className="grid-line" x1="0" x2="100%" y1={y} y2={y} />;
        })}
        {days.map((day, at) => (
          <g key={day.day} className={shown === at ? 'day shown' : 'day'} onPointerEnter={() => setShown(at)}>
            <rect className="hit" x={`${(at * 100) / of}%`} width={`${100 / of}%`} y={plot.top} height={full} />
            <Column day={day} at={at} of={of} top={top} series={series} patterns={patterns} />
          </g>
        ))}
        {labelled.map((at) => (
          <text key={at} {...placeOf(at, of)} y={plot.height - 6}>
            {at === of - 1 ? t.today : dayName(days[at]?.day ?? '')}
          </text>
        ))}
      </svg>
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
