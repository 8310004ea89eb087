import { useQuery } from '@tanstack/react-query';
import { protocolsForAction, rulesForAction } from '@cloudfit/contract/calls.ts';
import { and, eq } from '@cloudfit/contract/query/build.ts';
import { resultStatus } from '@cloudfit/contract/enums.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import type { actionDefinitions } from '@cloudfit/contract/resources/action-definitions.ts';
import { actionHistories } from '@cloudfit/contract/resources/action-histories.ts';
import { protocols } from '@cloudfit/contract/resources/protocols.ts';
import { rules } from '@cloudfit/contract/resources/rules.ts';
import { useCall } from '../../api/call.ts';
import { useMay, usePermissionsLoaded } from '../../api/lookups.ts';
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

const byName = { orderBy: 'name asc', top: maxUses, count: true } as const;
/** Not cached, because the person decides about deleting the action by its present uses. */
const present = { quiet: false, gcTime: 0 };

interface UsesAnswer<T> {
  value: readonly T[];
  '@odata.count'?: number;
}

const usesOf = <T extends { name: string }>(answer: UsesAnswer<T> | undefined, idOf: (row: T) => string) =>
  answer && { rows: answer.value.map((row) => ({ id: idOf(row), name: row.name })), count: answer['@odata.count'] ?? answer.value.length };

/** The protocols that run an action. */
export function useProtocolsOf(actionDefinitionId: string, enabled: boolean) {
  const input = { actionDefinitionId, query: { select: ['protocolId', 'name'] as const, ...byName } };
  const { data, error, refetch } = useCall(protocolsForAction, input, { ...present, refreshedBy: protocols.name, enabled });
  return { data: usesOf(data, (row) => row.protocolId), error, refetch };
}

/** The rules that run an action. */
export function useRulesOf(actionDefinitionId: string, enabled: boolean) {
  const input = { actionDefinitionId, query: { select: ['ruleId', 'name'] as const, ...byName } };
  const { data, error, refetch } = useCall(rulesForAction, input, { ...present, refreshedBy: rules.name, enabled });
  return { data: usesOf(data, (row) => row.ruleId), error, refetch };
}
