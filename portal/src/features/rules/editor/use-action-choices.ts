import { useQuery } from '@tanstack/react-query';
import { actionDefinitions } from '@cloudfit/contract/resources/action-definitions.ts';
import { callJson } from '../../../api/client.ts';
import { useMay } from '../../../api/lookups.ts';
import { queryString } from '@cloudfit/contract/query/query-string.ts';

const maxActions = 1_000;

export interface RuleActionChoice {
  actionDefinitionId: string;
  name: string;
  description: string | null;
  /** Names, separated by commas. */
  inputParameters: string | null;
}

export interface RuleActions {
  choices: readonly RuleActionChoice[];
  isLoading: boolean;
}

const none: readonly RuleActionChoice[] = [];

/** The actions that rules of the tenant may run; without a tenant, the global ones. */
export function useActionChoices(tenantId: string | null): RuleActions {
  const may = useMay();
  const { data = none, isLoading } = useQuery({
    queryKey: [actionDefinitions.name, 'forRules', tenantId],
    queryFn: async ({ signal }) => {
      const query = queryString<typeof actionDefinitions>({ orderBy: 'name asc', top: maxActions });
      const path = `/v1/actionDefinitions/GetActionDefinitionsForRules(tenantId=${tenantId ?? 'null'})${query}`;
      return (await callJson<{ value: RuleActionChoice[] }>(path, { signal, quiet: true })).value;
    },
    enabled: may('ActionDefinitions', 'view'),
    staleTime: 60_000,
  });
  return { choices: data, isLoading };
}
