import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { CallInput } from '@cloudfit/contract/call.ts';
import { explainDraft, explainEntity, explainMatch, explainRule } from '@cloudfit/contract/calls.ts';
import { ruleMatches } from '@cloudfit/contract/resources/rule-matches.ts';
import { and, eq, compare } from '@cloudfit/contract/query/build.ts';
import { useCall } from '../../api/call.ts';
import { fetchPage } from '../../rows/use-rows.ts';

const refreshedBy = ruleMatches.name;

export const useMatchExplanation = (id: string, enabled = true) => useCall(explainMatch, { id }, { refreshedBy, enabled, quiet: false });

export const useRuleExplanation = (question: CallInput<typeof explainRule>, enabled = true) =>
  useCall(explainRule, question, { refreshedBy, enabled });

/** Explains what an unsaved rule would have done for the entity at the time `at`. `rule` is the rule as JSON. */
export function useDraftExplanation(
  rule: string,
  { entityId, at, ruleId }: { entityId: string; at: string; ruleId?: string | undefined },
  enabled = true,
) {
  // Empty while the rule is incomplete, when nothing is asked.
  const input = {
    rule: JSON.parse(rule || '{}') as CallInput<typeof explainDraft>['rule'],
    entityId,
    at,
    ...(ruleId === undefined ? {} : { ruleId }),
  };
  return useCall(explainDraft, input, { enabled, quiet: false, placeholderData: keepPreviousData, retry: false });
}

/** Explains what all rules did for the entity at the time `at`, by default now. */
export const useEntityExplanation = (question: CallInput<typeof explainEntity>, enabled: boolean) =>
  useCall(explainEntity, question, { refreshedBy, enabled });

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
