/** Groups of tenants, and which tenants a rule of many is for. */
import { permission } from '@cloudfit/contract/permissions.ts';
import { tenantGroups } from '@cloudfit/contract/resources/tenant-groups.ts';
import { tenantScopeWith, type Ctx } from '../../context/ctx.ts';
import { notify } from '../../db/notify.ts';
import { sql, type RawBuilder } from '../../db/sql.ts';
import { serve, type FieldError } from '../../resources/served.ts';

/** Groups name their tenants, so a person sees only those of which they see all tenants. */
function wholeGroups(ctx: Ctx, t: string): RawBuilder<boolean> | undefined {
  const scope = tenantScopeWith(ctx, [permission('Tenants', 'view')]);
  return scope === 'all' ? undefined : sql<boolean>`${sql.ref(`${t}.tenant_ids`)} <@ to_jsonb(${[...scope]}::text[])`;
}

async function missingTenants(ctx: Ctx, ids: readonly string[]): Promise<FieldError[]> {
  const [row] = await ctx.db.query<{ count: number }>({
    text: 'select count(*)::int as count from tenant where tenant_id = any($1::uuid[])',
    values: [ids],
  });
  return row?.count === ids.length ? [] : [{ target: 'tenantIds', message: 'A tenant of the group was not found. Choose existing ones.' }];
}

export const servedTenantGroups = serve(tenantGroups, 'tenant_group', {
  rowsFor: wholeGroups,
  fill: (_ctx, { after, changed }) => (changed.includes('tenantIds') ? { tenantIds: [...new Set(after.tenantIds)].toSorted() } : {}),
  check: async (ctx, { verb, after, changed }) => {
    if (verb !== 'delete') return changed.includes('tenantIds') ? missingTenants(ctx, after.tenantIds) : [];
    const names = await ctx.db.query<{ name: string }>({
      text: `select name from rule where tenant_group_id = $1
union select r.name from rule_exception e join rule r on r.rule_id = e.rule_id where e.tenant_group_id = $1 order by name limit 3`,
      values: [after.tenantGroupId],
    });
    return names.length === 0
      ? []
      : [
          {
            target: 'tenantGroupId',
            message: `Rules or their exceptions are for this group: ${names.map(({ name }) => name).join(', ')}. Give them other tenants first.`,
          },
        ];
  },
  // The rules of the group hold for other tenants now.
  needsAfter: ({ verb, changed }) => verb === 'update' && changed.includes('tenantIds'),
  after: (ctx) => notify(ctx.db, 'rules'),
});
