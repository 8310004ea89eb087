import { useMemo } from 'react';
import { en } from '@cloudfit/contract/messages/en.ts';
import { ListPage } from '../../resource/list-page.tsx';
import { RuleMatchesPanel } from './rule-matches-panel.tsx';
import { rulesView } from './rules.view.tsx';
import { useRuleActions } from './use-rule-actions.ts';
import { useRuleMatches } from './use-rule-matches.ts';

export function RulesPage() {
  const actions = useRuleActions();
  const { ruleId, close } = useRuleMatches();
  const view = useMemo(() => ({ ...rulesView, actions }), [actions]);
  return (
    <>
      <ListPage
        view={view}
        bar={({ state, change }) => (
          <label className="check">
            <input
              type="checkbox"
              checked={state.quick.includes('disabled')}
              onChange={(event) =>
                change({ quick: [...state.quick.filter((id) => id !== 'disabled'), ...(event.target.checked ? ['disabled'] : [])] })
              }
            />
            {en.rules.showDisabled}
          </label>
        )}
      />
      {ruleId && <RuleMatchesPanel key={ruleId} ruleId={ruleId} onClose={close} />}
    </>
  );
}
