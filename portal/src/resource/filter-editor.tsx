/** Chooses the values of one filter; the input follows the field's kind. */
import { useState, type SyntheticEvent } from 'react';
import { guidSchema, type Field, type Resource } from '@cloudfit/contract/resource.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { Button } from '../components/button.tsx';
import { Field as Labelled } from '../components/field.tsx';
import { useChoices } from './choices.ts';

interface EditorProps {
  resource: Resource;
  name: string;
  values: readonly string[];
  onApply: (values: readonly string[]) => void;
  onCancel: () => void;
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
          <label key={text} className="check">
            <input
              type="checkbox"
              checked={picked.includes(text)}
              onChange={(event) => onPick(event.target.checked ? [...picked, text] : picked.filter((one) => one !== text))}
            />
            <span className="ellipsis">{label}</span>
          </label>
        );
      })}
      {choices.length === 0 && <span className="faint">{en.common.noMatches}</span>}
    </div>
  );
}

function RefChoices({ field, picked, onPick }: { field: Field; picked: readonly string[]; onPick: (next: readonly string[]) => void }) {
  const [search, setSearch] = useState('');
  const { choices } = useChoices(field.ref ?? '', { search });
  const shown = choices.filter((choice) => choice.label.toLowerCase().includes(search.toLowerCase()));
  return (
    <>
      <input
        className="input"
        type="search"
        placeholder={en.grid.filterChoices}
        aria-label={en.grid.filterChoices}
        value={search}
        onChange={(event) => setSearch(event.target.value)}
      />
      <ChoiceList choices={shown} picked={picked} onPick={onPick} />
    </>
  );
}

const yesNo = [
  { value: 'true', label: en.common.yesValue },
  { value: 'false', label: en.common.noValue },
];

function problemOf(field: Field, values: readonly string[]): string | undefined {
  const first = values[0]?.trim() ?? '';
  if (values.length === 0 || first === '' || first === '..') return en.grid.filterValueRequired;
  if (field.kind === 'guid' && !field.ref && !guidSchema.safeParse(first).success) return en.grid.guid;
  if (['int', 'bigint', 'decimal'].includes(field.kind) && !field.choices && !field.ref && Number.isNaN(Number(first)))
    return en.grid.number;
  return undefined;
}

export function FilterEditor({ resource, name, values, onApply, onCancel }: EditorProps) {
  const field = resource.fields[name];
  const [picked, setPicked] = useState(values);
  const [problem, setProblem] = useState<string>();
  if (!field) return null;
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    const wrong = problemOf(field, picked);
    setProblem(wrong);
    if (!wrong) onApply(picked);
  };
  const [from = '', until = ''] = (picked[0] ?? '').split('..');
  const editor = () => {
    if (field.choices) return <ChoiceList choices={field.choices} picked={picked} onPick={setPicked} />;
    if (field.ref) return <RefChoices field={field} picked={picked} onPick={setPicked} />;
    if (field.kind === 'boolean') return <ChoiceList choices={yesNo} picked={picked} onPick={(next) => setPicked(next.slice(-1))} />;
    if (field.kind === 'timestamp') {
      return (
        <div className="form-grid">
          <Labelled label={en.grid.from}>
            {(aria) => (
              <input
                className="input"
                type="date"
                {...aria}
                value={from}
                onChange={(event) => setPicked([`${event.target.value}..${until}`])}
              />
            )}
          </Labelled>
          <Labelled label={en.grid.until}>
            {(aria) => (
              <input
                className="input"
                type="date"
                {...aria}
                value={until}
                onChange={(event) => setPicked([`${from}..${event.target.value}`])}
              />
            )}
          </Labelled>
        </div>
      );
    }
    const asks = field.kind === 'text' ? `${field.label} ${en.grid.contains}` : `${field.label} ${en.grid.is}`;
    return (
      <Labelled label={asks}>
        {(aria) => (
          <input className="input" {...aria} autoFocus value={picked[0] ?? ''} onChange={(event) => setPicked([event.target.value])} />
        )}
      </Labelled>
    );
  };
  return (
    <form className="filter-editor" aria-label={`${en.grid.filterBy} ${field.label}`} noValidate onSubmit={submit}>
      <strong>{field.label}</strong>
      {editor()}
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
