/** A form from its declaration: its fields, initial values and errors. */
import type { Resolver } from 'react-hook-form';
import { en as english } from 'zod/locales';
import { config } from 'zod/mini';
import type { Field, FieldName, Resource } from '@cloudfit/contract/resource.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import type { FormLayout, FormSection } from './form-types.ts';
import type { FormValues } from '../rows/row.ts';
import { fieldValue } from '../rows/row.ts';

// Default messages for declarations that have no messages; the small build of zod has none.
config(english());

export type Mode = 'create' | 'edit';
export function isWritable(field: Field, mode: Mode): boolean {
  return field.write === 'always' || (field.write === 'create' && mode === 'create');
}

/** The sections of a form, with the fields that a person can set in this mode. */
export function formSections<R extends Resource>(resource: R, mode: Mode, layout: FormLayout<R> = {}): readonly FormSection<R>[] {
  const shown = (name: FieldName<R>) => {
    const field: Field | undefined = resource.fields[name];
    return field !== undefined && field.input !== 'json' && isWritable(field, mode) && !layout.without?.includes(name);
  };
  const sections: readonly FormSection<R>[] = layout.sections ?? [{ fields: Object.keys(resource.fields) }];
  return sections.map((section) => ({ ...section, fields: section.fields.filter(shown) })).filter((section) => section.fields.length > 0);
}

function blank(field: Field): unknown {
  if (field.initial !== undefined) return field.initial;
  if (field.nullable) return null;
  return field.kind === 'boolean' ? false : '';
}

export function formValues(resource: Resource, names: readonly string[], row: object | undefined): FormValues {
  return Object.fromEntries(
    names.map((name) => {
      const field = resource.fields[name];
      return [name, row && fieldValue(row, name) !== undefined ? fieldValue(row, name) : field ? blank(field) : null];
    }),
  );
}

/** All fields that a form can show in this mode, including fields that are hidden at first: they need initial values, too. */
export function writableFields(resource: Resource, mode: Mode): string[] {
  return Object.entries(resource.fields).flatMap(([name, field]) => (field.input !== 'json' && isWritable(field, mode) ? [name] : []));
}

const pick = (values: FormValues, names: readonly string[]): FormValues => Object.fromEntries(names.map((name) => [name, values[name]]));

const isEmpty = (value: unknown) => value === null || value === undefined || value === '';
const isBlank = (value: unknown) => isEmpty(value) || (typeof value === 'string' && value.trim() === '');

/** The error of one value, with the text of the declaration. With `requiredText`, the value is required in any case. */
export function fieldProblem(field: Field, value: unknown, requiredText?: string): string | undefined {
  if (requiredText && isBlank(value)) return requiredText;
  if (isEmpty(value)) {
    if (field.nullable && !field.required) return undefined;
    if (!field.required) return field.kind === 'text' && value === '' ? undefined : en.form.requiredNamed(field.label);
    if (field.kind === 'timestamp') return en.form.dateRequired;
    if (field.ref || field.kind === 'guid' || field.kind === 'time') return en.form.requiredNamed(field.label);
  }
  const result = field.schema().safeParse(value);
  return result.success ? undefined : (result.error.issues[0]?.message ?? en.form.required);
}

/** Validates with the schemas of the contract, so that portal and server agree. The result has the fields `names`, `also`. */
export function makeResolver<R extends Resource>(
  resource: R,
  names: readonly FieldName<R>[],
  layout: FormLayout<R> = {},
  also: readonly string[] = [],
): Resolver<FormValues> {
  return (values) => {
    const errors: Record<string, { type: 'invalid'; message: string }> = {};
    const hidden: readonly string[] = layout.hides?.(values as FormValues<R>) ?? [];
    const shown = names.filter((name) => !hidden.includes(name));
    for (const name of shown) {
      const field: Field | undefined = resource.fields[name];
      const message = field ? fieldProblem(field, values[name], layout.requiredTexts?.[name]) : undefined;
      if (message) errors[name] = { type: 'invalid', message };
    }
    for (const [name, message] of Object.entries<string | undefined>(layout.check?.(values as FormValues<R>) ?? {}))
      if (message) errors[name] ??= { type: 'invalid', message };
    return Object.keys(errors).length > 0 ? { values: {}, errors } : { values: pick(values, [...shown, ...also]), errors: {} };
  };
}
