/** Groups of tenants, and which tenants a rule of many is for. */
import { permission } from '@cloudfit/contract/permissions.ts';
import { policies } from '@cloudfit/contract/resources/policies.ts';
import { tenantGroups } from '@cloudfit/contract/resources/tenant-groups.ts';
import { tenantScopeWith, type Ctx } from '../../context/ctx.ts';
import { changed } from '../../db/changed.ts';
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

const usesText = `select 'Rules' as kind, name from rule where tenant_group_id = $1
union select 'Rule Exceptions', r.name from rule_exception e join rule r on r.rule_id = e.rule_id where e.tenant_group_id = $1
union all select 'Policies', name from device_policy where tenant_group_id = $1 and not is_deleted
union all select 'Device Selections', name from device_selection where tenant_group_id = $1
union all select 'Dashboards', name from dashboard where sharing <> 'Only me' and tiles @> jsonb_build_array(jsonb_build_object('scope', jsonb_build_object('group', $1::text)))
order by 1 desc, 2 limit 3`;

/** Deleted policies no longer name the group. */
const leavePolicies = `with gone as (
  update device_policy set tenant_group_id = null where tenant_group_id = $1 and is_deleted returning tenant_id, policy_id
)
${changed(policies, 'update', 'gone', '$2')}`;

export const servedTenantGroups = serve(tenantGroups, 'tenant_group', {
  rowsFor: wholeGroups,
  fill: (_ctx, { after, changed }) => (changed.includes('tenantIds') ? { tenantIds: [...new Set(after.tenantIds)].toSorted() } : {}),
  check: async (ctx, { verb, after, changed }) => {
    if (verb !== 'delete') return changed.includes('tenantIds') ? missingTenants(ctx, after.tenantIds) : [];
    const uses = await ctx.db.query<{ kind: string; name: string }>({
      name: 'tenant-group-uses',
      text: usesText,
      values: [after.tenantGroupId],
    });
    const [first] = uses;
    if (first) {
      const names = uses.filter(({ kind }) => kind === first.kind).map(({ name }) => name);
      return [
        { target: 'tenantGroupId', message: `${first.kind} are for this group: ${names.join(', ')}. Give them other tenants first.` },
      ];
    }
    await ctx.db.query({ name: 'tenant-group-of-deleted-policies', text: leavePolicies, values: [after.tenantGroupId, ctx.correlationId] });
    return [];
  },
  // The rules of the group hold for other tenants now.
  needsAfter: ({ verb, changed }) => verb === 'update' && changed.includes('tenantIds'),
  after: (ctx) => notify(ctx.db, 'rules'),
});
