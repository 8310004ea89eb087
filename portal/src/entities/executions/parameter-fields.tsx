/** One field for each parameter that an action declares. */
import { parameterProblems } from '@cloudfit/contract/rules/placeholders.ts';
import { Field } from '../../components/field.tsx';
import { isParameterShown, parameterField, parameterNames, type ParameterValues } from './action-parameters.ts';
import { inputs } from '../../forms/inputs.tsx';

/** The properties of an action definition that determine its fields. */
export interface ParameterSource {
  actionDefinitionId: string;
  inputParameters: string | null;
}

interface ParameterFieldsProps {
  action: ParameterSource;
  values: ParameterValues;
  onChange: (name: string, value: unknown) => void;
  disabled?: boolean;
  /** The tenant whose rows a lookup offers, in addition to global rows. */
  tenantId: string | null;
  /** The event of the protocol's action. */
  event?: number | undefined;
  /** Errors by the name of the parameter. */
  problems?: Readonly<Record<string, string>>;
}

export function ParameterFields({ action, values, onChange, disabled = false, tenantId, event, problems = {} }: ParameterFieldsProps) {
  const unknown = parameterProblems({ ...action, parameters: values });
  const shown = parameterNames(action.inputParameters).filter((name) => isParameterShown(action.actionDefinitionId, name, values));
  return (
    <div className="form-grid">
      {shown.map((name) => {
        const field = parameterField(action.actionDefinitionId, name, event);
        const Control = field.input === 'json' ? inputs.text : inputs[field.input];
        return (
          <Field
            key={`${action.actionDefinitionId} ${name}`}
            label={field.label}
            help={field.help}
            error={problems[name] ?? unknown.find((one) => one.name === name)?.message}
            wide={field.input === 'multiline'}
          >
            {(aria) => (
              <Control
                field={field}
                name={name}
                aria={aria}
                value={values[name] ?? (field.kind === 'boolean' ? false : null)}
                disabled={disabled}
                values={{ tenantId }}
                onChange={(value) => onChange(name, value)}
                onBlur={() => undefined}
                setValue={onChange}
              />
            )}
          </Field>
        );
      })}
    </div>
  );
}
