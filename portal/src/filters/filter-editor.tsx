/** Chooses the values of one filter. */
import { useState, type SyntheticEvent } from 'react';
import { en } from '@cloudfit/contract/messages/en.ts';
import { Button } from '../components/button.tsx';
import { Pop } from '../components/overlay/floating.tsx';
import { FilterControl, filterProblem } from './filter-control.tsx';
import type { Listing } from './listing.ts';

interface FilterEditorProps {
  listing: Listing;
  name: string;
  values: readonly string[];
  onApply: (values: readonly string[]) => void;
  onCancel: () => void;
}

export function FilterEditor({ listing, name, values, onApply, onCancel }: FilterEditorProps) {
  const field = listing.resource.fields[name];
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
      <FilterControl listing={listing} name={name} values={picked} onChange={setPicked} first />
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

interface PopupProps extends Omit<FilterEditorProps, 'onCancel'> {
  anchor: HTMLElement;
  onClose: () => void;
}

/** The editor in a popover at the button or chip that opened it. */
export function FilterPopup({ anchor, onApply, onClose, ...filter }: PopupProps) {
  return (
    <Pop anchor={anchor} label={en.grid.filterBy} onClose={onClose}>
      <FilterEditor
        {...filter}
        onCancel={onClose}
        onApply={(values) => {
          onApply(values);
          onClose();
        }}
      />
    </Pop>
  );
}
