/** Two servers that read from a real streaming standby: paused, killed and stalled, it costs no request and shows nobody too little. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFailed } from 'vitest';
import { runs } from '@cloudfit/contract/testing/runs.ts';
import { makeLogin } from '../../db/login.ts';
import { startPrimary, startStandby, type Primary, type StandbyServer } from '../programs/standby.ts';
import { freePort, serverProcess, type ServerProcess } from '../server-process.ts';
import { noteFault } from './figures.ts';
import { connect, prepareSite, type FaultSite } from './site.ts';

let primary: Primary;
let standby: StandbyServer;
let client: pg.Client;
let site: FaultSite;
let other: FaultSite;
const servers: ServerProcess[] = [];
const metricsPorts: number[] = [];

interface Reply {
  status: number;
  body: { value?: { name?: string; locationId?: string }[]; '@odata.count'?: number } & Record<string, unknown>;
  etag: string | null;
}

async function call(
  server: number,
  method: string,
  path: string,
  body?: unknown,
  { token = site.token, headers = {} } = {},
): Promise<Reply> {
  const answer = await fetch(`${servers[server % servers.length]?.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? {} : (JSON.parse(text) as Reply['body']), etag: answer.headers.get('etag') };
}

/** What a metric of both servers adds up to. */
async function metric(name: string): Promise<number> {
  const texts = await Promise.all(metricsPorts.map(async (port) => (await fetch(`http://127.0.0.1:${port}/metrics`)).text()));
  return texts.reduce((sum, text) => sum + Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1] ?? 0), 0);
}

async function isReadBy(count: number): Promise<void> {
  await expect.poll(() => metric('cloudfit_standby_read'), { timeout: 60_000 }).toBe(count);
}

const create = (server: number, name: string, options = {}) =>
  call(server, 'PUT', '/v1/locations', { name, tenantId: site.tenantId }, options);
const named = (name: string) => `/v1/locations?$select=name&$filter=${encodeURIComponent(`name eq '${name}'`)}`;

beforeAll(async () => {
  primary = await startPrimary();
  const login = new URL(await makeLogin(primary.url));
  standby = await startStandby(primary);
  const reads = new URL(standby.url);
  [reads.username, reads.password] = [login.username, login.password];
  const key = Buffer.alloc(32, 7).toString('base64');
  for (let n = 0; n < 2; n++) {
    const port = await freePort();
    metricsPorts.push(port);
    const env = {
      DATABASE_OWNER_URL: primary.url,
      DATABASE_READ_URL: reads.href,
      MASTER_KEY: key,
      DB_POOL: '8',
      METRICS_PORT: String(port),
    };
    servers.push(await serverProcess({ databaseUrl: login.href, roles: n === 0 ? 'api,worker' : 'api', env }));
  }
  for (const server of servers) await server.start();
  client = await connect(primary.url);
  site = await prepareSite(client, { DATABASE_URL: primary.url }, { hot: 1, cool: 5 });
  other = await prepareSite(client, { DATABASE_URL: primary.url }, { hot: 0, cool: 0 });
}, 300_000);

afterAll(async () => {
  await Promise.all(servers.map((server) => server.remove()));
  await (client as pg.Client | undefined)?.end();
  await (standby as StandbyServer | undefined)?.remove();
  await (primary as Primary | undefined)?.stop();
});

describe('a standby', { timeout: 300_000 }, () => {
  it('answers lists, counts and series, within the scope of the caller', async () => {
    onTestFailed(() => console.error(servers.map((server) => server.output().slice(-3_000)).join('\n---\n')));
    await isReadBy(2);
    await create(0, 'Harbour');
    const { rows } = await client.query<{ tenant_id: string }>("insert into tenant (name) values ('Elsewhere') returning tenant_id");
    await client.query("insert into location (tenant_id, name) values ($1, 'Hidden')", [rows[0]?.tenant_id]);
    await sleep(300);
    const before = await metric('cloudfit_reads_standby_total');
    const list = await call(1, 'GET', '/v1/locations?$select=name&$count=true', undefined, { token: other.token });
    expect(list).toMatchObject({ status: 200, body: { '@odata.count': 1, value: [{ name: 'Harbour' }] } });
    expect(await call(1, 'GET', '/v1/locations/$count', undefined, { token: other.token })).toMatchObject({ status: 200, body: 1 });
    expect(
      (await call(0, 'GET', `/v1/lookups/locations?tenantId=${site.tenantId}`, undefined, { token: other.token })).status,
    ).toBeLessThan(500);
    expect(await metric('cloudfit_reads_standby_total')).toBeGreaterThanOrEqual(before + 2);
  });

  it('shows each writer the write at the next read, on any server, while its replay is paused', async () => {
    await isReadBy(2);
    await standby.pause();
    const slowest = { ms: 0 };
    try {
      const count = runs(60, 1_000);
      for (let n = 0; n < count; n++) {
        const name = `Place ${randomUUID()}`;
        const created = await create(n, name);
        expect(created.status).toBe(201);
        const began = performance.now();
        const read = await call(n + (n % 3 === 0 ? 0 : 1), 'GET', named(name));
        slowest.ms = Math.max(slowest.ms, performance.now() - began);
        expect(read.body.value, `write ${n}`).toMatchObject([{ name }]);
      }
    } finally {
      await standby.resume();
    }
    expect(await metric('cloudfit_reads_primary_after_writes_total')).toBeGreaterThan(0);
    noteFault('own writes read while the replay of the standby is paused', { missing: 0, 'slowest read ms': Math.round(slowest.ms) });
  });

  it('is left when it is too far behind, and read again when it has caught up', async () => {
    await isReadBy(2);
    await standby.pause();
    try {
      // Something must be missing for it to be behind.
      await create(0, 'Behind');
      await isReadBy(0);
      const health = await call(0, 'GET', '/v1/installation/health');
      expect([403, 200]).toContain(health.status);
    } finally {
      await standby.resume();
    }
    await isReadBy(2);
  });

  it('announces a change when the standby has it, so that who reads then sees it', async () => {
    await isReadBy(2);
    const stopping = new AbortController();
    const stream = await fetch(`${servers[1]?.url}/v1/changes`, {
      headers: { authorization: `Bearer ${other.token}` },
      signal: stopping.signal,
    });
    let received = '';
    const reading = (async () => {
      for await (const part of stream.body?.pipeThrough(new TextDecoderStream()) ?? []) received += part;
    })().catch(() => undefined);
    await sleep(500);
    for (let n = 0; n < 5; n++) {
      const name = `Change ${randomUUID()}`;
      await standby.pause();
      const { body } = await create(0, name);
      await sleep(700);
      expect(received).not.toContain(String(body['locationId']));
      await standby.resume();
      await expect.poll(() => received, { interval: 5, timeout: 10_000 }).toContain(String(body['locationId']));
      // Another caller than the writer, who has no claim to the newest.
      expect((await call(n, 'GET', named(name), undefined, { token: other.token })).body.value).toMatchObject([{ name }]);
    }
    stopping.abort();
    await reading;
  });

  it('answers a poll by 304 only while nothing has changed, also by a transaction that was open meanwhile', async () => {
    await isReadBy(2);
    const path = `/v1/locations?$select=name&$filter=${encodeURIComponent("name in ('Harbour','Slow')")}`;
    const writer = await connect(primary.url);
    await writer.query('begin');
    const { rows } = await writer.query<{ id: string }>(
      "insert into location (tenant_id, name) values ($1, 'Slow') returning location_id as id",
      [site.tenantId],
    );
    await writer.query(
      "insert into change (tenant_id, verb, entity, entity_id, correlation_id) values ($1, 'create', 'locations', $2, gen_random_uuid())",
      [site.tenantId, rows[0]?.id],
    );
    // Later transactions end before it.
    await client.query("insert into tenant (name) values ('Later')");
    await sleep(500);
    const token = other.token;
    const first = await call(0, 'GET', path, undefined, { token });
    const again = await call(1, 'GET', path, undefined, { token, headers: { 'if-none-match': first.etag ?? '' } });
    expect([200, 304]).toContain(again.status);
    await writer.query('commit');
    await writer.end();
    await sleep(500);
    const last = await call(0, 'GET', path, undefined, { token, headers: { 'if-none-match': again.etag ?? '' } });
    expect(last.status).toBe(200);
    expect(last.body.value?.map(({ name }) => name)).toContain('Slow');
    await sleep(500);
    const calm = await call(0, 'GET', path, undefined, { token });
    expect((await call(1, 'GET', path, undefined, { token, headers: { 'if-none-match': calm.etag ?? '' } })).status).toBe(304);
  });

  it.each(['killed', 'stalled'] as const)('that is %s under reads fails no request, and is read again when it is back', async (how) => {
    await isReadBy(2);
    const statuses = new Map<number, number>();
    let slowestMs = 0;
    let isOver = false;
    const readers = Array.from({ length: 8 }, async (_, n) => {
      for (let i = 0; !isOver; i++) {
        const began = performance.now();
        const { status } = await call(n + i, 'GET', `/v1/locations?$count=true&$top=${5 + (i % 20)}`, undefined, { token: other.token });
        slowestMs = Math.max(slowestMs, performance.now() - began);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        await sleep(runs(200, 0));
      }
    });
    await sleep(1_000);
    if (how === 'killed') await standby.kill();
    else standby.stall();
    await isReadBy(0);
    await sleep(1_000);
    if (how === 'killed') await standby.start();
    else standby.goOn();
    await isReadBy(2);
    await sleep(500);
    isOver = true;
    await Promise.all(readers);
    expect([...statuses.keys()]).toEqual([200]);
    noteFault(`a standby that is ${how} under reads`, { requests: statuses.get(200) ?? 0, failed: 0, 'slowest ms': Math.round(slowestMs) });
  });

  it('that was promoted is not read', async () => {
    await standby.promote();
    await isReadBy(0);
    const name = `Promoted ${randomUUID()}`;
    expect((await create(0, name)).status).toBe(201);
    expect((await call(1, 'GET', named(name), undefined, { token: other.token })).body.value).toMatchObject([{ name }]);
  });
});
