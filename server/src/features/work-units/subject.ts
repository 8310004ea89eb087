/** The id of a work unit in rule matches: a UUID of version 8 with the unit's number in its last twelve digits. */

const unitPrefix = '00000000-0000-8000-8000-';

export function subjectOfWorkUnit(workUnitId: number): string {
  return `${unitPrefix}${workUnitId.toString(16).padStart(12, '0')}`;
}

/** Returns the number of the unit; undefined if this is not the id of a work unit. */
export function workUnitOfSubject(subjectId: string): number | undefined {
  return subjectId.startsWith(unitPrefix) ? Number.parseInt(subjectId.slice(unitPrefix.length), 16) : undefined;
}
