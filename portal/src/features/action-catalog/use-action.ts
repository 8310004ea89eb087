import { useQuery, useQueryClient } from '@tanstack/react-query';
import { and, eq } from '@cloudfit/contract/query/build.ts';
import { resultStatus } from '@cloudfit/contract/enums.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { actionDefinitions } from '@cloudfit/contract/resources/action-definitions.ts';
import { actionHistories } from '@cloudfit/contract/resources/action-histories.ts';
import type { protocols } from '@cloudfit/contract/resources/protocols.ts';
import type { rules } from '@cloudfit/contract/resources/rules.ts';
import { useMay, usePermissionsLoaded } from '../../api/lookups.ts';
import { callJson } from '../../api/client.ts';
import { queryString } from '@cloudfit/contract/query/query-string.ts';
import { executionsKeptMs, type Execution } from '../../entities/executions/execution-item.tsx';
import { fetchPage } from '../../rows/use-rows.ts';

export type ActionDefinition = Row<typeof actionDefinitions>;

export const maxHistory = 50;
const outcomeMs = 1_000;
const maxUses = 100;

/** The latest runs of an action: in one tenant, or in all tenants if `tenantId` is null. */
export function useActionHistory(actionDefinitionId: string, tenantId: string | null) {
  const isKnown = usePermissionsLoaded();
  // An expansion needs the right to view its rows.
  const expand = useMay()('WorkUnits', 'view') ? (['actionDefinition', 'workUnit'] as const) : (['actionDefinition'] as const);
  return useQuery({
    queryKey: [actionHistories.name, 'ofAction', actionDefinitionId, tenantId, expand],
    queryFn: async ({ signal }): Promise<readonly Execution[]> => {
      const filter = and(
        eq(actionHistories, 'actionDefinitionId', actionDefinitionId),
        tenantId ? eq(actionHistories, 'tenantId', tenantId) : undefined,
      );
      return (await fetchPage(actionHistories, { filter, expand, orderBy: 'actionProcessed desc', top: maxHistory }, signal)).rows;
    },
    enabled: isKnown,
    staleTime: executionsKeptMs,
    gcTime: executionsKeptMs,
  });
}

const isOpen = (execution: Execution | null | undefined) =>
  !execution ||
  (execution.resultStatusId === resultStatus.enqueueSuccess && !execution.keptSince) ||
  execution.resultStatusId === resultStatus.unknown;

/** The result of a test by its id (ACT-054); polled until the test has ended. */
export function useOutcome(messageId: string | undefined) {
  return useQuery({
    queryKey: [actionHistories.name, 'ofMessage', messageId],
    queryFn: async ({ signal }) => {
      return (
        (
          await fetchPage(
            actionHistories,
            { filter: eq(actionHistories, 'messageId', messageId ?? ''), expand: ['actionDefinition'], top: 1 },
            signal,
          )
        ).rows[0] ?? null
      );
    },
    enabled: messageId !== undefined,
    gcTime: executionsKeptMs,
    refetchInterval: (query) => (isOpen(query.state.data) && !query.state.error ? outcomeMs : false),
  });
}

interface ActionUses {
  rows: readonly { id: string; name: string }[];
  count: number;
}

const byName = { orderBy: 'name asc', top: maxUses, count: true } as const;
const useLists = {
  protocols: {
    path: '/v1/protocols/GetProtocolsForAction',
    key: 'protocolId',
    query: queryString<typeof protocols>({ select: ['protocolId', 'name'], ...byName }),
  },
  rules: {
    path: '/v1/rules/GetRulesForAction',
    key: 'ruleId',
    query: queryString<typeof rules>({ select: ['ruleId', 'name'], ...byName }),
  },
} as const;
export type UseKind = keyof typeof useLists;

/** The protocols or the rules that run an action. */
export function useUses(kind: UseKind, actionDefinitionId: string, enabled: boolean) {
  const { path, key, query } = useLists[kind];
  return useQuery({
    queryKey: [kind, 'ofAction', actionDefinitionId],
    queryFn: async ({ signal }): Promise<ActionUses> => {
      const answer = await callJson<{ value: ({ name: string } & Record<string, string>)[]; '@odata.count'?: number }>(
        `${path}(actionDefinitionId=${actionDefinitionId})${query}`,
        { signal },
      );
      const rows = answer.value.map((row) => ({ id: row[key] ?? '', name: row.name }));
      return { rows, count: answer['@odata.count'] ?? rows.length };
    },
    enabled,
    // Not cached, because the person decides about deleting the action by its present uses.
    gcTime: 0,
  });
}

/** Deletes the action and returns the server's answer. */
export function useDeleteAction() {
  const client = useQueryClient();
  return async (actionDefinitionId: string): Promise<string | undefined> => {
    const answer = await callJson<{ message?: string } | undefined>(`/v1/actionDefinitions/${actionDefinitionId}`, { method: 'DELETE' });
    await client.invalidateQueries({ queryKey: [actionDefinitions.name] });
    return answer?.message;
  };
}
