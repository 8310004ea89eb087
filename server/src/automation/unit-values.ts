/** The placeholders of a work unit and their values. */
import type { FieldName, Row } from '@cloudfit/contract/resource.ts';
import type { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { displayNames } from '../auth/people-names.ts';
import type { Db } from '../db/db.ts';
import { columnName } from '../db/column-name.ts';
import type { PlaceholderValues } from './placeholders.ts';

/** Placeholders that stand for a field of the work unit. */
const unitPlaceholders = {
  WorkUnitId: 'workUnitId',
  PublicWorkUnitId: 'publicWorkUnitId',
  Title: 'title',
  Description: 'description',
  Severity: 'severityId',
  State: 'stateId',
  AssignedTo: 'assignedTo',
  AssignmentGroup: 'assignmentGroup',
  ReferenceId: 'referenceId',
  ReferenceUrl: 'referenceUrl',
  Resolution: 'resolution',
  StakeHolderFullName: 'stakeHolderFullName',
  StakeHolderEmailAddress: 'stakeHolderEmailAddress',
  StakeHolderPhoneNumber: 'stakeHolderPhoneNumber',
  Created: 'created',
  CreatedBy: 'createdBy',
} as const satisfies Record<string, FieldName<typeof workUnits>>;

/** The placeholders of display names, each with the placeholder of the sign-in name. */
const personPlaceholders = { AssignedToName: 'AssignedTo', CreatedByName: 'CreatedBy' } as const;

/** Fills the placeholders of sign-in names with display names, for texts that people read, unless a parameter replaces them. */
export function spoken(values: PlaceholderValues, parameters: PlaceholderValues): PlaceholderValues {
  const replaced = Object.entries(personPlaceholders).filter(([name, of]) => Object.hasOwn(values, name) && !Object.hasOwn(parameters, of));
  return { ...values, ...Object.fromEntries(replaced.map(([name, of]) => [of, values[name]])) };
}

type UnitField = (typeof unitPlaceholders)[keyof typeof unitPlaceholders] | 'tenantId';

/** The fields of a work unit that placeholders need. Names of people are added by `withNames`. */
export type PlaceholderUnit = Pick<Row<typeof workUnits>, UnitField>;

export type NamedUnit = PlaceholderUnit & Record<keyof typeof personPlaceholders, string | null>;

/** Adds the display names of the people of a unit. */
export async function withNames(db: Db, unit: PlaceholderUnit): Promise<NamedUnit> {
  const { assignedTo, createdBy } = unit;
  const nameOf = await displayNames(db, unit.tenantId, [assignedTo, createdBy]);
  return { ...unit, AssignedToName: assignedTo && nameOf(assignedTo), CreatedByName: nameOf(createdBy) };
}

const unitFields: readonly UnitField[] = [...Object.values(unitPlaceholders), 'tenantId'];

/** A `PlaceholderUnit` as one JSON value; `w` is the alias of the table. */
export const unitColumns = (w: string): string =>
  `jsonb_build_object(${unitFields.map((name) => `'${name}', ${w}.${columnName(name)}`).join(', ')})`;

/** Converts a time in the database's JSON, which has an offset, to UTC with `Z`. */
export const zulu = (text: string) => new Date(text).toISOString();

/** The placeholders of a unit. `Label` is the subject of a mail: here the unit's title. */
export function unitValues(unit: NamedUnit, publicUrl: string): PlaceholderValues {
  const { title, tenantId, workUnitId, created, AssignedToName, CreatedByName } = unit;
  return {
    ...Object.fromEntries(Object.entries(unitPlaceholders).map(([name, field]) => [name, unit[field]])),
    Label: title,
    WorkUnitUrl: `${publicUrl}/${tenantId}/workunitsv2?workUnitId=${workUnitId}`,
    Created: zulu(created),
    AssignedToName,
    CreatedByName,
  };
}
