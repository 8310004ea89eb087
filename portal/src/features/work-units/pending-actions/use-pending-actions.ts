/** The pending manual actions of the unit's protocol, and running or rejecting them. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { CallOutput } from '@cloudfit/contract/call.ts';
import { pendingActions, triggerProtocolAction } from '@cloudfit/contract/calls.ts';
import type { PendingStatus } from '@cloudfit/contract/actions/protocols.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { call, callQuery, useCall } from '../../../api/call.ts';

export type { PendingStatus };

export type PendingAction = CallOutput<typeof pendingActions>['value'][number];

export type Parameters = Readonly<Record<string, string>>;

/** Time in milliseconds between a click on an action and the refetch that shows its result (LIM-017). */
export const afterActionMs = 5_000;

const refreshedBy = workUnits.name;

export const pendingQuery = (id: number) => callQuery(pendingActions, { id }, { refreshedBy, together: true });

export function usePendingActions(id: number) {
  return useCall(
    pendingActions,
    { id },
    {
      refreshedBy,
      together: true,
      // While an action runs or waits for another try, polls every `afterActionMs`, as long as the page is visible.
      refetchInterval: (query) =>
        query.state.data?.value?.some((action) => action.status === 'running' || action.status === 'trying') ? afterActionMs : false,
    },
  );
}

interface Trigger {
  action: PendingAction;
  parameters: Parameters;
  reject: boolean;
  note: string;
}

/** Runs or rejects an action, and refetches the unit at once and after `afterActionMs`, when the result is expected. */
export function useTrigger(id: number) {
  const client = useQueryClient();
  const refresh = () => client.invalidateQueries({ queryKey: [workUnits.name] });
  return useMutation({
    mutationFn: ({ action, parameters, reject, note }: Trigger) =>
      call(triggerProtocolAction, {
        workUnitId: id,
        protocolActionId: action.protocolActionId,
        workUnitEventType: action.workUnitEventTypeId,
        userDefinedParams: parameters,
        reject,
        note: note || undefined,
      }),
    onSettled: () => {
      setTimeout(() => void refresh(), afterActionMs);
      return refresh();
    },
  });
}

/** Returns the summary of the action in its protocol or, without it, its name: a protocol may use an action twice. */
export function headingOf(action: PendingAction): string {
  return action.summary || action.name;
}

/** Returns the action's input parameters with the values that the protocol sets. */
export function parametersOf(action: PendingAction): Parameters {
  let parsed: unknown;
  try {
    parsed = JSON.parse(action.parameters || '{}');
  } catch {
    parsed = {};
  }
  const values = parsed !== null && typeof parsed === 'object' ? (parsed as Record<string, unknown>) : {};
  const names = action.inputParameters
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
  return Object.fromEntries(
    names.map((name) => {
      const value = values[name] ?? '';
      return [name, typeof value === 'string' ? value : JSON.stringify(value)];
    }),
  );
}
