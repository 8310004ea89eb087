/**
 * The audit, limited to what its readers may see: entries of an entity are visible only where the reader may view that entity.
 */
import { sql, type RawBuilder } from 'kysely';
import { permission } from '@cloudfit/contract/permissions.ts';
import { audit } from '@cloudfit/contract/resources/audit.ts';
import { resources } from '@cloudfit/contract/resources/registry.ts';
import type { Ctx } from '../../context/ctx.ts';
import { serve } from '../../resources/served.ts';

/** Entities whose rows a person with these permissions may not view. */
function hiddenFrom(permissions: ReadonlySet<string>): string[] {
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
  const allowed = [...byHidden.values()].map(
    ({ hidden, tenants }) => sql<boolean>`(${sql.ref(`${t}.tenant_id`)} = any(${tenants}::uuid[]) and ${entity} <> all(${hidden}::text[]))`,
  );
  if (ctx.permissions.has('*')) {
    const hidden = hiddenFrom(everywhere);
    if (hidden.length === 0) return undefined;
    allowed.push(sql<boolean>`${entity} <> all(${hidden}::text[])`);
  }
  return allowed.length === 0 ? sql<boolean>`false` : sql<boolean>`(${sql.join(allowed, sql` or `)})`;
}

export const servedAudit = serve(audit, 'audit', { rowsFor });
