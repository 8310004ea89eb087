import { useState, type SyntheticEvent } from 'react';
import { en } from '@cloudfit/contract/messages/en.ts';
import { gridTexts as t } from '@cloudfit/contract/messages/grid.en.ts';
import { viewLimits, type ViewSharing } from '@cloudfit/contract/views/screens.ts';
import { useContextNow } from '../api/context.ts';
import { useMay } from '../api/lookups.ts';
import { Button } from '../components/button.tsx';
import { Field } from '../components/field.tsx';
import type { SavedView } from './use-saved-views.ts';

/** What a person decides about a view, beside the state of its list. */
export interface ViewChoices {
  name: string;
  sharing: ViewSharing;
  team: string | null;
  inMenu: boolean;
}

interface ViewFormProps {
  /** The view as it is, while changing it. */
  first?: SavedView;
  teams: readonly string[];
  isTaken: (name: string) => boolean;
  /** `isOfList`: whether the view gets the state that the list has now. */
  onSave: (choices: ViewChoices, isOfList: boolean) => void;
}

const teamPrefix = 'Team:';

/** The form of a view, for a new one or for changing one. */
export function ViewForm({ first, teams, isTaken, onSave }: ViewFormProps) {
  const [name, setName] = useState(first?.name ?? '');
  const [whom, setWhom] = useState(first?.team ? teamPrefix + first.team : (first?.sharing ?? 'Me'));
  const [inMenu, setInMenu] = useState(first?.inMenu ?? true);
  const [isOfList, setOfList] = useState(false);
  const [problem, setProblem] = useState<string>();
  const { tenantName } = useContextNow();
  const maySharing = useMay()('Visualizations', 'create') || first?.sharing === 'Tenant';
  const allTeams = first?.team && !teams.includes(first.team) ? [...teams, first.team] : teams;
  const save = (event: SyntheticEvent) => {
    event.preventDefault();
    const nameProblem = name.trim() === '' ? t.viewNameRequired : isTaken(name) ? t.duplicateViewName : undefined;
    setProblem(nameProblem);
    if (nameProblem) return;
    const team = whom.startsWith(teamPrefix) ? whom.slice(teamPrefix.length) : null;
    onSave({ name: name.trim(), sharing: team === null ? (whom as ViewSharing) : 'Team', team, inMenu }, isOfList);
  };
  return (
    <form className="view-form" noValidate onSubmit={save}>
      <Field label={t.viewName} error={problem}>
        {(aria) => (
          <input
            className="input"
            {...aria}
            autoFocus
            maxLength={viewLimits.name}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <Field label={t.viewFor}>
        {(aria) => (
          <select
            className="input"
            {...aria}
            value={whom}
            disabled={first?.isMine === false}
            onChange={(event) => setWhom(event.target.value)}
          >
            <option value="Me">{t.viewForMe}</option>
            {allTeams.map((team) => (
              <option key={team} value={teamPrefix + team}>
                {t.viewForTeam(team)}
              </option>
            ))}
            {maySharing && <option value="Tenant">{t.viewForTenant(tenantName ?? '')}</option>}
          </select>
        )}
      </Field>
      <label className="check">
        <input type="checkbox" checked={inMenu} onChange={(event) => setInMenu(event.target.checked)} />
        {t.viewInMenu}
      </label>
      {first && (
        <label className="check">
          <input type="checkbox" checked={isOfList} onChange={(event) => setOfList(event.target.checked)} />
          {t.viewOfList}
        </label>
      )}
      <Button small look="primary" type="submit">
        {first === undefined ? t.saveView : en.common.save}
      </Button>
    </form>
  );
}
