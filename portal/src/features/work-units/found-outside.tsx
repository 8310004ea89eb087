/** Says how many rows a search finds outside the filters of the list, and shows them at a click. */
import { gridTexts as t } from '@cloudfit/contract/messages/grid.en.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { and, compare, searchFilter } from '@cloudfit/contract/query/build.ts';
import { useTenants } from '../../api/lookups.ts';
import { Button } from '../../components/button.tsx';
import { exactCount, listCountText } from '../../components/count.ts';
import { listFilter } from '../../filters/list-query.ts';
import type { ListState } from '../../filters/list-state.ts';
import type { ChangeList } from '../../filters/use-list-state.ts';
import { choiceLabel } from '../../rows/cells.tsx';
import { useGroups, useList } from '../../rows/use-rows.ts';
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

/** How many of all rows are not in a part of them; of more than are counted, as many as are counted. */
const beyond = (all: number, part: number): number => (all <= exactCount ? all - part : part > exactCount ? 0 : all);

/** How many rows the search finds in the other tenants of the person, and in which; asked when it finds none in the chosen one. */
function useElsewhere(state: ListState, isAsked: boolean): { n: number; tenantIds: readonly string[] } {
  const { tenantId } = useScope();
  const { data: tenants = [] } = useTenants();
  const others = tenants.map((tenant) => tenant.tenantId).filter((id) => id !== tenantId);
  const search = searchFilter(workUnits, state.search, state.exact);
  const { data } = useGroups<{ tenantId: string; n: number }>(
    workUnits,
    {
      apply: `filter(${and(compare(workUnits, 'tenantId', 'ne', tenantId), search)})/groupby((tenantId),aggregate($count as n))`,
      top: 100,
    },
    { enabled: isAsked && tenantId !== null && others.length > 0 && search !== undefined },
  );
  const rows = isAsked ? (data?.rows ?? []) : [];
  return { n: rows.reduce((sum, row) => sum + row.n, 0), tenantIds: rows.map((row) => row.tenantId) };
}

export function FoundOutside({ state, count, change }: FoundOutsideProps) {
  const { stateId: states = [], ...others } = state.filters;
  const isSearched = state.search !== '';
  const hasStates = isSearched && states.length > 0;
  const hasOthers = isSearched && (Object.values(others).some((values) => values.length > 0) || state.quick.length > 0);
  const inAnyState = useCount({ ...state, filters: others }, hasStates);
  const anywhere = useCount({ ...state, filters: {}, quick: [] }, hasOthers);
  const isNowhereHere = isSearched && count === 0 && (!hasStates || inAnyState === 0) && (!hasOthers || anywhere === 0);
  const inOthers = useElsewhere(state, isNowhereHere);
  if (count === undefined) return null;
  const elsewhere = beyond(inAnyState ?? count, count);
  const outside = beyond(anywhere ?? 0, inAnyState ?? count);
  const areMany = isSearched && !state.exact && count > exactCount;
  if (elsewhere <= 0 && outside <= 0 && inOthers.n === 0 && !areMany) return null;
  const labels = states.map((value) => choiceLabel(workUnits.fields.stateId, value)).join(', ');
  return (
    <div className="found-outside" role="status">
      {areMany && <span>{t.foundTooMany}</span>}
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
      {inOthers.n > 0 && (
        <>
          <strong>{t.foundInOtherTenants(listCountText(inOthers.n), inOthers.tenantIds.length)}</strong>
          <Button small onClick={() => change({ filters: { tenantId: inOthers.tenantIds }, quick: [] })}>
            {t.showOtherTenants}
          </Button>
        </>
      )}
    </div>
  );
}
