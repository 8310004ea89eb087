/** What a form is made of: its sections, its values, and what each control receives. */
import type { ComponentType } from 'react';
import type { Field } from '@cloudfit/contract/resource.ts';
import type { FieldAria } from '../components/field.tsx';

export type Values = Record<string, unknown>;

export interface InputProps {
  field: Field;
  name: string;
  value: unknown;
  onChange: (value: unknown) => void;
  onBlur: () => void;
  disabled: boolean;
  aria: FieldAria;
  /** All values of the form, for choices that depend on others. */
  values: Values;
  /** The row as it is saved; undefined while it is being created. */
  row?: Readonly<Record<string, unknown>> | undefined;
  /** Name of what a reference points to now, while the choices are not loaded. */
  knownName?: string | undefined;
  setValue: (name: string, value: unknown) => void;
}

export interface FormSection {
  title?: string;
  fields: readonly string[];
  /** Left out for rows that have nothing to say here. */
  isFor?: (row: Readonly<Record<string, unknown>> | undefined) => boolean;
}

export interface FormLayout {
  sections?: readonly FormSection[];
  /** Fields that take the whole width, beside the multiline ones. */
  wide?: readonly string[];
  /** Fields that are not shown even though they can be written. */
  without?: readonly string[];
  /** Own inputs, by field. */
  inputs?: Readonly<Record<string, ComponentType<InputProps>>>;
  /** Own help, by field. */
  help?: Readonly<Record<string, string>>;
  /** Own texts for a missing value, by field. */
  requiredTexts?: Readonly<Record<string, string>>;
  /** What is wrong between fields, by field. */
  check?: (values: Values) => Readonly<Record<string, string>>;
}
