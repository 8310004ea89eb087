/** A condition on devices in words: `contains(tags,'web')` is "Tags contains web". What is not a simple one stays a filter. */
import { en } from '@cloudfit/contract/messages/en.ts';
import { policyTexts } from '@cloudfit/contract/messages/policies.en.ts';
import { devices } from '@cloudfit/contract/resources/devices.ts';
import type { Field } from '@cloudfit/contract/resource.ts';
import { labelOf } from '../rows/row.ts';

const t = policyTexts.condition;

const fieldOf = (name: string): Field | undefined => (devices.fields as Readonly<Record<string, Field>>)[name];

function valueText(field: Field, literal: string): string {
  if (literal === 'true') return en.common.yesValue;
  if (literal === 'false') return en.common.noValue;
  if (literal === 'null') return en.common.none;
  const text = literal.startsWith("'") ? literal.slice(1, -1).replaceAll("''", "'") : literal;
  return field.choices?.find(({ value }) => String(value) === text)?.label ?? text;
}

/** The condition in words; undefined for one that is not simple, or names another row by its id. */
export function conditionText(filter: string): string | undefined {
  const [, contained, text] = /^contains\((?:folded\()?(\w+)\)?,('(?:[^']|'')*')\)$/.exec(filter) ?? [];
  const ofText = contained === undefined ? undefined : fieldOf(contained);
  if (contained !== undefined && text !== undefined && ofText) return t.contains(labelOf(devices, contained), valueText(ofText, text));
  const [, name, literal] = /^(\w+) eq ('(?:[^']|'')*'|[\w.:-]+)$/.exec(filter) ?? [];
  const field = name === undefined ? undefined : fieldOf(name);
  if (name === undefined || literal === undefined || !field || field.ref) return undefined;
  return t.equals(labelOf(devices, name), valueText(field, literal));
}
