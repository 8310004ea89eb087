import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { toggleRule } from '@cloudfit/contract/calls.ts';
import { eq } from '@cloudfit/contract/query/build.ts';
import { rules } from '@cloudfit/contract/resources/rules.ts';
import { ruleMatches } from '@cloudfit/contract/resources/rule-matches.ts';
import type { ExpandedRow } from '@cloudfit/contract/resources/expanded.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { call } from '../../api/call.ts';
import { answerMs } from '../../api/client.ts';
import { changeRows } from '../../api/row-calls.ts';
import { useCommand } from '../../calls/command.ts';
import { tellOfRow } from '../../hooks/tell-of-row.ts';
import { toastFailure } from '../../hooks/toast-failure.ts';
import { clearSelection } from '../../hooks/use-selection.ts';
import { fetchPage, type RowsPage } from '../../rows/use-rows.ts';

export type Rule = ExpandedRow<typeof rules, 'subscription' | 'tenantGroup($select=name)'>;

/** Enables or disables a rule by an optimistic update. A refusal rolls it back and shows the server's message. */
export function useToggleRule() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (rule: Rule) => call(toggleRule, { id: rule.ruleId }, { limitMs: answerMs }),
    onMutate: async (rule) => {
      await client.cancelQueries({ queryKey: [rules.name] });
      const before = client.getQueriesData({ queryKey: [rules.name, 'list'] });
      client.setQueriesData<RowsPage<Rule>>({ queryKey: [rules.name, 'list'] }, (page) =>
        page ? { ...page, rows: page.rows.map((row) => (row.ruleId === rule.ruleId ? { ...row, enabled: !rule.enabled } : row)) } : page,
      );
      return before;
    },
    onSuccess: (_answer, rule) => {
      tellOfRow(rule, rule.enabled ? en.rules.disabled(rule.name) : en.rules.enabled(rule.name));
    },
    onError: (error, _rule, before) => {
      for (const [key, data] of before ?? []) client.setQueryData(key, data);
      toastFailure(error);
    },
    onSettled: () => client.invalidateQueries({ queryKey: [rules.name] }),
  });
}

/** Enables or, after a confirmation, disables the selected rules: either all of them or, if one cannot be changed, none. */
export function useEnableRules(selection: string) {
  return useCommand(
    async ({ ids, enabled }: { ids: readonly string[]; enabled: boolean }) => {
      await changeRows(rules, { ids, newState: { enabled } });
      clearSelection(selection);
    },
    {
      confirm: ({ ids, enabled }) =>
        enabled ? undefined : { title: en.rules.disableTitle(ids.length), text: en.rules.disableQuestion, yes: en.rules.disable },
      done: (_, { ids, enabled }) => (enabled ? en.rules.enabledMany(ids.length) : en.rules.disabledMany(ids.length)),
      refreshes: [rules.name],
    },
  );
}

export function useRecentMatches(ruleId: string) {
  return useQuery({
    queryKey: [ruleMatches.name, 'ofRule', ruleId],
    queryFn: async ({ signal }) =>
      (
        await fetchPage(
          ruleMatches,
          { filter: eq(ruleMatches, 'ruleId', ruleId), expand: ['device'], orderBy: 'created desc', top: 10 },
          signal,
        )
      ).rows,
  });
}
