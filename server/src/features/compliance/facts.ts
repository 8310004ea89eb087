/** Facts that the system can record about a tenant at this moment, to support the status of a control. */
import { factKeys, type FactKey } from '@cloudfit/contract/compliance/evidence.ts';
import type { ComplianceFact } from '@cloudfit/contract/compliance/week-report.ts';
import { complianceFactTexts as t } from '@cloudfit/contract/messages/compliance-evidence.en.ts';
import { openStates } from '@cloudfit/contract/enums.ts';
import type { Ctx } from '../../context/ctx.ts';

interface FactNumbers {
  devices: number;
  reporting: number;
  open: number;
  unowned: number;
  installed: number;
  outdated: number;
  people: number;
  accessChanges: number;
  tokens: number;
  tokensEnding: number;
  changes: number;
  unapproved: number;
  rules: number;
  rulesDisabled: number;
}

const numbers = `select
  (select count(*)::int from device d where d.tenant_id = $1 and d.enabled and not d.is_deleted) as devices,
  (select count(*)::int from device d join latest_packet p on p.entity_id = d.device_id
    where d.tenant_id = $1 and d.enabled and not d.is_deleted and p.received_timestamp >= $2::timestamptz - interval '24 hours') as reporting,
  (select count(*)::int from work_unit u where u.tenant_id = $1 and u.work_unit_type_id = 1 and u.state_id = any($3)) as open,
  (select count(*)::int from work_unit u where u.tenant_id = $1 and u.work_unit_type_id = 1 and u.state_id = any($3)
    and coalesce(u.assigned_to, '') = '') as unowned,
  (select count(*)::int from compliance_report r where r.tenant_id = $1) as installed,
  (select count(*)::int from compliance_report r where r.tenant_id = $1 and not r.is_compliant) as outdated,
  (select count(distinct coalesce(g.person_id::text, g.claim))::int from access_grant g where g.tenant_id = $1) as people,
  (select count(*)::int from audit a where a.tenant_id = $1 and a.entity = 'grants' and a.verb in ('create', 'update', 'delete')
    and a.at >= $2::timestamptz - interval '7 days') as "accessChanges",
  (select count(*)::int from token_grant g where g.tenant_id = $1 and g.revoked_on is null and (g.expires_on is null or g.expires_on > $2)) as tokens,
  (select count(*)::int from token_grant g where g.tenant_id = $1 and g.revoked_on is null
    and g.expires_on > $2 and g.expires_on < $2::timestamptz + interval '30 days') as "tokensEnding",
  (select count(*)::int from rule r where rule_is_for(r.tenant_id, r.tenant_group_id, $1)) as rules,
  (select count(*)::int from rule r where rule_is_for(r.tenant_id, r.tenant_group_id, $1) and not r.enabled) as "rulesDisabled",
  (select count(*)::int from work_unit u where u.tenant_id = $1 and u.work_unit_type_id = 2
    and u.planned_start_time > $2::timestamptz - interval '7 days' and u.planned_start_time <= $2) as changes,
  (select count(*)::int from work_unit u where u.tenant_id = $1 and u.work_unit_type_id = 2
    and u.planned_start_time > $2::timestamptz - interval '7 days' and u.planned_start_time <= $2
    and u.approval_overridden_by is not null) as unapproved`;

/** Returns the facts about a tenant. The caller must have checked the permissions in the tenant. */
export async function readFacts(ctx: Ctx, tenantId: string): Promise<ComplianceFact[]> {
  const [row] = await ctx.db.query<FactNumbers>({ text: numbers, values: [tenantId, ctx.now().toISOString(), openStates] });
  if (!row) throw new Error('A select of counts answers one row.');
  const { reporting, owners, software, access, tokens, changes, rules } = t;
  const texts: Record<FactKey, string> = {
    reporting: reporting.text(row.reporting, row.devices),
    owners: owners.text(row.open, row.unowned),
    software: software.text(row.installed, row.outdated),
    access: access.text(row.people, row.accessChanges),
    tokens: tokens.text(row.tokens, row.tokensEnding),
    changes: changes.text(row.changes, row.unapproved),
    rules: rules.text(row.rules, row.rulesDisabled),
  };
  return factKeys.map((key) => ({ key, title: t[key].title, text: texts[key] }));
}
