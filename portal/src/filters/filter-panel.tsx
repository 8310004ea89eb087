/** All filters of a list in a panel beside it. A choice filters the list after a short delay. */
import { useEffect, useState } from 'react';
import { en } from '@cloudfit/contract/messages/en.ts';
import { gridTexts as t } from '@cloudfit/contract/messages/grid.en.ts';
import { Button, IconButton } from '../components/button.tsx';
import { FilterControl, filterDebounceMs, filterProblem } from './filter-control.tsx';
import type { ChosenFilters, Listing } from './listing.ts';

export interface FilterPanelProps {
  listing: Listing;
  filters: ChosenFilters;
  onChange: (filters: ChosenFilters) => void;
  onClose: () => void;
}

export function FilterPanel({ listing, filters, onChange, onClose }: FilterPanelProps) {
  const [draft, setDraft] = useState(filters);
  const text = JSON.stringify(filters);
  const [appliedText, setAppliedText] = useState(text);
  // The applied filters changed outside of the panel: a chip was removed, or the address changed.
  if (appliedText !== text) {
    setAppliedText(text);
    setDraft(filters);
  }
  const fieldOf = (name: string) => listing.resource.fields[name];
  const problem = (name: string) => {
    const [field, values] = [fieldOf(name), draft[name] ?? []];
    return field && values.length > 0 ? filterProblem(field, values) : undefined;
  };
  const isWrong = Object.keys(draft).some((name) => problem(name) !== undefined);
  useEffect(() => {
    if (isWrong || JSON.stringify(draft) === appliedText) return;
    const timer = setTimeout(() => onChange(draft), filterDebounceMs);
    return () => clearTimeout(timer);
  }, [draft, isWrong, appliedText, onChange]);

  return (
    <aside className="filter-panel" aria-label={t.filters}>
      <div className="head">
        <h2>{t.filters}</h2>
        <span className="grow" />
        <Button small look="quiet" disabled={Object.values(draft).every((values) => values.length === 0)} onClick={() => setDraft({})}>
          {en.grid.clearFilters}
        </Button>
        <IconButton small icon="close" label={t.closeFilters} onClick={onClose} />
      </div>
      <div className="groups">
        {(listing.filters ?? []).map((name) => (
          <fieldset key={name}>
            <legend>{fieldOf(name)?.label ?? name}</legend>
            <FilterControl
              listing={listing}
              name={name}
              values={draft[name] ?? []}
              onChange={(values) => setDraft({ ...draft, [name]: values })}
            />
            {problem(name) && (
              <div className="field">
                <div className="error" role="alert">
                  {problem(name)}
                </div>
              </div>
            )}
          </fieldset>
        ))}
      </div>
    </aside>
  );
}
