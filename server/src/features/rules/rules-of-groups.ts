/** Rows of rules that may be of a group of tenants: which ones a caller reads. */
import { permission } from '@cloudfit/contract/permissions.ts';
import { tenantScopeWith, type Ctx } from '../../context/ctx.ts';
import { sql, type RawBuilder } from '../../db/sql.ts';

/** Of the rows of groups, those whose group has one of the tenants. `t`: a table with a group of tenants. */
function ofTenants(tenants: readonly string[], t: string): RawBuilder<boolean> {
  const group = sql.ref(`${t}.tenant_group_id`);
  return sql<boolean>`(${group} is null or exists (select from tenant_group g where g.tenant_group_id = ${group} and g.tenant_ids ?| ${tenants}::text[]))`;
}

/** Of the rows of groups, those whose group has one of the caller's tenants. */
export function concerning(ctx: Ctx, t: string): RawBuilder<boolean> | undefined {
  const scope = tenantScopeWith(ctx, [permission('Rules', 'view')]);
  return scope === 'all' ? undefined : ofTenants([...scope], t);
}

/** As `concerning`, for exceptions of rules: one of all tenants is seen by those who see its rule. */
export function ofRulesConcerning(ctx: Ctx, t: string): RawBuilder<boolean> | undefined {
  const scope = tenantScopeWith(ctx, [permission('Rules', 'view')]);
  const rule = sql.ref(`${t}.rule_id`);
  return scope === 'all' ? undefined : sql<boolean>`${ofTenants([...scope], t)} and exists (select from rule r where r.rule_id = ${rule})`;
}
