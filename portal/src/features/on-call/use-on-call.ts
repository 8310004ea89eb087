/** Reads who is on call and the shifts of a schedule, and takes over a shift. */
import type { CallOutput } from '@cloudfit/contract/call.ts';
import { onCallNow, onCallShifts } from '@cloudfit/contract/calls.ts';
import { onCallTexts as t } from '@cloudfit/contract/messages/on-call.en.ts';
import { onCallOverrides, onCallSchedules } from '@cloudfit/contract/resources/on-call.ts';
import { call, useCall } from '../../api/call.ts';
import { createOnce } from '../../api/client.ts';
import { useCurrentUser } from '../../api/lookups.ts';
import { createRow, removeRow } from '../../api/row-calls.ts';
import { command } from '../../calls/command.ts';
import { zoneTime } from '../../theme/times.ts';
import { nowMs } from '../../theme/now.ts';

export type Shifts = CallOutput<typeof onCallShifts>;
export type Duty = CallOutput<typeof onCallNow>['value'][number];

/** A new or removed override is announced as a change of its schedule. */
const ofSchedules = { refreshedBy: onCallSchedules.name, refetchInterval: 60_000 };
const refreshes = [onCallSchedules.name];

const nowOf = (tenantId: string | null) => (tenantId ? { tenantId } : {});

export async function readOnCallNow(tenantId: string | null): Promise<readonly Duty[]> {
  return (await call(onCallNow, nowOf(tenantId), { quiet: true })).value;
}

export const useOnCallNow = (tenantId: string | null) => useCall(onCallNow, nowOf(tenantId), ofSchedules);

/** The shifts of a saved schedule. */
export const useShifts = (id: string | undefined) =>
  useCall(onCallShifts, { id: id ?? '', days: 14 }, { ...ofSchedules, enabled: id !== undefined });

/** Puts the signed-in person on call from now until a time, by an override. */
export function useTakeOver(id: string) {
  const { data: me } = useCurrentUser();
  return command(
    (until: Date) =>
      // Without the times, which differ between two clicks.
      createOnce(`take over ${id}`, (idempotencyKey) => {
        const times = { startsAt: new Date(nowMs()).toISOString(), endsAt: until.toISOString() };
        return createRow(onCallOverrides, { onCallScheduleId: id, personId: me?.personId ?? '', ...times }, { idempotencyKey });
      }),
    { done: (_row, until) => t.tookOver(zoneTime(until.getTime())), refreshes },
  );
}

export const removeOverride = command((id: string) => removeRow(onCallOverrides, id), { done: () => t.removed, refreshes });
