import { useQuery } from '@tanstack/react-query';
import { eq } from '@cloudfit/contract/query/build.ts';
import type { ExpandedRow } from '@cloudfit/contract/resources/expanded.ts';
import { actionDefinitions } from '@cloudfit/contract/resources/action-definitions.ts';
import { protocolActions } from '@cloudfit/contract/resources/protocol-actions.ts';
import { callJson } from '../../api/client.ts';
import { queryString } from '@cloudfit/contract/query/query-string.ts';
import { useList } from '../../rows/use-rows.ts';

const maxActions = 1_000;

export interface ActionChoice {
  actionDefinitionId: string;
  name: string;
  description: string | null;
  /** Names, separated by commas. */
  inputParameters: string | null;
}

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
  return useQuery({
    queryKey: [actionDefinitions.name, 'forProtocols', tenantId],
    queryFn: async ({ signal }) => {
      const query = queryString<typeof actionDefinitions>({ orderBy: 'name asc', top: maxActions });
      const path = `/v1/actionDefinitions/GetActionDefinitionsForProtocols(tenantId=${tenantId ?? 'null'})${query}`;
      return (await callJson<{ value: ActionChoice[] }>(path, { signal })).value;
    },
    enabled,
    staleTime: 60_000,
  });
}

/** Returns the summary of a step or, without it, the name of its action: two steps may use the same action. */
export function nameOf(action: ProtocolAction): string {
  return action.summary || action.actionDefinition?.name || action.protocolActionId;
}
