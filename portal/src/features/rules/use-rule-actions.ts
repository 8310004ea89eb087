/** Actions of a row in the list of rules: show its matches, explain it, open an unsaved copy, join it with its copies. */
import { useCallback } from 'react';
import { useNavigate, useParams } from 'react-router';
import { ruleExceptionTexts } from '@cloudfit/contract/messages/rule-exceptions.en.ts';
import { ruleActionTexts as t } from '@cloudfit/contract/messages/rule-matches.en.ts';
import { whyTexts } from '@cloudfit/contract/messages/why.en.ts';
import { useMayEverywhere } from '../../api/lookups.ts';
import { whyAddress } from '../../entities/explanations/addresses.ts';
import { useAddress } from '../../hooks/use-address.ts';
import { dropPanelParts, newId, panelPrefix } from '../../hooks/use-panel.ts';
import type { RowTools } from '../../resource/view.ts';
import { matchesParam } from './use-rule-matches.ts';
import type { Rule } from './use-rules.ts';

/** The address parameter with the id of the rule that is copied. Closing the panel removes it. */
export const copyParam = `${panelPrefix}copyOf`;

export function useRuleActions(join: (rule: Rule) => void) {
  const mayForAll = useMayEverywhere('Rules', 'create');
  const setAddress = useAddress();
  const navigate = useNavigate();
  const { tenantId = '' } = useParams();
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
        {
          id: 'why',
          label: whyTexts.title,
          icon: 'info' as const,
          run: (): void => void navigate(whyAddress(rule.tenantId ?? tenantId, { ruleId: rule.ruleId })),
        },
        ...(may('create') ? [{ id: 'copy', label: t.copy, icon: 'copy' as const, run: copy }] : []),
        ...(mayForAll && rule.tenantId !== null
          ? [{ id: 'join', label: ruleExceptionTexts.join.open, icon: 'link' as const, run: (): void => join(rule) }]
          : []),
      ];
    },
    [join, mayForAll, navigate, setAddress, tenantId],
  );
}
