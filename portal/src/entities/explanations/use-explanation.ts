import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { EntityExplanation, Explanation } from '@cloudfit/contract/actions/explain.ts';
import { ruleMatches } from '@cloudfit/contract/resources/rule-matches.ts';
import { and, eq, compare } from '@cloudfit/contract/query/build.ts';
import { callJson } from '../../api/client.ts';
import { fetchPage } from '../../rows/use-rows.ts';

export function useMatchExplanation(ruleMatchId: string, enabled = true) {
  return useQuery({
    queryKey: [ruleMatches.name, 'explanation', ruleMatchId],
    queryFn: ({ signal }) => callJson<Explanation>(`/v1/rulematches/${ruleMatchId}/explain`, { signal }),
    enabled,
  });
}

interface RuleQuestion {
  ruleId: string;
  entityId?: string | undefined;
  workUnitId?: number | undefined;
  at?: string | undefined;
}

export function useRuleExplanation({ ruleId, entityId, workUnitId, at }: RuleQuestion, enabled = true) {
  const query = new URLSearchParams();
  if (entityId) query.set('entityId', entityId);
  if (workUnitId !== undefined) query.set('workUnitId', String(workUnitId));
  if (at) query.set('at', at);
  return useQuery({
    queryKey: [ruleMatches.name, 'explanation', ruleId, query.toString()],
    queryFn: ({ signal }) => callJson<Explanation>(`/v1/rules/${ruleId}/explain?${query}`, { signal, quiet: true }),
    enabled,
  });
}

/** Explains what an unsaved rule would have done for the entity at the time `at`. `rule` is the rule as JSON. */
export function useDraftExplanation(rule: string, { entityId, at }: { entityId: string; at: string }, enabled = true) {
  return useQuery({
    queryKey: ['explainDraft', rule, entityId, at],
    queryFn: ({ signal }) =>
      callJson<Explanation>('/v1/rules/explain', { method: 'POST', body: { rule: JSON.parse(rule) as unknown, entityId, at }, signal }),
    enabled,
    placeholderData: keepPreviousData,
    retry: false,
  });
}

/** Explains what all rules did for the entity at the time `at`, by default now. */
export function useEntityExplanation({ entityId, at }: { entityId: string; at?: string | undefined }, enabled: boolean) {
  const query = new URLSearchParams({ entityId, ...(at ? { at } : {}) });
  return useQuery({
    queryKey: [ruleMatches.name, 'explanation', 'all', query.toString()],
    queryFn: ({ signal }) => callJson<EntityExplanation>(`/v1/explain?${query}`, { signal, quiet: true }),
    enabled,
  });
}

/** The first match of the rule and subject after a time. */
export function useNextMatch({ ruleId, entityId, at }: { ruleId: string; entityId: string; at: string }, enabled: boolean) {
  return useQuery({
    queryKey: [ruleMatches.name, 'next', ruleId, entityId, at],
    queryFn: async ({ signal }) =>
      (
        await fetchPage(
          ruleMatches,
          {
            filter: and(
              eq(ruleMatches, 'ruleId', ruleId),
              eq(ruleMatches, 'subjectId', entityId),
              compare(ruleMatches, 'firstMatch', 'gt', at),
            ),
            orderBy: 'firstMatch asc',
            top: 1,
          },
          signal,
        )
      ).rows[0] ?? null,
    enabled,
  });
}
