/** The control that chooses the values of one filter, by the field's kind. */
import { useState } from 'react';
import { en } from '@cloudfit/contract/messages/en.ts';
import { gridTexts } from '@cloudfit/contract/messages/grid.en.ts';
import { guidSchema, type Field } from '@cloudfit/contract/resource.ts';
import { usePersonName } from '../api/people-names.ts';
import { Field as Labelled } from '../components/field.tsx';
import { Checkbox } from '../components/fields/checkbox.tsx';
import { useChoices } from '../rows/choices.ts';
import { useDebounced } from '../hooks/use-debounced.ts';
import { useValues } from './use-values.ts';
import type { Listing } from './listing.ts';

/** The delay between the last key and the search of a filter (LIM-019). */
export const filterDebounceMs = 500;

interface ControlProps {
  listing: Pick<Listing, 'resource' | 'base'>;
  name: string;
  values: readonly string[];
  onChange: (values: readonly string[]) => void;
  /** Whether the control takes the focus when it mounts. */
  first?: boolean;
}

interface ChoiceListProps {
  choices: readonly { value: string | number; label: string }[];
  picked: readonly string[];
  onPick: (next: readonly string[]) => void;
}

function ChoiceList({ choices, picked, onPick }: ChoiceListProps) {
  return (
    <div className="choices">
      {choices.map(({ value, label }) => {
        const text = String(value);
        return (
          <Checkbox
            key={text}
            label={
              <span className="ellipsis" title={label}>
                {label}
              </span>
            }
            checked={picked.includes(text)}
            onChange={(checked) => onPick(checked ? [...picked, text] : picked.filter((item) => item !== text))}
          />
        );
      })}
      {choices.length === 0 && <span className="faint">{en.common.noMatches}</span>}
    </div>
  );
}

function SearchedList({
  label,
  search,
  onSearch,
  ...list
}: ChoiceListProps & { label: string; search: string; onSearch: (text: string) => void }) {
  return (
    <>
      <input
        className="input"
        type="search"
        placeholder={en.grid.filterChoices}
        aria-label={`${en.grid.filterChoices}: ${label}`}
        value={search}
        onChange={(event) => onSearch(event.target.value)}
      />
      <ChoiceList {...list} />
    </>
  );
}

/** A list with at most this many values has no search. */
const shortList = 8;

function RefChoices({ field, picked, onPick }: { field: Field; picked: readonly string[]; onPick: ChoiceListProps['onPick'] }) {
  const [search, setSearch] = useState('');
  const { choices } = useChoices(field.ref ?? '', { search: useDebounced(search, filterDebounceMs) });
  const shown = choices.filter(
    (choice) => choice.label.toLowerCase().includes(search.toLowerCase()) || (search === '' && picked.includes(String(choice.value))),
  );
  if (search === '' && choices.length <= shortList) return <ChoiceList choices={choices} picked={picked} onPick={onPick} />;
  return <SearchedList label={field.label} search={search} onSearch={setSearch} choices={shown} picked={picked} onPick={onPick} />;
}

/** Offers the values that occur in the rows now; without a search, also the selected values. */
function ValueChoices({ listing, name, values, onChange }: ControlProps) {
  const [search, setSearch] = useState('');
  const loaded = useValues(listing, name, useDebounced(search, filterDebounceMs));
  const nameOf = usePersonName();
  const field = listing.resource.fields[name];
  const all = search === '' ? [...new Set([...values, ...loaded])] : loaded;
  const choices = all.map((value) => ({ value, label: value === 'null' ? gridTexts.noValue : field?.person ? nameOf(value) : value }));
  const label = field?.label ?? name;
  return <SearchedList label={label} search={search} onSearch={setSearch} choices={choices} picked={values} onPick={onChange} />;
}

const yesNo = [
  { value: 'true', label: en.common.yesValue },
  { value: 'false', label: en.common.noValue },
];

function Days({ values, onChange }: Pick<ControlProps, 'values' | 'onChange'>) {
  const [from = '', until = ''] = (values[0] ?? '').split('..');
  const change = (next: string) => onChange(next === '..' ? [] : [next]);
  return (
    <div className="form-grid">
      <Labelled label={en.grid.from}>
        {(aria) => (
          <input className="input" type="date" {...aria} value={from} onChange={(event) => change(`${event.target.value}..${until}`)} />
        )}
      </Labelled>
      <Labelled label={en.grid.until}>
        {(aria) => (
          <input className="input" type="date" {...aria} value={until} onChange={(event) => change(`${from}..${event.target.value}`)} />
        )}
      </Labelled>
    </div>
  );
}

/** The error in the values of a filter; undefined for valid values. */
export function filterProblem(field: Field, values: readonly string[]): string | undefined {
  const first = values[0]?.trim() ?? '';
  if (values.length === 0 || first === '' || first === '..') return en.grid.filterValueRequired;
  if (field.kind === 'guid' && !field.ref && !guidSchema.safeParse(first).success) return en.grid.guid;
  if (['int', 'bigint', 'decimal'].includes(field.kind) && !field.choices && !field.ref && Number.isNaN(Number(first)))
    return en.grid.number;
  return undefined;
}

export function FilterControl({ listing, name, values, onChange, first = false }: ControlProps) {
  const field = listing.resource.fields[name];
  if (!field) return null;
  if (field.choices) return <ChoiceList choices={field.choices} picked={values} onPick={onChange} />;
  if (field.ref) return <RefChoices field={field} picked={values} onPick={onChange} />;
  if (field.kind === 'boolean') return <ChoiceList choices={yesNo} picked={values} onPick={(next) => onChange(next.slice(-1))} />;
  if (field.kind === 'timestamp') return <Days values={values} onChange={onChange} />;
  if (field.sharedValues) return <ValueChoices listing={listing} name={name} values={values} onChange={onChange} />;
  return (
    <Labelled label={`${field.label} ${field.kind === 'text' ? en.grid.contains : en.grid.is}`}>
      {(aria) => (
        <input
          className="input"
          {...aria}
          autoFocus={first}
          value={values[0] ?? ''}
          onChange={(event) => onChange(event.target.value === '' ? [] : [event.target.value])}
        />
      )}
    </Labelled>
  );
}
