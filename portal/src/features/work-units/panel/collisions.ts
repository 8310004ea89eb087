/** Fields that a person and somebody else change at the same time. */
import type { Values } from '../../../rows/row.ts';

export interface Collision {
  name: string;
  mine: unknown;
  /** As it is saved now. */
  theirs: unknown;
  /** As it was when the person began to change it. */
  before: unknown;
}

const isEmpty = (value: unknown) => value === null || value === undefined || value === '';

/** Values of a field as the wire has them: no value is no value, times are compared as instants. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (a === b || (isEmpty(a) && isEmpty(b))) return true;
  return typeof a === 'string' && typeof b === 'string' && /^\d{4}-\d\d-\d\dT/.test(a) && Date.parse(a) === Date.parse(b);
}

/** Of the changed fields those that are saved with another value than the change began with; what both changed alike is none. */
export function collisionsOf(changed: readonly string[], base: Values, typed: Values, saved: Values): Collision[] {
  return changed
    .filter((name) => !sameValue(saved[name], base[name]) && !sameValue(saved[name], typed[name]))
    .map((name) => ({ name, mine: typed[name], theirs: saved[name], before: base[name] }));
}
