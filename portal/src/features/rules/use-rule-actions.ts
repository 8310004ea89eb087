/** Actions of a row in the list of rules: show its matches, open an unsaved copy. */
import { useCallback } from 'react';
import { ruleActionTexts as t } from '@cloudfit/contract/messages/rule-matches.en.ts';
import { useAddress } from '../../hooks/use-address.ts';
import { dropPanelParts, newId, panelPrefix } from '../../hooks/use-panel.ts';
import type { RowTools } from '../../resource/view.ts';
import { matchesParam } from './use-rule-matches.ts';
import type { Rule } from './use-rules.ts';

/** The source of a copy. Closing the panel removes the parameter. */
export const copyParam = `${panelPrefix}copyOf`;

export function useRuleActions() {
  const setAddress = useAddress();
  return useCallback(
    (rule: Rule, { may }: RowTools) => {
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
      const copy = () =>
        setAddress(
          (next) => {
            dropPanelParts(next);
            next.delete('tab');
            next.set('id', newId);
            next.set(copyParam, rule.ruleId);
            return undefined;
          },
          { now: true },
        );
      return [
        { id: 'matches', label: t.matches, icon: 'pending' as const, run: showMatches },
        ...(may('create') ? [{ id: 'copy', label: t.copy, icon: 'copy' as const, run: copy }] : []),
      ];
    },
    [setAddress],
  );
}
