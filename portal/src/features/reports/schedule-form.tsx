/** The form of a report by mail, in a dialog. */
import { useId, useState, type SyntheticEvent } from 'react';
import type { CallInput, CallOutput } from '@cloudfit/contract/call.ts';
import { changeReportSchedule, createReportSchedule, timeZoneLookup, type reportSchedules } from '@cloudfit/contract/calls.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { reportScheduleTexts as t } from '@cloudfit/contract/messages/report-schedules.en.ts';
import { reportTexts } from '@cloudfit/contract/messages/reports.en.ts';
import { reportDimensions, type ReportDimension } from '@cloudfit/contract/reports/dimensions.ts';
import {
  reportPeriods,
  scheduleLimits,
  scheduleRhythms,
  type MailedPeriod,
  type ScheduleRhythm,
} from '@cloudfit/contract/reports/schedules.ts';
import { call, useCall } from '../../api/call.ts';
import { useCurrentUser, useTenants } from '../../api/lookups.ts';
import { useCommand } from '../../calls/command.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { ComboBox } from '../../components/combo-box.tsx';
import { Field } from '../../components/field.tsx';
import { choicesOf, Select } from '../../components/fields/select.tsx';
import { TextField } from '../../components/fields/text-field.tsx';
import { Dialog } from '../../components/overlay/floating.tsx';
import { AddPerson } from '../../entities/people/add-person.tsx';
import { hourText, viewerZone } from '../../theme/times.ts';

export type ReportSchedule = CallOutput<typeof reportSchedules>['value'][number];

/** What the page shows. */
export interface ShownReport {
  by: ReportDimension;
  /** The number of days that end today; undefined for chosen days. */
  days: number | undefined;
  isAllTenants: boolean;
  tenantId: string;
}

type ChosenSchedule = CallInput<typeof createReportSchedule>;

const periodOfDays: Readonly<Record<number, MailedPeriod>> = { 7: 'Last7Days', 30: 'Last30Days', 90: 'Last90Days' };

/** The first day of each rhythm. */
const firstDay: Readonly<Record<ScheduleRhythm, number>> = { Daily: 0, Weekly: 1, Monthly: 1 };

const hours = Array.from({ length: 24 }, (_, hour) => ({ value: hour, label: hourText(hour) }));
// Weeks begin on Monday here, as the days of the last week do.
const weekdays = ([1, 2, 3, 4, 5, 6, 0] as const).map((day) => ({ value: day, label: t.weekdays[day] }));
const monthDays = Array.from({ length: scheduleLimits.lastDayOfMonth }, (_, n) => ({ value: n + 1, label: String(n + 1) }));

interface ReceiversProps {
  people: readonly { personId: string; name: string | null }[];
  error: string | undefined;
  onChange: (people: { personId: string; name: string | null }[]) => void;
}

function Receivers({ people, error, onChange }: ReceiversProps) {
  return (
    <div className="field wide" role="group" aria-label={t.receivers}>
      <span className="field-head">{t.receivers}</span>
      <ul className="report-receivers">
        {people.map(({ personId, name }) => (
          <li key={personId} className="row">
            <span className="grow">{name ?? t.removed}</span>
            <IconButton
              small
              icon="close"
              label={t.removeReceiver(name ?? t.removed)}
              onClick={() => onChange(people.filter((person) => person.personId !== personId))}
            />
          </li>
        ))}
      </ul>
      {people.length < scheduleLimits.receivers && (
        <AddPerson
          label={t.addReceiver}
          error={error}
          onAdd={(personId, name) => {
            if (people.every((person) => person.personId !== personId)) onChange([...people, { personId, name }]);
          }}
        />
      )}
    </div>
  );
}

interface ScheduleFormProps {
  shown: ShownReport;
  /** The report that is changed; none for a new one. */
  schedule?: ReportSchedule;
  refreshes: readonly string[];
  onDone: () => void;
  onClose: () => void;
}

export function ScheduleForm({ shown, schedule, refreshes, onDone, onClose }: ScheduleFormProps) {
  const formId = useId();
  const { data: me } = useCurrentUser();
  const { data: tenants = [] } = useTenants();
  const { data: zones = [], isLoading } = useCall(timeZoneLookup, {}, { refreshedBy: 'lookup', staleTime: Infinity });
  const [values, setValues] = useState<Omit<ChosenSchedule, 'receivers'>>(() =>
    schedule
      ? schedule
      : {
          name: reportTexts.title(reportTexts.dimensions[shown.by]),
          by: shown.by,
          period: periodOfDays[shown.days ?? 30] ?? 'Last30Days',
          tenantId: shown.tenantId,
          isAllTenants: shown.isAllTenants,
          rhythm: 'Weekly',
          day: firstDay.Weekly,
          hour: 7,
          timeZone: viewerZone(),
          isEnabled: true,
        },
  );
  const [people, setPeople] = useState<ReceiversProps['people']>(
    schedule?.people ?? (me ? [{ personId: me.personId, name: me.name }] : []),
  );
  const [isTried, setTried] = useState(false);
  const set = (part: Partial<ChosenSchedule>) => setValues((now) => ({ ...now, ...part }));
  const { name, by, period, tenantId, isAllTenants, rhythm, day, hour, timeZone, isEnabled } = values;
  const problems = {
    name: name.trim() === '' ? t.nameMissing : undefined,
    timeZone: timeZone === '' ? t.timeZoneMissing : undefined,
    receivers: people.length === 0 ? t.receiversMissing : undefined,
  };
  const problemAt = (field: keyof typeof problems) => (isTried ? problems[field] : undefined);
  const receivers = people.map(({ personId }) => personId);
  const chosen = { name: name.trim(), by, period, tenantId, isAllTenants, rhythm, day, hour, timeZone, isEnabled, receivers };
  const save = useCommand(
    () =>
      schedule
        ? call(changeReportSchedule, { id: schedule.reportScheduleId, ...chosen }, { quiet: true })
        : call(createReportSchedule, chosen, { creates: true, quiet: true }),
    { done: () => (schedule ? t.changed : t.created), refreshes },
  );
  const submit = async (event: SyntheticEvent) => {
    event.preventDefault();
    setTried(true);
    if (Object.values(problems).some((problem) => problem !== undefined)) return;
    if (await save.run(undefined)) onDone();
  };
  const tenantName = tenants.find((tenant) => tenant.tenantId === tenantId)?.name ?? schedule?.tenantName ?? reportTexts.thisTenant;
  return (
    <Dialog
      title={schedule ? t.change(schedule.name) : t.add}

      onClose={onClose}
      actions={
        <>
          <Button onClick={onDone}>{t.back}</Button>
          <Button look="primary" type="submit" form={formId} disabled={save.isBusy}>
            {en.common.save}
          </Button>
        </>
      }
    >
      <form id={formId} className="report-schedule-form" noValidate onSubmit={(event) => void submit(event)}>
        <TextField
          label={t.name}
          required
          wide
          error={problemAt('name')}
          maxLength={scheduleLimits.name}
          value={name}
          onChange={(text) => set({ name: text })}
        />
        <Field label={reportTexts.by}>
          {(aria) => (
            <Select
              {...aria}
              value={by}
              choices={choicesOf(reportDimensions, reportTexts.dimensions)}
              onChange={(next) => set({ by: next })}
            />
          )}
        </Field>
        <Field label={t.period}>
          {(aria) => (
            <Select {...aria} value={period} choices={choicesOf(reportPeriods, t.periods)} onChange={(next) => set({ period: next })} />
          )}
        </Field>
        <Field label={reportTexts.tenants}>
          {(aria) => (
            <Select
              {...aria}
              value={isAllTenants ? 'all' : 'one'}
              choices={[
                { value: 'one', label: tenantName },
                { value: 'all', label: t.allTenants },
              ]}
              onChange={(next) => set({ isAllTenants: next === 'all' })}
            />
          )}
        </Field>
        <Field label={t.rhythm}>
          {(aria) => (
            <Select
              {...aria}
              value={rhythm}
              choices={choicesOf(scheduleRhythms, t.rhythms)}
              onChange={(next) => set({ rhythm: next, day: firstDay[next] })}
            />
          )}
        </Field>
        {rhythm !== 'Daily' && (
          <Field label={rhythm === 'Weekly' ? t.weekday : t.monthDay}>
            {(aria) => (
              <Select<number>
                {...aria}
                value={day}
                choices={rhythm === 'Weekly' ? weekdays : monthDays}
                onChange={(next) => set({ day: next })}
              />
            )}
          </Field>
        )}
        <Field label={t.hour}>{(aria) => <Select {...aria} value={hour} choices={hours} onChange={(next) => set({ hour: next })} />}</Field>
        <Field label={t.timeZone} required error={problemAt('timeZone')}>
          {(aria) => (
            <ComboBox
              choices={zones.map((zone) => ({ value: zone.id, label: zone.name }))}
              value={timeZone ? { value: timeZone, label: timeZone.replaceAll('_', ' ') } : null}
              loading={isLoading}
              aria={aria}
              onChange={(choice) => set({ timeZone: choice ? String(choice.value) : '' })}
            />
          )}
        </Field>
        <Receivers people={people} error={problemAt('receivers')} onChange={setPeople} />
      </form>
    </Dialog>
  );
}
