/** Reads, prefetches and changes one work unit: patches, notes and history. */
import { useMutation, useQueryClient, type QueryClient } from '@tanstack/react-query';
import type { CallOutput } from '@cloudfit/contract/call.ts';
import { workUnitHistory } from '@cloudfit/contract/calls.ts';
import { permission, type Area, type PermissionVerb } from '@cloudfit/contract/permissions.ts';
import { notifications } from '@cloudfit/contract/resources/notifications.ts';
import { plannedSteps } from '@cloudfit/contract/resources/protocol-actions.ts';
import { workUnitNotes } from '@cloudfit/contract/resources/work-unit-notes.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { callQuery, useCall } from '../../../api/call.ts';
import { useFormId } from '../../../api/client.ts';
import { createRow, patchRow, readRow, type PatchOperation } from '../../../api/row-calls.ts';
import { assignmentGroupsQuery, permissionsBefore, permissionsKey, useMay, usePermissionsLoaded } from '../../../api/lookups.ts';
import { pageQuery, rowQuery, useRow } from '../../../rows/use-rows.ts';
import { prefetchCategories } from '../inputs/use-categories.ts';
import { definitionsQuery } from '../inputs/use-custom-fields.ts';
import { pendingQuery } from '../pending-actions/use-pending-actions.ts';
import { alsoNowQuery } from '../situation/also-now-query.ts';
import { visitsQuery } from '../visits/use-visits.ts';
import { watchersQuery } from '../watchers/use-watching.ts';
import { stepsToComeQuery, notificationsQuery } from './notifications-query.ts';
import type { PanelWorkUnit } from '../work-unit.rules.ts';

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
  const unit = useRow(workUnits, id, { expand, listed, enabled: enabled && isKnown, together: true });
  return isKnown ? unit : { ...unit, data: undefined };
}

const refreshedBy = workUnits.name;
const read = { refreshedBy, together: true } as const;

export function useHistory(id: number) {
  const { data, isLoading, error, refetch } = useCall(workUnitHistory, { workUnitId: id }, read);
  return { data: data?.value, isLoading, error, refetch };
}

/** The duplicates that are merged into the unit, and the unit that it is merged into. */
export function useMerges(id: number) {
  return useCall(workUnitHistory, { workUnitId: id }, read).data?.merges ?? [];
}

/** Prefetches what is read by the id of a unit, in one request with the unit. */
function prefetchParts(client: QueryClient, id: number): Promise<unknown> {
  return Promise.all([
    client.prefetchQuery(callQuery(workUnitHistory, { workUnitId: id }, read)),
    client.prefetchQuery(pendingQuery(id)),
    client.prefetchQuery(pageQuery(notifications, notificationsQuery(id), true)),
    client.prefetchQuery(pageQuery(plannedSteps, stepsToComeQuery(id), true)),
    client.prefetchQuery(watchersQuery(id)),
    client.prefetchQuery(visitsQuery(id)),
    client.prefetchQuery(alsoNowQuery(id)),
  ]);
}

/**
 * Prefetches the content of a unit's panel. If the permissions have changed, it requests other relations than the panel, and
 * the panel requests them again. With the tenant of the unit, the choices of its form come too.
 */
export function prefetchWorkUnit(client: QueryClient, id: number, tenantId?: string): Promise<unknown> {
  const permissions = client.getQueryData<string[]>(permissionsKey) ?? permissionsBefore.get();
  const may = (area: Area, verb: PermissionVerb) => permissions.includes(permission(area, verb));
  const expand = panelExpand(may('WorkUnits.Protocols', 'view'), may('Rules', 'view'));
  const unit = client.prefetchQuery({
    ...rowQuery(workUnits, String(id), expand),
    queryFn: ({ signal }) => readRow(workUnits, id, { expand }, { signal, quiet: true, together: true }),
  });
  const parts = prefetchParts(client, id);
  // The choices of the form come last, and only when they are not here from another unit.
  if (tenantId !== undefined) {
    prefetchCategories(client, may);
    void client.prefetchQuery(assignmentGroupsQuery(tenantId));
    void client.prefetchQuery(definitionsQuery(tenantId));
  }
  return Promise.all([unit, parts]);
}

export function useAddNote(id: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (note: { detail: string; isExternalNote: boolean }) => createRow(workUnitNotes, { workUnitId: id, ...note }),
    onSuccess: () => client.invalidateQueries({ queryKey: [refreshedBy, workUnitHistory] }),
  });
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
