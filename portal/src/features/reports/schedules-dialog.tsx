/** The reports that the viewer has sent by mail: when, to whom, and who got the last one. */
import { useState } from 'react';
import { changeReportSchedule, removeReportSchedule, reportSchedules, testReportSchedule } from '@cloudfit/contract/calls.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { reportScheduleTexts as t } from '@cloudfit/contract/messages/report-schedules.en.ts';
import { reportTexts } from '@cloudfit/contract/messages/reports.en.ts';
import { call, useCall } from '../../api/call.ts';
import { useCommand } from '../../calls/command.ts';
import { Loaded } from '../../calls/loaded.tsx';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/overlay/floating.tsx';
import { Skeleton } from '../../components/states.tsx';
import { exactTime, hourText } from '../../theme/times.ts';
import { ScheduleForm, type ReportSchedule, type ShownReport } from './schedule-form.tsx';

const refreshes = [reportSchedules];

function whenText({ rhythm, day, hour, timeZone }: ReportSchedule): string {
  const dayName = rhythm === 'Weekly' ? t.weekdays[day as keyof typeof t.weekdays] : String(day);
  return t.when[rhythm](dayName, hourText(hour), timeZone.replaceAll('_', ' '));
}

function resultText({ lastResult }: ReportSchedule): string {
  if (lastResult.some(({ outcome }) => outcome === 'OwnerMayNot')) return t.ownerMayNot;
  const refused = lastResult.flatMap(({ name, outcome }) =>
    outcome === 'Sent' || outcome === 'OwnerMayNot' ? [] : [t.notTo(name ?? t.removed, t.outcomes[outcome])],
  );
  return [t.sentTo(lastResult.length - refused.length), ...refused].join('; ');
}

function Schedule({ schedule, onChange }: { schedule: ReportSchedule; onChange: () => void }) {
  const { reportScheduleId: id, name, by, period, tenantName, isAllTenants, isEnabled, people, nextRun, lastRun } = schedule;
  const test = useCommand(() => call(testReportSchedule, { id }, { quiet: true }), { done: ({ email }) => t.tested(email) });
  const turn = useCommand(() => call(changeReportSchedule, { id, isEnabled: !isEnabled }, { quiet: true }), {
    done: () => (isEnabled ? t.switchedOff : t.switchedOn),
    refreshes,
  });
  const remove = useCommand(() => call(removeReportSchedule, { id }, { quiet: true }), {
    confirm: () => ({ title: t.removeTitle, text: t.removeQuestion(name), yes: en.common.delete, danger: true }),
    refreshes,
  });
  return (
    <li aria-label={name}>
      <strong>{name}</strong>
      <span>
        {[reportTexts.title(reportTexts.dimensions[by]), t.periods[period], isAllTenants ? t.allTenants : tenantName].join(' · ')}
      </span>
      <span>{whenText(schedule)}</span>
      <span className="muted">{people.length === 0 ? t.toNobody : t.to(people.map((person) => person.name ?? t.removed).join(', '))}</span>
      <span className="muted">
        {nextRun === null ? t.off : t.next(exactTime(nextRun))}
        {' · '}
        {lastRun === null ? t.never : t.last(exactTime(lastRun), resultText(schedule))}
      </span>
      <span className="row">
        <Button small onClick={onChange}>
          {en.common.edit}
        </Button>
        <Button small icon="mail" disabled={test.isBusy} onClick={() => void test.run(undefined)}>
          {t.test}
        </Button>
        <Button small disabled={turn.isBusy} onClick={() => void turn.run(undefined)}>
          {isEnabled ? t.switchOff : t.switchOn}
        </Button>
        <Button small icon="trash" disabled={remove.isBusy} onClick={() => void remove.run(undefined)}>
          {en.common.delete}
        </Button>
      </span>
    </li>
  );
}

interface SchedulesDialogProps {
  /** What the page shows, with which a new report begins. */
  shown: ShownReport;
  onClose: () => void;
}

export function SchedulesDialog({ shown, onClose }: SchedulesDialogProps) {
  const [edited, setEdited] = useState<ReportSchedule | 'new'>();
  const schedules = useCall(reportSchedules, {}, { enabled: edited === undefined });
  if (edited !== undefined)
    return (
      <ScheduleForm
        shown={shown}
        {...(edited === 'new' ? {} : { schedule: edited })}
        refreshes={refreshes}
        onDone={() => setEdited(undefined)}
        onClose={onClose}
      />
    );
  return (
    <Dialog
      title={t.title}

      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{en.common.close}</Button>
          <Button look="primary" icon="plus" onClick={() => setEdited('new')}>
            {t.add}
          </Button>
        </>
      }
    >
      <p className="muted">{t.about}</p>
      <Loaded query={schedules} failed={t.failed} loading={<Skeleton width="60%" />}>
        {({ value }) =>
          value.length === 0 ? (
            <p>{t.none}</p>
          ) : (
            <ul className="report-schedules">
              {value.map((schedule) => (
                <Schedule key={schedule.reportScheduleId} schedule={schedule} onChange={() => setEdited(schedule)} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Dialog>
  );
}
