/** The matches of all rules of the tenant. */
import { useMemo } from 'react';
import { FilterBar } from '../../filters/filter-bar.tsx';
import { listFilter } from '../../filters/list-query.ts';
import { listAddress } from '../../filters/list-state.ts';
import { useListState } from '../../filters/use-list-state.ts';
import { usePanel } from '../../hooks/use-panel.ts';
import { useScope } from '../../rows/use-scope.ts';
import { useConsequences } from '../../entities/matches/use-consequences.ts';
import { ListGrid } from '../../resource/list-grid.tsx';
import { ListPager } from '../../resource/list-pager.tsx';
import { ListPanel } from '../../resource/list-panel.tsx';
import { ListToolbar } from '../../resource/list-toolbar.tsx';
import { useListScreen } from '../../resource/use-list-screen.ts';
import { usePanelOpening } from '../../resource/use-opening.ts';
import '../../resource/list-page.css';
import { MatchStrip } from './match-strip.tsx';
import { matchesBaseView, matchesView } from './matches.view.tsx';
import './matches-page.css';

export function MatchesPage() {
  const panel = usePanel();
  const listState = useListState(useMemo(() => listAddress(matchesBaseView), []));
  const scope = useScope();
  const screen = useListScreen(matchesBaseView, listState, { polls: !panel.id });
  const { state, change, rows } = screen;
  const ids = useMemo(() => rows.map((row) => row.ruleMatchId), [rows]);
  const consequences = useConsequences(ids);
  const { columns } = matchesView(consequences);
  const opening = usePanelOpening(matchesBaseView, panel);
  const opened = panel.id ? rows.find((row) => row.ruleMatchId === panel.id) : undefined;
  const filled = { ...screen, columns: { ...screen.columns, columns } };
  return (
    <div className="page">
      <ListToolbar screen={filled} open={panel.open}>
        <FilterBar listing={matchesBaseView} state={state} onChange={change} />
      </ListToolbar>
      <MatchStrip filter={listFilter(matchesBaseView, state, scope)} />
      <div className="page-middle">
        <ListGrid screen={filled} opening={opening} opened={opened} />
      </div>
      <ListPager screen={filled} />
      <ListPanel view={matchesBaseView} panel={panel} row={opened} />
    </div>
  );
}
