/** What a row of the rules list offers beside edit and delete: its matches, a copy. */
import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { rules } from '@cloudfit/contract/resources/rules.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { ruleActionTexts as t } from '@cloudfit/contract/messages/rule-matches.en.ts';
import { callJson } from '../../api/client.ts';
import { toast } from '../../components/toasts.tsx';
import type { AnyRow } from '../../resource/row.ts';
import { useAddress } from '../../resource/use-address.ts';
import { dropPanelParts } from '../../resource/use-panel.ts';
import type { RowTools } from '../../resource/view.ts';
import { copyOf } from './copy-rule.ts';
import { matchesParam } from './use-rule-matches.ts';
import type { Rule } from './use-rules.ts';

export function useRuleActions() {
  const setAddress = useAddress();
  const client = useQueryClient();
  return useCallback(
    (row: AnyRow, { may, open }: RowTools) => {
      const rule = row as unknown as Rule;
      const showMatches = () =>
        setAddress(
          (next) => {
            dropPanelParts(next);
            for (const name of ['id', 'tab']) next.delete(name);
            next.set(matchesParam, rule.ruleId);
            return undefined;
          },
          { now: true },
        );
      const copy = async () => {
        try {
          const made = await callJson<Rule>('/v1/rules', { method: 'PUT', body: copyOf(rule) });
          await client.invalidateQueries({ queryKey: [rules.name] });
          toast.success(t.copied(made.name));
          open(made.ruleId);
        } catch (error) {
          console.warn(error);
          toast.error(en.rules.saveFailed);
        }
      };
      return [
        { id: 'matches', label: t.matches, icon: 'pending' as const, run: showMatches },
        ...(may('create') ? [{ id: 'copy', label: t.copy, icon: 'copy' as const, run: () => void copy() }] : []),
      ];
    },
    [client, setAddress],
  );
}
