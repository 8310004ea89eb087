import { actionsForRules } from '@cloudfit/contract/calls.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { actionDefinitions } from '@cloudfit/contract/resources/action-definitions.ts';
import { useCall } from '../../../api/call.ts';
import { useMay } from '../../../api/lookups.ts';

const maxActions = 1_000;

export interface RuleActions {
  choices: readonly Row<typeof actionDefinitions>[];
  isLoading: boolean;
}

const none: RuleActions['choices'] = [];

/** The actions that rules of the tenant may run; without a tenant, the global ones. */
export function useActionChoices(tenantId: string | null): RuleActions {
  const may = useMay();
  const input = { tenantId: tenantId ?? 'null', query: { orderBy: 'name asc' as const, top: maxActions } };
  const enabled = may('ActionDefinitions', 'view');
  const { data, isLoading } = useCall(actionsForRules, input, { refreshedBy: actionDefinitions.name, enabled, staleTime: 60_000 });
  return { choices: data?.value ?? none, isLoading };
}
