/** Draws a form from its declaration. */
import { Controller } from 'react-hook-form';
import { Field } from '../components/field.tsx';
import { referencedName } from './cells.tsx';
import { inputs } from './inputs.tsx';
import type { ResourceFormState } from './use-resource-form.ts';

interface FormFieldProps {
  state: ResourceFormState;
  name: string;
}

function FormField({ state, name }: FormFieldProps) {
  const { resource, form, layout, row, readOnly } = state;
  const field = resource.fields[name];
  if (!field || field.input === 'json') return null;
  const Control = layout.inputs?.[name] ?? inputs[field.input];
  const knownName = row ? referencedName(resource, name, row) : undefined;
  return (
    <Controller
      control={form.control}
      name={name}
      render={({ field: bound, fieldState }) => (
        <Field
          label={field.label}
          required={field.required || layout.requiredTexts?.[name] !== undefined}
          help={layout.help?.[name] ?? field.help}
          error={fieldState.error?.message}
          wide={field.input === 'multiline' || layout.wide?.includes(name)}
        >
          {(aria) => (
            <Control
              field={field}
              name={name}
              aria={aria}
              value={bound.value}
              disabled={readOnly}
              values={form.getValues()}
              row={row}
              knownName={row && bound.value === row[name] ? knownName : undefined}
              onChange={bound.onChange}
              onBlur={bound.onBlur}
              setValue={(other, value) => form.setValue(other, value, { shouldDirty: true, shouldValidate: true })}
            />
          )}
        </Field>
      )}
    />
  );
}

/** The fields, section by section. */
export function FormFields({ state }: { state: ResourceFormState }) {
  return state.sections.map((section, at) => (
    <section key={section.title ?? at} className="form-section" {...(section.title ? { 'aria-label': section.title } : {})}>
      {section.title && <h3>{section.title}</h3>}
      <div className="form-grid">
        {section.fields.map((name) => (
          <FormField key={name} state={state} name={name} />
        ))}
      </div>
    </section>
  ));
}
