/** The coming two weeks of a schedule: bars, shifts, overrides, warnings, and the calendar feed. */
import { useState } from 'react';
import { onCallCalendarLink } from '@cloudfit/contract/calls.ts';
import { onCallTexts as t } from '@cloudfit/contract/messages/on-call.en.ts';
import { call } from '../../api/call.ts';
import { useMay } from '../../api/lookups.ts';
import { useCommand } from '../../calls/command.ts';
import { Loaded } from '../../calls/loaded.tsx';
import { Button, IconButton } from '../../components/button.tsx';
import { CopyId } from '../../components/chips.tsx';
import { Icon } from '../../components/icon.tsx';
import { Skeleton } from '../../components/states.tsx';
import { Gaps, WithoutTurns } from './gaps.tsx';
import { ShiftChart } from './shift-chart.tsx';
import { TakeOver } from './take-over.tsx';
import { viewerZone, zoneTime } from '../../theme/times.ts';
import { removeOverride, useShifts, type Shifts } from './use-on-call.ts';
import { ColumnHeads } from '../../components/table/column-heads.tsx';

const maxShifts = 60;

export function DutyLine({ id, shifts }: { id: string; shifts: Pick<Shifts, 'now' | 'next'> }) {
  const { now, next } = shifts;
  return (
    <div className="row duty-line">
      <span className="grow">
        {t.now}: <strong>{now?.name ?? t.nobody}</strong> {now && <span className="muted">{t.until(zoneTime(now.to))}</span>}
        {next && (
          <span className="muted">
            {' '}
            · {t.next}: {next.name} {t.from(zoneTime(next.from))}
          </span>
        )}
      </span>
      <TakeOver id={id} endOfShift={now?.to} small />
    </div>
  );
}

function Warnings({ shifts }: { shifts: Shifts }) {
  const { gaps, unreachable, withoutTurns } = shifts;
  if (gaps.length === 0 && unreachable.length === 0 && withoutTurns.length === 0) return null;
  return (
    <section className="form-section" aria-label={t.warnings}>
      <h3>{t.warnings}</h3>
      <ul className="warnings">
        {unreachable.map((person) => (
          <li key={person.personId}>
            <Icon name="warning" /> {t.unreachable(person.name, person.reason)}
          </li>
        ))}
        <WithoutTurns people={withoutTurns} />
        <Gaps gaps={gaps} />
      </ul>
    </section>
  );
}

function Overrides({ shifts }: { shifts: Shifts }) {
  const mayRemove = useMay()('OnCall.Overrides', 'delete');
  if (shifts.overrides.length === 0) return null;
  return (
    <section className="form-section" aria-label={t.overrides}>
      <h3>{t.overrides}</h3>
      <ul className="warnings">
        {shifts.overrides.map((override) => (
          <li key={override.onCallOverrideId} className="row">
            <span className="grow">
              <strong>{override.name}</strong>{' '}
              <span className="muted">
                {zoneTime(override.from)} – {zoneTime(override.to)} {override.reason}
              </span>
            </span>
            {mayRemove && (
              <IconButton
                small
                icon="trash"
                label={t.removeOverride(override.name)}
                onClick={() => void removeOverride(override.onCallOverrideId)}
              />
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function CalendarFeed({ id }: { id: string }) {
  const mayRenew = useMay()('OnCall', 'edit');
  const [url, setUrl] = useState<string>();
  const link = useCommand((renew: boolean) => call(onCallCalendarLink, { id, renew }));
  const show = async (renew: boolean) => {
    const shown = await link.run(renew);
    if (shown) setUrl(shown.answer.url);
  };
  return (
    <section className="form-section" aria-label={t.calendar}>
      <h3>{t.calendar}</h3>
      <p className="faint">{t.calendarText}</p>
      {url && <CopyId id={url} label={t.calendar} />}
      <div className="row">
        {!url && (
          <Button small icon="link" onClick={() => void show(false)}>
            {t.showLink}
          </Button>
        )}
        {mayRenew && (
          <Button small icon="refresh" title={t.renewHint} onClick={() => void show(true)}>
            {t.renewLink}
          </Button>
        )}
      </div>
    </section>
  );
}

function AllShifts({ id, name, shifts }: { id: string; name: string; shifts: Shifts }) {
  return (
    <div className="body">
      <ShiftChart shifts={shifts} name={name} />
      <p className="faint">{t.times(viewerZone())}</p>
      <Warnings shifts={shifts} />
      <Overrides shifts={shifts} />
      <section className="form-section" aria-label={t.list}>
        <h3>{t.list}</h3>
        {shifts.final.length === 0 ? (
          <p className="muted">{t.noShifts}</p>
        ) : (
          <table className="shift-table num">
            <ColumnHeads names={[t.person, t.start, t.end, t.by]} />
            <tbody>
              {shifts.final.slice(0, maxShifts).map((shift) => (
                <tr key={shift.from}>
                  <td>{shift.name}</td>
                  <td>{zoneTime(shift.from)}</td>
                  <td>{zoneTime(shift.to)}</td>
                  <td className="muted">{shift.layer === null ? t.override : (shifts.layers[shift.layer]?.name ?? '')}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </section>
      <CalendarFeed id={id} />
    </div>
  );
}

export function ShiftsTab({ row: { onCallScheduleId: id, name } }: { row: { onCallScheduleId: string; name: string } }) {
  return (
    <Loaded query={useShifts(id)} loading={<Skeleton width="80%" />}>
      {(shifts) => <AllShifts id={id} name={name} shifts={shifts} />}
    </Loaded>
  );
}
