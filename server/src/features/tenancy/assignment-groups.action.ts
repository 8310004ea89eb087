import { assignmentGroups, choosesGroups } from '@cloudfit/contract/actions/work-units/work-units.ts';
import { notFound } from '@cloudfit/contract/errors.ts';
import { may } from '../../context/ctx.ts';
import { implement } from '../../resources/action.ts';

/** Returns the tenant's comma-separated list as an array (TEN-008), for callers with one of the permissions `choosesGroups`. */
export const assignmentGroupsAction = implement(assignmentGroups, async (ctx, { id }) => {
  const [row] = await ctx.db.query<{ assignment_groups: string | null }>({
    text: 'select assignment_groups from tenant where tenant_id = $1',
    values: [id],
  });
  if (!row || !choosesGroups.some((right) => may(ctx, right, id))) throw notFound('Tenant');
  return (row.assignment_groups ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
});
