/** The matches of the demo rules, and the packets that caused them, so that an explanation of a match finds what it describes. */
import { rules } from './machines.ts';
import { message, reporting, tenths } from './readings.ts';
import type { DemoStep } from './step.ts';

/** Minutes of a match after its last hit: the lifetime of the demo rules. */
const lifetime = `interval '5 minutes'`;

/** The matches: a device reports each minute while one lasts, from `began` (so that three in a row are there) to `last_match`. */
export const matches: readonly DemoStep[] = [
  {
    // A match begins at least three hours after the one before it of the same device, so that their packets do not mix.
    text: `create temporary table demo_match as
select * from (
  select d.tenant_n, d.tenant_id, d.device_id, d.name as device, d.n * 10 + k as match_n, rule ->> 'name' as rule, rule ->> 'metric' as metric, (rule ->> 'limit')::float8 as over,
    at as first_match, at - (rule ->> 'lead')::int * interval '1 minute' as began, at + minutes * interval '1 minute' as last_match,
    at - lag(at) over (partition by d.device_id order by at) < interval '3 hours' as is_close
  from ${reporting} join demo_device m using (n), generate_series(0, 5) k,
    lateral (select $1::jsonb -> floor(jsonb_array_length($1::jsonb) * pg_temp.demo_share('match rule', d.n * 10 + k))::int as rule,
      least(90, 1 + floor(extract(epoch from pg_temp.demo_wait('20 minutes', pg_temp.demo_share('match length', d.n * 10 + k))) / 60))::int as minutes) chosen,
    lateral (select least(d.last_at, d.until - ${lifetime}) - minutes * interval '1 minute'
      - ($2::int * interval '1 day' - interval '2 days 3 hours') * pg_temp.demo_share('match time', d.n * 10 + k) as at) timed
  where pg_temp.demo_share('match', d.n * 10 + k) < 0.5) drawn
where is_close is not true`,
    values: ({ packetDays }) => [
      JSON.stringify(rules.map(({ name, metric, limit, lead }) => ({ name, metric, limit, lead }))),
      Math.max(packetDays, 3),
    ],
  },
  { text: 'create index on demo_match (device_id)' },
  { text: 'analyze demo_match' },
  {
    what: 'rule matches',
    text: `insert into rule_match (rule_match_id, tenant_id, rule_id, subject_id, label, created, expires, closed, match_count, first_match, last_match, completion_processed, correlation_id, modified)
select pg_temp.demo_id('match', match_n), tenant_id, pg_temp.demo_id('rule ' || rule, tenant_n), device_id, rule || ': ' || device, first_match, last_match + ${lifetime}, last_match + ${lifetime},
  1 + round(extract(epoch from last_match - first_match) / 60)::int, first_match, last_match, true, pg_temp.demo_id('match packet ' || match_n, round(extract(epoch from first_match - began) / 60)::int), last_match + ${lifetime}
from demo_match`,
  },
];

/**
 * Replaces the packets of the time of each match; runs after the packets of all days. The values are over the limit of the new
 * version of the memory rule too, which a campaign brings to some devices.
 */
export const matchPackets: readonly DemoStep[] = [
  {
    text: `delete from packet p using demo_match m where p.entity_id = m.device_id and p.tenant_id = m.tenant_id and p.timestamp between m.began and m.last_match`,
  },
  {
    what: 'packets of matches',
    text: `insert into packet (tenant_id, entity_id, timestamp, received_timestamp, packet_id, message)
select m.tenant_id, m.device_id, at, at, pg_temp.demo_id('match packet ' || match_n, minute),
  jsonb_set(${message}, array['Metrics', m.metric], to_jsonb(m.over + 3.2 + round((noise * 15)::numeric) / 10)) || '{"States": {"Health": "Degraded"}}'
from demo_match m join ${reporting} on d.device_id = m.device_id,
  lateral generate_series(0, round(extract(epoch from m.last_match - m.began) / 60)::int) minute,
  lateral (select m.began + minute * interval '1 minute' as at, (hashint8extended(m.match_n * 100 + minute, 3) & 1023) / 1024.0::float8 as noise offset 0) timed, ${tenths}`,
  },
  // All packets came without ingest, so the pages of all metrics are computed again.
  { text: 'update series_state set closed_until = null' },
];
