/** Reads what else happens at the planned time of a change. */
import { keepPreviousData } from '@tanstack/react-query';
import type { CallInput } from '@cloudfit/contract/call.ts';
import { planCollisions } from '@cloudfit/contract/calls.ts';
import { maintenanceWindows } from '@cloudfit/contract/resources/maintenance-windows.ts';
import { useCall } from '../../../api/call.ts';
import { useDebounced } from '../../../hooks/use-debounced.ts';

const restMs = 500;

export interface PlannedTime {
  tenantId: string | null | undefined;
  affectedDevices: readonly string[] | undefined;
  plannedStartTime: string | null | undefined;
  plannedFinishTime: string | null | undefined;
}

/** The collisions of a plan; `isAsked` is false while the plan has no valid times. */
export function useCollisions({ tenantId, affectedDevices = [], plannedStartTime, plannedFinishTime }: PlannedTime, workUnitId?: number) {
  const isComplete =
    Boolean(tenantId) &&
    Boolean(plannedStartTime && plannedFinishTime) &&
    Date.parse(plannedStartTime ?? '') < Date.parse(plannedFinishTime ?? '');
  const body = useDebounced(
    isComplete
      ? JSON.stringify({
          tenantId,
          deviceIds: affectedDevices,
          from: new Date(plannedStartTime ?? '').toISOString(),
          until: new Date(plannedFinishTime ?? '').toISOString(),
          ...(workUnitId === undefined ? {} : { workUnitId }),
        })
      : '',
    restMs,
  );
  const input = JSON.parse(body || '{}') as CallInput<typeof planCollisions>;
  const { data, error } = useCall(planCollisions, input, {
    refreshedBy: maintenanceWindows.name,
    enabled: body !== '',
    placeholderData: keepPreviousData,
    retry: false,
  });
  return { isAsked: isComplete && body !== '', rows: data?.value, error };
}
