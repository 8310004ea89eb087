/** Reads, prefetches and changes one work unit: patches, the inline acknowledgement, notes and history. */
import { useMutation, useMutationState, useQueryClient, type QueryClient } from '@tanstack/react-query';
import type { CallOutput } from '@cloudfit/contract/call.ts';
import { workUnitHistory } from '@cloudfit/contract/calls.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { notifications } from '@cloudfit/contract/resources/notifications.ts';
import { plannedSteps } from '@cloudfit/contract/resources/protocol-actions.ts';
import { workUnitNotes } from '@cloudfit/contract/resources/work-unit-notes.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { callQuery, useCall } from '../../../api/call.ts';
import { answerMs, RequestFailed, useFormId } from '../../../api/client.ts';
import { createRow, patchRow, readRow, type PatchOperation } from '../../../api/row-calls.ts';
import { permissionsBefore, permissionsKey, useCurrentUser, useMay, usePermissionsLoaded } from '../../../api/lookups.ts';
import { pageQuery, rowQuery, useRow, type RowsPage } from '../../../rows/use-rows.ts';
import { toast } from '../../../components/toasts.tsx';
import { toastFailure } from '../../../hooks/toast-failure.ts';
import { pendingQuery } from '../pending-actions/use-pending-actions.ts';
import { nextStepQuery, notificationsQuery } from './notifications-query.ts';
import { patchOf, saveFailureText, type PanelWorkUnit } from '../work-unit.rules.ts';

/** Relations that both a row of the list and the panel need. */
export const workUnitExpand = ['tenant', 'workUnitType'] as const;
/** Relations for the panel; the protocol and the rule only for people who may view them. */
const panelExpand = (protocols: boolean, rules: boolean) =>
  [
    ...workUnitExpand,
    'relations' as const,
    'clocks($orderby=workUnitClockId)' as const,
    ...(protocols ? (['protocol($select=protocolId,name)'] as const) : []),
    ...(rules ? (['rule($select=ruleId,name,color)'] as const) : []),
  ] as const;

export type HistoryRecord = CallOutput<typeof workUnitHistory>['value'][number];

export function useWorkUnit(id: string, listed: PanelWorkUnit | undefined, enabled: boolean) {
  const may = useMay();
  const expand = panelExpand(may('WorkUnits.Protocols', 'view'), may('Rules', 'view'));
  // Waits for the permissions: without them the panel would request other relations, request again when they arrive, and be
  // read-only until then.
  const isKnown = usePermissionsLoaded();
  const unit = useRow(workUnits, id, { expand, listed, enabled: enabled && isKnown });
  return isKnown ? unit : { ...unit, data: undefined };
}

const refreshedBy = workUnits.name;

export function useHistory(id: number) {
  const { data, isLoading, error, refetch } = useCall(workUnitHistory, { workUnitId: id }, { refreshedBy });
  return { data: data?.value, isLoading, error, refetch };
}

/** Prefetches the history, pending actions, notifications and next planned step of a unit. */
function prefetchParts(client: QueryClient, id: number): Promise<unknown> {
  return Promise.all([
    client.prefetchQuery(callQuery(workUnitHistory, { workUnitId: id }, { refreshedBy })),
    client.prefetchQuery(pendingQuery(id)),
    client.prefetchQuery(pageQuery(notifications, notificationsQuery(id))),
    client.prefetchQuery(pageQuery(plannedSteps, nextStepQuery(id))),
  ]);
}

/**
 * Prefetches the content of a unit's panel. If the permissions have changed, it requests other relations than the panel, and
 * the panel requests them again.
 */
export function prefetchWorkUnit(client: QueryClient, id: number): Promise<unknown> {
  const permissions = client.getQueryData<string[]>(permissionsKey) ?? permissionsBefore.get();
  const expand = panelExpand(
    permissions.includes(permission('WorkUnits.Protocols', 'view')),
    permissions.includes(permission('Rules', 'view')),
  );
  const unit = client.prefetchQuery({
    ...rowQuery(workUnits, String(id), expand),
    queryFn: ({ signal }) => readRow(workUnits, id, { expand }, { signal, quiet: true }),
  });
  return Promise.all([unit, prefetchParts(client, id)]);
}

export function useAddNote(id: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (note: { detail: string; isExternalNote: boolean }) => createRow(workUnitNotes, { workUnitId: id, ...note }),
    onSuccess: () => client.invalidateQueries({ queryKey: [refreshedBy, workUnitHistory] }),
  });
}

/** Writes values into every cached copy of the unit. */
function showEverywhere(client: QueryClient, id: number, values: Partial<PanelWorkUnit>): void {
  client.setQueriesData<RowsPage<PanelWorkUnit>>({ queryKey: [workUnits.name, 'list'] }, (page) =>
    page?.rows.some((row) => row.workUnitId === id)
      ? { ...page, rows: page.rows.map((row) => (row.workUnitId === id ? { ...row, ...values } : row)) }
      : page,
  );
  client.setQueriesData<PanelWorkUnit>({ queryKey: [workUnits.name, 'row', String(id)] }, (row) => (row ? { ...row, ...values } : row));
}

const acknowledgeKey = [workUnits.name, 'acknowledge'];

/**
 * Acknowledges a unit (WU-101..104). Until the server has confirmed it, the unit is shown as being acknowledged
 * (`useIsAcknowledging`), not as acknowledged: whoever reads that stops caring.
 */
export function useAcknowledge(): (unit: PanelWorkUnit) => void {
  const client = useQueryClient();
  const { data: user } = useCurrentUser();
  const { mutate } = useMutation({
    mutationKey: acknowledgeKey,
    mutationFn: async ({ unit, userName }: { unit: PanelWorkUnit; userName: string }) => {
      const after = { stateId: 'Acknowledged' as const, assignedTo: userName };
      await patchRow(workUnits, unit.workUnitId, patchOf(unit, after, ['stateId', 'assignedTo']), { limitMs: answerMs });
      showEverywhere(client, unit.workUnitId, after);
    },
    onSuccess: (_answer, { unit }) => toast.success(en.workUnits.acknowledged(unit.publicWorkUnitId)),
    onError: (error, { unit }) => {
      const isUnanswered = error instanceof RequestFailed && error.status === 0;
      toastFailure(error, isUnanswered ? en.workUnits.notAcknowledged(unit.publicWorkUnitId) : saveFailureText(error));
    },
    onSettled: () => void client.invalidateQueries({ queryKey: [workUnits.name] }),
  });
  return (unit) => user && mutate({ unit, userName: user.userName });
}

/** Whether the unit is being acknowledged, and the server has not confirmed it yet. */
export function useIsAcknowledging(id: number): boolean {
  return useMutationState({
    filters: { mutationKey: acknowledgeKey, status: 'pending' },
    select: ({ state }) => (state.variables as { unit: PanelWorkUnit } | undefined)?.unit.workUnitId,
  }).includes(id);
}

export function useWorkUnitSave() {
  const client = useQueryClient();
  const form = useFormId();
  const settle = () => client.invalidateQueries({ queryKey: [workUnits.name] });
  const create = useMutation({
    mutationFn: (values: Record<string, unknown>) => createRow(workUnits, { ...values, workUnitId: -1 }, { form }),
    onSuccess: settle,
  });
  const update = useMutation({
    mutationFn: ({ id, operations }: { id: number; operations: readonly PatchOperation[] }) => patchRow(workUnits, id, operations),
    onSuccess: settle,
  });
  return { create, update };
}
