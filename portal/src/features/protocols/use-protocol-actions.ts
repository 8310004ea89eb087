import { actionsForProtocols } from '@cloudfit/contract/calls.ts';
import { eq } from '@cloudfit/contract/query/build.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import type { ExpandedRow } from '@cloudfit/contract/resources/expanded.ts';
import { actionDefinitions } from '@cloudfit/contract/resources/action-definitions.ts';
import { protocolActions } from '@cloudfit/contract/resources/protocol-actions.ts';
import { useCall } from '../../api/call.ts';
import { useList } from '../../rows/use-rows.ts';

const maxActions = 1_000;

export type ActionChoice = Pick<Row<typeof actionDefinitions>, 'actionDefinitionId' | 'name' | 'description' | 'inputParameters'>;

export type ProtocolAction = ExpandedRow<typeof protocolActions, 'actionDefinition'>;

/** The actions of a protocol, sorted by event and `sequence`. */
export function useProtocolActions(protocolId: string) {
  return useList(protocolActions, {
    filter: eq(protocolActions, 'protocolId', protocolId),
    expand: ['actionDefinition'],
    orderBy: ['workUnitEventTypeId asc', 'sequence asc'],
    top: maxActions,
  });
}

/** The actions that protocols of the tenant may use; without a tenant, the global actions. */
export function useActionChoices(tenantId: string | null, enabled: boolean) {
  const input = { tenantId: tenantId ?? 'null', query: { orderBy: 'name asc' as const, top: maxActions } };
  const query = useCall(actionsForProtocols, input, { refreshedBy: actionDefinitions.name, quiet: false, enabled, staleTime: 60_000 });
  return { data: query.data?.value, isLoading: query.isLoading };
}

/** Returns the summary of a step or, without it, the name of its action: two steps may use the same action. */
export function nameOf(action: ProtocolAction): string {
  return action.summary || action.actionDefinition?.name || action.protocolActionId;
}
