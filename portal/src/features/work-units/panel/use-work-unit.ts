/** Reads, prefetches and changes one work unit: patches, the inline acknowledgement, notes and history. */
import { queryOptions, useMutation, useMutationState, useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { permission } from '@cloudfit/contract/permissions.ts';
import { queryString } from '@cloudfit/contract/query/query-string.ts';
import { notifications } from '@cloudfit/contract/resources/notifications.ts';
import { plannedSteps } from '@cloudfit/contract/resources/protocol-actions.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { answerMs, callJson, RequestFailed, useFormId } from '../../../api/client.ts';
import { permissionsBefore, permissionsKey, useCurrentUser, useMay, usePermissionsLoaded } from '../../../api/lookups.ts';
import { pageQuery, rowPath, rowQuery, useRow, type RowsPage } from '../../../rows/use-rows.ts';
import { toast } from '../../../components/toasts.tsx';
import { toastFailure } from '../../../hooks/toast-failure.ts';
import { pendingQuery } from '../pending-actions/use-pending-actions.ts';
import { nextStepQuery, notificationsQuery } from './notifications-query.ts';
import { patchOf, saveFailureText, type PatchOperation, type PanelWorkUnit } from '../work-unit.rules.ts';

/** Relations that both a row of the list and the panel need. */
export const workUnitExpand = ['tenant', 'workUnitType'] as const;
/** Relations for the panel; the protocol and the rule only for people who may view them. */
const panelExpand = (protocols: boolean, rules: boolean) =>
  [
    ...workUnitExpand,
    'relations' as const,
    ...(protocols ? (['protocol($select=protocolId,name)'] as const) : []),
    ...(rules ? (['rule($select=ruleId,name,color)'] as const) : []),
  ] as const;

export interface HistoryRecord {
  id: number;
  detail: string;
  created: string;
  createdBy: string;
  isExternalNote: boolean;
  isWarning?: boolean;
  historyType: string | null;
  historyUrl: string | null;
  field?: string | null;
  oldValue?: string | null;
  newValue?: string | null;
}

export function useWorkUnit(id: string, listed: PanelWorkUnit | undefined, enabled: boolean) {
  const may = useMay();
  const expand = panelExpand(may('WorkUnits.Protocols', 'view'), may('Rules', 'view'));
  // Waits for the permissions: without them the panel would request other relations, request again when they arrive, and be
  // read-only until then.
  const isKnown = usePermissionsLoaded();
  const unit = useRow(workUnits, id, { expand, listed, enabled: enabled && isKnown });
  return isKnown ? unit : { ...unit, data: undefined };
}

export function patchWorkUnit(
  id: number | string,
  operations: readonly PatchOperation[],
  limitMs?: number,
): Promise<PanelWorkUnit | undefined> {
  return callJson(`/v1/workunits/${id}`, {
    method: 'PATCH',
    body: operations,
    contentType: 'application/json-patch+json',
    ...(limitMs === undefined ? {} : { limitMs }),
  });
}

const historyKey = (id: number | string) => [workUnits.name, 'history', String(id)];

const historyQuery = (id: number) =>
  queryOptions({
    queryKey: historyKey(id),
    queryFn: async ({ signal }) =>
      (await callJson<{ value: HistoryRecord[] }>(`/v1/workunits/GetWorkUnitHistoryRecords(workUnitId=${id})`, { signal, quiet: true }))
        .value,
  });

export function useHistory(id: number) {
  return useQuery(historyQuery(id));
}

/** Prefetches the history, pending actions, notifications and next planned step of a unit. */
function prefetchParts(client: QueryClient, id: number): Promise<unknown> {
  return Promise.all([
    client.prefetchQuery(historyQuery(id)),
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
    queryFn: ({ signal }) => callJson<PanelWorkUnit>(`${rowPath(workUnits, id)}${queryString({ expand })}`, { signal, quiet: true }),
  });
  return Promise.all([unit, prefetchParts(client, id)]);
}

export function useAddNote(id: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (note: { detail: string; isExternalNote: boolean }) =>
      callJson('/v1/workunitnotes', { method: 'PUT', body: { workUnitId: id, ...note } }),
    onSuccess: () => client.invalidateQueries({ queryKey: historyKey(id) }),
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
      await patchWorkUnit(unit.workUnitId, patchOf(unit, after, ['stateId', 'assignedTo']), answerMs);
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
    mutationFn: (values: Record<string, unknown>) =>
      callJson<PanelWorkUnit>('/v1/workunits', { method: 'PUT', body: { ...values, workUnitId: -1 }, form }),
    onSuccess: settle,
  });
  const update = useMutation({
    mutationFn: ({ id, operations }: { id: number; operations: readonly PatchOperation[] }) => patchWorkUnit(id, operations),
    onSuccess: settle,
  });
  return { create, update };
}
