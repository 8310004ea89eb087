/** The services of a tenant that its status pages name, for people who write a communication. */
import { getStatusServices } from '@cloudfit/contract/actions/status-pages/status-pages.ts';
import { requirePermission } from '../../context/ctx.ts';
import { implement } from '../../resources/action.ts';

export const statusServicesAction = implement(getStatusServices, async (ctx, { id }) => {
  requirePermission(ctx, 'WorkUnitCommunications', 'view', id);
  const rows = await ctx.db.query<{ name: string }>({
    name: 'status-services',
    text: `select min(c ->> 'name') as name from status_page p, jsonb_array_elements(p.components) c
      where p.tenant_id = $1 group by lower(c ->> 'name') order by lower(c ->> 'name')`,
    values: [id],
  });
  return rows.map(({ name }) => name);
});
