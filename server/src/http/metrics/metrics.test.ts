/** Metrics on a separate port: counters, queues, and an unavailable database. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import pino from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDatabase, type Database } from '../../db/connection.ts';
import { observe } from './observe.ts';
import { meters } from '../../platform/meters.ts';
import { openMetrics } from './metrics.ts';
import { serveMetrics } from './serve-metrics.ts';
import { createWorld, holder, type TestWorld } from '../../testing/world.ts';

let world: TestWorld;
let database: Database;
let metrics: { port: number; stop(): Promise<void> };

const read = async (path = '/metrics'): Promise<{ status: number; text: string }> => {
  const response = await fetch(`http://127.0.0.1:${metrics.port}${path}`);
  return { status: response.status, text: await response.text() };
};
const value = (text: string, name: string): number =>
  Number(new RegExp(`^${name.replaceAll(/[{}]/g, String.raw`\$&`)} (.*)$`, 'm').exec(text)?.[1]);

beforeAll(async () => {
  world = await createWorld();
  database = openDatabase({ url: world.url, max: 2, onError: () => undefined });
  const log = pino({ level: 'silent' });
  const figures = await openMetrics({ database, log });
  observe(world.app, figures.answered);
  metrics = await serveMetrics({ port: 0, host: '127.0.0.1', read: () => figures.read(true), log });
});
afterAll(async () => {
  await metrics.stop();
  await world.close();
});

it('tells counters, the delay of the event loop, connections and the queues', async () => {
  const { tenantId } = await world.tenant();
  await world.system.db.query({
    text: `insert into job (name, tenant_id, payload, correlation_id, run_at, dead_at) values
      ('x', $1, '{}', uuidv7(), now() - interval '90 seconds', null), ('x', $1, '{}', uuidv7(), now(), now())`,
    values: [tenantId],
  });
  meters.failedSignIns += 3;
  meters.revokedTokenHits += 2;
  const { text } = await read();
  expect(value(text, 'cloudfit_sign_ins_failed_total')).toBeGreaterThanOrEqual(3);
  expect(value(text, 'cloudfit_revoked_token_hits_total')).toBeGreaterThanOrEqual(2);
  expect(value(text, 'cloudfit_jobs_waiting')).toBe(1);
  expect(value(text, 'cloudfit_dead_letters')).toBe(1);
  expect(value(text, 'cloudfit_oldest_due_job_seconds')).toBeGreaterThan(89);
  expect(value(text, 'cloudfit_db_connections_waiting')).toBe(0);
  expect(value(text, 'cloudfit_database_up')).toBe(1);
  for (const name of [
    'nodejs_eventloop_lag_p99_seconds',
    'cloudfit_packets_stored_total',
    'cloudfit_outbox_messages',
    'process_resident_memory_bytes',
  ])
    expect([name, text.includes(`\n${name} `)]).toEqual([name, true]);
});

it('counts requests by what was asked and the status, without keys', async () => {
  await world.call(holder('all'), 'GET', '/v1/locations?$top=1');
  await world.call(holder('all'), 'GET', `/v1/locations(${crypto.randomUUID()})`);
  await world.call(holder('all'), 'GET', '/v1/nothing/secret');
  const { text } = await read();
  expect(value(text, 'cloudfit_http_request_seconds_count{method="GET",route="locations",status="200"}')).toBe(1);
  expect(value(text, 'cloudfit_http_request_seconds_count{method="GET",route="locations",status="404"}')).toBe(1);
  expect(text).toContain('route="v1 call",status="404"');
  expect(text).not.toMatch(/route="[^"]*secret/);
});

it('answers nothing else, and goes on without the database', async () => {
  expect((await read('/')).status).toBe(404);
  expect((await world.call(holder('all'), 'GET', '/metrics')).text).not.toContain('cloudfit_');
  await database.close();
  const { status, text } = await read();
  expect([status, value(text, 'cloudfit_database_up')]).toEqual([200, 0]);
});

it('names no gauge like a counter', async () => {
  const { text } = await read();
  expect([...text.matchAll(/^# TYPE (\S+_total) (?!counter$)/gm)].map(([, name]) => name)).toEqual([]);
  expect(text).toMatch(/^# TYPE nodejs_active_handles gauge$/m);
});

it.skipIf(!existsSync('/usr/bin/promtool'))(
  'is what promtool of Prometheus accepts (skipped without the Debian package prometheus)',
  async () => {
    await world.call(holder('all'), 'GET', '/v1/workUnits');
    const { text } = await read();
    const checked = spawnSync('/usr/bin/promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' });
    expect(text.split('\n').length).toBeGreaterThan(50);
    // 3: it can be read, but names break a rule. Those of Node itself are not ours.
    const ours = checked.stderr.split('\n').filter((line) => line.trim() !== '' && !/^(?:nodejs|process)_/.test(line));
    expect(ours).toEqual([]);
    expect([0, 3]).toContain(checked.status);
  },
);
