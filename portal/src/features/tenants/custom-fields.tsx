/** Edits the additional fields of a tenant. */
import { customFieldTypes } from '@cloudfit/contract/resources/tenants.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { tenantTexts as t } from '@cloudfit/contract/messages/tenants.en.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { Field } from '../../components/field.tsx';
import { TextField } from '../../components/fields/text-field.tsx';
import { Select } from '../../components/fields/select.tsx';
import { EmptyState } from '../../components/states.tsx';
import { blankField, slots, type CustomField, type FieldProblems } from './custom-fields.rules.ts';

const types = [
  { value: customFieldTypes.textbox, label: t.textbox },
  { value: customFieldTypes.dropdown, label: t.dropdown },
];

interface CustomFieldLineProps {
  field: CustomField;
  problems: FieldProblems | undefined;
  readOnly: boolean;
  onChange: (change: Partial<CustomField>) => void;
  onRemove: () => void;
}

function FieldLine({ field, problems, readOnly, onChange, onRemove }: CustomFieldLineProps) {
  const name = field.name || t.newField;
  return (
    <div className="custom-field" role="group" aria-label={t.fieldGroup(name)}>
      <Field label={t.column} required error={problems?.slot}>
        {(aria) => (
          <Select
            {...aria}
            disabled={readOnly}
            value={field.slot ?? ''}
            unlisted=""
            choices={slots.map((slot) => ({ value: slot, label: t.columnName(slot) }))}
            onChange={(slot) => onChange({ slot })}
          />
        )}
      </Field>
      <TextField
        label={t.fieldName}
        required
        error={problems?.name}
        readOnly={readOnly}
        maxLength={100}
        value={field.name}
        onChange={(next) => onChange({ name: next })}
      />
      <Field label={t.type} required>
        {(aria) => <Select {...aria} disabled={readOnly} value={field.type} choices={types} onChange={(type) => onChange({ type })} />}
      </Field>
      {!readOnly && <IconButton small icon="trash" label={t.removeField(name)} title={en.common.delete} onClick={onRemove} />}
      {field.type === customFieldTypes.dropdown && (
        <div className="options">
          <TextField
            label={t.options}
            required
            help={t.optionsHelp}
            error={problems?.options}
            readOnly={readOnly}
            maxLength={2_000}
            value={field.options}
            onChange={(next) => onChange({ options: next })}
          />
        </div>
      )}
    </div>
  );
}

interface CustomFieldsProps {
  fields: readonly CustomField[];
  problems: Readonly<Record<string, FieldProblems>>;
  readOnly: boolean;
  onChange: (fields: readonly CustomField[]) => void;
}

export function CustomFields({ fields, problems, readOnly, onChange }: CustomFieldsProps) {
  const change = (key: string, part: Partial<CustomField>) =>
    onChange(fields.map((field) => (field.key === key ? { ...field, ...part } : field)));
  const isFull = fields.length >= slots.length;
  return (
    <section className="custom-fields" aria-label={t.tabs.fields}>
      <p className="muted">{t.fieldsText}</p>
      {fields.length === 0 && <EmptyState small title={t.noFields} text={t.noFieldsText} />}
      {fields.map((field) => (
        <FieldLine
          key={field.key}
          field={field}
          problems={problems[field.key]}
          readOnly={readOnly}
          onChange={(part) => change(field.key, part)}
          onRemove={() => onChange(fields.filter((item) => item.key !== field.key))}
        />
      ))}
      {!readOnly && (
        <div className="row">
          <Button small icon="plus" disabled={isFull} onClick={() => onChange([...fields, blankField(fields)])}>
            {t.addField}
          </Button>
          <span className="faint">{isFull ? t.allUsed : fields.length > 0 ? t.valuesStay : ''}</span>
        </div>
      )}
    </section>
  );
}
