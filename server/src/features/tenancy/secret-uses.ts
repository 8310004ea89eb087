/** Which rows refer to the secrets of a tenant, and when each secret was last read or sent. */
import { listSecretUses } from '@cloudfit/contract/actions/tenant-secrets.ts';
import { parameterSource } from '@cloudfit/contract/enums.ts';
import { permission, type Area } from '@cloudfit/contract/permissions.ts';
import { may, requirePermission, type Ctx } from '../../context/ctx.ts';
import { implement } from '../../resources/action.ts';
import { get } from '../../resources/get.ts';
import { servedTenants } from './tenants.served.ts';

interface NamingRow {
  kind: 'action' | 'protocolAction' | 'deviceOperation';
  id: string;
  name: string;
  /** The whole row as text. */
  content: string;
}

const areaOf: Readonly<Record<NamingRow['kind'], Area>> = {
  action: 'ActionDefinitions',
  protocolAction: 'WorkUnits.Protocols',
  deviceOperation: 'Devices',
};

// A global action uses the secrets of the tenant that it runs for.
const naming = `select 'action' as kind, d.action_definition_id::text as id, d.name, to_jsonb(d)::text as content
  from action_definition d where (d.tenant_id = $1 or d.tenant_id is null) and to_jsonb(d)::text like '%{Secret:%'
union all
select 'protocolAction', a.protocol_action_id::text, p.name, a.parameters
  from protocol_action a join protocol p using (protocol_id) where (a.tenant_id = $1 or a.tenant_id is null) and a.parameters like '%{Secret:%'
union all
select 'deviceOperation', o.device_operation_id::text, d.name || ': ' || o.label, o.parameters::text
  from device_operation o join device d on d.device_id = o.device_id
  where o.tenant_id = $1 and not o.is_deleted and o.parameters @? '$[*] ? (@.Source == ${parameterSource.securedValue})'`;

interface SecretRow {
  id: string;
  name: string;
  at: string | null;
  verb: string | null;
  by: string | null;
  purpose: string | null;
}

const withLastUse = `select s.id, s.name, u.at, u.verb, u.actor_name as by,
    coalesce(u.after->>'action', u.after->>'label', u.after->>'host', u.after->>'by') as purpose
  from tenant_secret s left join lateral (
    select a.at, a.verb, a.actor_name, a.after from audit a
    where a.entity = 'tenantSecrets' and a.entity_id = s.id::text and a.verb in ('read', 'use') order by a.audit_id desc limit 1
  ) u on true where s.tenant_id = $1 order by s.name collate natural_order`;

/** Whether the row names this secret: as a placeholder, or as the secured value of a parameter. */
function isNamedIn({ kind, content }: NamingRow, secret: string): boolean {
  return kind === 'deviceOperation' ? content.includes(JSON.stringify(secret)) : content.includes(`{Secret:${secret}}`);
}

export const secretUsesAction = implement(listSecretUses, async (ctx: Ctx, { id: tenantId }) => {
  await get(ctx, servedTenants, tenantId);
  requirePermission(ctx, 'Tenants', 'edit', tenantId);
  const rows = await ctx.db.query<NamingRow>({ text: naming, values: [tenantId] });
  const secrets = await ctx.db.query<SecretRow>({ text: withLastUse, values: [tenantId] });
  const maySee = (kind: NamingRow['kind']) => may(ctx, permission(areaOf[kind], 'view'), tenantId);
  const value = secrets.map(({ id, name, at, verb, by, purpose }) => ({
    secretId: id,
    usedBy: rows
      .filter((row) => isNamedIn(row, name))
      .map((row) => ({ kind: row.kind, id: row.id, name: maySee(row.kind) ? row.name : null })),
    lastUse: at === null || verb === null || by === null ? null : { at, verb, by, purpose },
  }));
  return { value };
});
