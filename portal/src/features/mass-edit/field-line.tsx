import { massEditTexts as t } from '@cloudfit/contract/messages/mass-edit.en.ts';
import { IconButton } from '../../components/button.tsx';
import { Field } from '../../components/field.tsx';
import { Select } from '../../components/fields/select.tsx';
import { inputs } from '../../forms/inputs.tsx';
import { firstValue, isKept, massField, massFields, type PreviewLine } from './mass-edit.rules.ts';

interface FieldLineProps {
  line: PreviewLine;
  problem: string | undefined;
  disabled: boolean;
  onChange: (line: PreviewLine) => void;
  onRemove: () => void;
}

/** A field to change and its new value. */
export function FieldLine({ line, problem, disabled, onChange, onRemove }: FieldLineProps) {
  const field = line.name === '' ? undefined : massField(line.name);
  const Control = field && field.input !== 'json' ? inputs[field.input] : undefined;
  const mayBeEmptied = line.name !== '' && field?.nullable === true && !isKept(line.name);
  const label = field?.label ?? t.field;
  return (
    <li className="field-line">
      <Field label={t.field} required error={field ? undefined : problem}>
        {(aria) => (
          <Select
            {...aria}
            value={line.name}
            disabled={disabled}
            autoFocus={line.name === ''}
            none={t.chooseField}
            choices={massFields.map((name) => ({ value: name, label: massField(name).label }))}
            onChange={(name) => onChange({ id: line.id, name, value: name === '' ? null : firstValue(name) })}
          />
        )}
      </Field>
      {field && Control && (
        <Field
          label={t.value(label)}
          required={line.name !== '' && isKept(line.name)}
          error={problem}
          help={mayBeEmptied ? t.clears : undefined}
        >
          {(aria) => (
            <Control
              key={line.name}
              field={field}
              name={line.name}
              aria={aria}
              value={line.value}
              disabled={disabled}
              values={{}}
              onChange={(value) => onChange({ ...line, value })}
              onBlur={() => undefined}
              setValue={() => undefined}
            />
          )}
        </Field>
      )}
      <IconButton icon="close" small label={t.removeField(label)} disabled={disabled} onClick={onRemove} />
    </li>
  );
}
