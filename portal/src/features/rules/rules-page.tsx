import { useEffect, useMemo, useState } from 'react';
import { Link } from 'react-router';
import { rules } from '@cloudfit/contract/resources/rules.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { useMay } from '../../api/lookups.ts';
import { Button } from '../../components/button.tsx';
import { onDemand } from '../../components/on-demand.tsx';
import { atFirstInput } from '../../components/overlay/floating.tsx';
import { Checkbox } from '../../components/fields/checkbox.tsx';
import { selectedKeys, useSelection } from '../../hooks/use-selection.ts';
import { useScope } from '../../rows/use-scope.ts';
import { ListPage } from '../../resource/list-page.tsx';
import type { JoinDialogProps } from './join/join-dialog.tsx';
import { rulesView } from './rules.view.tsx';
import { useRuleActions } from './use-rule-actions.ts';
import { useRuleMatches } from './use-rule-matches.ts';
import { useEnableRules, type Rule } from './use-rules.ts';

const matchesPanel = onDemand(() => import('./rule-matches-panel.tsx').then((module) => module.RuleMatchesPanel));

const { Component: JoinDialog } = onDemand<JoinDialogProps>(() => import('./join/join-dialog.tsx').then((module) => module.JoinDialog));

/** Enables or disables the selected rules. */
function SelectedRules({ ids, selection }: { ids: readonly string[]; selection: string }) {
  const enable = useEnableRules(selection);
  return (
    <>
      <Button small disabled={enable.isBusy} onClick={() => void enable.run({ ids, enabled: true })}>
        {en.rules.enable}
      </Button>
      <Button small disabled={enable.isBusy} onClick={() => void enable.run({ ids, enabled: false })}>
        {en.rules.disable}
      </Button>
    </>
  );
}

export function RulesPage() {
  const { tenantId } = useScope();
  const may = useMay();
  // The selection belongs to one tenant, because another tenant has other rules.
  const selection = `${rules.name} ${tenantId}`;
  const [value, onChange] = useSelection(selection);
  const ids = selectedKeys(value);
  const [joining, setJoining] = useState<Rule>();
  const actions = useRuleActions(setJoining);
  useEffect(() => atFirstInput(() => void matchesPanel.load()), []);
  const { ruleId, close } = useRuleMatches();
  const view = useMemo(() => ({ ...rulesView, actions }), [actions]);
  return (
    <>
      <ListPage
        view={view}
        {...(may('Rules', 'edit')
          ? { selection: { value, onChange, acts: ids.length > 0 && <SelectedRules ids={ids} selection={selection} /> } }
          : {})}
        bar={({ state, change }) => (
          <>
            <Checkbox
              label={en.rules.showDisabled}
              checked={state.quick.includes('disabled')}
              onChange={(checked) =>
                change({ quick: [...state.quick.filter((id) => id !== 'disabled'), ...(checked ? ['disabled'] : [])] })
              }
            />
            {tenantId && (
              <Link className="btn small" to={`/${tenantId}/noise`}>
                {en.rules.noise}
              </Link>
            )}
          </>
        )}
      />
      {joining && <JoinDialog rule={joining} onClose={() => setJoining(undefined)} />}
      {ruleId && <matchesPanel.Component key={ruleId} ruleId={ruleId} onClose={close} />}
    </>
  );
}
