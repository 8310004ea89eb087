/** Says that the search and the filters hide all rows; shows those that the filters hide at a click. */
import { en } from '@cloudfit/contract/messages/en.ts';
import { Button } from '../components/button.tsx';
import { exactCount, listCountText } from '../components/count.ts';
import { EmptyState } from '../components/states.tsx';
import type { ChosenFilters, Listing } from '../filters/listing.ts';
import { listFilter } from '../filters/list-query.ts';
import type { ListState } from '../filters/list-state.ts';
import { useList } from '../rows/use-rows.ts';
import { useScope } from '../rows/use-scope.ts';

/** Filters that likely show what is looked for; others that are set stay. `label` gets the number of their rows. */
export interface WiderFilters {
  filters: ChosenFilters;
  label: (count: string) => string;
}

interface NarrowedList {
  listing: Listing;
  state: ListState;
  change: (part: Partial<ListState>) => void;
}

export function NoneMatch({ wider, ...list }: NarrowedList & { wider: WiderFilters | undefined }) {
  const { filters, quick } = list.state;
  const isFiltered = Object.keys(filters).length > 0 || quick.length > 0;
  return (
    <EmptyState icon="search" title={en.grid.noneTitle(list.listing.resource.plural)} text={en.grid.noneText}>
      {isFiltered && wider && <Offer {...list} filters={{ ...filters, ...wider.filters }} label={wider.label} />}
      {isFiltered && <Offer {...list} filters={{}} label={en.grid.showUnfiltered} />}
      <Button onClick={() => list.change({ search: '', filters: {}, quick: [] })}>{en.grid.clearAll}</Button>
    </EmptyState>
  );
}

/** Nothing when no row matches the search with these filters. */
function Offer({ listing, state, change, filters, label }: NarrowedList & WiderFilters) {
  const filter = listFilter(listing, { ...state, filters, quick: [] }, useScope());
  const { data } = useList(listing.resource, { filter, top: 0, count: true, countUpTo: exactCount });
  return data?.count ? <Button onClick={() => change({ filters, quick: [] })}>{label(listCountText(data.count))}</Button> : null;
}
