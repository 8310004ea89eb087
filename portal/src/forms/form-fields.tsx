/** Renders a form from its declaration. */
import { useEffect, type KeyboardEvent } from 'react';
import { Controller, useWatch } from 'react-hook-form';
import type { FieldName, Resource } from '@cloudfit/contract/resource.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { afterPress, Field } from '../components/field.tsx';
import { referencedName } from '../rows/cells.tsx';
import { inputs } from './inputs.tsx';
import { RestoredNotice } from '../drafts/restored-notice.tsx';
import { fieldValue } from '../rows/row.ts';
import type { ResourceFormState } from './use-resource-form.ts';

const textFields =
  ':is(input[type="text"], input:not([type]), input[type="tel"], input[type="email"], input[type="url"], textarea):enabled:not([role="combobox"], [readonly])';

const lookups = 'input[role="combobox"]:enabled';

const isInForm = (element: Element | null) => element?.closest('form') != null;

interface FormFieldProps<R extends Resource> {
  state: ResourceFormState<R>;
  name: FieldName<R>;
}

function FormField<R extends Resource>({ state, name }: FormFieldProps<R>) {
  const { resource, fields, layout, row, readOnly } = state;
  const field = resource.fields[name];
  if (!field || field.input === 'json') return null;
  const Control = layout.inputs?.[name] ?? inputs[field.input];
  /** Gives the saved value back. A text of several lines stays: it may be a long one. */
  const onEscape = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.defaultPrevented || field.input === 'multiline') return;
    event.preventDefault();
    fields.setValue<string>(name, state.base()[name], { shouldDirty: true, shouldValidate: true });
  };
  const knownName = row ? referencedName(resource, name, row) : undefined;
  return (
    <Controller
      control={fields.control}
      name={name}
      render={({ field: bound, fieldState }) => (
        <Field
          label={field.label}
          required={field.required || layout.requiredTexts?.[name] !== undefined}
          help={layout.help?.[name] ?? field.help}
          error={fieldState.error?.message}
          changed={layout.inPlace && fieldState.isDirty}
          onKeyDown={layout.inPlace && fieldState.isDirty ? onEscape : undefined}
          wide={field.input === 'multiline' || layout.wide?.includes(name)}
        >
          {(aria) => (
            <Control
              field={field}
              name={name}
              aria={aria}
              value={bound.value}
              disabled={readOnly}
              placeholder={layout.inPlace ? en.common.none : undefined}
              values={state.values()}
              row={row}
              knownName={row && bound.value === fieldValue(row, name) ? knownName : undefined}
              onChange={bound.onChange}
              onBlur={() => afterPress(bound.onBlur)}
              setValue={(other: string, value) => fields.setValue(other, value, { shouldDirty: true, shouldValidate: true })}
            />
          )}
        </Field>
      )}
    />
  );
}

/** The fields, section by section. In a panel for a new row the first empty text or lookup field has the focus. */
export function FormFields<R extends Resource>({ state }: { state: ResourceFormState<R> }) {
  const { id, mode, readOnly } = state;
  const hides = (): readonly string[] => state.layout.hides?.(state.values()) ?? [];
  // A second change of the same field renders nothing by itself.
  useWatch({ control: state.fields.control, compute: () => hides().join(' ') });
  const hidden = hides();
  useEffect(() => {
    if (mode !== 'create' || readOnly || isInForm(document.activeElement)) return;
    // Runs after the panel of the form has taken the focus and has stored which element had the focus before.
    queueMicrotask(() => {
      const panel = document.getElementById(id)?.closest('.side-panel');
      const open = [...(panel?.querySelectorAll<HTMLInputElement>(`form :is(${textFields}, ${lookups})`) ?? [])];
      // With restored values in the form, the focus stays where it is.
      if (open.every((field) => field.value === '' || field.matches(lookups)))
        open.find(({ value }) => value === '')?.focus({ preventScroll: true });
    });
  }, [id, mode, readOnly]);
  return (
    <>
      <RestoredNotice restored={state.restored} onDiscard={state.restart} />
      {state.sections.map(({ title, fields }, at) => {
        const shown = fields.filter((name) => !hidden.includes(name));
        return (
          shown.length > 0 && (
            <section key={title ?? at} className="form-section" {...(title ? { 'aria-label': title } : {})}>
              {title && <h3>{title}</h3>}
              <div className="form-grid">
                {shown.map((name) => (
                  <FormField key={name} state={state} name={name} />
                ))}
              </div>
            </section>
          )
        );
      })}
    </>
  );
}
