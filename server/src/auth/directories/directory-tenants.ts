/** Which tenants the people and groups of a directory may have rights in. */
import type { Ctx } from '../../context/ctx.ts';

interface DirectoryTenants {
  name: string;
  allTenants: boolean;
  tenantIds: string[];
}

/**
 * Returns why a grant in this tenant (null: in all) would give nothing: it is to a person, or to a group, of a directory that does not
 * reach the tenant.
 */
export async function tenantProblem(
  ctx: Ctx,
  grant: { personId?: string | null; claim?: string | null; tenantId?: string | null },
): Promise<string | undefined> {
  const [directory] = await ctx.db.query<DirectoryTenants>({
    text: `select d.name, d.all_tenants as "allTenants", d.tenant_ids as "tenantIds" from directory d
      where starts_with($2, d.prefix || ':') or d.directory_id = (select directory_id from person where person_id = $1) limit 1`,
    values: [grant.personId ?? null, grant.claim ?? null],
  });
  if (!directory || directory.allTenants || (grant.tenantId && directory.tenantIds.includes(grant.tenantId))) return undefined;
  return `People of the directory ${directory.name} have rights in its tenants only. Choose one of them, or add the tenant to the directory.`;
}
