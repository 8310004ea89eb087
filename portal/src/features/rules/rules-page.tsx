import { useMemo } from 'react';
import { Link } from 'react-router';
import { noiseTexts } from '@cloudfit/contract/messages/noise.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { useScope } from '../../rows/use-scope.ts';
import { ListPage } from '../../resource/list-page.tsx';
import { RuleMatchesPanel } from './rule-matches-panel.tsx';
import { rulesView } from './rules.view.tsx';
import { useRuleActions } from './use-rule-actions.ts';
import { useRuleMatches } from './use-rule-matches.ts';

export function RulesPage() {
  const { tenantId } = useScope();
  const actions = useRuleActions();
  const { ruleId, close } = useRuleMatches();
  const view = useMemo(() => ({ ...rulesView, actions }), [actions]);
  return (
    <>
      <ListPage
        view={view}
        bar={({ state, change }) => (
          <>
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
            {tenantId && (
              <Link className="btn small" to={`/${tenantId}/noise`}>
                {noiseTexts.link}
              </Link>
            )}
          </>
        )}
      />
      {ruleId && <RuleMatchesPanel key={ruleId} ruleId={ruleId} onClose={close} />}
    </>
  );
}
