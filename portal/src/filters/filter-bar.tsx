/** The filters of a list as chips: a click changes a filter, its cross removes it, a button adds one. */
import { useState, type ReactNode } from 'react';
import { en } from '@cloudfit/contract/messages/en.ts';
import { Button } from '../components/button.tsx';
import { nearing, PopupMenu } from '../components/overlay/floating.tsx';
import type { MenuEntry } from '../components/overlay/floating-props.ts';
import { MenuButton } from '../components/overlay/menu-button.tsx';
import { labelOf } from '../rows/row.ts';
import { FilterChips } from './filter-chip.tsx';
import { FilterPopup } from './filter-editor.tsx';
import type { ListState } from './list-state.ts';
import type { Listing } from './listing.ts';
import './filter-bar.css';

export interface FilterPartProps {
  listing: Listing;
  state: ListState;
  onChange: (change: Partial<ListState>) => void;
}

export const toggled = (values: readonly string[], item: string) =>
  values.includes(item) ? values.filter((value) => value !== item) : [...values, item];

export function FilterLine({ children }: { children: ReactNode }) {
  return (
    <div className="filter-bar" role="group" aria-label={en.grid.filterBy}>
      {children}
    </div>
  );
}

const holding = ({ filters }: ListState) => Object.keys(filters).filter((name) => (filters[name]?.length ?? 0) > 0);

/** Offers the fields without a filter. */
export function AddFilter({ listing, state, onChange }: FilterPartProps) {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const [editing, setEditing] = useState<{ name: string; anchor: HTMLElement } | null>(null);
  const names = holding(state);
  const free = (listing.filters ?? []).filter((filter) => !names.includes(filter));
  return (
    <>
      {free.length > 0 && (
        <Button small look="quiet" icon="plus" {...nearing} aria-haspopup="menu" onClick={(event) => setAnchor(event.currentTarget)}>
          {en.grid.addFilter}
        </Button>
      )}
      {anchor && (
        <PopupMenu
          anchor={anchor}
          label={en.grid.filterBy}
          onClose={() => setAnchor(null)}
          entries={free.map((item) => ({
            id: item,
            label: labelOf(listing.resource, item),
            run: () => setEditing({ name: item, anchor }),
          }))}
        />
      )}
      {editing && (
        <FilterPopup
          listing={listing}
          {...editing}
          values={[]}
          onApply={(values) => onChange({ filters: { ...state.filters, [editing.name]: values } })}
          onClose={() => setEditing(null)}
        />
      )}
    </>
  );
}

/** A menu of the quick filters: those of the view, and `more`, those of the page. */
export function QuickFilters({ listing, state, onChange, more = [] }: FilterPartProps & { more?: readonly MenuEntry[] }) {
  const entries = (listing.quick ?? []).map(({ id, label, filters }) => ({
    id,
    label,
    checked: state.quick.includes(id),
    run: () =>
      onChange({
        quick: toggled(state.quick, id),
        ...(filters && !state.quick.includes(id) ? { filters: { ...state.filters, ...filters } } : {}),
      }),
  }));
  return <MenuButton small look="quiet" label={en.grid.quickFilters} entries={[...entries, ...more]} />;
}

export function ClearFilters({ state, onChange }: Omit<FilterPartProps, 'listing'>) {
  if (holding(state).length + state.quick.length < 2) return null;
  return (
    <Button small look="quiet" onClick={() => onChange({ filters: {}, quick: [] })}>
      {en.grid.clearFilters}
    </Button>
  );
}

export function FilterBar({ children, ...part }: FilterPartProps & { children?: ReactNode }) {
  return (
    <FilterLine>
      <FilterChips {...part} />
      <AddFilter {...part} />
      {part.listing.quick && <QuickFilters {...part} />}
      <ClearFilters {...part} />
      {children}
    </FilterLine>
  );
}
