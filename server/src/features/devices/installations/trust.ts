/**
 * Checks whether devices of a tenant would accept a version, by the same rules as their agents, so that a wish that cannot be
 * fulfilled is not stored.
 */
import type { Ctx } from '../../../context/ctx.ts';

/**
 * Whether devices of tenant `t` accept version `v`: a trusted publisher has signed it, or it is unsigned and comes with the
 * server or the tenant accepts unsigned packages.
 */
export const trusted = `case when v.publisher_signature is null then v.comes_with_server or not t.only_trusted_publishers
  else exists (select from publisher b where b.public_key = v.publisher_key and (b.tenant_id is null or b.tenant_id = t.tenant_id)) end`;

const untrusted = `select v.package_version_id as id, v.version, v.publisher_name as publisher from package_version v, tenant t
  where v.package_version_id = any($1::uuid[]) and t.tenant_id = $2 and not (${trusted})`;

/** Returns why devices of the tenant refuse these versions; accepted versions are left out. */
export async function whyUntrusted(ctx: Ctx, tenantId: string, versionIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (versionIds.length === 0) return new Map();
  const rows = await ctx.db.query<{ id: string; version: string; publisher: string | null }>({
    name: 'untrusted-versions',
    text: untrusted,
    values: [versionIds, tenantId],
  });
  return new Map(
    rows.map(({ id, version, publisher }) => [
      id,
      publisher === null
        ? `Version ${version} cannot be installed: no publisher has signed it, and this tenant takes only packages of publishers whom it trusts.`
        : `Version ${version} cannot be installed: it was signed by ${publisher}, whose key this tenant does not trust.`,
    ]),
  );
}
