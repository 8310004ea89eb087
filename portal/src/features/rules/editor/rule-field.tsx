/** One field of the rule, rendered from its declaration. */
import { rules } from '@cloudfit/contract/resources/rules.ts';
import type { Field as Declared } from '@cloudfit/contract/resource.ts';
import { Field } from '../../../components/field.tsx';
import { inputs } from '../../../forms/inputs.tsx';
import type { RuleValues } from './rule-draft.ts';
import type { RuleEditing } from './use-rule-editing.ts';

const declared: Readonly<Record<string, Declared>> = rules.fields;

interface RuleFieldProps {
  editing: RuleEditing;
  name: Exclude<keyof RuleValues, 'conditions' | 'recoveryConditions' | 'timeConditions' | 'matchActions' | 'expirationActions'>;
  /** Replaces the declared field, for example to change its label or choices. */
  field?: Declared;
  help?: string | undefined;
  wide?: boolean;
  knownName?: string | undefined;
}

export function RuleField({ editing, name, field = declared[name], help, wide, knownName }: RuleFieldProps) {
  const { values, change, touch, problemAt, readOnly } = editing;
  if (!field || field.input === 'json') return null;
  const Control = inputs[field.input];
  return (
    <Field label={field.label} required={field.required} help={help} error={problemAt(name)} wide={wide || field.input === 'multiline'}>
      {(aria) => (
        <Control
          field={field}
          name={name}
          aria={aria}
          value={values[name]}
          values={{ tenantId: values.tenantId }}
          disabled={readOnly}
          knownName={knownName}
          onChange={(value) => change({ [name]: value })}
          onBlur={() => touch(name)}
          setValue={(other, value) => change({ [other]: value })}
        />
      )}
    </Field>
  );
}
