/** The pending manual actions of the unit's protocol, and running or rejecting them. */
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { PendingStatus } from '@cloudfit/contract/actions/protocols.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { callJson } from '../../../api/client.ts';

export type { PendingStatus };

export interface PendingAction {
  protocolActionId: string;
  actionDefinitionId: string;
  name: string;
  description: string | null;
  summary: string | null;
  workUnitEventTypeId: number;
  repeatable: boolean;
  /** Names, separated by commas. */
  inputParameters: string;
  /** The values that the protocol sets for these parameters, as JSON. */
  parameters: string;
  status: PendingStatus;
  actionProcessed: string | null;
  actionHistoryId?: number | null;
  nextTry?: string | null;
  resultDetail: unknown;
  mayRun: boolean;
}

interface PendingActions {
  waiting: number;
  protocolName: string | null;
  manualActions: string | null;
  value: readonly PendingAction[];
}

export type Parameters = Readonly<Record<string, string>>;

/** Time in milliseconds between a click on an action and the refetch that shows its result (LIM-017). */
export const afterActionMs = 5_000;

export const pendingQuery = (id: number) =>
  queryOptions({
    queryKey: [workUnits.name, 'pending', id],
    queryFn: ({ signal }) => callJson<PendingActions>(`/v1/workunits/${id}/pendingActions`, { signal, quiet: true }),
  });

export function usePendingActions(id: number) {
  return useQuery({
    ...pendingQuery(id),
    // While an action runs or waits for another try, polls every `afterActionMs`, as long as the page is visible.
    refetchInterval: (query) =>
      query.state.data?.value?.some((action) => action.status === 'running' || action.status === 'trying') ? afterActionMs : false,
  });
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
      callJson(`/v1/workunits/${id}/protocolActions/${action.protocolActionId}/trigger`, {
        method: 'POST',
        body: { workUnitEventType: action.workUnitEventTypeId, userDefinedParams: parameters, reject, ...(note ? { note } : {}) },
      }),
    onSettled: () => {
      setTimeout(() => void refresh(), afterActionMs);
      return refresh();
    },
  });
}

export interface EmailPreview {
  to: string;
  cc: string;
  bcc: string;
  subject: string;
  body: string;
}

export function renderEmail(workUnitId: number, protocolActionId: string, userDefinedParams: Parameters): Promise<EmailPreview> {
  return callJson('/v1/emailtemplates/render', { method: 'POST', body: { workUnitId, protocolActionId, userDefinedParams } });
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
