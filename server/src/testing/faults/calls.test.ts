/**
 * Receivers that hang, answer slowly or are down: other tenants and jobs without outbound calls do not wait, waiting uses no
 * tries, and waiting calls arrive in order.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { builtInAction, resultStatus } from '@cloudfit/contract/enums.ts';
import { destinationBreaker } from '../../automation/destinations.ts';
import { writeExecutions } from '../../executions/executions.ts';
import type { Worker } from '../../jobs/worker.ts';
import { openOutboundHttp, type OutboundHttp } from '../../outbound/http.ts';
import { createFlow, until, type Flow } from '../../rules/testing/flow.ts';
import { addHook, openReceiver, startActionWorker, type ReceiverMood, type TestReceiver } from './receiver.ts';

/** How a receiver answers, by the first label of its host name. */
const moods = new Map<string, ReceiverMood>();
const ill = Array.from({ length: 20 }, (_, n) => `ill${n}`);
const hosts = [...ill, 'well', 'away'];
let receiver: TestReceiver;
let flow: Flow;
let outbound: OutboundHttp;
const workers: Worker[] = [];

beforeAll(async () => {
  receiver = await openReceiver(({ host }) => moods.get(host) ?? 'well');
});
afterAll(() => receiver.close());

beforeEach(async () => {
  moods.clear();
  receiver.calls.length = 0;
  flow = await createFlow();
  // Without `totalMs`, so that the timeout per call is the server's default of 30 seconds.
  outbound = openOutboundHttp({
    allow: ['127.0.0.1', ...hosts.map((host) => `${host}.example`)],
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    breaker: destinationBreaker(flow.db),
  });
});
afterEach(async () => {
  // Hanging calls would delay the stop.
  receiver.endCalls();
  await outbound.close();
  await Promise.all(workers.splice(0).map((worker) => worker.stop()));
  await flow.close();
});

const work = async () => workers.push(await startActionWorker(flow, outbound));

async function addTenant(name: string): Promise<string> {
  const [row] = await flow.rows<{ tenant_id: string }>('insert into tenant (name) values ($1) returning tenant_id', name);
  await flow.rows('insert into subscription (tenant_id, name) values ($1, $2)', row?.tenant_id, 'Default');
  return row?.tenant_id ?? '';
}

async function hookOf(tenantId: string, host: string): Promise<string> {
  const [row] = await flow.rows<{ id: string }>(addHook, tenantId, `http://${host}.example:${receiver.port}/`);
  return row?.id ?? '';
}

/** Queues one execution; returns its message id, which is its idempotency key. */
async function queue(tenantId: string, actionDefinitionId: string, workUnitId?: number): Promise<string> {
  const messageId = randomUUID();
  const one = { tenantId, actionDefinitionId, messageId, correlationId: randomUUID(), referenceId: null, suppressed: false, detail: {} };
  await flow.db.transaction((tx) => writeExecutions(tx, [{ ...one, parameters: {}, ...(workUnitId === undefined ? {} : { workUnitId }) }]));
  return messageId;
}

const callsTo = (host: string) => receiver.calls.filter((call) => call.host === host);

const outcomeOf = (messageId: string) =>
  until(async () => {
    const [row] = await flow.rows<{ status: number }>(
      'select result_status_id as status from action_history where message_id = $1',
      messageId,
    );
    return row && row.status !== resultStatus.enqueueSuccess && row;
  });

it('twenty tenants with receivers that hang or drip do not hold up another tenant or the work inside', async () => {
  for (const [n, host] of ill.entries()) {
    moods.set(host, n % 2 ? 'hang' : 'drip');
    const tenantId = await addTenant(host);
    const hook = await hookOf(tenantId, host);
    for (let i = 0; i < 8; i++) await queue(tenantId, hook);
  }
  await work();
  // Waits until each receiver holds a call, and then for more calls, up to the limit for one destination.
  await until(() => new Set(receiver.calls.map((call) => call.host)).size === 20);
  await sleep(500);
  const hook = await hookOf(flow.otherTenantId, 'well');
  const delays: number[] = [];
  for (let n = 0; n < 100; n++) {
    const began = performance.now();
    const isCall = n % 2 === 0;
    await outcomeOf(await queue(flow.otherTenantId, isCall ? hook : builtInAction.createWorkUnit));
    delays.push(performance.now() - began);
  }
  expect(callsTo('well')).toHaveLength(50);
  const sorted = delays.toSorted((a, b) => a - b);
  if (process.env['FIGURES'])
    console.log(`neighbour: p50 ${sorted[50]?.toFixed(0)} ms, p99 ${sorted[98]?.toFixed(0)} ms, max ${sorted[99]?.toFixed(0)} ms`);
});

interface JobState {
  attempts: number;
  dead: boolean;
}
const jobs = () => flow.rows<JobState>('select attempts, dead_at is not null as dead from job order by job_id');
/** Simulates that the minute of the open circuit has passed. */
async function minutePasses(): Promise<void> {
  await flow.rows('update destination set paused_until = now() where paused_until is not null');
  await flow.rows("select pg_notify('calls', '')");
}

it('waiting for a receiver costs no try, and when it answers again everything that waits arrives once', async () => {
  moods.set('away', 'broken');
  const hook = await hookOf(flow.tenantId, 'away');
  const queued: string[] = [];
  for (let n = 0; n < 40; n++) queued.push(await queue(flow.tenantId, hook));
  await work();
  await work();
  await until(async () => (await flow.rows('select 1 from destination where failures >= 4')).length === 1);
  // Resolves when every call waits for the receiver and no call is running.
  const allWait = () =>
    until(async () => (await flow.rows('select 1 from job where leased_by is not null or destination is null')).length === 0);
  await allWait();
  const [open] = await flow.rows<{ ms: number }>('select extract(epoch from paused_until - now()) * 1000 as ms from destination');
  expect(open?.ms).toBeLessThan(60_001);
  const before = callsTo('away').length;
  expect((await jobs()).reduce((sum, job) => sum + job.attempts, 0)).toBe(before);

  for (let n = 1; n <= 10; n++) {
    await minutePasses();
    await until(() => callsTo('away').length === before + n);
    // Waits until the failure of the probe is recorded.
    await allWait();
    expect(await flow.rows('select 1 from destination where paused_until > now()')).toHaveLength(1);
  }
  expect(callsTo('away')).toHaveLength(before + 10);
  // The ten probes failed without using a try of their jobs.
  expect((await jobs()).reduce((sum, job) => sum + job.attempts, 0)).toBe(before);
  expect((await jobs()).filter((job) => job.dead)).toEqual([]);

  moods.set('away', 'well');
  receiver.calls.length = 0;
  const began = performance.now();
  await minutePasses();
  await until(async () => (await jobs()).length === 0);
  if (process.env['FIGURES']) console.log(`40 waiting calls delivered in ${(performance.now() - began).toFixed(0)} ms`);
  expect(
    callsTo('away')
      .map((call) => call.key)
      .toSorted(),
  ).toEqual(queued.toSorted());
  const outcomes = await flow.rows('select result_status_id, count(*)::int as count from action_history group by 1');
  expect(outcomes).toEqual([{ result_status_id: resultStatus.success, count: 40 }]);
});

it('what waits about one work unit arrives in order when the receiver answers again', async () => {
  moods.set('away', 'broken');
  const hook = await hookOf(flow.tenantId, 'away');
  const [unit] = await flow.rows<{ id: number }>(
    "insert into work_unit (tenant_id, title, work_unit_type_id, created_by, modified_by) values ($1, 'Pump', 1, 'test', 'test') returning work_unit_id as id",
    flow.tenantId,
  );
  const queued: string[] = [];
  for (let n = 0; n < 20; n++) queued.push(await queue(flow.tenantId, hook, unit?.id));
  await work();
  await work();
  await until(() => callsTo('away').length >= 2);
  // Only the first one is tried: what comes later about the unit never overtakes it.
  expect(new Set(callsTo('away').map((call) => call.key))).toEqual(new Set(queued.slice(0, 1)));
  moods.set('away', 'well');
  receiver.calls.length = 0;
  // Simulates that the time between tries has passed.
  await until(async () => {
    await flow.rows('update job set run_at = now() where run_at > now()');
    await minutePasses();
    return (await jobs()).length === 0;
  });
  expect(callsTo('away').map((call) => call.key)).toEqual(queued);
});
