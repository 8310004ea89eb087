/** Secrets of a tenant: the values are encrypted before they are stored, and each read of a value is audited. */
import { sql, type RawBuilder } from '../../db/sql.ts';
import * as declared from '@cloudfit/contract/actions/tenant-secrets.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import type { tenantSecrets } from '@cloudfit/contract/resources/tenant-secrets.ts';
import { notFound, validationFailed } from '@cloudfit/contract/errors.ts';
import { recordAudit } from '../../auth/audit-entry.ts';
import type { TenantSecrets } from '../../auth/tenant-secrets.ts';
import { actorName, inTransaction, requirePermission, type Ctx } from '../../context/ctx.ts';
import { implement, implementList, type ImplementedAction } from '../../resources/action.ts';
import { get } from '../../resources/get.ts';
import { writeRecorded } from '../../resources/record.ts';
import { servedTenantSecrets } from './secrets.served.ts';
import { servedTenants } from './tenants.served.ts';

type TenantSecret = Row<typeof tenantSecrets>;

async function requireTenant(ctx: Ctx, tenantId: string): Promise<void> {
  await get(ctx, servedTenants, tenantId);
  requirePermission(ctx, 'Tenants', 'edit', tenantId);
}

/** Returns the secret; throws 404 if it belongs to another tenant. */
async function secretOf(ctx: Ctx, tenantId: string, secretId: string, options?: { lock: 'edit' | 'remove' }): Promise<TenantSecret> {
  await requireTenant(ctx, tenantId);
  const row = await get(ctx, servedTenantSecrets, secretId, options);
  if (row.tenantId !== tenantId) throw notFound('Secret');
  return row;
}

interface Policy {
  allowedHosts: string | null;
  allowedActions: string[] | null;
}

/** Returns the new policy; values that `input` lacks do not change. An empty list of actions means no limit. */
function policyOf(input: { [K in keyof Policy]?: Policy[K] | undefined }, before: Policy): Policy {
  const { allowedHosts = before.allowedHosts, allowedActions = before.allowedActions } = input;
  return {
    allowedHosts: allowedHosts?.toLowerCase() ?? null,
    allowedActions: allowedActions?.length ? [...new Set(allowedActions)] : null,
  };
}

/** Throws 400 unless each action belongs to the tenant or is global. */
async function requireActions(ctx: Ctx, tenantId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const rows = await ctx.db.query<{ id: string }>({
    text: 'select action_definition_id as id from action_definition where action_definition_id = any($1::uuid[]) and (tenant_id is null or tenant_id = $2)',
    values: [ids, tenantId],
  });
  if (rows.length < ids.length) throw validationFailed([{ target: 'allowedActions', message: 'Action was not found.' }]);
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

export function tenantSecretActions(secrets: TenantSecrets): readonly ImplementedAction[] {
  const keep = (ctx: Ctx, row: TenantSecret, value: string): Promise<void> => {
    const key = { tenantId: row.tenantId, secretId: row.id, version: row.latestVersion };
    return secrets.write(ctx.db, key, value, actorName(ctx));
  };
  return [
    implementList(declared.listTenantSecrets, async (ctx, { id }, t) => {
      await get(ctx, servedTenants, id);
      return sql<boolean>`${sql.ref(`${t}.tenant_id`)} = ${id}::uuid`;
    }),
    implement(declared.createTenantSecret, (ctx, { id, name, value, ...policy }) =>
      inTransaction(ctx, async (ctx) => {
        await requireTenant(ctx, id);
        const { allowedHosts, allowedActions } = policyOf(policy, { allowedHosts: null, allowedActions: null });
        await requireActions(ctx, id, allowedActions ?? []);
        const insert = sql`insert into tenant_secret (tenant_id, name, latest_version, allowed_hosts, allowed_actions)
          values (${id}::uuid, ${name}, 1, ${allowedHosts}, ${allowedActions && JSON.stringify(allowedActions)}::jsonb) returning *`;
        const row = await write(ctx, 'create', insert, null);
        await keep(ctx, row, value);
        return row;
      }),
    ),
    implement(declared.changeTenantSecret, (ctx, { id, secretId, value, ...policy }) =>
      inTransaction(ctx, async (ctx) => {
        const before = await secretOf(ctx, id, secretId, { lock: 'edit' });
        if (value === undefined && policy.allowedHosts === undefined && policy.allowedActions === undefined)
          throw validationFailed([{ target: 'value', message: 'Send a value, allowedHosts or allowedActions.' }]);
        const { allowedHosts, allowedActions } = policyOf(policy, before);
        await requireActions(ctx, id, policy.allowedActions ?? []);
        const next = sql`update tenant_secret set latest_version = latest_version + ${value === undefined ? 0 : 1}, allowed_hosts = ${allowedHosts},
          allowed_actions = ${allowedActions && JSON.stringify(allowedActions)}::jsonb, modified = now(), version = version + 1
          where id = ${secretId}::uuid returning *`;
        const row = await write(ctx, 'update', next, before);
        if (value !== undefined) await keep(ctx, row, value);
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
