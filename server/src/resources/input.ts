/** Checks input against the declaration: refuses unknown and invalid fields by name, and ignores what only the server sets. */
import type { z } from 'zod';
import { ApiError, validationFailed } from '@cloudfit/contract/errors.ts';
import { limits } from '@cloudfit/contract/limits.ts';
import type { Field, Resource } from '@cloudfit/contract/resource.ts';
import { plainIssue } from '@cloudfit/contract/plain-issues.ts';
import type { AnyRow, FieldError } from './served.ts';
import { unknownProperties } from './unknown-properties.ts';

export function isObject(value: unknown): value is AnyRow {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether two values are the same on the wire, where the order of properties means nothing, and an absent one is undefined. */
export function same(a: unknown, b: unknown): boolean {
  if (a === b || (a ?? null) === (b ?? null)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null || Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [a as AnyRow, b as AnyRow];
  const names = (row: AnyRow) => Object.keys(row).filter((name) => row[name] !== undefined);
  const ofLeft = names(left);
  return ofLeft.length === names(right).length && ofLeft.every((name) => Object.hasOwn(right, name) && sameInside(left[name], right[name]));
}

/** As `same`, but inside a value null is not the same as absent. */
function sameInside(a: unknown, b: unknown): boolean {
  return (a === null) === (b === null) && same(a, b);
}

/**
 * Returns the value to set. A value that a client sends back as it was read is that of the row, although its schema writes it
 * in another way: with defaults that were not there when the row was stored, or without blanks.
 */
function settled(field: Field, value: unknown, before: unknown): unknown {
  if (before === undefined || before === null || typeof value !== 'object' || same(value, before)) return value;
  const parsed = field.schema().safeParse(before);
  return parsed.success && same(value, parsed.data) ? before : value;
}

function instantOf(field: Field, value: unknown): unknown {
  return field.kind === 'timestamp' && typeof value === 'string' ? new Date(value).toISOString() : value;
}

/** Whether a value is a text without characters, or of blanks only. */
function isEmpty(value: unknown): boolean {
  return typeof value === 'string' && value.trim() === '';
}

/** The declared name of a field that is spelled in any case; any other name is returned unchanged. */
export function fieldName({ fields }: Resource, name: string): string {
  if (Object.hasOwn(fields, name)) return name;
  return Object.keys(fields).find((field) => field.toLowerCase() === name.toLowerCase()) ?? name;
}

/** The message for an unknown field. Only the first such message for a body lists the fields that can be set. */
function noSuchField(resource: Resource, name: string, before: readonly FieldError[]): string {
  const text = `${resource.label} has no field ${name}`;
  if (before.some(({ message }) => message.includes(' has no field '))) return `${text}.`;
  const settable = Object.keys(resource.fields).filter((key) => resource.fields[key]?.write !== 'never');
  return `${text}; there are ${settable.join(', ')}.`;
}

export function cannotBeSet(field: Field): string {
  return `${field.label} cannot be set.`;
}

/**
 * Parses the writable fields of a body. Relations and fields that only the server sets are ignored, because clients send
 * whole rows back (OData 4.0 part 1, section 11.4.3). A new row with rows of a relation is refused: they would be lost.
 */
export function parseInput(resource: Resource, body: unknown, before: AnyRow | null): AnyRow {
  if (!isObject(body)) throw new ApiError('InvalidBody', 'The body must be a JSON object.');
  const errors: FieldError[] = [];
  const row: AnyRow = {};
  for (const [spelling, value] of Object.entries(body)) {
    if (errors.length >= limits.reasons) throw validationFailed(errors);
    const name = fieldName(resource, spelling);
    if (name.startsWith('@odata.')) continue;
    const relation = Object.hasOwn(resource.relations, name) ? resource.relations[name] : undefined;
    if (relation) {
      if (!before && relation.many && Array.isArray(value) && value.length > 0)
        errors.push({
          target: name,
          message: `Rows of ${name} are not created with this one; create them after it at /v1/${relation.to}.`,
        });
      continue;
    }
    const field = Object.hasOwn(resource.fields, name) ? resource.fields[name] : undefined;
    if (!field) {
      errors.push({ target: name, message: noSuchField(resource, name, errors) });
    } else if (field.write === 'create' && before) {
      if (!same(value, before[name])) errors.push({ target: name, message: cannotBeSet(field) });
    } else if (field.write !== 'never' && value !== undefined) {
      // A text from before a check was stricter stays while it is unchanged, because clients send whole rows back.
      const isUnchanged = field.kind === 'text' && value === before?.[name];
      const parsed = isUnchanged
        ? { success: true as const, data: value }
        : field.schema().safeParse(isEmpty(value) && field.nullable ? null : value, { error: issueOf(field) });
      if (parsed.success) {
        row[name] = settled(field, instantOf(field, parsed.data), before?.[name]);
        errors.push(...lostOf(field, name, value, before?.[name]));
      } else errors.push({ target: name, message: parsed.error.issues[0]?.message ?? `${field.label} is not valid.` });
    }
  }
  if (!before) {
    for (const [name, field] of Object.entries(resource.fields)) {
      if (name in row || field.write === 'never') continue;
      if (field.initial !== undefined) row[name] = field.initial;
      else if (field.required && !errors.some(({ target }) => target === name)) errors.push({ target: name, message: missingText(field) });
    }
  }
  if (errors.length > 0) throw validationFailed(errors);
  return row;
}

/** Returns an error for each property inside the value that its schema does not have, unless the row has it already. */
function lostOf(field: Field, name: string, value: unknown, before: unknown): FieldError[] {
  if (typeof value !== 'object' || value === null || same(value, before)) return [];
  return unknownProperties(field.schema(), value, [], [name]).slice(0, limits.reasons);
}

/** Returns the message for an issue if the schema has no text: it names the field, and the place inside the value. */
function issueOf({ label }: Field): (issue: z.core.$ZodRawIssue) => string {
  return (issue) => {
    const text = plainIssue(issue) ?? 'Is not valid.';
    const isSentence = Boolean(issue.path?.length) || text.startsWith('There');
    return isSentence ? `${label}: ${text}` : `${label} ${text.charAt(0).toLowerCase()}${text.slice(1)}`;
  };
}

/** The message for a missing value: the schema's own text, usually from the specification, or `... is required.` */
function missingText(field: Field): string {
  const parsed = field.schema().safeParse(field.kind === 'text' ? '' : undefined);
  const text = parsed.error?.issues[0]?.message;
  return text && !text.startsWith('Invalid') && !text.includes('must be') && !text.includes('valid GUID')
    ? text
    : `${field.label} is required.`;
}
