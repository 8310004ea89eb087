/** What devices report, day by day: load with a daily rhythm, and disks that fill up. */
import type { Size } from './sizes.ts';
import type { DemoStep } from './step.ts';

/**
 * SQL: the message of a packet, from the integers of `tenths` and one cheap random number `noise` per packet, because there are
 * millions of packets.
 */
export const message = `jsonb_build_object('Metrics', jsonb_build_object('Cpu', cpu / 10.0, 'Memory', memory / 10.0, 'Disk', (1000 - disk) / 10.0, 'Uptime', uptime),
    'States', jsonb_build_object('Health', case when noise > 0.997 then 'Degraded' else 'Healthy' end))`;

export const tenths = `lateral (select greatest(10, least(990, d.usual_cpu * (7 + 5 * sin((extract(hour from at)::float8 - 8) * 0.2618)) + noise * 240 - 90 + case when noise > 0.995 then 450 else 0 end))::int as cpu,
    least(980, d.usual_memory * 10 + noise * 80)::int as memory, (620 - d.fill * (400 + 4 * extract(day from at)::float8))::int as disk,
    extract(epoch from at - d.since)::bigint as uptime offset 0) reading`;

/** SQL: the devices as `d`. One in thirty fell silent within the last 40 hours; `last_at` is the time of the latest packet. */
export const reporting = `(select n::bigint as n, device_id, tenant_id, tenant_n, name, (role ->> 'cpu')::float8 as usual_cpu, (role ->> 'memory')::float8 as usual_memory, pg_temp.demo_share('fill', n) as fill,
  current_setting('demo.at')::timestamptz - interval '300 days' as since, pg_temp.demo_share('beat', n) as beat, current_setting('demo.seed')::bigint as seed,
  current_setting('demo.at')::timestamptz as until,
  current_setting('demo.at')::timestamptz - pg_temp.demo_share('beat', n) * case when n % 30 = 7 then interval '40 hours' else interval '1 minute' end as last_at from demo_device offset 0) d`;

/** The step that fills the partition of one day, in the order of its index. */
function day(ago: number): DemoStep {
  return {
    what: 'packets',
    text: `insert into packet (tenant_id, entity_id, timestamp, received_timestamp, packet_id, message)
select d.tenant_id, d.device_id, at, at, md5(key::text)::uuid, ${message}
from ${reporting}, generate_series(0, 1440 / $2::int - 1) k,
  lateral (select date_trunc('day', d.until) - $1::int * interval '1 day' + (k + d.beat) * $2::int * interval '1 minute' as at,
    d.seed * 10000000000000 + d.n * 10000000 + ((date_trunc('day', d.until)::date - date '2020-01-01') - $1::int) * 1440 + k as key offset 0) timed,
  lateral (select (hashint8extended(key, 7) & 1048575) / 1048576.0::float8 as noise offset 0) chance, ${tenths}
where at < d.last_at and at > d.until - $3::int * interval '1 day'`,
    values: ({ packetMinutes, packetDays }) => [ago, packetMinutes, packetDays],
  };
}

export function readings({ packetDays }: Size): readonly DemoStep[] {
  return [
    // A silent device reported up to 40 hours ago, and its matches are before that.
    { text: `select make_packet_partitions(current_setting('demo.at')::date - $1::int)`, values: () => [Math.max(packetDays, 3)] },
    ...Array.from({ length: packetDays + 1 }, (_, n) => day(packetDays - n)),
    {
      what: 'latest packets',
      text: `insert into latest_packet (entity_id, tenant_id, timestamp, received_timestamp, packet_id, message)
select d.device_id, d.tenant_id, at, at, pg_temp.demo_id('latest', d.n), ${message}
from ${reporting}, lateral (select d.last_at as at, pg_temp.demo_share('now', d.n) as noise offset 0) timed, ${tenths}`,
    },
    {
      text: `insert into packet (tenant_id, entity_id, timestamp, received_timestamp, packet_id, message)
select l.tenant_id, entity_id, timestamp, received_timestamp, packet_id, message from latest_packet l join demo_device d on d.device_id = l.entity_id`,
    },
  ];
}
