/** One input for each parameter that an operation defines, chosen by the source of its value. */
import { labelOf, parameterSources } from '@cloudfit/contract/enums.ts';
import { operationTexts } from '@cloudfit/contract/messages/device-operations.en.ts';
import type { ParameterDefinition } from '@cloudfit/contract/packages/parameters.ts';
import { Field } from '../../components/field.tsx';
import { isSecured, type ParameterDraft, type ParameterFaults, type EnteredValue } from './parameter-values.ts';
import { SecuredValueInput } from './secured-value-input.tsx';

const t = operationTexts.form;

interface ParameterInputsProps {
  definitions: readonly ParameterDefinition[];
  draft: ParameterDraft;
  faults: ParameterFaults;
  onChange: (name: string, value: EnteredValue) => void;
  /** The tenant whose secrets are offered. */
  tenantId: string | null;
  disabled: boolean;
}

function SecuredParameter({
  definition,
  draft,
  faults,
  onChange,
  ...rest
}: Omit<ParameterInputsProps, 'definitions'> & { definition: ParameterDefinition }) {
  const { Name, Required } = definition;
  const value = draft[Name];
  return (
    <fieldset className="secured-parameter field wide">
      <legend className="field-head">
        <span>
          {Name}
          {Required && (
            <span className="must" aria-hidden>
              *
            </span>
          )}
        </span>
        <span className="faint">{labelOf(parameterSources, definition.Source)}</span>
      </legend>
      <SecuredValueInput
        {...rest}
        name={Name}
        entries={Array.isArray(value) ? value : []}
        faults={faults}
        onChange={(entries) => onChange(Name, entries)}
      />
      <div className={faults[Name] ? 'error' : 'help'} {...(faults[Name] ? { role: 'alert' } : {})}>
        {faults[Name] ?? (definition.Description || t.sources[definition.Source])}
      </div>
    </fieldset>
  );
}

export function ParameterInputs({ definitions, ...rest }: ParameterInputsProps) {
  const { draft, faults, onChange, disabled } = rest;
  return (
    <div className="form-grid">
      {definitions.map((definition) => {
        const { Name, Required, Source, Description } = definition;
        if (isSecured(definition)) return <SecuredParameter key={Name} definition={definition} {...rest} />;
        const value = draft[Name];
        return (
          <Field
            key={Name}
            label={Name}
            required={Required}
            help={Description || t.sources[Source]}
            error={faults[Name]}
            aside={<span className="faint">{labelOf(parameterSources, Source)}</span>}
          >
            {(aria) => (
              // A script and headers have lines; the box grows with them.
              <textarea
                className="input area parameter-input"
                autoComplete="off"
                rows={1}
                {...aria}
                maxLength={4_000}
                value={typeof value === 'string' ? value : ''}
                readOnly={disabled}
                onChange={(event) => onChange(Name, event.target.value)}
              />
            )}
          </Field>
        );
      })}
    </div>
  );
}
