/** Fields that a person and somebody else change at the same time. */
import type { FormValues } from '../../../rows/row.ts';

export interface Collision {
  name: string;
  mine: unknown;
  /** The saved value. */
  theirs: unknown;
  /** The saved value when the person began to change it. */
  before: unknown;
}

const isEmpty = (value: unknown) => value === null || value === undefined || value === '';

/** Compares wire values of a field: empty values are equal, and times compare as instants. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (a === b || (isEmpty(a) && isEmpty(b))) return true;
  return typeof a === 'string' && typeof b === 'string' && /^\d{4}-\d\d-\d\dT/.test(a) && Date.parse(a) === Date.parse(b);
}

/** Changed fields whose saved value differs from the one before the change, unless both people chose the same value. */
export function collisionsOf(changed: readonly string[], base: FormValues, typed: FormValues, saved: FormValues): Collision[] {
  return changed
    .filter((name) => !sameValue(saved[name], base[name]) && !sameValue(saved[name], typed[name]))
    .map((name) => ({ name, mine: typed[name], theirs: saved[name], before: base[name] }));
}
