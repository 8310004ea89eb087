/** The additional fields of a tenant in the form: rows that each use one of its 15 columns (TEN-009..013, TEN-016..019). */
import { customFieldTypes, type CustomFieldDefinition } from '@cloudfit/contract/resources/tenants.ts';
import { tenantTexts as t } from '@cloudfit/contract/messages/tenants.en.ts';
import type { Tenant } from './toggle-tenant.ts';

export const slots = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] as const;
type Slot = (typeof slots)[number];
const nameOf = (slot: Slot) => `workUnitFieldDef${slot}` as const;

export interface CustomField {
  /** A key of this form only: it stays the same while the column changes. */
  key: string;
  slot: Slot | undefined;
  name: string;
  type: number;
  options: string;
}

export type FieldProblems = Readonly<Partial<Record<'slot' | 'name' | 'options', string>>>;

export function customFieldsOf(row: Tenant | undefined): readonly CustomField[] {
  return slots.flatMap((slot) => {
    const definition = row?.[nameOf(slot)];
    if (!definition) return [];
    return [{ key: String(slot), slot, name: definition.Name, type: definition.Type, options: definition.Options ?? '' }];
  });
}

/** Returns a new row in the first free column. */
export function blankField(fields: readonly CustomField[]): CustomField {
  const slot = slots.find((slot) => fields.every((field) => field.slot !== slot));
  return { key: crypto.randomUUID(), slot, name: '', type: customFieldTypes.textbox, options: '' };
}

const isSame = (a: string, b: string) => a.trim().toLowerCase() === b.trim().toLowerCase();

/** Errors, by the key of the row. */
export function customFieldProblems(fields: readonly CustomField[]): Readonly<Record<string, FieldProblems>> {
  const entries = fields.map((field, at): [string, FieldProblems] => {
    const before = fields.slice(0, at);
    const problems: FieldProblems = {
      ...(field.slot === undefined
        ? { slot: t.columnRequired }
        : before.some((other) => other.slot === field.slot)
          ? { slot: t.duplicate }
          : {}),
      ...(field.name.trim() === ''
        ? { name: t.nameRequired }
        : before.some((other) => isSame(other.name, field.name))
          ? { name: t.duplicate }
          : {}),
      ...(field.type === customFieldTypes.dropdown && field.options.trim() === '' ? { options: t.optionsRequired } : {}),
    };
    return [field.key, problems];
  });
  return Object.fromEntries(entries.filter(([, problems]) => Object.keys(problems).length > 0));
}

function definitionOf({ name, type, options }: CustomField): CustomFieldDefinition {
  if (type === customFieldTypes.dropdown) return { Name: name.trim(), Type: customFieldTypes.dropdown, Options: options.trim() };
  return { Name: name.trim(), Type: customFieldTypes.textbox };
}

/** The changed columns, in the form in which they are sent. */
export function customFieldChanges(row: Tenant | undefined, fields: readonly CustomField[]): Record<string, CustomFieldDefinition | null> {
  const before = customFieldsOf(row);
  const text = (field: CustomField | undefined) => (field ? JSON.stringify(definitionOf(field)) : '');
  return Object.fromEntries(
    slots.flatMap((slot) => {
      const now = fields.find((field) => field.slot === slot);
      if (text(now) === text(before.find((field) => field.slot === slot))) return [];
      return [[nameOf(slot), now ? definitionOf(now) : null]];
    }),
  );
}
