import { eq } from '@cloudfit/contract/query/build.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { onCallTexts as t } from '@cloudfit/contract/messages/on-call.en.ts';
import { handoverTexts } from '@cloudfit/contract/messages/handover.en.ts';
import { onCallSchedules } from '@cloudfit/contract/resources/on-call.ts';
import { fieldColumn } from '../../rows/cells.tsx';
import { useScope } from '../../rows/use-scope.ts';
import { defineView } from '../../resource/view.ts';
import { HandoversTab } from './handovers-tab.tsx';
import { HolidaysInput } from '../../entities/on-call/holidays-input.tsx';
import { LayersInput } from './layers-input.tsx';
import { DutyLine, ShiftsTab } from './shifts-tab.tsx';
import { TakeOver } from './take-over.tsx';
import { zoneTime } from '../../theme/times.ts';
import { readOnCallNow, useOnCallNow, useShifts } from './use-on-call.ts';

function useDuty(id: string) {
  const { tenantId } = useScope();
  return useOnCallNow(tenantId).data?.value.find((schedule) => schedule.onCallScheduleId === id);
}

function DutyCell({ id, which }: { id: string; which: ShiftPosition }) {
  const duty = useDuty(id);
  if (!duty) return null;
  const shift = duty[which];
  if (!shift) return <span className="faint">{t.nobody}</span>;
  return (
    <span className="ellipsis">
      {shift.name} <span className="muted">{spanText(shift, which)}</span>
    </span>
  );
}

type ShiftPosition = 'now' | 'next';

const spanText = (shift: { from: string; to: string }, which: ShiftPosition): string =>
  which === 'now' ? t.until(zoneTime(shift.to)) : t.from(zoneTime(shift.from));

const dutyTexts = (which: ShiftPosition) => async (rows: readonly { onCallScheduleId: string; tenantId: string }[]) => {
  const tenants = [...new Set(rows.map((row) => row.tenantId))];
  const duties = await readOnCallNow(tenants.length === 1 ? (tenants[0] ?? null) : null);
  const bySchedule = new Map(duties.map((duty) => [duty.onCallScheduleId, duty]));
  return ({ onCallScheduleId }: { onCallScheduleId: string }): string => {
    const duty = bySchedule.get(onCallScheduleId);
    const shift = duty?.[which];
    return shift ? `${shift.name} ${spanText(shift, which)}` : duty ? t.nobody : '';
  };
};

function TakeCell({ id }: { id: string }) {
  return <TakeOver id={id} endOfShift={useDuty(id)?.now?.to} small />;
}

function Top({ id }: { id: string }) {
  const { data } = useShifts(id);
  return data ? <DutyLine id={id} shifts={data} /> : null;
}

export const onCallView = defineView({
  resource: onCallSchedules,
  icon: 'phone',
  texts: { title: en.shell.items.onCall, emptyText: t.emptyText },
  columns: [
    { ...fieldColumn(onCallSchedules, 'name'), width: 180 },
    {
      id: 'now',
      header: t.now,
      width: 300,
      below: 'sm',
      cell: (row) => <DutyCell id={row.onCallScheduleId} which="now" />,
      texts: dutyTexts('now'),
    },
    {
      id: 'next',
      header: t.next,
      width: 300,
      below: 'md',
      cell: (row) => <DutyCell id={row.onCallScheduleId} which="next" />,
      texts: dutyTexts('next'),
    },
    { ...fieldColumn(onCallSchedules, 'timeZone'), width: 130, below: 'md', tone: 'soft' },
    { ...fieldColumn(onCallSchedules, 'tenantId'), below: 'md', tone: 'soft', hidden: true },
    { id: 'take', header: t.take, width: 110, cell: (row) => <TakeCell id={row.onCallScheduleId} />, buttons: true },
  ],
  phoneLine: (row) => <DutyCell id={row.onCallScheduleId} which="now" />,
  expand: ['tenant'],
  base: ({ tenantId }) => [tenantId ? eq(onCallSchedules, 'tenantId', tenantId) : undefined],
  panelTop: (row) => <Top id={row.onCallScheduleId} />,
  form: {
    sections: [
      { title: t.sections.what, fields: ['name', 'timeZone', 'description', 'tenantId', 'holidays', 'takesCallBacks'] },
      { title: t.sections.layers, fields: ['layers'] },
    ],
    wide: ['layers', 'holidays'],
    inputs: { layers: LayersInput, holidays: HolidaysInput },
  },
  tabs: {
    form: t.details,
    others: [
      { id: 'shifts', label: t.shifts, Body: ShiftsTab },
      { id: 'handovers', label: handoverTexts.title, Body: HandoversTab },
    ],
  },
});
