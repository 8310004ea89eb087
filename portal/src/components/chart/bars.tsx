/** Counts over time as bars. The pointer and the arrow keys show the period and the count of one bar. */
import { useState, type KeyboardEvent } from 'react';
import { chartTexts as t } from '@cloudfit/contract/messages/charts.en.ts';
import { clockTime } from '../../theme/times.ts';
import './bars.css';

interface CountBar {
  /** In epoch milliseconds. */
  from: number;
  to: number;
  count: number;
}

interface BarsProps {
  label: string;
  bars: readonly CountBar[];
  /** The count of a bar of full height, so that several charts can share one scale. */
  max: number;
  countText: (count: number) => string;
}

const timeOf = (at: number) => clockTime(new Date(at).toISOString());

/** The index of the bar to which a key moves; undefined for a key that does not move. */
function moved(key: string, at: number, last: number): number | undefined {
  if (key === 'ArrowLeft') return Math.max(0, at - 1);
  if (key === 'ArrowRight') return Math.min(last, at + 1);
  if (key === 'Home') return 0;
  return key === 'End' ? last : undefined;
}

export function Bars({ label, bars, max, countText }: BarsProps) {
  const [at, setAt] = useState<number>();
  const last = bars.length - 1;
  const read = at === undefined ? undefined : bars[at];
  const words = read && `${timeOf(read.from)} – ${timeOf(read.to)}: ${countText(read.count)}`;
  const share = at === undefined ? 0 : (100 * at) / bars.length;
  const onKeyDown = (event: KeyboardEvent) => {
    const next = moved(event.key, at ?? last, last);
    if (next === undefined) return;
    event.preventDefault();
    setAt(next);
  };
  return (
    <div
      className="bars"
      role="group"
      aria-roledescription={t.chart}
      aria-label={label}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onFocus={() => setAt((now) => now ?? last)}
      onBlur={() => setAt(undefined)}
      onPointerLeave={() => setAt(undefined)}
    >
      {bars.map(({ from, count }, index) => (
        <span key={from} onPointerEnter={() => setAt(index)} {...(index === at ? { 'data-on': true } : {})}>
          <i style={{ height: `${max > 0 ? (100 * count) / max : 0}%` }} {...(count === 0 ? { 'data-empty': true } : {})} />
        </span>
      ))}
      {words && (
        <div className="bars-readout num" style={{ left: `${share}%`, transform: `translateX(-${share}%)` }} aria-hidden>
          {words}
        </div>
      )}
      <span className="visually-hidden" aria-live="polite">
        {words}
      </span>
    </div>
  );
}
