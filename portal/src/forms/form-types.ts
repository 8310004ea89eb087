/** Types of forms: their layout and sections, and the props of each control. */
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
  /** What an empty control of text shows. */
  placeholder?: string | undefined;
  aria: FieldAria;
  /** All values of the form, for choices that depend on other fields. */
  values: FormValues<R>;
  /** The saved row; undefined for a new row. */
  row?: Row<R> | undefined;
  /** Name of the row that a reference currently points to, while the choices load. */
  knownName?: string | undefined;
  setValue(name: FieldName<R>, value: unknown): void;
}

export interface FormSection<R extends Resource = Resource> {
  title?: string;
  fields: readonly FieldName<R>[];
  /** Whether the section shows; `row` is undefined for a new row. By default the section always shows. */
  isFor?(row: Row<R> | undefined): boolean;
}

type ByField<R extends Resource, T> = { readonly [K in FieldName<R>]?: T };

export interface FormLayout<R extends Resource = Resource> {
  sections?: readonly FormSection<R>[];
  /** Fields that take the whole width, besides the multiline ones. */
  wide?: readonly FieldName<R>[];
  /** Writable fields that the form hides. */
  without?: readonly FieldName<R>[];
  /** Fields that the present values make needless: they are not shown, not validated and not sent. Whoever uses it watches the values. */
  hides?(values: FormValues<R>): readonly FieldName<R>[];
  /** Custom inputs, by field. */
  inputs?: ByField<R, ComponentType<InputProps<R>>>;
  /**
   * Whether the fields read as text until somebody edits them: an empty one shows a dash, a changed one is marked, and Escape in a
   * changed one of one line gives the saved value back. The class `in-place` on their form styles them.
   */
  inPlace?: boolean;
  /** Custom help texts, by field. */
  help?: ByField<R, string>;
  /** Custom texts for a missing value, by field. */
  requiredTexts?: ByField<R, string>;
  /** Errors that concern several fields, by field. */
  check?(values: FormValues<R>): ByField<R, string>;
}
