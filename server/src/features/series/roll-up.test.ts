/**
 * Pages of metrics: whatever was reported, in whatever order, a series that is read from pages equals the one that is read from
 * packets.
 */
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { seriesLimits } from '@cloudfit/contract/actions/series/series.ts';
import { minuteMs, hourMs, dayMs } from '@cloudfit/contract/durations.ts';
import { runs } from '@cloudfit/contract/testing/runs.ts';
import type { Db } from '../../db/db.ts';
import type { Ingest } from '../../ingest/accept.ts';
import { createFlow, send, until, type Flow } from '../../rules/testing/flow.ts';
import { serverVariable, withDatabase } from '../../testing/database.ts';
import { readTargets } from './read-series.ts';
import { rollUp } from './roll-up.ts';

// One run takes at most ten seconds, and a busy machine needs several runs.
vi.setConfig({ testTimeout: 240_000 });

let flow: Flow;
let ingest: Ingest;
let url: string;

beforeAll(async () => {
  flow = await createFlow();
  ingest = await flow.openIngest();
  const [database] = await flow.rows<{ name: string }>('select current_database() as name');
  url = withDatabase(process.env[serverVariable] ?? '', database?.name ?? '');
});
afterAll(() => flow.close());

const retention = { packetDays: 3, minuteDays: 30 };
/** Midnight three days ago: the oldest hour that is closed. */
const start = Math.floor(Date.now() / dayMs) * dayMs - 3 * dayMs;

interface StoredReading {
  entityId: string;
  at: number;
  cpu: number;
}

const packetOf = ({ entityId, at, cpu }: StoredReading, messageId?: string) => ({
  entityId,
  timestamp: new Date(at).toISOString(),
  ...(messageId === undefined ? {} : { messageId }),
  message: { Metrics: { Cpu: cpu }, Value: -cpu, States: { Health: 'Healthy' } },
});

/**
 * The expected result by the packets of an entity. For equal times the largest value counts as the last here, because all were
 * received at once.
 */
function expected(packets: readonly StoredReading[], { from, to, step }: { from: number; to: number; step: number }): number[][] {
  const inRange = packets.filter(({ at }) => at >= from && at < to).toSorted((a, b) => a.at - b.at || a.cpu - b.cpu);
  return [...Map.groupBy(inRange, ({ at }) => Math.floor(at / step) * step)].map(([bucket, of]) => {
    const values = of.map(({ cpu }) => cpu);
    const sum = values.reduce((a, b) => a + b, 0);
    return [bucket, Math.min(...values), sum / values.length, Math.max(...values), values.at(-1) ?? 0, values.length];
  });
}

async function read(entityId: string, range: { from: number; to: number; step: number }): Promise<number[][]> {
  const [series] = await readTargets(flow.db, 'all', [{ entityId, part: 'Metrics', key: 'Cpu' }], range);
  return series?.buckets ?? [];
}

const ranges = [
  { from: start, to: start + 4 * dayMs, step: dayMs },
  { from: start + 90 * minuteMs + 1, to: start + 3 * dayMs + 5, step: 2 * hourMs },
  { from: start + 17_777, to: start + 30 * hourMs + 1_234, step: 10 * minuteMs },
  { from: start + 5 * hourMs + 1, to: start + 9 * hourMs + 59_999, step: 2 * minuteMs },
  { from: start + 5 * hourMs, to: start + 7 * hourMs, step: 30_000 },
  { from: start + 3 * hourMs, to: Date.now() + minuteMs, step: hourMs },
];

async function pageCount(entityId: string): Promise<number> {
  const [count] = await flow.rows<{ n: number }>('select count(*)::int as n from series_minute where entity_id = $1', entityId);
  return count?.n ?? 0;
}

async function isDone(): Promise<boolean> {
  const [state] = await flow.rows<{ done: boolean }>(
    `select closed_until > now() - interval '65 minutes' and not exists (select from series_due where hour < now() - interval '65 minutes') as done from series_state`,
  );
  return state?.done ?? false;
}

/** Rolls up until nothing is due, however slow the machine is. */
async function rollUpAll(): Promise<void> {
  do await rollUp(flow.database, retention);
  while (!(await isDone()));
}

/** Packets of the same time have the same value, so that it does not matter which was received last. */
const valueAt = (at: number) => (at % 101) - 50;

/** Checks the sum of the squared distances of the readings of each hour from their mean. */
async function expectSpread(entityId: string, stored: readonly StoredReading[]): Promise<void> {
  const pages = await flow.rows<{ hour: number; squares: number }>(
    `select (extract(epoch from page) * 1000 + slot * 3600000)::float8 as hour, square as squares
from series_hour cross join lateral unnest(slots, squares) u (slot, square) where entity_id = $1 and metric = 'Metrics.Cpu'`,
    entityId,
  );
  const byHour = Map.groupBy(stored, ({ at }) => Math.floor(at / hourMs) * hourMs);
  for (const { hour, squares } of pages) {
    const values = (byHour.get(hour) ?? []).map(({ cpu }) => cpu);
    const mean = values.reduce((a, b) => a + b, 0) / values.length;
    expect(squares).toBeCloseTo(
      values.reduce((a, b) => a + (b - mean) ** 2, 0),
      6,
    );
  }
}

it('answers from pages what the packets say, with late packets, repeated ones and blocks that are deleted', async () => {
  const span = Date.now() - start;
  const packet = fc.record({ entity: fc.nat(2), at: fc.nat(span - 1) });
  const near = fc.record({ entity: fc.nat(2), at: fc.nat(6 * 60).map((minutes) => minutes * minuteMs + 4 * hourMs) });
  const step = fc.oneof(
    fc.record({
      do: fc.constant('send' as const),
      packets: fc.array(fc.oneof(packet, near), { minLength: 1, maxLength: 60 }),
      twice: fc.boolean(),
    }),
    fc.constant({ do: 'roll up' as const }),
    fc.constant({ do: 'delete' as const }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 8 }), async (steps) => {
      const ids = [
        await flow.device({ name: crypto.randomUUID() }),
        await flow.device({ name: crypto.randomUUID() }),
        await flow.device({ name: crypto.randomUUID() }),
      ];
      const stored: StoredReading[] = [];
      for (const one of steps) {
        if (one.do === 'roll up') await rollUpAll();
        // Simulates a deleted block: its packets stay, but it is no longer an entity.
        else if (one.do === 'delete') await flow.rows('delete from latest_packet where entity_id = $1', ids[2]);
        else {
          const sent = one.packets.map(({ entity, at }) => ({ entityId: ids[entity] ?? '', at: start + at, cpu: valueAt(at) }));
          const batch = sent.map((packet) => packetOf(packet, crypto.randomUUID()));
          for (let n = one.twice ? 2 : 1; n > 0; n -= 1) await send(ingest, flow.ctx, ...batch);
          stored.push(...sent);
        }
        if (one.do === 'roll up')
          for (const id of ids)
            await expectSpread(
              id,
              stored.filter(({ entityId }) => entityId === id),
            );
        for (const id of ids)
          for (const range of ranges)
            expect(await read(id, range)).toEqual(
              expected(
                stored.filter(({ entityId }) => entityId === id),
                range,
              ).map((bucket) => bucket.map((n, i) => (i === 2 ? expect.closeTo(n, 9) : n))),
            );
      }
    }),
    { numRuns: runs(5, 12) },
  );
});

/** Stores packets without ingest, so that no hour becomes due, as with a server that had no pages. */
async function store(entityId: string, packets: readonly [at: number, cpu: number][]): Promise<StoredReading[]> {
  await flow.rows(
    `with added as (
  insert into packet (tenant_id, entity_id, timestamp, message)
  select $1, $2, at, jsonb_build_object('Metrics', jsonb_build_object('Cpu', cpu)) from unnest($3::timestamptz[], $4::float8[]) as p (at, cpu) returning 1
)
insert into latest_packet (entity_id, tenant_id, timestamp, received_timestamp, packet_id, message) select $2, $1, now(), now(), uuidv7(), '{}'
on conflict do nothing`,
    flow.tenantId,
    entityId,
    packets.map(([at]) => new Date(start + at)),
    packets.map(([, cpu]) => cpu),
  );
  return packets.map(([at, cpu]) => ({ entityId, at: start + at, cpu }));
}

const everyMinute = (hours: number): [number, number][] => Array.from({ length: hours * 60 }, (_, n) => [n * minuteMs, n % 7]);

async function expectPackets(entityId: string, packets: readonly StoredReading[]): Promise<void> {
  for (const range of ranges)
    expect(await read(entityId, range)).toEqual(
      expected(packets, range).map((bucket) => bucket.map((n, i) => (i === 2 ? expect.closeTo(n, 9) : n))),
    );
}

it('computes the packets of before its first run, and reads pages afterwards', async () => {
  const id = crypto.randomUUID();
  const packets = await store(id, everyMinute(30));
  await flow.rows('update series_state set closed_until = null');
  await expectPackets(id, packets);
  expect(await pageCount(id)).toBe(0);
  await rollUpAll();
  expect(await pageCount(id)).toBe(30);
  await expectSpread(id, packets);
  // Proves that pages are read: without packets, the series are the same, except in steps shorter than a minute.
  await flow.rows('delete from packet where entity_id = $1', id);
  const whole = { from: start, to: start + dayMs, step: dayMs };
  expect(await read(id, whole)).toEqual(
    expected(packets, whole).map((bucket) => bucket.map((n, i) => (i === 2 ? expect.closeTo(n, 9) : n))),
  );
  expect(await read(id, { ...whole, to: start + 2 * minuteMs, step: 30_000 })).toEqual([]);
});

interface WatchedWork {
  /** The names and results of the statements of one transaction. */
  names: (string | undefined)[];
  results: unknown[];
  /** The partitions of packets that it read. */
  read: string[];
}

/** Rolls up all hours; returns what each transaction did. */
async function rollUpWatched(): Promise<WatchedWork[]> {
  const db = flow.database.scoped('all');
  const works: WatchedWork[] = [];
  // The numbers of a connection may include those of its transactions before, so they are read twice.
  const scans = async (tx: Db) =>
    tx.query<{ name: string; scans: number }>({
      text: `select relname as name, coalesce(seq_scan, 0) + coalesce(idx_scan, 0) as scans from pg_stat_xact_user_tables
where relname ~ '^packet_[0-9]{8}$' order by 1`,
    });
  const watched: Db = {
    ...db,
    transaction: (work) =>
      db.transaction(async (tx) => {
        const before = new Map((await scans(tx)).map((scan) => [scan.name, scan.scans]));
        const { mock } = vi.spyOn(tx, 'query');
        const result = await work(tx);
        works.push({
          names: mock.calls.map(([{ name }]) => name),
          results: mock.settledResults.map(({ value }) => value as unknown),
          read: (await scans(tx)).filter((scan) => scan.scans > (before.get(scan.name) ?? 0)).map(({ name }) => name),
        });
        return result;
      }),
  };
  do await rollUp({ scoped: () => watched, load: () => flow.database.load() }, retention);
  while (!(await isDone()));
  return works;
}

/** Closes all hours from the beginning; returns the first one. */
async function firstClosedHour(): Promise<number> {
  await flow.rows('update series_state set closed_until = null');
  const closed = (await rollUpWatched()).filter(({ names }) => names.includes('series-close')).length;
  const [state] = await flow.rows<{ at: number }>('select (extract(epoch from closed_until) * 1000)::float8 as at from series_state');
  return (state?.at ?? 0) - closed * hourMs;
}

it('reads of all days of packets only the day of the hour that it closes or computes', async () => {
  // Those of the tests before lie anywhere until now, so hours of today would be computed too.
  await flow.rows('delete from packet');
  const id = crypto.randomUUID();
  await store(
    id,
    [0, 1, 2].map((day) => [day * dayMs + 7 * hourMs, day]),
  );
  await flow.rows('delete from series_due');
  await flow.rows('update series_state set closed_until = $1', new Date(start + dayMs + 5 * hourMs));
  const works = await rollUpWatched();
  const dayOf = (at: number | string): string => `packet_${new Date(at).toISOString().slice(0, 10).replaceAll('-', '')}`;
  const closings = works.filter(({ names }) => names.includes('series-close'));
  const hourOf = ({ names, results }: WatchedWork) => (results[names.indexOf('series-next')] as { hour: string }[])[0]?.hour ?? '';
  expect(closings.length).toBeGreaterThan(24);
  expect(
    closings.filter((closing) => closing.read.join() !== dayOf(hourOf(closing))).map((closing) => [hourOf(closing), ...closing.read]),
  ).toEqual([]);
  const computings = works.filter(({ names }) => names.includes('series-compute'));
  expect([...new Set(computings.flatMap(({ read }) => read))].toSorted()).toEqual([dayOf(start + dayMs), dayOf(start + 2 * dayMs)]);
});

it('begins with the first day that has packets, and without packets with the last hour', async () => {
  await flow.rows('delete from packet');
  expect(Date.now() - (await firstClosedHour())).toBeLessThanOrEqual(2 * hourMs + 5 * minuteMs);
  await store(crypto.randomUUID(), [[dayMs + 5 * hourMs, 1]]);
  expect(await firstClosedHour()).toBe(start + dayMs);
});

/** Runs `meanwhile` while a lock blocks the work; `kill` ends the connection of the work. */
async function whileHeld(meanwhile: (kill: () => Promise<unknown>) => Promise<unknown>): Promise<void> {
  const holder = new pg.Client({ connectionString: url });
  await holder.connect();
  try {
    await holder.query('begin; lock table series_day in exclusive mode');
    const work = rollUp(flow.database, retention).catch(() => undefined);
    const blocked = "select pid from pg_locks where relation = 'series_day'::regclass and not granted";
    const pid = await until(async () => (await holder.query<{ pid: number }>(blocked)).rows[0]?.pid);
    await meanwhile(() => holder.query('select pg_terminate_backend($1)', [pid]));
    await holder.query('rollback');
    await work;
  } finally {
    await holder.end();
  }
}

it('loses nothing when the process is killed in the middle', async () => {
  const id = await flow.device({ name: crypto.randomUUID() });
  const stored = everyMinute(3).map(([at, cpu]) => ({ entityId: id, at: start + at, cpu }));
  await send(ingest, flow.ctx, ...stored.map((entry) => packetOf(entry)));
  await whileHeld((kill) => kill());
  await expectPackets(id, stored);
  await rollUpAll();
  await expectPackets(id, stored);
});

it('computes an hour again when a packet comes while it is computed, and two processes do not disturb each other', async () => {
  const id = await flow.device({ name: crypto.randomUUID() });
  const stored = everyMinute(2).map(([at, cpu]) => ({ entityId: id, at: start + at, cpu }));
  await send(ingest, flow.ctx, ...stored.map((entry) => packetOf(entry)));
  await whileHeld(async () => {
    const late = { entityId: id, at: start + hourMs + 1, cpu: 99 };
    await send(ingest, flow.ctx, packetOf(late));
    stored.push(late);
    // This call does nothing, because another one is at work.
    await rollUp(flow.database, retention);
    await expectPackets(id, stored);
  });
  await Promise.all([rollUpAll(), rollUpAll()]);
  await expectPackets(id, stored);
});

it('puts an hour that cannot be computed behind the others, whose packets are read instead', async () => {
  const [broken, sound] = [crypto.randomUUID(), crypto.randomUUID()];
  const packets = [await store(broken, [[0, 1]]), await store(sound, everyMinute(2))];
  await flow.rows(
    `insert into packet (tenant_id, entity_id, timestamp, message) values ($1, $2, $3, '{"Metrics": {"Other": 1e999}}')`,
    flow.tenantId,
    broken,
    new Date(start),
  );
  for (const id of [broken, sound])
    await flow.rows(
      `insert into series_due (tenant_id, entity_id, hour) select $1, $2, $3::timestamptz + n * interval '1 hour' from generate_series(0, $4::int) n`,
      flow.tenantId,
      id,
      new Date(start),
      id === sound ? 1 : 0,
    );
  const dueOf = async (id: string) => (await flow.rows('select 1 from series_due where entity_id = $1', id)).length;
  await until(async () => {
    await rollUp(flow.database, retention).catch(() => undefined);
    return (await dueOf(sound)) === 0;
  });
  expect(await dueOf(broken)).toBe(1);
  await expectPackets(broken, packets[0] ?? []);
  await expectPackets(sound, packets[1] ?? []);
  await flow.rows('delete from series_due where entity_id = $1', broken);
});

it('keeps pages of a limited number of names, and reads those beyond from packets', async () => {
  const id = crypto.randomUUID();
  const names = Array.from({ length: seriesLimits.metrics + 5 }, (_, n) => `Name ${String(n).padStart(4, '0')}`);
  const insert = (hour: number, reported: readonly string[]) =>
    flow.rows(
      `with at as (select $3::timestamptz + interval '1 minute' as time)
insert into packet (tenant_id, entity_id, timestamp, message)
select $1, $2, time, jsonb_build_object('Metrics', jsonb_object_agg(name, 7)) from at, unnest($4::text[]) name group by time`,
      flow.tenantId,
      id,
      new Date(start + hour * hourMs),
      reported,
    );
  const due = (hour: number) =>
    flow.rows(
      'insert into series_due (tenant_id, entity_id, hour) values ($1, $2, $3)',
      flow.tenantId,
      id,
      new Date(start + hour * hourMs),
    );
  const [first = '', last = ''] = [names[0], names.at(-1)];
  const readName = async (key: string) => {
    const range = { from: start, to: start + 3 * hourMs, step: hourMs };
    const [series] = await readTargets(flow.db, 'all', [{ entityId: id, part: 'Metrics', key }], range);
    return series?.buckets.length;
  };
  await insert(0, names);
  await due(0);
  await rollUpAll();
  // Names that come later are beyond the limit too, even if they come first in the alphabet.
  await insert(1, [first, 'A new name', last]);
  await due(1);
  await rollUpAll();
  const pages = await flow.rows<{ metric: string }>('select metric from series_day where entity_id = $1 order by metric', id);
  expect(pages).toHaveLength(seriesLimits.metrics);
  expect(pages[0]?.metric).toBe(`Metrics.${first}`);
  expect([await readName(first), await readName(last), await readName('A new name')]).toEqual([2, 2, 1]);
  await flow.rows('delete from packet where entity_id = $1', id);
  expect([await readName(first), await readName(last)]).toEqual([2, 0]);
});

it('rests while other statements are under way, and not while the database is idle', async () => {
  const id = crypto.randomUUID();
  const run = async (isBusy: boolean): Promise<number> => {
    await flow.rows(
      `insert into series_due (tenant_id, entity_id, hour) select $1, $2, $3::timestamptz + n * interval '1 hour' from generate_series(0, 2) n`,
      flow.tenantId,
      id,
      new Date(start),
    );
    const rests: number[] = [];
    const load = () => ({ open: isBusy ? 3 : 1, idle: 0, waiting: 0 });
    await rollUp({ scoped: flow.database.scoped, load }, { ...retention, rest: async (ms) => void rests.push(ms) });
    return rests.length;
  };
  expect(await run(false)).toBe(0);
  expect(await run(true)).toBeGreaterThan(0);
});
