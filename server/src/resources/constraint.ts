/** Names the field behind a violated constraint, so that the form can say it where it belongs. */
import { ApiError, validationFailed } from '@cloudfit/contract/errors.ts';
import { columnName } from './column-name.ts';
import type { AnyServed } from './served.ts';

function fieldsIn(served: AnyServed, constraint: string): string[] {
  return Object.keys(served.resource.fields).filter((name) => constraint.includes(columnName(name)));
}

/** A missing reference is a wrong value of its field; a duplicate is a conflict about the field that must differ. */
export function explainConstraint(served: AnyServed, error: unknown): unknown {
  if (!(error instanceof ApiError) || error.code !== 'Conflict' || !error.target) return error;
  const { resource } = served;
  const names = fieldsIn(served, error.target);
  // The longest name is the one meant: work_unit_work_unit_type_id_fkey also contains work_unit_id's letters.
  const field = names.toSorted((a, b) => b.length - a.length)[0];
  const label = field ? resource.fields[field]?.label : undefined;
  if (error.target.endsWith('_fkey')) {
    return field && label && error.target.startsWith(`${served.table}_`)
      ? validationFailed([{ target: field, message: `${label} was not found.` }])
      : new ApiError('Conflict', `This ${resource.label.toLowerCase()} cannot be deleted while something else uses it.`);
  }
  return new ApiError('Conflict', `There is already a ${resource.label.toLowerCase()} with this ${label?.toLowerCase() ?? 'value'}.`, {
    target: field,
  });
}
