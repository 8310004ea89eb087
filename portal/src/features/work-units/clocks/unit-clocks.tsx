/** The clocks of a unit's service level: what is promised until when, and on demand when each clock ran. */
import { minuteMs } from '@cloudfit/contract/durations.ts';
import { serviceLevelTexts as t } from '@cloudfit/contract/messages/service-levels.en.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import type { workUnitClocks } from '@cloudfit/contract/resources/service-levels.ts';
import { elapsedMs, targetMs } from '@cloudfit/contract/service-levels/clocks.ts';
import { Chip, type Tone } from '../../../components/chips.tsx';
import { lasting, useNow } from '../../../components/relative-time.tsx';
import { clockTime, untilText } from '../../../theme/times.ts';
import type { PanelWorkUnit } from '../work-unit.rules.ts';
import { ColumnHeads } from '../../../components/table/column-heads.tsx';
import './unit-clocks.css';

type ClockOfUnit = Row<typeof workUnitClocks>;

const iso = (time: number): string => new Date(time).toISOString();

/** Counted working time, up to now or to the end of the clock. */
const counted = (clock: ClockOfUnit, now: number): number => elapsedMs(clock, clock.ended ? Date.parse(clock.ended) : now);

function toneOf(clock: ClockOfUnit, now: number): Tone {
  const isOver = clock.breached !== null || (clock.dueAt !== null && Date.parse(clock.dueAt) <= now);
  if (isOver) return 'danger';
  if (clock.ended !== null) return clock.state === 'Met' ? 'ok' : 'plain';
  return clock.warned !== null || (clock.warnAt !== null && Date.parse(clock.warnAt) <= now) ? 'warn' : 'info';
}

/** How a clock stands in some words: `2 h left`, `12 min over`, `met after 4 min`. */
function standing(clock: ClockOfUnit, now: number): string {
  const elapsed = counted(clock, now);
  const left = targetMs(clock) - elapsed;
  if (left <= 0) return t.over(lasting(left));
  if (clock.state === 'Met') return t.met(lasting(elapsed));
  if (clock.state === 'Paused') return t.paused(lasting(left));
  if (clock.ended !== null) return t.states[clock.state];
  // Outside its working hours a clock stands still, so what it has left says nothing of when it is due.
  const isStill = clock.dueAt !== null && Date.parse(clock.dueAt) - now > left + minuteMs;
  return isStill && clock.dueAt !== null ? t.leftUntil(lasting(left), untilText(clock.dueAt)) : t.left(lasting(left));
}

function endOf({ breached, dueAt }: ClockOfUnit): string {
  if (breached) return t.breachedAt(clockTime(breached));
  return dueAt ? t.dueAt(clockTime(dueAt)) : '';
}

function ClockRow({ clock, now }: { clock: ClockOfUnit; now: number }) {
  const { kind, state, levelName, targetMinutes, calendar, carriedMs, periods } = clock;
  return (
    <tr>
      <th scope="row">{t.kinds[kind]}</th>
      <td>
        <Chip tone={toneOf(clock, now)}>{t.states[state]}</Chip>
      </td>
      <td>{levelName}</td>
      <td className="num">
        {lasting(targetMinutes * minuteMs, true)}
        {calendar && <div className="faint">{t.hours(calendar.timeZone)}</div>}
      </td>
      <td className="num">{lasting(counted(clock, now))}</td>
      <td className="num">
        {carriedMs > 0 && <div>{t.carried(lasting(carriedMs))}</div>}
        {periods.map(({ from, to }) => (
          <div key={from}>{t.ran(clockTime(iso(from)), to === null ? t.now : clockTime(iso(to)))}</div>
        ))}
      </td>
      <td className="num">{endOf(clock)}</td>
    </tr>
  );
}

/** The clocks that run, and the last one of each kind that has ended; of one that was canceled the record alone speaks. */
function lastOfKinds(clocks: readonly ClockOfUnit[]): ClockOfUnit[] {
  return clocks.filter(
    ({ ended, state, kind }, at) =>
      ended === null || (state !== 'Canceled' && !clocks.some((later, index) => index > at && later.kind === kind)),
  );
}

export function UnitClocks({ unit }: { unit: PanelWorkUnit }) {
  const now = useNow();
  const clocks = unit.clocks ?? [];
  if (clocks.length === 0) return null;
  const shown = lastOfKinds(clocks);
  return (
    <details className="unit-clocks">
      <summary aria-label={t.record}>
        {shown.length === 0 && <Chip>{t.allCanceled}</Chip>}
        {shown.map((clock) => (
          <Chip key={clock.workUnitClockId} tone={toneOf(clock, now)} dot title={endOf(clock)}>
            {t.kinds[clock.kind]}: {standing(clock, now)}
          </Chip>
        ))}
      </summary>
      <div className="unit-clocks-record" role="region" aria-label={t.record} tabIndex={0}>
        <table>
          <ColumnHeads names={Object.values(t.columns)} />
          <tbody>
            {clocks.map((clock) => (
              <ClockRow key={clock.workUnitClockId} clock={clock} now={now} />
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
