/** Metrics over time: buckets, bands, gaps, who may read them, and what is refused. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, holder, type TestCaller, type TestWorld, type WorldReply } from '../../testing/world.ts';

interface SubscriptionIds {
  tenantId: string;
  subscriptionId: string;
}

let world: TestWorld;
let home: SubscriptionIds;
let other: SubscriptionIds;
let me: TestCaller;

beforeAll(async () => {
  world = await createWorld();
  [home, other] = [await world.tenant(), await world.tenant()];
  me = holder([home.tenantId]);
});
afterAll(() => world.close());

const minute = 60_000;
/** The start of an hour of yesterday, in epoch milliseconds. */
const start = Math.floor(Date.now() / 3_600_000 - 24) * 3_600_000;
const iso = (at: number) => new Date(at).toISOString();

type PacketReading = [at: number, message: Record<string, unknown>];

async function report(entityId: string, readings: readonly PacketReading[], { tenantId } = home): Promise<void> {
  await world.system.db.query({
    text: `insert into packet (tenant_id, entity_id, timestamp, received_timestamp, message)
select $1, $2, at, at, message from unnest($3::timestamptz[], $4::jsonb[]) as r (at, message)`,
    values: [tenantId, entityId, readings.map(([at]) => new Date(start + at)), readings.map(([, message]) => JSON.stringify(message))],
  });
}

const metric = (at: number, Cpu: number): PacketReading => [at, { Metrics: { Cpu } }];

async function entity(readings: readonly PacketReading[], of = home): Promise<string> {
  const id = crypto.randomUUID();
  await report(id, readings, of);
  return id;
}

const read = (body: Record<string, unknown>, caller = me): Promise<WorldReply> =>
  world.call(caller, 'POST', '/v1/series', { from: iso(start), to: iso(start + 60 * minute), points: 60, ...body });

interface Answer {
  step: number;
  series: {
    entityId: string;
    metric: string;
    kind: string;
    buckets: number[][];
    bands: { from: number; to: number; value: unknown }[];
    gap: number;
  }[];
}

async function answer(body: Record<string, unknown>, caller = me): Promise<Answer> {
  const reply = await read(body, caller);
  expect(reply.text).not.toContain('"error"');
  return reply.body as unknown as Answer;
}

/** Buckets with their start relative to `start`. */
const relative = (buckets: readonly number[][] = []) => buckets.map(([at = 0, ...rest]) => [at - start, ...rest]);

describe('buckets', () => {
  it('have minimum, average, maximum, last value and count, and are missing where nothing was reported', async () => {
    const entityId = await entity([metric(0, 10), metric(20_000, 40), metric(59_999, 1), metric(minute, 7), metric(5 * minute, 8)]);
    const { step, series } = await answer({ series: [{ entityId, metric: 'Cpu' }] });
    expect(step).toBe(minute);
    expect(series).toMatchObject([{ entityId, metric: 'Cpu', kind: 'number', bands: [] }]);
    expect(relative(series[0]?.buckets)).toEqual([
      [0, 1, 17, 40, 1, 3],
      [minute, 7, 7, 7, 7, 1],
      [5 * minute, 8, 8, 8, 8, 1],
    ]);
  });

  it('have of one time the value that was received last', async () => {
    const entityId = await entity([metric(0, 3), metric(0, 9)]);
    await world.system.db.query({
      text: `update packet set received_timestamp = timestamp + interval '1 second' where entity_id = $1 and message = '{"Metrics": {"Cpu": 3}}'`,
      values: [entityId],
    });
    const { series } = await answer({ series: [{ entityId, metric: 'Cpu' }] });
    expect(relative(series[0]?.buckets)).toEqual([[0, 3, 6, 9, 3, 2]]);
  });

  it('begin at multiples of the step and contain only what lies in the range', async () => {
    const entityId = await entity([metric(0, 1), metric(10_000, 2), metric(30_000, 3), metric(50_000, 4)]);
    const { step, series } = await answer({
      from: iso(start + 10_000),
      to: iso(start + 50_000),
      points: 1,
      series: [{ entityId, metric: 'Cpu' }],
    });
    expect(step).toBe(minute);
    expect(relative(series[0]?.buckets)).toEqual([[0, 2, 2.5, 3, 3, 2]]);
  });

  it('are of several series, in the order of the call, with the value of a block among them', async () => {
    const [one, two] = [await entity([[0, { Metrics: { Cpu: 1, Memory: 2 } }]]), await entity([[minute, { Value: 5 }]])];
    const { series } = await answer({
      series: [
        { entityId: two, metric: 'Value' },
        { entityId: one, metric: 'Memory' },
        { entityIds: [two, one], metric: 'Metrics.Cpu' },
      ],
    });
    expect(series.map(({ entityId, metric, buckets }) => [entityId, metric, relative(buckets)])).toEqual([
      [two, 'Value', [[minute, 5, 5, 5, 5, 1]]],
      [one, 'Memory', [[0, 2, 2, 2, 2, 1]]],
      [two, 'Metrics.Cpu', []],
      [one, 'Metrics.Cpu', [[0, 1, 1, 1, 1, 1]]],
    ]);
  });

  it('are of the entities of a filter', async () => {
    const tenant = await world.tenant();
    const caller = holder([tenant.tenantId]);
    const ids = await Promise.all(
      ['web-1', 'web-2', 'db-1'].map(async (name) => {
        const { body } = await world.call(caller, 'PUT', '/v1/devices', { name, ...tenant });
        await report(String(body['deviceId']), [metric(0, 1)], tenant);
        return body['deviceId'];
      }),
    );
    const { series } = await answer({ series: [{ filter: "startswith(name,'web')", metric: 'Cpu' }] }, caller);
    expect(series.map((line) => line.entityId)).toEqual(ids.slice(0, 2));
    const blocks = await answer({ series: [{ of: 'blocks', filter: "name eq 'db-1'", metric: 'Cpu' }] }, caller);
    expect(blocks.series.map((line) => [line.entityId, line.buckets.length])).toEqual([[ids[2], 1]]);
    const withoutDevices = holder([tenant.tenantId], ['CloudFit.CFS.Packets:view']);
    expect((await read({ series: [{ filter: "name eq 'web-1'", metric: 'Cpu' }] }, withoutDevices)).status).toBe(403);
    expect((await read({ series: [{ filter: 'nothing eq 1', metric: 'Cpu' }] }, caller)).status).toBe(400);
  });

  it('survive the greatest and the smallest numbers', async () => {
    const entityId = await entity([metric(0, 1.7e308), metric(1, 1.7e308), metric(2, 5e-324), metric(3, -1.7e308)]);
    const { series } = await answer({ series: [{ entityId, metric: 'Cpu' }] });
    expect(series[0]?.buckets[0]).toMatchObject({ 1: -1.7e308, 3: 1.7e308, 5: 4 });
  });
});

describe('a gap', () => {
  it('is longer than three usual distances and two steps', async () => {
    const every = (ms: number) => Array.from({ length: 10 }, (_, n) => metric(n * ms, n));
    const gapOf = async (ms: number, points: number) => {
      const entityId = await entity(every(ms));
      return (await answer({ points, series: [{ entityId, metric: 'Cpu' }] })).series[0]?.gap;
    };
    expect(await gapOf(5 * minute, 60)).toBe(15 * minute);
    expect(await gapOf(5 * minute, 6)).toBe(20 * minute);
    expect(await gapOf(10_000, 60)).toBe(2 * minute);
  });
});

describe('bands', () => {
  const health = (at: number, Health: string | boolean | null): PacketReading => [at, { States: { Health } }];

  it('say how long a text had a value: until the next reading, or the last one before a gap', async () => {
    const entityId = await entity([
      health(0, 'Healthy'),
      health(minute, 'Healthy'),
      health(2 * minute, 'Degraded'),
      health(3 * minute, 'Healthy'),
      health(4 * minute, 'Healthy'),
      health(20 * minute, 'Healthy'),
      health(21 * minute, null),
      health(21 * minute, true),
    ]);
    const { series } = await answer({ series: [{ entityId, metric: 'States.Health' }] });
    expect(series).toMatchObject([{ kind: 'text', buckets: [], gap: 3 * minute }]);
    expect(series[0]?.bands.map(({ from, to, value }) => [(from - start) / minute, (to - start) / minute, value])).toEqual([
      [0, 2, 'Healthy'],
      [2, 3, 'Degraded'],
      [3, 4, 'Healthy'],
      [20, 21, 'Healthy'],
      [21, 21, true],
    ]);
  });

  it('are joined to one for each step when they are too many', async () => {
    const entityId = await entity(Array.from({ length: 1_200 }, (_, n) => health(n * 1_000, n % 3 === 0 ? 'a' : n % 3 === 1 ? 'b' : 'c')));
    const { series } = await answer({ series: [{ entityId, metric: 'States.Health' }] });
    expect(series[0]?.bands).toHaveLength(20);
    expect(series[0]?.bands[1]).toEqual({ from: start + minute, to: start + 2 * minute, value: 'c', joined: 59 });
  });
});

describe('a file', () => {
  it('has a line for each bucket and band, and its export is audited', async () => {
    const entityId = await entity([[0, { Metrics: { Cpu: 1.5 }, States: { Health: 'Healthy' } }]]);
    const reply = await read({
      format: 'csv',
      series: [
        { entityId, metric: 'Cpu' },
        { entityId, metric: 'States.Health' },
      ],
    });
    expect(reply.headers['content-type']).toMatch(/^text\/csv/);
    expect(reply.headers['content-disposition']).toBe('attachment; filename="series.csv"');
    const line = (...cells: unknown[]) => cells.map((cell) => `"${String(cell)}"`).join(',');
    expect(reply.text.replaceAll('""', '').trim().split('\r\n')).toEqual([
      line('Entity ID', 'Metric', 'From', 'To', 'Minimum', 'Average', 'Maximum', 'Last', 'Count', 'Value'),
      `${line(entityId, 'Cpu', iso(start), iso(start + minute), 1.5, 1.5, 1.5, 1.5, 1)},`,
      `${line(entityId, 'States.Health', iso(start), iso(start))},,,,,,"Healthy"`,
    ]);
    const { value } = (await world.call(me, 'GET', "/v1/audit?$filter=verb eq 'export' and entity eq 'packets'")).body;
    expect(value).toMatchObject([{ tenantId: home.tenantId, after: { rows: 2 } }]);
  });
});

describe('who may read', () => {
  it('is who may view packets in the tenant of each packet', async () => {
    const entityId = await entity([metric(0, 1)]);
    await report(entityId, [metric(minute, 2)], other);
    const timesFor = async (caller: TestCaller) =>
      relative((await answer({ series: [{ entityId, metric: 'Cpu' }] }, caller)).series[0]?.buckets).map(([at]) => at);
    expect(await timesFor(me)).toEqual([0]);
    expect(await timesFor(holder([other.tenantId]))).toEqual([minute]);
    expect(await timesFor(holder('all'))).toEqual([0, minute]);
    const partly = holder([home.tenantId, other.tenantId]);
    expect(await timesFor({ ...partly, permissions: new Map([[other.tenantId, new Set(['CloudFit.CFS.Packets:view'])]]) })).toEqual([
      minute,
    ]);
    expect((await read({ series: [{ entityId, metric: 'Cpu' }] }, holder([home.tenantId], ['CloudFit.CFS.Devices:view']))).status).toBe(
      403,
    );
    const names = async (caller: TestCaller) => (await world.call(caller, 'GET', `/v1/packets/${entityId}/metrics`)).body.value?.length;
    expect([await names(me), await names(holder([(await world.tenant()).tenantId]))]).toEqual([1, 0]);
  });
});

describe('a call', () => {
  const entityId = crypto.randomUUID();
  const cpu = { entityId, metric: 'Cpu' };

  it('names an entity or a metric that is not there, and refuses a call that has no other', async () => {
    const id = await entity([metric(0, 1), [minute, { States: { Health: 'Healthy' } }]]);
    await entity([metric(0, 1)], other);
    const { status, body } = await read({
      series: [
        { entityId: id, metric: 'cpu' },
        { entityId, metric: 'Cpu' },
      ],
    });
    expect([status, body['error']]).toMatchObject([
      400,
      {
        code: 'UnknownSeries',
        target: 'series.0.metric',
        message: `${id} has not reported cpu. It reports Cpu, States.Health.`,
        details: [
          { target: 'series.0.metric' },
          { target: 'series.1.entityId', message: `There is no device, device operation or block ${entityId}.` },
        ],
      },
    ]);
    expect((await read({ format: 'csv', series: [{ entityId: id, metric: 'States.Helth' }] })).status).toBe(400);
    const { series } = await answer({
      series: [
        { entityId: id, metric: 'Cpu' },
        { entityId: id, metric: 'cpu' },
        { entityIds: [entityId], metric: 'Cpu' },
      ],
    });
    expect(series.map((item) => (item as { problem?: { code: string } }).problem?.code)).toEqual([
      undefined,
      'UnknownMetric',
      'UnknownEntity',
    ]);
  });

  it('answers empty series of what is there, but reported nothing, or not in the range', async () => {
    const device = await world.call(me, 'PUT', '/v1/devices', {
      name: 'new',
      tenantId: home.tenantId,
      subscriptionId: home.subscriptionId,
    });
    const { series } = await answer({ series: [{ entityId: device.body['deviceId'], metric: 'Cpu' }] });
    expect(series).toEqual([expect.objectContaining({ buckets: [], bands: [] })]);
    expect(series[0]).not.toHaveProperty('problem');
    const earlier = await entity([metric(-90 * minute, 1), [-90 * minute, { States: { Health: 'Healthy' } }]]);
    const past = await answer({
      series: [
        { entityId: earlier, metric: 'Cpu' },
        { entityId: earlier, metric: 'States.Health' },
      ],
    });
    expect(past.series.map(({ buckets, bands }) => buckets.length + bands.length)).toEqual([0, 0]);
  });

  it.each([
    ['from after to', { from: iso(start + 60 * minute), to: iso(start) }, 'to', /later than from/],
    ['from in the future', { from: iso(Date.now() + 60 * minute), to: undefined }, 'from', /earlier than now/],
    ['a time without a zone', { from: '2026-11-20T10:00:00' }, 'from', /with a zone/],
    ['too many points', { points: 2_001 }, 'points', /at most 2000/],
    ['no series', { series: [] }, 'series', /ask for a series/],
    ['too many series', { series: Array.from({ length: 101 }, () => cpu) }, 'series', /At most 100/],
    [
      'too many series of several entities',
      { series: [1, 2].map(() => ({ entityIds: Array.from({ length: 51 }, () => entityId), metric: 'a' })) },
      'series',
      /at most 100 series/,
    ],
    [
      'too many buckets',
      { points: 2_000, from: iso(start - 33 * minute * 60), series: Array.from({ length: 100 }, () => cpu) },
      'points',
      /fewer points/,
    ],
    ['no entity', { series: [{ metric: 'Cpu' }] }, 'series.0.entityId', /one of entityId, entityIds and filter/],
    ['two kinds of entities', { series: [{ ...cpu, filter: "name eq 'a'" }] }, 'series.0.entityId', /one of/],
    ['no metric', { series: [{ entityId, metric: '' }] }, 'series.0.metric', /name a metric/],
  ])('with %s is refused with the reason', async (_what, body, target, message) => {
    const { status, body: refused } = await read({ series: [cpu], ...body });
    expect(status).toBe(400);
    const error = refused['error'] as { target: string; message: string };
    expect([error.target, error.message]).toEqual([target, expect.stringMatching(message)]);
  });
});

describe('the metrics of an entity', () => {
  it('are those of its latest packets, with kind, last value and its time', async () => {
    const entityId = await entity([
      [0, { Metrics: { Cpu: 1, Old: 5 }, States: { Health: 'Degraded' }, Properties: { Version: '1' } }],
      [minute, { Metrics: { Cpu: 2, Value: 3, 'States.x': 4 }, States: { Health: 'Healthy', Ready: true, Gone: null } }],
      [2 * minute, { Value: 'text' }],
    ]);
    const { value } = (await world.call(me, 'GET', `/v1/packets/${entityId}/metrics`)).body;
    const at = (minutes: number) => iso(start + minutes * minute);
    expect(value).toEqual([
      { name: 'Value', kind: 'text', last: 'text', lastAt: at(2) },
      { name: 'Cpu', kind: 'number', last: 2, lastAt: at(1) },
      { name: 'Old', kind: 'number', last: 5, lastAt: at(0) },
      { name: 'Metrics.States.x', kind: 'number', last: 4, lastAt: at(1) },
      { name: 'Metrics.Value', kind: 'number', last: 3, lastAt: at(1) },
      { name: 'States.Health', kind: 'text', last: 'Healthy', lastAt: at(1) },
      { name: 'States.Ready', kind: 'text', last: true, lastAt: at(1) },
      { name: 'Properties.Version', kind: 'text', last: '1', lastAt: at(0) },
    ]);
    const { series } = await answer({ series: (value ?? []).map(({ name }) => ({ entityId, metric: name })) });
    expect(series.map(({ buckets, bands }) => buckets.length + bands.length)).not.toContain(0);
    expect((await world.call(me, 'GET', '/v1/packets/x/metrics')).status).toBe(400);
  });
});

describe('the metrics of an entity with a sender that reports each second', () => {
  it('are those of its other senders too, by packets of the last hour and by pages', async () => {
    const now = Date.now() - start;
    const entityId = await entity([
      [now - 3 * 86_400_000, { Metrics: { Cpu: 7, Old: 1 } }],
      [now - 20 * minute, { Metrics: { Memory: 3 }, States: { Health: 'Healthy' } }],
      ...Array.from({ length: 600 }, (_, n): PacketReading => [now - n * 1_000, { Metrics: { Fast: n } }]),
    ]);
    const day = Math.floor((start + now) / 86_400_000) * 86_400_000 - 3 * 86_400_000;
    const month = new Date(day);
    month.setUTCDate(1);
    for (const [table, page, slot] of [
      ['series_day', month, new Date(day).getUTCDate() - 1],
      ['series_hour', new Date(day), 5],
    ] as const)
      for (const name of ['Metrics.Cpu', 'Value', 'Metrics.Memory'])
        await world.system.db.query({
          text: `insert into ${table} (tenant_id, entity_id, metric, page, slots, mins, sums, maxs, lasts, counts) values ($1, $2, $3, $4, array[1, $5::int], '{1,1}', '{1,1}', '{1,1}', '{6,7}', '{1,1}')`,
          values: [home.tenantId, entityId, name, page, slot],
        });
    const { value } = (await world.call(me, 'GET', `/v1/packets/${entityId}/metrics`)).body;
    expect(value?.map(({ name, last }) => [name, last])).toEqual([
      ['Value', 7],
      ['Cpu', 7],
      ['Fast', 0],
      ['Memory', 3],
      ['States.Health', 'Healthy'],
    ]);
    expect(value?.find(({ name }) => name === 'Cpu')).toMatchObject({ kind: 'number', lastAt: iso(day + 5 * 3_600_000) });
    expect((await world.call(holder([other.tenantId]), 'GET', `/v1/packets/${entityId}/metrics`)).body.value).toEqual([]);
  });
});

describe('the packets of an entity', () => {
  it('are all that it reported, newest first, in pages and in a range', async () => {
    const entityId = await entity(
      Array.from({ length: 5 }, (_, n) => [Math.floor(n / 2) * minute, { Metrics: { Cpu: n }, Diagnostics: { n } }]),
    );
    const page = async (query: string, caller = me) => (await world.call(caller, 'GET', `/v1/packets/${entityId}/history?${query}`)).body;
    const valuesOf = ({ value }: Awaited<ReturnType<typeof page>>) =>
      (value ?? []).map((row) => (row['message'] as { Metrics: { Cpu: number } }).Metrics.Cpu);
    const whole = await page('');
    expect(whole).not.toHaveProperty('next');
    expect(whole.value?.[0]).toEqual({
      packetId: expect.any(String),
      entityId,
      tenantId: home.tenantId,
      timestamp: iso(start + 2 * minute),
      receivedTimestamp: iso(start + 2 * minute),
      message: { Metrics: { Cpu: 4 }, Diagnostics: { n: 4 } },
    });
    expect(valuesOf(whole).toSorted()).toEqual([0, 1, 2, 3, 4]);
    const pages: number[] = [];
    let next: unknown;
    do {
      const one = await page(`top=2${typeof next === 'string' ? `&after=${encodeURIComponent(next)}` : ''}`);
      pages.push(...valuesOf(one));
      next = one['next'];
    } while (next !== undefined);
    expect(pages).toEqual(valuesOf(whole));
    expect(valuesOf(await page(`from=${iso(start + minute)}&to=${iso(start + 2 * minute)}`)).toSorted()).toEqual([2, 3]);
    expect(valuesOf(await page(`to=${iso(start + 2 * minute + 1)}&top=1`))).toEqual([4]);
    expect(valuesOf(await page('', holder([other.tenantId])))).toEqual([]);
    const refused = async (query: string) => (await world.call(me, 'GET', `/v1/packets/${entityId}/history?${query}`)).status;
    const cursor = (time: string) => encodeURIComponent(`${time},${crypto.randomUUID()}`);
    expect([await refused('top=0'), await refused('after=x'), await refused('from=yesterday')]).toEqual([400, 400, 400]);
    expect([await refused(`after=${cursor('2026-13-40T10:00:00.000Z')}`), await refused('from=0000-01-01T00:00:00Z')]).toEqual([400, 200]);
    expect(await refused(`from=${iso(start)}&to=${iso(start)}`)).toBe(400);
    expect(
      (await world.call(holder([home.tenantId], ['CloudFit.CFS.Devices:view']), 'GET', `/v1/packets/${entityId}/history`)).status,
    ).toBe(403);
  });

  it('says so when they are more than are kept and listed', async () => {
    const names = (from: number) => Object.fromEntries(Array.from({ length: 400 }, (_, n) => [`Metric ${from + n}`, n]));
    const entityId = await entity([0, 400, 800].map((from, at): PacketReading => [at * minute, { Metrics: names(from) }]));
    const { body } = await world.call(me, 'GET', `/v1/packets/${entityId}/metrics`);
    expect([body.value?.length, body['notice']]).toEqual([
      1_000,
      expect.stringMatching(/^This reports more than 1,000 names of metrics\./),
    ]);
    const usual = await entity([metric(0, 1)]);
    expect((await world.call(me, 'GET', `/v1/packets/${usual}/metrics`)).body).not.toHaveProperty('notice');
  });
});

it('lists the outages of the installation in a range, to whoever may view packets', async () => {
  const gap = (from: number, to: number) =>
    world.system.db.query({
      text: 'insert into installation_gap (gap_start, gap_end) values ($1, $2)',
      values: [new Date(start + from), new Date(start + to)],
    });
  await gap(-120 * minute, -90 * minute);
  await gap(-10 * minute, 5 * minute);
  await gap(20 * minute, 21 * minute);
  const outages = (caller: TestCaller) => world.call(caller, 'GET', `/v1/series/outages?from=${iso(start)}&to=${iso(start + 60 * minute)}`);
  expect((await outages(me)).body.value).toEqual([
    { from: iso(start - 10 * minute), to: iso(start + 5 * minute) },
    { from: iso(start + 20 * minute), to: iso(start + 21 * minute) },
  ]);
  expect((await outages(holder([home.tenantId], ['CloudFit.CFS.Devices:view']))).status).toBe(403);
});
