/** Says how many rows a search finds outside the filters of the list, and shows them at a click. */
import { gridTexts as t } from '@cloudfit/contract/messages/grid.en.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { Button } from '../../components/button.tsx';
import { exactCount, listCountText } from '../../components/count.ts';
import { listFilter } from '../../filters/list-query.ts';
import type { ListState } from '../../filters/list-state.ts';
import type { ChangeList } from '../../filters/use-list-state.ts';
import { choiceLabel } from '../../rows/cells.tsx';
import { useList } from '../../rows/use-rows.ts';
import { useScope } from '../../rows/use-scope.ts';
import { workUnitsView } from './work-units.view.tsx';
import './found.css';

interface FoundOutsideProps {
  state: ListState;
  /** The rows that the list has. */
  count: number | undefined;
  change: ChangeList;
}

/** The rows that the search finds with some of the filters; undefined while they are counted, or when nothing was dropped. */
function useCount(state: ListState, isAsked: boolean): number | undefined {
  const filter = listFilter(workUnitsView, state, useScope());
  const { data, isPlaceholderData } = useList(workUnits, { filter, top: 0, count: true, countUpTo: exactCount }, { enabled: isAsked });
  return isAsked && !isPlaceholderData ? data?.count : undefined;
}

export function FoundOutside({ state, count, change }: FoundOutsideProps) {
  const { stateId: states = [], ...others } = state.filters;
  const isSearched = state.search !== '';
  const hasStates = isSearched && states.length > 0;
  const hasOthers = isSearched && (Object.values(others).some((values) => values.length > 0) || state.quick.length > 0);
  const inAnyState = useCount({ ...state, filters: others }, hasStates);
  const anywhere = useCount({ ...state, filters: {}, quick: [] }, hasOthers);
  if (count === undefined) return null;
  const elsewhere = (inAnyState ?? count) - count;
  const outside = (anywhere ?? 0) - (inAnyState ?? count);
  if (elsewhere <= 0 && outside <= 0) return null;
  const labels = states.map((value) => choiceLabel(workUnits.fields.stateId, value)).join(', ');
  return (
    <div className="found-outside" role="status">
      {elsewhere > 0 && (
        <>
          <span>
            {t.foundHere(listCountText(count), labels)}, <strong>{t.foundInOtherStates(listCountText(elsewhere))}</strong>
          </span>
          <Button small onClick={() => change({ filters: others })}>
            {t.showOtherStates}
          </Button>
        </>
      )}
      {outside > 0 && (
        <>
          <strong>{t.foundOutside(listCountText(outside))}</strong>
          <Button small onClick={() => change({ filters: {}, quick: [] })}>
            {t.showOutside}
          </Button>
        </>
      )}
    </div>
  );
}
