import { useState } from 'react';
import { en } from '@cloudfit/contract/messages/en.ts';
import { operatorTexts } from '@cloudfit/contract/messages/operators.en.ts';
import { gridTexts } from '@cloudfit/contract/messages/grid.en.ts';
import type { Resource } from '@cloudfit/contract/resource.ts';
import { personName, usePersonName } from '../api/people-names.ts';
import { Icon } from '../components/icon.tsx';
import { FilterPopup } from './filter-editor.tsx';
import { ageFilter } from './list-query.ts';
import type { ListState } from './list-state.ts';
import type { Listing } from './listing.ts';
import { nearing } from '../components/overlay/floating.tsx';
import { choiceLabel } from '../rows/cells.tsx';
import { useChoices } from '../rows/choices.ts';

function plainText(resource: Resource, name: string, values: readonly string[]): string {
  const field = resource.fields[name];
  if (!field) return values.join(', ');
  if (field.choices) return values.map((value) => choiceLabel(field, field.kind === 'text' ? value : Number(value))).join(', ');
  if (field.kind === 'boolean') return values[0] === 'true' ? en.common.yesValue : en.common.noValue;
  if (field.kind === 'timestamp' && ageFilter.test(values[0] ?? '')) return operatorTexts.time(values[0] ?? '');
  if (field.kind === 'timestamp') return (values[0] ?? '').replace(/^\.\./, '≤ ').replace(/\.\.$/, ' ≥').replace('..', ' – ');
  return values.map((value) => (value === 'null' ? gridTexts.noValue : field.person ? personName(value) : value)).join(', ');
}

function RefText({ to, values }: { to: string; values: readonly string[] }) {
  const { choices } = useChoices(to, {});
  return values.map((value) => choices.find((choice) => String(choice.value) === value)?.label ?? '…').join(', ');
}

interface ChipProps {
  resource: Resource;
  name: string;
  values: readonly string[];
  onEdit: (anchor: HTMLElement) => void;
  onRemove: () => void;
}

interface OnOffProps {
  label: string;
  onRemove: () => void;
}

function RemoveFilter({ label, onRemove }: OnOffProps) {
  return (
    <button type="button" className="off" aria-label={en.grid.removeFilter(label)} onClick={onRemove}>
      <Icon name="close" />
    </button>
  );
}

/** An active filter: a click changes it, the cross removes it. */
export function FilterChip({ resource, name, values, onEdit, onRemove }: ChipProps) {
  usePersonName();
  const field = resource.fields[name];
  const label = field?.label ?? name;
  return (
    <span className="filter-chip">
      <button type="button" title={en.grid.editFilter(label)} {...nearing} onClick={(event) => onEdit(event.currentTarget)}>
        <span className="name">{label}</span>
        <span className="value ellipsis">
          {field?.ref ? <RefText to={field.ref} values={values} /> : plainText(resource, name, values)}
        </span>
      </button>
      <RemoveFilter label={label} onRemove={onRemove} />
    </span>
  );
}

interface FilterChipsProps {
  listing: Listing;
  state: ListState;
  onChange: (change: Partial<ListState>) => void;
}

/** The active filters as chips; quick filters of the view can only be on or off. */
export function FilterChips({ listing, state, onChange }: FilterChipsProps) {
  const [editing, setEditing] = useState<{ name: string; anchor: HTMLElement } | null>(null);
  const setFilter = (name: string, values: readonly string[]) => onChange({ filters: { ...state.filters, [name]: values } });
  return (
    <>
      {Object.entries(state.filters).map(([name, values]) => (
        <FilterChip
          key={name}
          resource={listing.resource}
          name={name}
          values={values}
          onEdit={(anchor) => setEditing({ name, anchor })}
          onRemove={() => setFilter(name, [])}
        />
      ))}
      {listing.quick
        ?.filter((quick) => state.quick.includes(quick.id))
        .map(({ id, label }) => (
          <span key={id} className="filter-chip">
            <span className="name alone">{label}</span>
            <RemoveFilter label={label} onRemove={() => onChange({ quick: state.quick.filter((other) => other !== id) })} />
          </span>
        ))}
      {editing && (
        <FilterPopup
          listing={listing}
          {...editing}
          values={state.filters[editing.name] ?? []}
          onApply={(values) => setFilter(editing.name, values)}
          onClose={() => setEditing(null)}
        />
      )}
    </>
  );
}
