/** The filters as chips: click to change, cross to remove, one button to add. */
import { useState, type ReactNode } from 'react';
import { en } from '@cloudfit/contract/messages/en.ts';
import { gridTexts } from '@cloudfit/contract/messages/grid.en.ts';
import { Button } from '../components/button.tsx';
import { Icon } from '../components/icon.tsx';
import { MenuButton } from '../components/overlay/menu-button.tsx';
import { nearing, Pop, PopupMenu } from '../components/overlay/floating.tsx';
import { choiceLabel } from '../rows/cells.tsx';
import { FilterChip } from './filter-chip.tsx';
import { FilterEditor } from './filter-editor.tsx';
import type { ListState } from './list-state.ts';
import type { Listing } from './listing.ts';
import './filter-bar.css';
import type { MenuEntry } from '../components/overlay/floating-props.ts';

const without = (values: readonly string[], one: string) => values.filter((value) => value !== one);

/** Conditions that are one click away: those of the view, and the common values of one field. */
function quickEntries(view: Listing, state: ListState, onChange: (change: Partial<ListState>) => void): MenuEntry[] {
  const toggled = (values: readonly string[], one: string) => (values.includes(one) ? without(values, one) : [...values, one]);
  const name = view.quickValues?.field ?? '';
  const field = view.resource.fields[name];
  const now = state.filters[name] ?? [];
  return [
    ...(view.quick ?? []).map((quick) => ({
      id: quick.id,
      label: quick.label,
      checked: state.quick.includes(quick.id),
      run: () => onChange({ quick: toggled(state.quick, quick.id) }),
    })),
    ...(view.quickValues?.values ?? []).map((value, at) => ({
      id: value,
      label: field ? choiceLabel(field, value) : value,
      divided: at === 0,
      checked: now.includes(value),
      run: () => onChange({ filters: { ...state.filters, [name]: toggled(now, value) } }),
    })),
  ];
}

interface FilterBarProps {
  view: Listing;
  state: ListState;
  onChange: (change: Partial<ListState>) => void;
  /** The panel with all filters, where the view has one. */
  panel?: { isOpen: boolean; toggle: () => void } | undefined;
  children?: ReactNode;
}

export function FilterBar({ view, state, onChange, panel, children }: FilterBarProps) {
  const { resource } = view;
  const [adding, setAdding] = useState<HTMLElement | null>(null);
  const [editing, setEditing] = useState<{ name: string; anchor: HTMLElement } | null>(null);
  const used = Object.keys(state.filters).filter((name) => (state.filters[name]?.length ?? 0) > 0);
  const free = (view.filters ?? []).filter((name) => !used.includes(name));
  const Form = view.filterForm;
  return (
    <div className="filter-bar" role="group" aria-label={en.grid.filterBy}>
      {Object.entries(state.filters).map(([name, values]) => (
        <FilterChip
          key={name}
          resource={resource}
          name={name}
          values={values}
          onEdit={(anchor) => setEditing({ name, anchor })}
          onRemove={() => onChange({ filters: { ...state.filters, [name]: [] } })}
        />
      ))}
      {view.quick
        ?.filter((quick) => state.quick.includes(quick.id))
        .map((quick) => (
          <span key={quick.id} className="filter-chip">
            <span className="name alone">{quick.label}</span>
            <button
              type="button"
              className="off"
              aria-label={en.grid.removeFilter(quick.label)}
              onClick={() => onChange({ quick: without(state.quick, quick.id) })}
            >
              <Icon name="close" />
            </button>
          </span>
        ))}
      {(Form || free.length > 0) && (
        <Button
          small
          look="quiet"
          icon="plus"
          {...nearing}
          aria-haspopup={Form ? 'dialog' : 'menu'}
          onClick={(event) => setAdding(event.currentTarget)}
        >
          {en.grid.addFilter}
        </Button>
      )}
      {panel && (
        <Button small look="quiet" icon="sliders" aria-expanded={panel.isOpen} onClick={panel.toggle}>
          {gridTexts.allFilters}
        </Button>
      )}
      {(view.quick ?? view.quickValues) && (
        <MenuButton small look="quiet" label={en.grid.quickFilters} entries={quickEntries(view, state, onChange)} />
      )}
      {used.length + state.quick.length > 1 && (
        <Button small look="quiet" onClick={() => onChange({ filters: {}, quick: [] })}>
          {en.grid.clearFilters}
        </Button>
      )}
      {children}
      {adding && Form && (
        <Pop anchor={adding} label={en.grid.filterBy} onClose={() => setAdding(null)}>
          <Form
            filters={state.filters}
            onApply={(filters) => {
              onChange({ filters });
              setAdding(null);
            }}
            onClose={() => setAdding(null)}
          />
        </Pop>
      )}
      {adding && !Form && (
        <PopupMenu
          anchor={adding}
          label={en.grid.filterBy}
          onClose={() => setAdding(null)}
          entries={free.map((name) => ({
            id: name,
            label: resource.fields[name]?.label ?? name,
            run: () => setEditing({ name, anchor: adding }),
          }))}
        />
      )}
      {editing && (
        <Pop anchor={editing.anchor} label={en.grid.filterBy} onClose={() => setEditing(null)}>
          <FilterEditor
            view={view}
            name={editing.name}
            values={state.filters[editing.name] ?? []}
            onCancel={() => setEditing(null)}
            onApply={(values) => {
              onChange({ filters: { ...state.filters, [editing.name]: values } });
              setEditing(null);
            }}
          />
        </Pop>
      )}
    </div>
  );
}
