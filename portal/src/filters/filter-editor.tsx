/** Chooses the values of one filter. */
import { useState, type SyntheticEvent } from 'react';
import { en } from '@cloudfit/contract/messages/en.ts';
import { Button } from '../components/button.tsx';
import { FilterControl, filterProblem } from './filter-control.tsx';
import type { Listing } from './listing.ts';

interface EditorProps {
  view: Listing;
  name: string;
  values: readonly string[];
  onApply: (values: readonly string[]) => void;
  onCancel: () => void;
}

export function FilterEditor({ view, name, values, onApply, onCancel }: EditorProps) {
  const field = view.resource.fields[name];
  const [picked, setPicked] = useState(values);
  const [problem, setProblem] = useState<string>();
  if (!field) return null;
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    const wrong = filterProblem(field, picked);
    setProblem(wrong);
    if (!wrong) onApply(picked);
  };
  return (
    <form className="filter-editor" aria-label={`${en.grid.filterBy} ${field.label}`} noValidate onSubmit={submit}>
      <strong>{field.label}</strong>
      <FilterControl view={view} name={name} values={picked} onChange={setPicked} first />
      {problem && (
        <div className="field">
          <div className="error" role="alert">
            {problem}
          </div>
        </div>
      )}
      <div className="foot">
        <Button small onClick={onCancel}>
          {en.common.cancel}
        </Button>
        <Button small look="primary" type="submit">
          {en.common.apply}
        </Button>
      </div>
    </form>
  );
}
