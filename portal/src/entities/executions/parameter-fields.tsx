/** The fields for the parameters that an action declares. */
import { builtInAction } from '@cloudfit/contract/enums.ts';
import { extraParameters } from '@cloudfit/contract/rules/placeholders.ts';
import { Field } from '../../components/field.tsx';
import { isParameterShown, parameterField, parameterNames, type ParameterValues } from './action-parameters.ts';
import { inputs } from '../../forms/inputs.tsx';
import { TemplateInput } from '../placeholders/template-input.tsx';

const builtInIds: readonly string[] = Object.values(builtInAction);
const isBuiltIn = (id: string): boolean => builtInIds.includes(id);

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
  const { actionDefinitionId } = action;
  const names = parameterNames(action.inputParameters);
  // In the texts of a mail, the parameters of the mail are placeholders, too; other actions do not have such placeholders.
  const ownNames =
    actionDefinitionId === builtInAction.email ? [...names, ...Object.keys(extraParameters(String(values['ExtraParameters'] ?? '')))] : [];
  const shown = names.filter((name) => isParameterShown(action.actionDefinitionId, name, values));
  return (
    <div className="form-grid">
      {shown.map((name) => {
        const field = parameterField(action.actionDefinitionId, name, event);
        const Control = field.input === 'json' ? inputs.text : inputs[field.input];
        const isTemplate = (field.input === 'text' || field.input === 'multiline') && name !== 'ExtraParameters';
        const control = {
          field,
          value: values[name] ?? (field.kind === 'boolean' ? false : null),
          disabled,
          values: { tenantId },
          onChange: (value: unknown) => onChange(name, value),
          onBlur: () => undefined,
        };
        return (
          <Field
            key={`${action.actionDefinitionId} ${name}`}
            label={field.label}
            help={field.help}
            error={problems[name]}
            wide={field.input === 'multiline'}
          >
            {(aria) =>
              isTemplate ? (
                <TemplateInput
                  {...control}
                  aria={aria}
                  ownNames={ownNames}
                  {...(field.input === 'multiline' ? { rows: 3 } : {})}
                  mayHaveSecrets={actionDefinitionId === builtInAction.email || !isBuiltIn(actionDefinitionId)}
                  hasUnit={actionDefinitionId !== builtInAction.createWorkUnit}
                />
              ) : (
                <Control {...control} name={name} aria={aria} setValue={onChange} />
              )
            }
          </Field>
        );
      })}
    </div>
  );
}
