import { useQuery } from '@tanstack/react-query';
import { actionDefinitions } from '@cloudfit/contract/resources/action-definitions.ts';
import { callJson } from '../../../api/client.ts';
import { useMay } from '../../../api/lookups.ts';
import { queryString } from '../../../api/query-string.ts';

const most = 1_000;

export interface ActionChoice {
  actionDefinitionId: string;
  name: string;
  description: string | null;
  /** Names, separated by commas. */
  inputParameters: string | null;
}

export interface RuleActions {
  choices: readonly ActionChoice[];
  isLoading: boolean;
}

const none: readonly ActionChoice[] = [];

/** The actions that rules of the tenant may run; those that are everyone's without one. */
export function useActionChoices(tenantId: string | null): RuleActions {
  const may = useMay();
  const { data = none, isLoading } = useQuery({
    queryKey: [actionDefinitions.name, 'forRules', tenantId],
    queryFn: async ({ signal }) => {
      const query = queryString({ orderBy: 'name asc', top: most });
      const path = `/v1/actionDefinitions/GetActionDefinitionsForRules(tenantId=${tenantId ?? 'null'})${query}`;
      return (await callJson<{ value: ActionChoice[] }>(path, { signal, quiet: true })).value;
    },
    enabled: may('ActionDefinitions', 'view'),
    staleTime: 60_000,
  });
  return { choices: data, isLoading };
}
