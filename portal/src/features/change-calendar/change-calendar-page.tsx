/** A month of changes, maintenances and change freezes. */
import { useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import { changeCalendarTexts as t } from '@cloudfit/contract/messages/change-calendar.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { changeFreezes } from '@cloudfit/contract/resources/change-freezes.ts';
import { failureText } from '../../api/client.ts';
import { useMay, useTenants } from '../../api/lookups.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { usePageTitle } from '../../components/page-title.ts';
import { useNow } from '../../components/relative-time.tsx';
import { ErrorState, Progress } from '../../components/states.tsx';
import { usePhone } from '../../components/use-phone.ts';
import { useAddress } from '../../hooks/use-address.ts';
import { useScope } from '../../rows/use-scope.ts';
import { weekDays } from '../../theme/locale.ts';
import { inputTime, namedDay } from '../../theme/times.ts';
import { entriesOn, monthOf, monthText, weeksOf, type CalendarDay, type CalendarEntry } from './calendar.rules.ts';
import { useCalendar } from './use-calendar.ts';
import '../../resource/list-page.css';
import { ColumnHeads } from '../../components/table/column-heads.tsx';
import './change-calendar.css';

/** The most entries of a day in the grid; a click on the others shows all. */
const shownInDay = 4;

const weekdays = weekDays.map((day) => en.time.weekdays[day] ?? '');

const clock = (time: number): string => inputTime(time, 'minutes').slice(11);

/** The last day of an entry of several days, for a list in which it stands once. */
const lastDayOf = ({ until }: CalendarEntry): string => t.untilDay(namedDay(until - 1));

function timesOn({ from, until }: CalendarEntry, { start, end }: CalendarDay): string {
  return t.times(from <= start ? undefined : clock(from), until >= end ? undefined : clock(until));
}

/** `isFolded`: whether the kind shows in the colour alone, for which a day of the grid is wide enough. */
function Entry({ entry, day, isFolded = false }: { entry: CalendarEntry; day: CalendarDay; isFolded?: boolean }) {
  const { kind, title, state, tenant, to } = entry;
  const times = !isFolded && entry.until > day.end ? lastDayOf(entry) : timesOn(entry, day);
  const details = [times, state ? t.approvals[state] : undefined, tenant].filter(Boolean).join(', ');
  return (
    <li>
      <Link to={to} className={`calendar-entry ${kind} ${state ?? ''}`} title={`${t.kinds[kind]}: ${title} (${details})`}>
        <span className={isFolded ? 'visually-hidden' : 'calendar-kind'}>{t.kinds[kind]} </span>
        <span className="calendar-title">{title}</span>
        <span className="calendar-times">{details}</span>
      </Link>
    </li>
  );
}

interface DayProps {
  day: CalendarDay;
  entries: readonly CalendarEntry[];
  isToday: boolean;
}

function Day({ day, entries, isToday }: DayProps) {
  const [isOpen, setOpen] = useState(false);
  const ofDay = entriesOn(day, entries);
  const left = isOpen || ofDay.length <= shownInDay + 1 ? 0 : ofDay.length - shownInDay;
  const isFrozen = ofDay.some(({ kind }) => kind === 'freeze');
  const looks = ['calendar-day', day.isInMonth ? '' : 'outside', isFrozen ? 'frozen' : '', isToday ? 'today' : ''].filter(Boolean);
  return (
    <td className={looks.join(' ')} aria-current={isToday ? 'date' : undefined}>
      <span className="visually-hidden">{namedDay(day.start)}</span>
      <span className="calendar-date num" aria-hidden>
        {day.dayOfMonth}
      </span>
      <ul>
        {ofDay.slice(0, ofDay.length - left).map((entry) => (
          <Entry key={entry.key} entry={entry} day={day} isFolded />
        ))}
      </ul>
      {left > 0 && (
        <button type="button" className="link calendar-more" onClick={() => setOpen(true)}>
          {t.more(left)}
        </button>
      )}
    </td>
  );
}

function Month({ weeks, entries, now }: { weeks: readonly CalendarDay[][]; entries: readonly CalendarEntry[]; now: number }) {
  return (
    <table className="calendar-month">
      <ColumnHeads names={weekdays} />
      <tbody>
        {weeks.map((week) => (
          <tr key={week[0]?.start}>
            {week.map((day) => (
              <Day key={day.start} day={day} entries={entries} isToday={day.start <= now && now < day.end} />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The days of the month on which something begins, one below the other. */
function Agenda({ weeks, entries }: { weeks: readonly CalendarDay[][]; entries: readonly CalendarEntry[] }) {
  const inMonth = weeks.flat().filter((day) => day.isInMonth);
  // What lasts for days stands at its first day of the month.
  const days = inMonth
    .map((day, at) => ({ day, begun: entriesOn(day, entries).filter(({ from }) => at === 0 || from >= day.start) }))
    .filter(({ begun }) => begun.length > 0);
  if (days.length === 0) return <p className="muted">{t.noneInMonth}</p>;
  return (
    <div className="calendar-agenda">
      {days.map(({ day, begun }) => (
        <section key={day.start} aria-label={namedDay(day.start)}>
          <h2>{namedDay(day.start)}</h2>
          <ul>
            {begun.map((entry) => (
              <Entry key={entry.key} entry={entry} day={day} />
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

export function ChangeCalendarPage() {
  usePageTitle(en.shell.items.changeCalendar);
  const { tenantId } = useScope();
  const { data: tenants = [] } = useTenants();
  const [params] = useSearchParams();
  const changeAddress = useAddress();
  const now = useNow();
  const isPhone = usePhone();
  const mayFreezes = useMay()(changeFreezes.area, 'view');
  const month = monthOf(params.get('month'), now);
  const isAll = params.get('tenants') === 'all';
  const weeks = weeksOf(month);
  const [from, until] = [weeks[0]?.[0]?.start ?? 0, weeks.at(-1)?.at(-1)?.end ?? 0];
  const calendar = useCalendar({ from, until, home: tenantId ?? '', isAll });
  const set = (name: string, value: string | undefined) =>
    changeAddress(
      (next) => {
        if (value === undefined) next.delete(name);
        else next.set(name, value);
        return undefined;
      },
      { replace: true },
    );
  return (
    <div className="page">
      <div className="page-bar calendar-bar">
        <IconButton icon="left" label={t.before} onClick={() => set('month', monthText(month, -1))} />
        <IconButton icon="right" label={t.after} onClick={() => set('month', monthText(month, 1))} />
        <Button onClick={() => set('month', undefined)}>{t.today}</Button>
        <h1 aria-live="polite">{t.month(en.time.monthNames[month.month] ?? '', month.year)}</h1>
        <span className="grow" />
        <select
          className="input"
          aria-label={t.tenants}
          value={isAll ? 'all' : ''}
          onChange={(event) => set('tenants', event.target.value || undefined)}
        >
          <option value="">{tenants.find((tenant) => tenant.tenantId === tenantId)?.name ?? t.thisTenant}</option>
          <option value="all">{t.allTenants}</option>
        </select>
        {mayFreezes && <Link to={`/${tenantId ?? ''}/changefreezes`}>{t.freezes}</Link>}
      </div>
      <div className="calendar-place">
        {calendar.error ? (
          <ErrorState title={t.failed} text={failureText(calendar.error)} onRetry={() => void calendar.refetch()} />
        ) : (
          <>
            {!calendar.isLoaded && <Progress label={en.auth.loading} />}
            {calendar.cut.map((kind) => (
              <p key={kind} className="muted" role="status">
                {t.cut(calendar.shownMax, t.kinds[kind])}
              </p>
            ))}
            {isPhone ? (
              (calendar.isLoaded || calendar.entries.length > 0) && <Agenda weeks={weeks} entries={calendar.entries} />
            ) : (
              <Month weeks={weeks} entries={calendar.entries} now={now} />
            )}
          </>
        )}
      </div>
    </div>
  );
}
