/** Chooses the time that the charts below show, and how they show it. */
import { chartTexts as t } from '@cloudfit/contract/messages/charts.en.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { exactTime } from '../../theme/times.ts';
import { Select } from '../../components/fields/select.tsx';
import { boundsOf, rangeMs, type ChartView } from './use-time-range.ts';
import { nowMs } from '../../theme/now.ts';
import './series.css';

export function RangeBar({ view }: { view: ChartView }) {
  const { range } = view;
  const isFixed = !('last' in range);
  const move = (by: number) => {
    const { from, to } = boundsOf(range, nowMs());
    const room = (to - from) / 2;
    view.zoom(from + by * room, to + by * room);
  };
  return (
    <div className="range-bar">
      <IconButton small icon="left" label={t.earlier} onClick={() => move(-1)} />
      <Select
        aria-label={t.range}
        value={isFixed ? '' : range.last}
        unlisted={t.chosen}
        choices={Object.keys(rangeMs).map((last) => ({ value: last, label: t.ranges[last] ?? last }))}
        onChange={view.choose}
      />
      <IconButton small icon="right" label={t.later} disabled={!isFixed} onClick={() => move(1)} />
      {isFixed && (
        <>
          <span className="num muted">
            {exactTime(new Date(range.from).toISOString())} – {exactTime(new Date(range.to).toISOString())}
          </span>
          <Button small onClick={view.reset}>
            {t.reset}
          </Button>
        </>
      )}
      <span className="grow" />
      <Button small aria-pressed={view.isOn('compare')} onClick={() => view.toggle('compare')}>
        {t.compare}
      </Button>
      <Button small aria-pressed={view.isOn('log')} onClick={() => view.toggle('log')}>
        {t.log}
      </Button>
      <Button small aria-pressed={view.isOn('as')} onClick={() => view.toggle('as')}>
        {t.asTable}
      </Button>
    </div>
  );
}
