/** Fields that a person and somebody else change at the same time. */
import type { FieldName } from '@cloudfit/contract/resource.ts';
import type { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { sameValue, type FormValues } from '../../../rows/row.ts';

type UnitValues = FormValues<typeof workUnits>;

export interface Collision {
  name: FieldName<typeof workUnits>;
  mine: unknown;
  /** The value that somebody else has saved. */
  theirs: unknown;
  /** The saved value when the person began to change it. */
  before: unknown;
}

/** Returns the edited fields whose saved value has changed since the edit began, unless both people chose the same value. */
export function collisionsOf(
  changed: readonly FieldName<typeof workUnits>[],
  base: UnitValues,
  typed: UnitValues,
  saved: UnitValues,
): Collision[] {
  return changed
    .filter((name) => !sameValue(saved[name], base[name]) && !sameValue(saved[name], typed[name]))
    .map((name) => ({ name, mine: typed[name], theirs: saved[name], before: base[name] }));
}
