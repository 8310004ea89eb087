/** Says that the search and the filters hide all rows, how many rows they hide, and shows those at a click. */
import { en } from '@cloudfit/contract/messages/en.ts';
import type { Resource } from '@cloudfit/contract/resource.ts';
import type { ExpandItem } from '@cloudfit/contract/resources/expanded.ts';
import { Button } from '../components/button.tsx';
import { exactCount, listCountText } from '../components/count.ts';
import { EmptyState } from '../components/states.tsx';
import type { ChosenFilters } from '../filters/listing.ts';
import { listFilter } from '../filters/list-query.ts';
import { useList } from '../rows/use-rows.ts';
import { useScope } from '../rows/use-scope.ts';
import type { ListScreen } from './use-list-screen.ts';

/** Filters that show what somebody who sees an empty list most likely looks for; others that are set stay. */
export interface WiderFilters {
  filters: ChosenFilters;
  /** The text of the button; `count` is a number as text. */
  label: (count: string) => string;
}

interface NoneMatchProps<R extends Resource, Item extends ExpandItem<R>> {
  screen: ListScreen<R, Item>;
  wider?: WiderFilters | undefined;
}

export function NoneMatch<R extends Resource, Item extends ExpandItem<R>>({ screen, wider }: NoneMatchProps<R, Item>) {
  const { view, state, change } = screen;
  const isFiltered = Object.keys(state.filters).length > 0 || state.quick.length > 0;
  const all = { filters: {}, label: en.grid.showUnfiltered };
  const offers = !isFiltered ? [] : wider ? [{ ...wider, filters: { ...state.filters, ...wider.filters } }, all] : [all];
  return (
    <EmptyState icon="search" title={en.grid.noneTitle(view.resource.plural)} text={en.grid.noneText}>
      {offers.map(({ filters, label }) => (
        <Offer key={label('')} screen={screen} filters={filters} label={label} />
      ))}
      <Button onClick={() => change({ search: '', filters: {}, quick: [] })}>{en.grid.clearAll}</Button>
    </EmptyState>
  );
}

/** A button that shows the rows which match the search with these filters instead; nothing when there are none. */
function Offer<R extends Resource, Item extends ExpandItem<R>>({ screen, filters, label }: { screen: ListScreen<R, Item> } & WiderFilters) {
  const { view, state, change } = screen;
  const scope = useScope();
  const filter = listFilter(view, { ...state, filters, quick: [] }, scope);
  const { data } = useList(view.resource, { filter, top: 0, count: true, countUpTo: exactCount });
  if (!data?.count) return null;
  return <Button onClick={() => change({ filters, quick: [] })}>{label(listCountText(data.count))}</Button>;
}
