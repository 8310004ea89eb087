/** Secrets of a tenant: their values are sealed before they are stored, and each reading of one is recorded. */
import { sql, type RawBuilder } from 'kysely';
import * as declared from '@cloudfit/contract/actions/tenant-secrets.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import type { tenantSecrets } from '@cloudfit/contract/resources/tenant-secrets.ts';
import { notFound } from '@cloudfit/contract/errors.ts';
import { recordAudit } from '../../auth/audit-entry.ts';
import type { TenantSecrets } from '../../auth/tenant-secrets.ts';
import { actorName, inTransaction, requirePermission, type Ctx } from '../../context/ctx.ts';
import { implement, implementList, type Implemented } from '../../resources/action.ts';
import { get } from '../../resources/get.ts';
import { writeRecorded } from '../../resources/record.ts';
import { servedTenantSecrets } from './secrets.served.ts';
import { servedTenants } from './tenants.served.ts';

type TenantSecret = Row<typeof tenantSecrets>;

async function requireTenant(ctx: Ctx, tenantId: string): Promise<void> {
  await get(ctx, servedTenants, tenantId);
  requirePermission(ctx, 'Tenants', 'edit', tenantId);
}

/** The secret of this tenant; 404 when it is another's. */
async function secretOf(ctx: Ctx, tenantId: string, secretId: string, options?: { lock: 'edit' | 'remove' }): Promise<TenantSecret> {
  await requireTenant(ctx, tenantId);
  const row = await get(ctx, servedTenantSecrets, secretId, options);
  if (row.tenantId !== tenantId) throw notFound('Secret');
  return row;
}

async function write(
  ctx: Ctx,
  verb: 'create' | 'update' | 'delete',
  statement: RawBuilder<unknown>,
  before: TenantSecret | null,
): Promise<TenantSecret> {
  const row = await writeRecorded(ctx, servedTenantSecrets, verb, statement, before);
  if (!row) throw notFound('Secret');
  return row;
}

export function tenantSecretActions(secrets: TenantSecrets): readonly Implemented[] {
  const keep = (ctx: Ctx, row: TenantSecret, value: string): Promise<void> => {
    const key = { tenantId: row.tenantId, secretId: row.id, version: row.latestVersion };
    return secrets.write(ctx.db, key, value, actorName(ctx));
  };
  return [
    implementList(declared.listTenantSecrets, async (ctx, { id }, t) => {
      await get(ctx, servedTenants, id);
      return sql<boolean>`${sql.ref(`${t}.tenant_id`)} = ${id}::uuid`;
    }),
    implement(declared.createTenantSecret, (ctx, { id, name, value }) =>
      inTransaction(ctx, async (ctx) => {
        await requireTenant(ctx, id);
        const insert = sql`insert into tenant_secret (tenant_id, name, latest_version) values (${id}::uuid, ${name}, 1) returning *`;
        const row = await write(ctx, 'create', insert, null);
        await keep(ctx, row, value);
        return row;
      }),
    ),
    implement(declared.changeTenantSecret, (ctx, { id, secretId, value }) =>
      inTransaction(ctx, async (ctx) => {
        const before = await secretOf(ctx, id, secretId, { lock: 'edit' });
        const next = sql`update tenant_secret set latest_version = latest_version + 1, modified = now(), version = version + 1
          where id = ${secretId}::uuid returning *`;
        const row = await write(ctx, 'update', next, before);
        await keep(ctx, row, value);
        return row;
      }),
    ),
    implement(declared.deleteTenantSecret, (ctx, { id, secretId }) =>
      inTransaction(ctx, async (ctx) => {
        const before = await secretOf(ctx, id, secretId, { lock: 'remove' });
        await write(ctx, 'delete', sql`delete from tenant_secret where id = ${secretId}::uuid returning *`, before);
      }),
    ),
    implement(declared.readTenantSecret, (ctx, { id, secretId, version }) =>
      inTransaction(ctx, async (ctx) => {
        const secret = await secretOf(ctx, id, secretId);
        const versionNumber = typeof version === 'number' ? version : secret.latestVersion;
        const secretVersion = await secrets.read(ctx.db, { tenantId: id, secretId, version: versionNumber });
        if (!secretVersion) throw notFound('Version');
        await recordAudit(ctx.db, {
          actor: { kind: ctx.actor.kind, id: ctx.actor.id, name: actorName(ctx) },
          tenantId: id,
          verb: 'read',
          entity: 'tenantSecrets',
          entityId: secretId,
          after: { name: secret.name, secretVersion: versionNumber },
          correlationId: ctx.correlationId,
          address: ctx.address,
        });
        return secretVersion;
      }),
    ),
  ];
}
