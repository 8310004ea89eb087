import type { Field, Resource } from '@cloudfit/contract/resource.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { usePersonName } from '../api/people-names.ts';
import { ReadOnlyField, type ReadOnlyFieldProps } from '../components/read-only-field.tsx';
import { valueText } from '../rows/cells.tsx';
import { fieldValue } from '../rows/row.ts';

const record = ['created', 'createdBy', 'modified', 'modifiedBy'];

function factOf(resource: Resource, name: string, field: Field, row: object): ReadOnlyFieldProps {
  const value = fieldValue(row, name);
  if (field.choices && (typeof value === 'string' || typeof value === 'number'))
    return { kind: 'enum', label: field.label, value, choices: field.choices };
  return { kind: 'text', label: field.label, value: valueText(resource, name, row) };
}

/** The facts that the server sets in a row: its state, who changed it and when. The id is in the head of the panel. */
export function RowFacts({ resource, row }: { resource: Resource; row: object }) {
  usePersonName();
  const names = Object.entries(resource.fields).filter(
    ([name, field]) => fieldValue(row, name) !== undefined && field.write === 'never' && (record.includes(name) || field.choices),
  );
  return (
    <section className="form-section" aria-label={en.form.record}>
      <h3>{en.form.record}</h3>
      <dl className="form-grid facts">
        {names.map(([name, field]) => (
          <ReadOnlyField key={name} {...factOf(resource, name, field, row)} />
        ))}
      </dl>
    </section>
  );
}
