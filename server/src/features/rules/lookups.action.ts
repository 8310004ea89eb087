/** What the rule editor offers for the right side of a condition, and the values at a match. */
import { conditionInputOptionsLookup, relationLogEntries } from '@cloudfit/contract/actions/automation.ts';
import { notFound } from '@cloudfit/contract/errors.ts';
import { findResource } from '@cloudfit/contract/resources/registry.ts';
import { conditionInputOptions } from '@cloudfit/contract/rules/lookups.ts';
import { requireScope, type Ctx } from '../../context/ctx.ts';
import { implement, type ImplementedAction } from '../../resources/action.ts';
import { list } from '../../resources/list.ts';
import { requireTenant } from '../../resources/disabled-tenants.ts';
import { servedOf } from '../../resources/served.ts';

/** Returns rows of the tenant and global ones, by name. */
async function rowsOf(ctx: Ctx, name: string, tenantId: string): Promise<{ id: string | number; name: string }[]> {
  const resource = findResource(name);
  if (!resource) return [];
  const { key, title, scope } = resource;
  const filter =
    scope.kind === 'installation'
      ? ''
      : `&$filter=${encodeURIComponent(`${scope.field} eq ${tenantId}${scope.kind === 'tenant-or-global' ? ` or ${scope.field} eq null` : ''}`)}`;
  const page = await list(ctx, servedOf(resource), `$select=${key},${title}&$orderby=${title}&$top=1000${filter}`);
  return page.value.map((row) => ({ id: row[key] as string, name: String(row[title] ?? '') }));
}

const inputOptions = implement(conditionInputOptionsLookup, async (ctx, { urlTenantId, leftOperandType, tenantId = urlTenantId }) => {
  for (const id of [urlTenantId, tenantId]) requireTenant(ctx, id);
  const options = conditionInputOptions(leftOperandType);
  if (!options) throw notFound('Left operand');
  if ('resource' in options) return rowsOf(ctx, options.resource, tenantId);
  return options.choices.map(({ value, label }) => ({ id: value, name: label }));
});

interface SeenPacket {
  referenceId: string;
  created: string;
  packet: { Properties?: Record<string, unknown> };
  block: string | null;
  device: string | null;
}

const seenPackets = `select m.rule_match_id as "referenceId", to_char(m.created at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created,
  m.rule_packet as packet, b.name as block, d.name as device
from rule_match m left join block b on b.entity_id = m.subject_id and b.tenant_id = m.tenant_id
left join device d on d.device_id = m.subject_id and d.tenant_id = m.tenant_id
where m.rule_match_id = any($1::uuid[]) and ($2::uuid[] is null or m.tenant_id = any($2::uuid[])) order by m.created desc, m.rule_match_id`;

const logEntries = implement(relationLogEntries, async (ctx, { referenceIds }) => {
  const scope = requireScope(ctx, 'Rules', 'view');
  const rows = await ctx.db.query<SeenPacket>({
    name: 'relation-log',
    text: seenPackets,
    values: [referenceIds, scope === 'all' ? null : [...scope]],
  });
  return {
    value: rows.map(({ referenceId, created, packet, block, device }) => ({
      referenceId,
      created,
      message: JSON.stringify({
        ...packet,
        Properties: { ...packet.Properties, ...(block ? { BlockName: block } : {}), ...(device ? { DeviceName: device } : {}) },
      }),
    })),
  };
});

export const ruleLookupActions: readonly ImplementedAction[] = [inputOptions, logEntries];
