/** Two servers and three workers on one database: they share the work and have the same state. */
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { checkRules } from '@cloudfit/contract/rules/starter.ts';
import { runs } from '@cloudfit/contract/testing/runs.ts';
import { testDatabase, type TestDatabase } from '../database.ts';
import { serverProcess, type ServerProcess } from '../server-process.ts';
import { startLoad } from './load.ts';
import { until } from '../../rules/testing/flow.ts';
import { connect, prepareSite, type FaultSite } from './site.ts';
import { drain, verify } from './verify.ts';

let database: TestDatabase;
let client: pg.Client;
let site: FaultSite;
const processes: ServerProcess[] = [];
const [a, b] = [() => processes[0]?.url ?? '', () => processes[1]?.url ?? ''];

beforeAll(async () => {
  database = await testDatabase();
  // Signed-in people are checked with the master key, so the servers must share it; tokens are checked by their hash.
  const env = { MASTER_KEY: Buffer.alloc(32, 7).toString('base64'), DB_POOL: '8' };
  for (const roles of ['api', 'api', 'worker', 'worker', 'worker'] as const)
    processes.push(await serverProcess({ roles, databaseUrl: database.url, env }));
  // Starts all processes at once, on an empty database.
  await Promise.all(processes.map((process) => process.start()));
  client = await connect(database.url);
  site = await prepareSite(client, { DATABASE_URL: database.url }, { hot: 500, cool: 200 });
});

afterAll(async () => {
  await Promise.all(processes.map((process) => process.remove()));
  // The client is undefined if the start failed.
  await (client as pg.Client | undefined)?.end();
  await database.close();
});

async function call(
  server: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const answer = await fetch(`${server}${path}`, {
    method,
    headers: { authorization: `Bearer ${site.token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

async function countOf(text: string, ...values: unknown[]): Promise<number> {
  const { rows } = await client.query<{ count: number }>(text, values);
  return rows[0]?.count ?? -1;
}

it('make an empty database ready once', async () => {
  expect(await countOf('select count(*)::int from tenant')).toBe(1);
  expect(await countOf('select count(*)::int from rule')).toBe(1 + checkRules.length);
  expect(await countOf("select count(*)::int from person where user_name = 'admin@localhost'")).toBe(1);
});

it('open one match per rule and subject and do each job once', async () => {
  const load = startLoad({ ...site, urls: [a(), b()] });
  await sleep(runs(2_000, 6_000));
  await load.stop(10);
  await drain(client);
  const { faults, counts } = await verify(client, load);
  expect(faults).toEqual({});
  expect(counts['matches']).toBeGreaterThan(10);
  // One note for each match: a job that ran twice would have written two notes.
  expect(await countOf("select count(*)::int from work_unit_note where detail like 'Opened by the rule%'")).toBe(counts['matches']);
});

/** Sends three hot packets of one device; returns whether a match opened. */
async function isMatched(server: string, deviceId: string): Promise<boolean> {
  const now = Date.now();
  const batch = [0, 1, 2].map((n) => ({
    entityId: deviceId,
    timestamp: new Date(now + n).toISOString(),
    message: { Metrics: { Cpu: 99 } },
  }));
  const answer = await call(server, 'POST', '/v1/packets', batch);
  expect(answer.status).toBe(200);
  return (await countOf('select count(*)::int from rule_match where subject_id = $1', deviceId)) > 0;
}

it('follow a rule that the other one changed', async () => {
  const {
    rows: [rule],
  } = await client.query<{ rule_id: string }>('select rule_id from rule');
  // The load of the previous test began with the first devices, so the last ones have no match yet.
  const fresh = [...site.hotDevices];
  const toggle = () => call(a(), 'POST', `/v1/rules/toggledisabled/${rule?.rule_id}`);
  for (const enabled of [false, true, false, true]) {
    expect((await toggle()).body['enabled']).toBe(enabled);
    await until(async () => (await isMatched(b(), fresh.pop() ?? '')) === enabled);
  }
});

it('refuse a token that was revoked at the other one', async () => {
  expect((await call(a(), 'GET', '/v1/devices?$top=1')).status).toBe(200);
  expect((await call(b(), 'GET', '/v1/devices?$top=1')).status).toBe(200);
  await client.query('update token_grant set revoked_on = now() where token_grant_id = $1', [site.tokenId]);
  await client.query("select pg_notify('tokens', '')");
  for (const server of [a(), b()]) await until(async () => (await call(server, 'GET', '/v1/devices?$top=1')).status === 401);
});
