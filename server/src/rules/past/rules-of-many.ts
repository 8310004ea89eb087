/** Rules of many tenants, as one of their tenants has them. */
import { withOwnValues, type OwnValues } from '@cloudfit/contract/rules/own-values.ts';
import type { Condition } from '@cloudfit/contract/rules/schema.ts';
import type { Ctx } from '../../context/ctx.ts';

/** Whose a rule is. Without a tenant it is of a group or of all tenants; the audit omits nulls. */
interface RulePlace {
  ruleId: string;
  enabled?: boolean;
  conditions?: Condition[];
  matchLifetime?: string;
  tenantId?: string | null;
  tenantGroupId?: string | null;
}

type OfTenant<T> = Omit<T, 'tenantId'> & { tenantId: string };

interface ExceptionOfTenant {
  ruleId: string;
  isOff: boolean;
  ownValues: OwnValues | null;
  matchLifetime: string | null;
}

async function exceptionsOf(ctx: Ctx, tenantId: string, ruleIds: readonly string[]): Promise<ReadonlyMap<string, ExceptionOfTenant>> {
  if (ruleIds.length === 0) return new Map();
  const rows = await ctx.db.query<ExceptionOfTenant>({
    text: `select rule_id as "ruleId", is_off as "isOff", own_values as "ownValues", to_char(make_interval(secs => match_lifetime), 'HH24:MI:SS') as "matchLifetime"
from rule_exception where tenant_id = $1 and rule_id = any($2::uuid[]) and (until is null or until > now())`,
    values: [tenantId, [...new Set(ruleIds)]],
  });
  return new Map(rows.map((row) => [row.ruleId, row]));
}

/**
 * Returns rules of many tenants as rules of this one, with null in place of those whose group does not have it. Groups are taken as
 * they are now, and so are the tenant's exceptions: a rule that does not hold there is disabled. Rules of one tenant stay as they are.
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
  const exceptions = await exceptionsOf(
    ctx,
    tenantId,
    rules.flatMap((rule) => (rule && !rule.tenantId ? [rule.ruleId] : [])),
  );
  const groups = new Set(rows.map(({ id }) => id));
  return rules.map((rule) => {
    if (rule?.tenantId) return { ...rule, tenantId: rule.tenantId };
    if (!rule || (rule.tenantGroupId && !groups.has(rule.tenantGroupId))) return null;
    const exception = exceptions.get(rule.ruleId);
    if (!exception) return { ...rule, tenantId };
    const { isOff, ownValues, matchLifetime } = exception;
    return {
      ...rule,
      tenantId,
      ...(isOff ? { enabled: false } : {}),
      ...(rule.conditions ? { conditions: withOwnValues(rule.conditions, ownValues) } : {}),
      ...(matchLifetime === null ? {} : { matchLifetime }),
    };
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
