import { useState, type SyntheticEvent } from 'react';
import { en } from '@cloudfit/contract/messages/en.ts';
import { gridTexts as t } from '@cloudfit/contract/messages/grid.en.ts';
import { Button } from '../../../components/button.tsx';
import { Field } from '../../../components/field.tsx';

interface ViewNameFormProps {
  /** The present name, while renaming. */
  first?: string;
  isTaken: (name: string) => boolean;
  onSave: (name: string) => void;
}

const longest = 60;

/** The name form of a view, for a new view or for renaming one. */
export function ViewNameForm({ first, isTaken, onSave }: ViewNameFormProps) {
  const [name, setName] = useState(first ?? '');
  const [problem, setProblem] = useState<string>();
  const save = (event: SyntheticEvent) => {
    event.preventDefault();
    const nameProblem = name.trim() === '' ? t.viewNameRequired : isTaken(name) ? t.duplicateViewName : undefined;
    setProblem(nameProblem);
    if (!nameProblem) onSave(name.trim());
  };
  return (
    <form className="view-name" noValidate onSubmit={save}>
      <Field label={t.viewName} error={problem}>
        {(aria) => (
          <input
            className="input"
            {...aria}
            autoFocus={first !== undefined}
            maxLength={longest}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <Button small look="primary" type="submit">
        {first === undefined ? t.saveView : en.common.save}
      </Button>
    </form>
  );
}
