/** A worker that stalls in the middle of a step, as on a paused virtual machine: another one takes the work, and nothing happens twice. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, onTestFailed } from 'vitest';
import { runs } from '@cloudfit/contract/testing/runs.ts';
import { runActionName } from '../../executions/executions.ts';
import { anyMoment, startFaultWorkers, type FaultWorkers } from './workers.ts';

let workers: FaultWorkers;
let receiver: Server;
const stopped = new Set<number>();
/** Received idempotency keys in order, including repeats. */
const keys: string[] = [];
/** Whether the receiver leaves calls open, and the calls that are. */
let isHolding = false;
const open: ServerResponse[] = [];

beforeAll(async () => {
  receiver = createServer((request, response) => {
    keys.push(String(request.headers['idempotency-key']));
    if (isHolding) open.push(response);
    else setTimeout(() => response.end('noted'), 60);
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  workers = await startFaultWorkers({ PERSON_PAUSE_SECONDS: '0' });
}, 240_000);

function resume(): void {
  for (const pid of stopped) process.kill(pid, 'SIGCONT');
  stopped.clear();
}

afterAll(async () => {
  resume();
  await (workers as FaultWorkers | undefined)?.close();
  receiver.closeAllConnections();
  await new Promise((resolve) => receiver.close(resolve));
});

const patience = { timeout: 30_000, interval: 50 };

/** Stops a worker that has leased a job, ends its leases as time would, and returns its name; undefined when nothing was leased. */
async function stall(): Promise<string | undefined> {
  const { rows } = await workers.client.query<{ worker: string }>(
    'select leased_by as worker from job where leased_by is not null and name = $1 limit 1',
    [runActionName],
  );
  const worker = rows[0]?.worker;
  const pid = Number(worker?.split('.')[0]);
  if (!worker || !workers.isWorker(pid)) return undefined;
  process.kill(pid, 'SIGSTOP');
  stopped.add(pid);
  await workers.client.query('update job set leased_until = now() where leased_by = $1', [worker]);
  return worker;
}

async function protocolOf(steps: number): Promise<unknown> {
  const { tenantId } = workers.site;
  const endpointUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  const { actionDefinitionId } = await workers.call('PUT', '/v1/actionDefinitions', {
    name: 'Hook',
    actionDefinitionTypeId: 2,
    tenantId,
    endpointUrl,
  });
  const { protocolId } = await workers.call('PUT', '/v1/protocols', { name: `${steps} steps`, tenantId });
  for (let sequence = 1; sequence <= steps; sequence++)
    await workers.call('PUT', '/v1/protocolActions', {
      protocolId,
      actionDefinitionId,
      workUnitEventTypeId: 1,
      sequence,
      runAutomatically: true,
    });
  return protocolId;
}

const openUnit = async (protocolId: unknown): Promise<number> =>
  Number(
    (await workers.call('PUT', '/v1/workunits', { title: 'Unit', workUnitTypeId: 1, tenantId: workers.site.tenantId, protocolId }))[
      'workUnitId'
    ],
  );

const outcomesOf = async (units: readonly number[]) =>
  (
    await workers.client.query<{ unit: number; step: number; status: number; key: string }>(
      `select work_unit_id::int as unit, (result_detail->>'step')::int as step, result_status_id as status, message_id as key
        from action_history where work_unit_id = any($1) order by work_unit_id, action_history_id`,
      [units],
    )
  ).rows;
const isIdle = async () =>
  (await workers.client.query('select 1 from job where dead_at is null union all select 1 from protocol_run')).rows.length;

it(
  'repeats the call of a stalled worker with its key, and takes only one outcome when that worker continues',
  { timeout: 120_000 },
  async () => {
    onTestFailed(() => console.error(workers.output()));
    const protocolId = await protocolOf(2);
    isHolding = true;
    const unit = await openUnit(protocolId);
    await expect.poll(() => open.length, patience).toBe(1);
    await expect.poll(stall, patience).toBeDefined();
    await expect.poll(() => open.length, patience).toBe(2);
    isHolding = false;
    open[1]?.end('noted');
    await expect.poll(() => isIdle(), patience).toBe(0);
    // The answer to the first call arrives when the worker continues.
    open[0]?.end('too late');
    resume();
    await sleep(3_000);
    const outcomes = await outcomesOf([unit]);
    expect(outcomes.map(({ step, status }) => [step, status])).toEqual([
      [1, 1],
      [2, 1],
    ]);
    const [first, last] = outcomes.map(({ key }) => key);
    expect(keys).toEqual([first, first, last]);
  },
);

it('runs each step once when workers stall at any moment and continue', { timeout: 120_000 }, async () => {
  onTestFailed(() => console.error(workers.output()));
  keys.length = 0;
  const steps = 3;
  const protocolId = await protocolOf(steps);
  const units: number[] = [];
  for (let n = 0; n < 8; n++) units.push(await openUnit(protocolId));
  let stalls = 0;
  for (let n = 0; n < runs(3, 5); n++) {
    await anyMoment(200);
    if (!(await stall())) continue;
    stalls += 1;
    await sleep(1_500);
    resume();
  }
  await expect.poll(() => isIdle(), patience).toBe(0);
  await sleep(1_000);
  expect(stalls).toBeGreaterThan(0);
  const outcomes = await outcomesOf(units);
  expect(outcomes.map(({ unit, step, status }) => [unit, step, status])).toEqual(
    units.flatMap((unit) => Array.from({ length: steps }, (_, n) => [unit, n + 1, 1])),
  );
  // A receiver that ignores repeated keys gets each step once, and never before the previous step.
  const order = [...new Set(keys)];
  expect(order.toSorted()).toEqual(outcomes.map(({ key }) => key).toSorted());
  for (const unit of units) {
    const places = outcomes.filter((outcome) => outcome.unit === unit).map(({ key }) => order.indexOf(key));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  }
});
