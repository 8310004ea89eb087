/** A form as the declaration says: which fields, their first values, and what is wrong with what was typed. */
import type { FieldErrors, Resolver } from 'react-hook-form';
import { en as english } from 'zod/locales';
import { config } from 'zod/mini';
import type { Field, Resource } from '@cloudfit/contract/resource.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import type { FormLayout, FormSection, Values } from './form-types.ts';
import type { AnyRow } from './row.ts';

// Words for what a declaration does not word itself; the small build of the library comes without any.
config(english());

export type Mode = 'create' | 'edit';
export function isWritable(field: Field, mode: Mode): boolean {
  return field.write === 'always' || (field.write === 'create' && mode === 'create');
}

/** The sections of a form, with the fields that a person can set in this mode. */
export function formSections(resource: Resource, mode: Mode, layout: FormLayout = {}): readonly FormSection[] {
  const shown = (name: string) => {
    const field = resource.fields[name];
    return field !== undefined && field.input !== 'json' && isWritable(field, mode) && !layout.without?.includes(name);
  };
  const sections = layout.sections ?? [{ fields: Object.keys(resource.fields) }];
  return sections.map((section) => ({ ...section, fields: section.fields.filter(shown) })).filter((section) => section.fields.length > 0);
}

function blank(field: Field): unknown {
  if (field.initial !== undefined) return field.initial;
  if (field.nullable) return null;
  return field.kind === 'boolean' ? false : '';
}

export function formValues(resource: Resource, names: readonly string[], row: AnyRow | undefined): Values {
  return Object.fromEntries(
    names.map((name) => {
      const field = resource.fields[name];
      return [name, row && row[name] !== undefined ? row[name] : field ? blank(field) : null];
    }),
  );
}

/** Every field that a form could show in this mode: what a hidden one starts with when it comes to be shown. */
export function writableFields(resource: Resource, mode: Mode): string[] {
  return Object.entries(resource.fields).flatMap(([name, field]) => (field.input !== 'json' && isWritable(field, mode) ? [name] : []));
}

const pick = (values: Values, names: readonly string[]): Values => Object.fromEntries(names.map((name) => [name, values[name]]));

const isEmpty = (value: unknown) => value === null || value === undefined || value === '';
const isBlank = (value: unknown) => isEmpty(value) || (typeof value === 'string' && value.trim() === '');

/** What is wrong with one value, in the declaration's own words. With `requiredText` it may not be left out, whatever the declaration says. */
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

/** Checks with the contract's own schemas, so that the portal and the server refuse alike. Submits the fields shown, and `also`. */
export function makeResolver(
  resource: Resource,
  names: readonly string[],
  layout: FormLayout = {},
  also: readonly string[] = [],
): Resolver<Values> {
  return (values) => {
    const errors: FieldErrors<Values> = {};
    for (const name of names) {
      const field = resource.fields[name];
      const message = field ? fieldProblem(field, values[name], layout.requiredTexts?.[name]) : undefined;
      if (message) errors[name] = { type: 'invalid', message };
    }
    for (const [name, message] of Object.entries(layout.check?.(values) ?? {})) errors[name] ??= { type: 'invalid', message };
    return Object.keys(errors).length > 0 ? { values: {}, errors } : { values: pick(values, [...names, ...also]), errors: {} };
  };
}
