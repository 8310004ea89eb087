/** What a form is made of: its sections, its values, and what each control receives. */
import type { ComponentType } from 'react';
import type { Field, FieldName, Resource, Row } from '@cloudfit/contract/resource.ts';
import type { FormValues } from '../rows/row.ts';
import type { FieldAria } from '../components/field.tsx';

export interface InputProps<R extends Resource = Resource> {
  field: Field;
  name: string;
  value: unknown;
  onChange: (value: unknown) => void;
  onBlur: () => void;
  disabled: boolean;
  aria: FieldAria;
  /** All values of the form, for choices that depend on others. */
  values: FormValues<R>;
  /** The row as it is saved; undefined while it is being created. */
  row?: Row<R> | undefined;
  /** Name of what a reference points to now, while the choices are not loaded. */
  knownName?: string | undefined;
  setValue(name: FieldName<R>, value: unknown): void;
}

export interface FormSection<R extends Resource = Resource> {
  title?: string;
  fields: readonly FieldName<R>[];
  /** Left out for rows that have nothing to say here. */
  isFor?(row: Row<R> | undefined): boolean;
}

type ByField<R extends Resource, T> = { readonly [K in FieldName<R>]?: T };

export interface FormLayout<R extends Resource = Resource> {
  sections?: readonly FormSection<R>[];
  /** Fields that take the whole width, beside the multiline ones. */
  wide?: readonly FieldName<R>[];
  /** Fields that are not shown even though they can be written. */
  without?: readonly FieldName<R>[];
  /** Own inputs, by field. */
  inputs?: ByField<R, ComponentType<InputProps<R>>>;
  /** Own help, by field. */
  help?: ByField<R, string>;
  /** Own texts for a missing value, by field. */
  requiredTexts?: ByField<R, string>;
  /** What is wrong between fields, by field. */
  check?(values: FormValues<R>): ByField<R, string>;
}
