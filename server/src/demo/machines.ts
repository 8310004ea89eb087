/** Devices, blocks and rules. */
import { operandId } from '@cloudfit/contract/rules/operands.ts';
import { operatorId } from '@cloudfit/contract/rules/operators.ts';
import type { Condition, OccurrencePattern } from '@cloudfit/contract/rules/schema.ts';
import { starterRule } from '@cloudfit/contract/rules/starter.ts';
import type { DemoStep } from './step.ts';
import { roles } from './vocabulary.ts';

function over(metric: string, limit: number, pattern: OccurrencePattern): Condition[] {
  return [
    {
      Type: 'And',
      LeftOperand: operandId.metric,
      LeftOperandFieldName: metric,
      Operator: operatorId.greaterThan,
      RightOperand: String(limit),
      OccurrencePattern: pattern,
    },
  ];
}

const actions = starterRule.matchActions;

/** `lead`: minutes that a device which reports each minute is over the `limit` of `metric` before the rule matches. */
export const rules = [
  { name: starterRule.name, color: 'red', metric: 'Cpu', limit: 90, lead: 2, conditions: starterRule.conditions, actions },
  {
    name: 'Memory over 95 %',
    color: 'orange',
    metric: 'Memory',
    limit: 95,
    lead: 2,
    conditions: over('Memory', 95, { Kind: 'TimesInRow', Times: 3 }),
    actions,
  },
  {
    name: 'Disk almost full',
    color: 'yellow',
    metric: 'Disk',
    limit: 95,
    lead: 0,
    conditions: over('Disk', 95, { Kind: 'EveryTime' }),
    actions,
  },
];

export const machines: readonly DemoStep[] = [
  {
    // Larger tenants have most of the devices, as in practice.
    text: `create temporary table demo_device as
select n, device_id, tenant_n, pg_temp.demo_id('tenant', tenant_n) as tenant_id, role,
  role ->> 'prefix' || '-' || lpad(of_role::text, greatest(2, length(of_role::text)), '0') as name,
  row_number() over (partition by tenant_n order by n) as place, count(*) over (partition by tenant_n) as of_tenant
from (select *, row_number() over (partition by tenant_n, role ->> 'prefix' order by n) as of_role from (select n, pg_temp.demo_id('device', n) as device_id,
    case when n <= $2::int then n else 1 + floor($2::int * power(pg_temp.demo_share('device tenant', n), 1.7))::int end as tenant_n,
    $3::jsonb -> floor(pg_temp.demo_share('role', n) * jsonb_array_length($3::jsonb))::int as role
  from generate_series(1, $1::int) n) chosen) numbered`,
    values: ({ devices, tenants }) => [devices, tenants, JSON.stringify(roles)],
  },
  { text: 'create unique index on demo_device (tenant_n, place)' },
  { text: 'analyze demo_device' },
  {
    what: 'devices',
    text: `insert into device (device_id, tenant_id, subscription_id, location_id, name, tags, device_type_id, operating_system_id, created, modified)
select device_id, tenant_id, pg_temp.demo_id('subscription ' || case when pg_temp.demo_share('stage', n) < 0.85 then 'Production' else 'Staging' end, tenant_n),
  pg_temp.demo_id('location', tenant_n * 10 + floor(pg_temp.demo_share('device location', n) * 3)::int), name, role ->> 'tags',
  (role ->> 'type')::int, (role ->> 'system')::int, at, at
from demo_device, lateral (select current_setting('demo.at')::timestamptz - interval '300 days' * (0.1 + pg_temp.demo_share('device age', n)) as at) made`,
  },
  {
    what: 'blocks',
    text: `insert into block (block_id, tenant_id, subscription_id, device_id, name, block_type_id, entity_color, created, modified)
select heartbeat_block_id(d.device_id), d.tenant_id, d.subscription_id, d.device_id, d.name, 8, jsonb_build_object('color', case when m.n % 30 = 7 then 'red' when m.n % 17 = 3 then 'yellow' else 'green' end), d.created, d.created
from demo_device m join device d on d.device_id = m.device_id`,
  },
  {
    what: 'blocks',
    text: `insert into block (block_id, tenant_id, subscription_id, name, description, block_type_id, entity_color, created, modified)
select pg_temp.demo_id('block ' || label, n), t.tenant_id, pg_temp.demo_id('subscription Production', n), label, 'Posted by another system.', case when label = 'Release' then 2 else 1 end, '{"color": "blue"}', t.created, t.created
from generate_series(1, $1::int) n join tenant t on t.tenant_id = pg_temp.demo_id('tenant', n), unnest(array['Open orders', 'Queue length', 'Release']) label`,
    values: ({ tenants }) => [tenants],
  },
  {
    what: 'rules',
    text: `insert into rule (rule_id, tenant_id, name, description, rule_type_id, color, match_lifetime, use_sliding_expiration, conditions, match_actions, created, modified)
select pg_temp.demo_id('rule ' || (r ->> 'name'), n), t.tenant_id, r ->> 'name', 'Part of the demonstration.', 1, r ->> 'color', 300, true, r -> 'conditions', r -> 'actions', t.created, t.created
from generate_series(1, $1::int) n join tenant t on t.tenant_id = pg_temp.demo_id('tenant', n), jsonb_array_elements($2::jsonb) r`,
    values: ({ tenants }) => [tenants, JSON.stringify(rules)],
  },
];
