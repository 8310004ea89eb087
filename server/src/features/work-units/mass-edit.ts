/** A mass edit of work units: which fields it may not empty, and that all of its rows have one type (MASS-003..010). */
import type { FieldName } from '@cloudfit/contract/resource.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { validationFailed } from '@cloudfit/contract/errors.ts';
import type { Ctx } from '../../context/ctx.ts';
import { bulkEdits, isEmptied, updateMany, type RowEdit } from '../../resources/bulk.ts';
import { fieldName } from '../../resources/input.ts';
import type { AnyRow, FieldError, RowChange } from '../../resources/served.ts';
import { servedOf } from '../../resources/served.ts';

/** Fields that a mass edit may not empty. An edit of a single row may empty some of them. */
const neverEmptied = [
  'title',
  'implementationPlan',
  'rollbackPlan',
  'affectedResources',
  'environment',
  'expectedCFSAlerts',
  'resolution',
] as const satisfies readonly FieldName<typeof workUnits>[];

/** Returns the fields that an edit empties, without those that were empty in `previousState` already. */
function emptiedFields({ newState = {}, previousState = {} }: RowEdit): string[] {
  return Object.keys(newState)
    .filter((name) => isEmptied(newState[name]) && !(name in previousState && isEmptied(previousState[name])))
    .map((name) => fieldName(workUnits, name));
}

function requireFilled(edit: RowEdit): RowEdit {
  const emptied = emptiedFields(edit);
  const names = neverEmptied.filter((name) => emptied.includes(name));
  if (names.length === 0) return edit;
  const refuse = (): never => {
    throw validationFailed(names.map((name) => ({ target: name, message: `${workUnits.fields[name].label} is required.` })));
  };
  return { key: edit.key, edit: refuse };
}

function typeErrors(changes: readonly RowChange[]): FieldError[] {
  const type: FieldName<typeof workUnits> = 'workUnitTypeId';
  if (new Set(changes.map(({ before }) => before?.[type])).size < 2) return [];
  return [{ target: type, message: `${workUnits.plural} of one bulk edit have the same ${workUnits.fields[type].label}.` }];
}

export function editWorkUnits(ctx: Ctx, body: unknown): Promise<AnyRow[]> {
  const served = servedOf(workUnits);
  return updateMany(ctx, served, bulkEdits(served, body).map(requireFilled), typeErrors);
}
