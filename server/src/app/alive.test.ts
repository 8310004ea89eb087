/** The dead man's switch: when its receiver is called, and what silences it. The receiver is a socket of the test. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { openDatabase } from '../db/connection.ts';
import { openOutboundHttp, type OutboundHttp } from '../outbound/http.ts';
import { testDatabase } from '../testing/database.ts';
import { createWorld, type TestWorld } from '../testing/world.ts';
import { aliveHosts, aliveWork, type AliveParts } from './alive.ts';

let world: TestWorld;
let http: OutboundHttp;
let status = 200;
const calls: string[] = [];
const receiver = createServer((request, response) => {
  calls.push(`${request.method} ${request.url}`);
  response.writeHead(status).end('OK');
});
let url = '';

beforeAll(async () => {
  world = await createWorld();
  await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done));
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/ping/1?up`;
  http = openOutboundHttp({ allow: aliveHosts(url) });
});
afterAll(async () => {
  await http.close();
  await world.close();
  receiver.close();
});
beforeEach(async () => {
  calls.length = 0;
  status = 200;
  await world.system.db.query({ text: "update schedule set next_run = now() + interval '1 hour', running_until = null" });
  await world.system.db.query({ text: 'delete from job' });
});

const rows = (text: string, ...values: unknown[]) => world.system.db.query({ text, values });
const run = (parts: Partial<AliveParts> = {}) => aliveWork({ url, http, names: ['expiry', 'silence/0'], ...parts }).run(world.system.db);
const failure = (parts?: Partial<AliveParts>) =>
  run(parts).then(
    () => undefined,
    (error: Error) => error.message,
  );

it('calls the receiver while everything runs, also while work takes long or waits for its time', async () => {
  await rows(`insert into schedule (name, next_run, running_until) values ('expiry', now() - interval '10 minutes', now() + interval '5 seconds'),
    ('silence/0', now() + interval '5 seconds', null), ('work of an earlier version', now() - interval '1 year', null)`);
  const { tenantId } = await world.tenant();
  await rows(
    `insert into job (name, tenant_id, payload, run_at, dead_at, destination, leased_until, correlation_id)
     values ('dead', $1, '{}', now() - interval '1 hour', now(), null, null, gen_random_uuid()),
       ('waits for its receiver', $1, '{}', now() - interval '1 hour', null, 'https://x.example', null, gen_random_uuid()),
       ('runs', $1, '{}', now() - interval '1 hour', null, null, now() + interval '5 seconds', gen_random_uuid()),
       ('just due', $1, '{}', now() - interval '1 second', null, null, null, gen_random_uuid())`,
    tenantId,
  );
  await run({ stream: async () => ({ isConnected: true, oldestSeconds: 3 }) });
  await run();
  expect(calls).toEqual(['GET /ping/1?up', 'GET /ping/1?up']);
});

it('does not call while work that runs often fails each time', async () => {
  const fails = (name: string, since: string, every: string) =>
    rows(
      `insert into schedule (name, last_error, failed_since, last_run, next_run) values ($1, 'broken', now() - $2::interval, now(), now() + $3::interval)
        on conflict (name) do update set last_error = 'broken', failed_since = excluded.failed_since, last_run = excluded.last_run, next_run = excluded.next_run`,
      name,
      since,
      every,
    );
  await fails('expiry', '30 seconds', '1 second');
  // What runs once an hour tells nobody of an alarm, and this work must call again after a call that failed.
  await fails('sweep', '1 day', '1 hour');
  await fails('alive', '1 day', '1 minute');
  const names = ['expiry', 'silence/0', 'sweep', 'alive'];
  expect(await failure({ names })).toBeUndefined();
  await fails('expiry', '2 minutes', '1 second');
  expect(await failure({ names })).toBe('ALIVE_URL is not called, because periodic work fails each time: expiry.');
  await rows('update schedule set last_error = null');
  expect(await failure({ names })).toBeUndefined();
});

it('does not call while something stands still, and says what', async () => {
  const { tenantId } = await world.tenant();
  await rows(`update schedule set next_run = now() - interval '2 minutes' where name = 'silence/0'`);
  expect(await failure()).toBe('ALIVE_URL is not called, because periodic work is late: silence/0.');
  await rows(`update schedule set next_run = now() - interval '30 seconds'`);
  expect(await failure()).toBeUndefined();
  await rows(
    `insert into job (name, tenant_id, payload, run_at, correlation_id) values ('late', $1, '{}', now() - interval '200 seconds', gen_random_uuid())`,
    tenantId,
  );
  expect(await failure()).toMatch(/because a job has waited for 20\d s\.$/);
  await rows('delete from job');
  const stream = (isConnected: boolean, oldestSeconds: number) => ({ stream: async () => ({ isConnected, oldestSeconds }) });
  expect(await failure(stream(false, 0))).toContain('the stream of packets does not answer');
  expect(await failure(stream(true, 900))).toContain('a packet has waited in the stream for 900 s');
  expect(calls).toHaveLength(1);
});

it('fails when the receiver refuses, and calls again the next time', async () => {
  status = 404;
  expect(await failure()).toBe('The receiver of ALIVE_URL answered 404.');
  status = 200;
  expect(await failure()).toBeUndefined();
  expect(calls).toHaveLength(2);
});

it('does not call while only workers are connected', async () => {
  const bare = await testDatabase();
  const worker = openDatabase({ url: bare.url, max: 2, process: '1.0.0 worker 1 here:1', onError: () => undefined });
  await worker.listen('alive-test', () => undefined);
  try {
    await expect(aliveWork({ url, http, names: [] }).run(worker.scoped('all'))).rejects.toThrow(
      'ALIVE_URL is not called, because no process of the role api is connected.',
    );
    expect(calls).toEqual([]);
  } finally {
    await worker.close();
    await bare.close();
  }
});
