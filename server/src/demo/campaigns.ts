/** Campaigns in rings in the largest tenant: a new version of a rule that is watched, and a package that was rolled back. */
import { operandId } from '@cloudfit/contract/rules/operands.ts';
import { operatorId } from '@cloudfit/contract/rules/operators.ts';
import type { DemoStep } from './step.ts';

const ruleName = 'Memory over 95 %';
const packageName = 'Backup age';

const newVersion = {
  conditions: [
    {
      Type: 'And',
      LeftOperand: operandId.metric,
      LeftOperandFieldName: 'Memory',
      Operator: operatorId.greaterThan,
      RightOperand: '98',
      OccurrencePattern: { Kind: 'TimesInRow', Times: 3 },
    },
  ],
};

const at = `current_setting('demo.at')::timestamptz`;

/** SQL: the devices of the first tenant with the ring of each; no rows if the tenant has fewer than eight devices. */
const ringed = `(select d.*, case when d.place <= ceil(d.of_tenant * 0.1) then 0 when d.place <= ceil(d.of_tenant * 0.5) then 1 else 2 end as ring
  from demo_device d where d.tenant_n = 1 and d.of_tenant >= 8)`;
const ofTenant = `(select d.tenant_id, count(*)::int as devices, count(*) filter (where ring = 0)::int as first from ${ringed} d group by 1)`;
const newest = `(select p.package_id, v.package_version_id, v.version from package p join package_version v using (package_id)
  where p.tenant_id is null and p.name = $1 order by v.precedence desc limit 1)`;
const ids = `pg_temp.demo_id('campaign rule', 1), pg_temp.demo_id('campaign package', 1)`;

export const campaigns: readonly DemoStep[] = [
  {
    // The campaign of the rule: the first ring has passed, the second runs; the last one begins after a pause of a week.
    what: 'campaigns',
    text: `insert into campaign (campaign_id, tenant_id, title, kind, state, rule_id, rings, gate, pause_minutes, ring, ring_begun, total, waiting, created_by, owner_kind, correlation_id, created, modified)
select pg_temp.demo_id('campaign rule', 1), t.tenant_id, 'Change rule ' || $1, 'ChangeRule', 'Running', r.rule_id, '[]', '{"minShare": 75, "ruleIds": [], "heartbeat": false}', 10080, 1, ${at},
  t.devices, 0, 'demo', 'system', pg_temp.demo_id('campaign rule cause', 1), ${at} - interval '1 day', ${at}
from ${ofTenant} t join rule r on r.tenant_id = t.tenant_id and r.name = $1`,
    values: () => [ruleName],
  },
  {
    text: `insert into rule_rollout (campaign_id, tenant_id, rule_id, definition, created)
select campaign_id, tenant_id, rule_id, $1::jsonb, created from campaign where campaign_id = pg_temp.demo_id('campaign rule', 1)`,
    values: () => [JSON.stringify(newVersion)],
  },
  {
    what: 'devices of campaigns',
    text: `insert into campaign_device (tenant_id, campaign_id, device_id, ring, outcome, reason, begun, ended, is_own, modified)
select d.tenant_id, c.campaign_id, d.device_id, d.ring, o.outcome, case when o.outcome = 'Failed' then 'The new version matched: ' || $1 || ': ' || d.name || '.' end,
  case d.ring when 0 then c.created when 1 then ${at} end, case o.outcome when 'Done' then c.created + interval '3 minutes' when 'Failed' then ${at} end, d.ring < 2, ${at}
from ${ringed} d join campaign c on c.campaign_id = pg_temp.demo_id('campaign rule', 1)
  cross join lateral (select case d.ring when 0 then 'Done' when 1 then case when d.place % 8 = 5 then 'Failed' else 'Running' end else 'Waiting' end as outcome) o order by d.name`,
    values: () => [ruleName],
  },
  {
    what: 'campaigns',
    text: `insert into campaign (campaign_id, tenant_id, title, kind, state, stop_reason, package_id, package_version_id, rings, gate, ring_begun, total, waiting, created_by, owner_kind, correlation_id, created, ended, modified)
select pg_temp.demo_id('campaign package', 1), t.tenant_id, 'Install ' || $1 || ' ' || v.version, 'InstallVersion', 'Stopped',
  'Of ' || t.first || case when t.first = 1 then ' device ' else ' devices ' end || ceil(t.first / 2.0) || ' failed; 95 % must succeed.', v.package_id, v.package_version_id, '[]', '{"minShare": 95, "ruleIds": [], "heartbeat": true}',
  s.started, t.devices, 0, 'demo', 'system', pg_temp.demo_id('campaign package cause', 1), s.started, s.started + interval '26 minutes', s.started + interval '26 minutes'
from ${ofTenant} t cross join ${newest} v cross join (select ${at} - interval '41 days' as started) s`,
    values: () => [packageName],
  },
  {
    what: 'devices of campaigns',
    text: `insert into campaign_device (tenant_id, campaign_id, device_id, ring, outcome, reason, begun, ended, is_own, modified)
select d.tenant_id, c.campaign_id, d.device_id, d.ring, case when d.ring = 0 then 'Returned' else 'Stopped' end, case when d.ring > 0 then c.stop_reason end,
  case when d.ring = 0 then c.created end, c.ended, d.ring = 0, c.ended
from ${ringed} d join campaign c on c.campaign_id = pg_temp.demo_id('campaign package', 1) order by d.name`,
  },
  {
    text: `update campaign c set waiting = n.waiting, running = n.running, done = n.done, failed = n.failed, stopped = n.stopped, returned = n.returned,
  rings = jsonb_build_array(jsonb_build_object('share', 10, 'devices', n.first), jsonb_build_object('share', 50, 'devices', n.second), jsonb_build_object('devices', n.last))
from (select campaign_id, count(*) filter (where outcome = 'Waiting') as waiting, count(*) filter (where outcome = 'Running') as running, count(*) filter (where outcome = 'Done') as done,
    count(*) filter (where outcome = 'Failed') as failed, count(*) filter (where outcome = 'Stopped') as stopped, count(*) filter (where outcome = 'Returned') as returned,
    count(*) filter (where ring = 0) as first, count(*) filter (where ring = 1) as second, count(*) filter (where ring = 2) as last
  from campaign_device where campaign_id in (${ids}) group by 1) n where n.campaign_id = c.campaign_id`,
  },
];
