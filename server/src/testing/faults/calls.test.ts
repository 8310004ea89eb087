/**
 * Receivers that hang, answer slowly or are down: other tenants and jobs without outbound calls do not wait, waiting
 * costs no try, and waiting calls arrive in order.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { builtInAction, resultStatus } from '@cloudfit/contract/enums.ts';
import { openAckLinks } from '../../platform/ack-links.ts';
import { openHopCounts } from '../../context/hop-count.ts';
import { masterKeyOf } from '../../auth/master-key.ts';
import { systemCtx } from '../../auth/system-ctx.ts';
import { openTenantSecrets } from '../../auth/tenant-secrets.ts';
import { destinationBreaker } from '../../automation/destinations.ts';
import { runActionJob } from '../../automation/run-action.job.ts';
import { writeExecutions } from '../../executions/executions.ts';
import { jobRegistry } from '../../jobs/job.ts';
import { startWorker, type Worker } from '../../jobs/worker.ts';
import { openOutboundHttp, type OutboundHttp } from '../../outbound/http.ts';
import { createFlow, silent, until, type Flow } from '../../rules/testing/flow.ts';

/** How a receiver answers, by the first label of its host name. */
const moods = new Map<string, 'well' | 'hang' | 'drip' | 'broken'>();
const calls: { host: string; key: string; at: number }[] = [];
const ill = Array.from({ length: 20 }, (_, n) => `ill${n}`);
const hosts = [...ill, 'well', 'away'];
let receiver: http.Server;
let port: number;
let flow: Flow;
let outbound: OutboundHttp;
const workers: Worker[] = [];

beforeAll(async () => {
  receiver = http.createServer((request, response) => {
    const host = (request.headers.host ?? '').split('.')[0] ?? '';
    calls.push({ host, key: String(request.headers['idempotency-key']), at: performance.now() });
    const mood = moods.get(host) ?? 'well';
    if (mood === 'well') response.end('noted');
    if (mood === 'broken') response.writeHead(503).end();
    if (mood !== 'drip') return;
    response.writeHead(200, { 'content-length': '100000' });
    const drops = setInterval(() => response.write('.'), 50);
    response.on('close', () => clearInterval(drops));
  });
  await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done));
  ({ port } = receiver.address() as AddressInfo);
});
afterAll(() => {
  receiver.closeAllConnections();
  receiver.close();
});

beforeEach(async () => {
  moods.clear();
  calls.length = 0;
  flow = await createFlow();
  // The server's own timeout of 30 seconds per call.
  outbound = openOutboundHttp({
    allow: ['127.0.0.1', ...hosts.map((host) => `${host}.example`)],
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    breaker: destinationBreaker(flow.db),
  });
});
afterEach(async () => {
  // Hanging calls would delay the stop.
  receiver.closeAllConnections();
  await outbound.close();
  await Promise.all(workers.splice(0).map((worker) => worker.stop()));
  await flow.close();
});

async function work(): Promise<void> {
  const masterKey = masterKeyOf([randomBytes(32).toString('base64')]);
  const secrets = openTenantSecrets(masterKey);
  workers.push(
    await startWorker({
      database: flow.database,
      log: silent,
      jobs: jobRegistry([
        runActionJob({
          http: outbound,
          mail: undefined,
          publicUrl: 'https://ops.example.com',
          secrets,
          hopCounts: openHopCounts(masterKey),
          ackLinks: openAckLinks(masterKey, 'https://ops.example.com'),
        }),
      ]),
      ctxFor: ({ correlationId }) => systemCtx({ database: flow.database, log: silent, name: 'Automation', correlationId }),
    }),
  );
}

async function addTenant(name: string): Promise<string> {
  const [row] = await flow.rows<{ tenant_id: string }>('insert into tenant (name) values ($1) returning tenant_id', name);
  await flow.rows('insert into subscription (tenant_id, name) values ($1, $2)', row?.tenant_id, 'Default');
  return row?.tenant_id ?? '';
}

async function hookOf(tenantId: string, host: string): Promise<string> {
  const [row] = await flow.rows<{ id: string }>(
    "insert into action_definition (tenant_id, name, action_definition_type_id, endpoint_url, http_method) values ($1, 'Hook', 3, $2, 'POST') returning action_definition_id as id",
    tenantId,
    `http://${host}.example:${port}/`,
  );
  return row?.id ?? '';
}

/** Queues one execution; returns its message id, which is its idempotency key. */
async function queue(tenantId: string, actionDefinitionId: string): Promise<string> {
  const messageId = randomUUID();
  const one = { tenantId, actionDefinitionId, messageId, correlationId: randomUUID(), referenceId: null, suppressed: false, detail: {} };
  await flow.db.transaction((tx) => writeExecutions(tx, [{ ...one, parameters: {} }]));
  return messageId;
}

const outcomeOf = (messageId: string) =>
  until(async () => {
    const [row] = await flow.rows<{ status: number }>(
      'select result_status_id as status from action_history where message_id = $1',
      messageId,
    );
    return row && row.status !== resultStatus.enqueueSuccess && row;
  }, 20_000);

it(
  'twenty tenants with receivers that hang or drip hold up another tenant and the work inside by less than a second',
  { timeout: 60_000 },
  async () => {
    for (const [n, host] of ill.entries()) {
      moods.set(host, n % 2 ? 'hang' : 'drip');
      const tenantId = await addTenant(host);
      const hook = await hookOf(tenantId, host);
      for (let i = 0; i < 8; i++) await queue(tenantId, hook);
    }
    await work();
    // Each hangs, and occupies as many slots as it may.
    await until(() => new Set(calls.map((call) => call.host)).size === 20, 10_000);
    await sleep(500);
    const hook = await hookOf(flow.otherTenantId, 'well');
    const delays: number[] = [];
    for (let n = 0; n < 100; n++) {
      const began = performance.now();
      const isCall = n % 2 === 0;
      await outcomeOf(await queue(flow.otherTenantId, isCall ? hook : builtInAction.createWorkUnit));
      delays.push(performance.now() - began);
    }
    expect(calls.filter((call) => call.host === 'well')).toHaveLength(50);
    const sorted = delays.toSorted((a, b) => a - b);
    if (process.env['FIGURES'])
      console.log(`neighbour: p50 ${sorted[50]?.toFixed(0)} ms, p99 ${sorted[98]?.toFixed(0)} ms, max ${sorted[99]?.toFixed(0)} ms`);
    expect(sorted[98]).toBeLessThan(1_000);
  },
);

interface JobState {
  attempts: number;
  dead: boolean;
}
const jobs = () => flow.rows<JobState>('select attempts, dead_at is not null as dead from job order by job_id');
const callsTo = (host: string) => calls.filter((call) => call.host === host);
/** As if the minute of the open circuit had passed. */
const minutePasses = () => flow.rows('update destination set paused_until = now() where paused_until is not null');

it('waiting for a receiver costs no try, and when it answers again all that waits arrives in order', { timeout: 60_000 }, async () => {
  moods.set('away', 'broken');
  const hook = await hookOf(flow.tenantId, 'away');
  const queued: string[] = [];
  for (let n = 0; n < 40; n++) queued.push(await queue(flow.tenantId, hook));
  await work();
  await work();
  await until(async () => (await flow.rows('select 1 from destination where failures >= 4')).length === 1, 10_000);
  // Running calls end, and nobody makes another.
  await sleep(1_500);
  const [open] = await flow.rows<{ ms: number }>('select extract(epoch from paused_until - now()) * 1000 as ms from destination');
  expect(open?.ms).toBeLessThan(60_001);
  const before = callsTo('away').length;
  expect((await jobs()).reduce((sum, job) => sum + job.attempts, 0)).toBe(before);

  for (let n = 1; n <= 10; n++) {
    await minutePasses();
    await until(() => callsTo('away').length === before + n, 5_000);
    await until(async () => (await flow.rows("select 1 from destination where paused_until > now() + interval '50 seconds'")).length === 1);
  }
  expect(callsTo('away')).toHaveLength(before + 10);
  // Ten failed calls, and none of them cost a job a try.
  await until(async () => (await flow.rows('select 1 from job where leased_until is not null')).length === 0);
  expect((await jobs()).reduce((sum, job) => sum + job.attempts, 0)).toBe(before);
  expect((await jobs()).filter((job) => job.dead)).toEqual([]);

  moods.set('away', 'well');
  calls.length = 0;
  const began = performance.now();
  await minutePasses();
  await until(async () => (await jobs()).length === 0, 30_000);
  if (process.env['FIGURES']) console.log(`40 waiting calls delivered in ${(performance.now() - began).toFixed(0)} ms`);
  expect(callsTo('away').map((call) => call.key)).toHaveLength(40);
  const [probe, ...rest] = callsTo('away').map((call) => call.key);
  expect(rest).toEqual(queued.filter((key) => key !== probe));
  const outcomes = await flow.rows('select result_status_id, count(*)::int as count from action_history group by 1');
  expect(outcomes).toEqual([{ result_status_id: resultStatus.success, count: 40 }]);
});
