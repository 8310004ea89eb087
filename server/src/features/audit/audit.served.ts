/**
 * The audit, limited to what its readers may see: entries of an entity are visible only where the reader may view that entity.
 */
import { sql, type RawBuilder } from '../../db/sql.ts';
import { permission, viewAudit } from '@cloudfit/contract/permissions.ts';
import { audit } from '@cloudfit/contract/resources/audit.ts';
import { resources } from '@cloudfit/contract/resources/registry.ts';
import type { Ctx } from '../../context/ctx.ts';
import { serve } from '../../resources/served.ts';

/** Entities whose entries a person with these permissions does not see: those that they may not view. An auditor sees all. */
function hiddenFrom(permissions: ReadonlySet<string>): string[] {
  if (permissions.has(viewAudit)) return [];
  return resources.filter((r) => !permissions.has(permission(r.area, 'view'))).map((r) => r.name);
}

function rowsFor(ctx: Ctx, t: string): RawBuilder<boolean> | undefined {
  const entity = sql.ref(`${t}.entity`);
  const everywhere = ctx.permissions.get('*') ?? new Set<string>();
  const byHidden = new Map<string, { hidden: string[]; tenants: string[] }>();
  for (const [tenant, granted] of ctx.permissions) {
    if (tenant === '*') continue;
    const hidden = hiddenFrom(new Set([...everywhere, ...granted]));
    const group = byHidden.get(hidden.join()) ?? { hidden, tenants: [] };
    group.tenants.push(tenant);
    byHidden.set(hidden.join(), group);
  }
  const groups = Array.from(byHidden.values());
  const perTenant = groups.map(
    ({ hidden, tenants }) => sql<boolean>`(${sql.ref(`${t}.tenant_id`)} = any(${tenants}::uuid[]) and ${entity} <> all(${hidden}::text[]))`,
  );
  const inTenants = perTenant.length === 0 ? sql<boolean>`false` : sql<boolean>`(${sql.join(perTenant, sql` or `)})`;
  if (!ctx.permissions.has('*')) return inTenants;
  const hidden = hiddenFrom(everywhere);
  return hidden.length === 0 ? undefined : sql<boolean>`(${inTenants} or ${entity} <> all(${hidden}::text[]))`;
}

export const servedAudit = serve(audit, 'audit', { rowsFor });
