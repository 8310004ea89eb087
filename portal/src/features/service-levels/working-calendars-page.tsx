import { eq, or } from '@cloudfit/contract/query/build.ts';
import { serviceLevelTexts as t } from '@cloudfit/contract/messages/service-levels.en.ts';
import type { Restriction } from '@cloudfit/contract/on-call/shifts.ts';
import { workingCalendars } from '@cloudfit/contract/resources/service-levels.ts';
import { WeekHours } from '../../components/week-hours.tsx';
import { HolidaysInput } from '../../entities/on-call/holidays-input.tsx';
import { ImportButton } from '../../entities/list-import/import-button.tsx';
import type { InputProps } from '../../forms/form-types.ts';
import { ListPage } from '../../resource/list-page.tsx';
import { defineView } from '../../resource/view.ts';

const office: Restriction = { days: [1, 2, 3, 4, 5], from: '08:00', to: '18:00' };

function HoursInput({ field, value, onChange, disabled }: InputProps) {
  return <WeekHours label={field.label} hours={(value ?? []) as Restriction[]} initial={office} disabled={disabled} onChange={onChange} />;
}

const workingCalendarsView = defineView({
  resource: workingCalendars,
  icon: 'sliders',
  texts: {
    title: t.calendars,
    emptyText: t.calendarsEmptyText,
    delete: t.removeCalendar,
    deleted: (row) => t.removed(row.name),
    deleteQuestion: (row) => t.removeCalendarQuestion(row.name),
  },
  columns: ['name', 'timeZone', 'tenantId', 'modified'],
  expand: ['tenant'],
  base: ({ tenantId }) => [tenantId ? or(eq(workingCalendars, 'tenantId', tenantId), eq(workingCalendars, 'tenantId', null)) : undefined],
  filters: ['tenantId'],
  form: {
    sections: [{ fields: ['name', 'timeZone', 'tenantId', 'hours', 'holidays'] }],
    wide: ['hours', 'holidays'],
    inputs: { hours: HoursInput, holidays: HolidaysInput },
  },
});

/** Working hours and holidays, by which service levels count. */
export function WorkingCalendarsPage() {
  return <ListPage view={workingCalendarsView} bar={<ImportButton list="holidays" area={workingCalendars.area} />} />;
}
