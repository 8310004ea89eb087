/** Rules of many tenants, as one of their tenants has them. */
import type { Ctx } from '../../context/ctx.ts';

/** Whose a rule is. Without a tenant it is of a group or of all tenants; the audit omits nulls. */
interface RulePlace {
  ruleId: string;
  tenantId?: string | null;
  tenantGroupId?: string | null;
}

type OfTenant<T> = Omit<T, 'tenantId'> & { tenantId: string };

/**
 * Returns rules of many tenants as rules of this one, with null in place of those whose group does not have it. Groups are taken as
 * they are now. Rules of one tenant stay as they are, and so do all of them under exceptions.
 */
export async function asOfTenant<T extends RulePlace>(
  ctx: Ctx,
  tenantId: string,
  rules: readonly (T | null)[],
): Promise<(OfTenant<T> | null)[]> {
  const ids = [...new Set(rules.flatMap((rule) => (rule?.tenantGroupId && !rule.tenantId ? [rule.tenantGroupId] : [])))];
  const rows =
    ids.length === 0
      ? []
      : await ctx.db.query<{ id: string }>({
          text: 'select tenant_group_id as id from tenant_group where tenant_group_id = any($1::uuid[]) and tenant_ids ? $2',
          values: [ids, tenantId],
        });
  const groups = new Set(rows.map(({ id }) => id));
  return rules.map((rule) => {
    if (!rule) return null;
    if (rule.tenantId) return { ...rule, tenantId: rule.tenantId };
    return rule.tenantGroupId && !groups.has(rule.tenantGroupId) ? null : { ...rule, tenantId };
  });
}

/** Returns the tenants of a rule that is stored or drafted. */
export async function tenantsOfRule(
  ctx: Ctx,
  { tenantId, tenantGroupId }: Pick<RulePlace, 'tenantId' | 'tenantGroupId'>,
): Promise<string[]> {
  if (tenantId) return [tenantId];
  const rows = await ctx.db.query<{ id: string }>({
    text: 'select tenants_of_rule(null, $1) as id',
    values: [tenantGroupId ?? null],
  });
  return rows.map(({ id }) => id);
}
