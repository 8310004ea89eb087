/** Tries of executions: each is recorded; a waiting one can be retried now or stopped, also with several workers. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { resultStatus } from '@cloudfit/contract/enums.ts';
import { writeExecutions } from '../executions/executions.ts';
import type { OutboundAnswer, OutboundRequest } from '../outbound/http.ts';
import { NotTried } from '../jobs/job.ts';
import { attemptOf } from '../testing/attempt.ts';
import { until } from '../rules/testing/flow.ts';
import { startAutomation, type Automation } from '../testing/automation.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../testing/world.ts';
import { runActionJob } from './run-action.job.ts';
import { ExecutionEnded, openTry } from './tries.ts';

let world: TestWorld;
let workers: Automation[];
let home: { tenantId: string };
let me: TestCaller;
let receiver: Server;
let base: string;
let answer: (url: string) => Promise<number> | number = () => 200;
/** When each call arrived, by the id of its execution. */
const arrived = new Map<string, number[]>();

beforeAll(async () => {
  world = await createWorld();
  home = await world.tenant();
  me = holder([home.tenantId]);
  receiver = createServer((request, response) => {
    request.resume();
    const key = String(request.headers['idempotency-key']);
    arrived.set(key, [...(arrived.get(key) ?? []), Date.now()]);
    void Promise.resolve(answer(request.url ?? '')).then((status) => response.writeHead(status).end('noted'));
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  workers = [await startAutomation(world), await startAutomation(world)];
});
afterAll(async () => {
  for (const worker of workers) await worker.stop();
  receiver.closeAllConnections();
  await new Promise<void>((resolve) => receiver.close(() => resolve()));
  await world.close();
});
beforeEach(async () => {
  await world.system.db.query({ text: 'delete from destination' });
  answer = () => 200;
  arrived.clear();
});

async function definition(): Promise<string> {
  const body = {
    name: `Call ${crypto.randomUUID()}`,
    actionDefinitionTypeId: 4,
    tenantId: home.tenantId,
    endpointUrl: `${base}/hook?key={Secret:hook}`,
    httpMethod: 'POST',
    inputParameters: 'Text',
    body: '{"text":"{Text}","key":"{Secret:hook}"}',
  };
  const created = await world.call(me, 'PUT', '/v1/actionDefinitions', body);
  expect(created.body['error']).toBeUndefined();
  return String(created.body['actionDefinitionId']);
}

async function unit(): Promise<number> {
  const body = { title: 'Pump 4', severityId: 'Sev1', workUnitTypeId: 1, tenantId: home.tenantId };
  return Number((await world.call(me, 'PUT', '/v1/workunits', body)).body['workUnitId']);
}

/** Queues an execution that no worker takes during the test. */
const queueLater = (actionDefinitionId: string) => queue(actionDefinitionId, 1, undefined, new Date(Date.now() + 3_600_000));

async function queue(actionDefinitionId: string, count = 1, workUnitId?: number, runAt?: Date): Promise<string[]> {
  const ids = Array.from({ length: count }, () => crypto.randomUUID());
  await writeExecutions(
    world.system.db,
    ids.map((messageId) => ({
      tenantId: home.tenantId,
      actionDefinitionId,
      messageId,
      correlationId: crypto.randomUUID(),
      referenceId: null,
      parameters: { Text: 'Hello' },
      suppressed: false,
      detail: {},
      ...(workUnitId === undefined ? {} : { workUnitId }),
      ...(runAt && { runAt }),
    })),
  );
  return ids;
}

interface TryRow {
  number: number;
  target: string;
  sent: string;
  status: number | null;
  durationMs: number | null;
  error: string | null;
}
interface TriedExecution {
  actionHistoryId: number;
  resultStatusId: number;
  nextTry: string | null;
  resultDetail: Record<string, unknown> | null;
  actionTries: TryRow[];
}

async function execution(messageId: string): Promise<TriedExecution> {
  const query = `$filter=messageId eq ${messageId}&$expand=actionTries($orderby=actionTryId)`;
  return (await world.call(me, 'GET', `/v1/actionHistories?${query}`)).body.value?.[0] as unknown as TriedExecution;
}
const executionWith = (messageId: string, is: (row: TriedExecution) => boolean) =>
  until(async () => {
    const row = await execution(messageId);
    return is(row) ? row : undefined;
  });
/** Waits until the job of the execution is back in the queue. */
async function waitingFor(messageId: string): Promise<TriedExecution> {
  const row = await executionWith(messageId, ({ nextTry }) => nextTry !== null);
  const isBack = 'select 1 from job where once_key = $1 and leased_until is null';
  await until(async () => (await world.system.db.query({ text: isBack, values: [messageId] })).length > 0);
  return row;
}
const act = (id: number, what: 'tryNow' | 'stop', caller = me) => world.call(caller, 'POST', `/v1/actionHistories/${id}/${what}`);
const messageOf = (body: Record<string, unknown>) => (body['error'] as { message: string } | undefined)?.message;

async function feed(id: number): Promise<{ detail: string; isWarning: boolean; createdBy: string }[]> {
  const { body } = await world.call(me, 'GET', `/v1/workunits/GetWorkUnitHistoryRecords(workUnitId=${id})`);
  return body.value as unknown as { detail: string; isWarning: boolean; createdBy: string }[];
}

it('has a row for each try: what was sent where without secrets, the status, the duration and the error', async () => {
  const stored = await world.call(me, 'PUT', `/v1/tenants/${home.tenantId}/secrets`, { name: 'hook', value: 'open-sesame' });
  expect(stored.body['error']).toBeUndefined();
  answer = () => ((arrived.values().next().value?.length ?? 0) > 1 ? 200 : 503);
  const workUnitId = await unit();
  const [messageId = ''] = await queue(await definition(), 1, workUnitId);
  const waiting = await waitingFor(messageId);
  expect(waiting).toMatchObject({ resultStatusId: resultStatus.enqueueSuccess, actionTries: [{ number: 1, status: 503 }] });
  const aheadMs = Date.parse(String(waiting.nextTry)) - Date.now();
  expect(aheadMs).toBeGreaterThan(1_000);
  const [job] = await world.system.db.query<{ same: boolean }>({
    text: `select abs(extract(epoch from j.run_at - h.next_try)) < 1 as same from job j join action_history h on h.message_id::text = j.once_key where j.once_key = $1`,
    values: [messageId],
  });
  expect(job?.same).toBe(true);
  expect((await act(waiting.actionHistoryId, 'tryNow')).body).toEqual({ isUnderWay: false });
  const ended = await executionWith(messageId, (row) => row.resultStatusId === resultStatus.success);
  expect(ended.nextTry).toBeNull();
  expect(ended.actionTries).toMatchObject([
    { number: 1, status: 503, error: 'The receiver answered 503.', durationMs: expect.any(Number) },
    { number: 2, status: 200, error: null, durationMs: expect.any(Number) },
  ]);
  for (const one of ended.actionTries) {
    expect([one.target, one.sent]).toEqual([`POST ${base}/hook?key=***`, '{"text":"Hello","key":"***"}']);
  }
  const entries = (await feed(workUnitId)).filter(({ detail }) => detail.includes('Call'));
  expect(entries.map(({ detail, isWarning }) => [detail.replace(/^Call \S+ /, ''), isWarning])).toEqual([
    ['succeeded.', false],
    ['failed and is tried again: The receiver answered 503.', true],
  ]);
  expect((await world.call(me, 'GET', `/v1/actionTries?$filter=workUnitId eq ${workUnitId}`)).body.value).toHaveLength(2);
  const audited = `$filter=entity eq 'actionHistories' and entityId eq '${ended.actionHistoryId}'`;
  expect((await world.call(me, 'GET', `/v1/audit?${audited}`)).body.value).toMatchObject([{ verb: 'try' }]);
});

it('is stopped once, by those who may, and never called again', async () => {
  answer = () => 503;
  const workUnitId = await unit();
  const [messageId = ''] = await queue(await definition(), 1, workUnitId);
  const { actionHistoryId: id } = await waitingFor(messageId);
  expect((await act(id, 'stop', holder([home.tenantId], ['CloudFit.CFS.ActionDefinitions:view']))).status).toBe(403);
  expect((await act(id, 'stop', holder([(await world.tenant()).tenantId]))).status).toBe(404);
  const desk = holder(
    [home.tenantId],
    ['CloudFit.CFS.ActionDefinitions:view', 'CloudFit.CFS.WorkUnits:edit', 'CloudFit.CFS.WorkUnits:view'],
  );
  const answers = await Promise.all([act(id, 'stop', desk), act(id, 'stop', desk)]);
  expect(answers.map(({ status, body }) => [status, body])).toEqual([
    [200, { isUnderWay: false }],
    [200, { isUnderWay: false }],
  ]);
  expect(await execution(messageId)).toMatchObject({
    resultStatusId: resultStatus.suppressed,
    nextTry: null,
    resultDetail: { reason: 'stopped', stoppedBy: 'person@example.com' },
  });
  expect(await world.system.db.query({ text: 'select 1 from job where once_key = $1', values: [messageId] })).toEqual([]);
  const again = await act(id, 'tryNow');
  expect([again.status, messageOf(again.body)]).toEqual([409, 'This execution has ended: Stopped.']);
  const notes = (await feed(workUnitId)).filter(({ detail }) => /was stopped/.test(detail));
  expect(notes).toMatchObject([{ createdBy: 'person@example.com' }]);
  const audited = `$filter=entity eq 'actionHistories' and entityId eq '${id}' and verb eq 'stop'`;
  expect((await world.call(me, 'GET', `/v1/audit?${audited}`)).body.value).toHaveLength(1);
});

it('says that a call was under way when it was stopped, and records that it arrived', async () => {
  let release: (status: number) => void = () => undefined;
  answer = () => new Promise<number>((resolve) => (release = resolve));
  const workUnitId = await unit();
  const [messageId = ''] = await queue(await definition(), 1, workUnitId);
  await until(() => arrived.has(messageId));
  const { actionHistoryId: id, actionTries } = await execution(messageId);
  expect(actionTries).toMatchObject([{ number: 1, durationMs: null, error: null }]);
  expect((await act(id, 'tryNow')).body).toEqual({ isUnderWay: true });
  expect((await act(id, 'stop')).body).toEqual({ isUnderWay: true });
  release(200);
  await executionWith(messageId, (row) => row.resultStatusId === resultStatus.success);
  const entries = await feed(workUnitId);
  expect(entries.some(({ detail }) => detail.endsWith('succeeded; the call was under way when it was stopped.'))).toBe(true);
  expect(arrived.get(messageId)).toHaveLength(1);
});

it('sends nothing when it was stopped between the lease of its job and the call', async () => {
  const [messageId = ''] = await queue(await definition());
  await executionWith(messageId, (row) => row.resultStatusId === resultStatus.success);
  await world.system.db.query({ text: 'update action_history set result_status_id = 3 where message_id = $1', values: [messageId] });
  const { actionHistoryId } = await execution(messageId);
  const sent: string[] = [];
  const send = async (call: OutboundRequest): Promise<OutboundAnswer> => {
    expect((await act(actionHistoryId, 'stop')).body).toEqual({ isUnderWay: false });
    await call.begin?.();
    sent.push(call.url);
    return { status: 200, body: '', truncated: false, durationMs: 1, retryAfterMs: undefined };
  };
  const http = { send, close: () => Promise.resolve() };
  const { secrets, hopCounts, ackLinks } = world;
  const job = runActionJob({
    http,
    mail: undefined,
    secrets,
    hopCounts,
    ackLinks,
    publicUrl: 'http://localhost',
    push: { key: { publicKey: '', privateKey: '' } },
  });
  await job.run(world.system, { messageId }, attemptOf(1, base));
  expect(sent).toEqual([]);
  expect(await execution(messageId)).toMatchObject({ resultStatusId: resultStatus.suppressed, actionTries: [{ number: 1 }] });
});

it('sends nothing when the lease of its job was freed, as that of a worker that stalled', async () => {
  const [messageId = ''] = await queue(await definition());
  await executionWith(messageId, (row) => row.resultStatusId === resultStatus.success);
  await world.system.db.query({ text: 'update action_history set result_status_id = 3 where message_id = $1', values: [messageId] });
  const [job] = await world.system.db.query<{ id: number }>({
    text: `insert into job (name, payload, correlation_id, leased_by, leased_until) values ('test', '{}', gen_random_uuid(), 'other', now() + interval '1 hour')
      returning job_id as id`,
  });
  const jobId = job?.id ?? 0;
  const sending = { target: 'POST x' };
  const tryOf = (worker: string) => openTry(world.system.db, messageId, { ...attemptOf(), lease: { jobId, worker } });
  await expect(tryOf('stalled').begin(sending)).rejects.toThrow(ExecutionEnded);
  await tryOf('other').begin(sending);
  expect((await execution(messageId)).actionTries).toHaveLength(2);
});

/** Takes a slot with the record of the try, as the worker `w1` that has leased the job of the execution. */
async function takeSlot(messageId: string, destination: string) {
  const [job] = await world.system.db.query<{ id: number; tenantId: string | null }>({
    text: `update job set leased_by = 'w1', leased_until = now() + interval '1 hour' where once_key = $1 returning job_id as id, tenant_id as "tenantId"`,
    values: [messageId],
  });
  const { id: jobId = 0, tenantId = '' } = job ?? {};
  const attempt = openTry(world.system.db, messageId, {
    ...attemptOf(),
    lease: { jobId, worker: 'w1' },
    takeCallSlot: (to, series, keep) => keep?.(world.system.db, 'w1', jobId, { destination: to, series }) ?? Promise.resolve('none'),
  });
  const sending = { target: `POST ${destination}`, sent: '{}' };
  const slot = await attempt.requireSlot(destination, undefined, sending).catch((error: unknown) => error);
  const tries = async () => (await execution(messageId)).actionTries.length;
  return { slot, tries, tenantId, begin: () => attempt.begin(sending) };
}

it('begins with its slot, in one statement, where the circuit of the receiver is closed', async () => {
  const id = await definition();
  const [first = '', second = '', third = '', fourth = ''] = await Promise.all([1, 2, 3, 4].map(async () => (await queueLater(id))[0]));
  const closed = await takeSlot(first, 'https://closed.example');
  expect([closed.slot, await closed.tries()]).toEqual(['new', 1]);
  await closed.begin();
  expect(await closed.tries()).toBe(1);

  // Failures are stored, so the circuit is asked before the try begins.
  await world.system.db.query({
    text: "insert into destination (tenant_id, origin, failures, disabled) values ($1, 'https://failing.example', 9, now())",
    values: [closed.tenantId],
  });
  const failing = await takeSlot(second, 'https://failing.example');
  expect([failing.slot, await failing.tries()]).toEqual(['had', 0]);
  await failing.begin();
  expect(await failing.tries()).toBe(1);

  // Another call waits for the receiver.
  await world.system.db.query({
    text: `insert into job (name, payload, tenant_id, correlation_id, destination, last_error, run_at)
      values ('test', '{}', $1, gen_random_uuid(), 'https://busy.example', 'Failed.', now() + interval '1 hour')`,
    values: [closed.tenantId],
  });
  const waiting = await takeSlot(third, 'https://busy.example');
  expect([waiting.slot, await waiting.tries()]).toEqual([expect.any(NotTried), 0]);

  await world.system.db.query({
    text: `update action_history set result_status_id = ${resultStatus.success} where message_id = $1`,
    values: [fourth],
  });
  const ended = await takeSlot(fourth, 'https://closed.example');
  expect([ended.slot, await ended.tries()]).toEqual([expect.any(ExecutionEnded), 0]);
});

it('that sends nothing is undone with its transaction, and has a row that says why', async () => {
  const id = await definition();
  const [messageId = ''] = await queueLater(id);
  const attempt = openTry(world.system.db, messageId, attemptOf());
  const undone = { text: 'insert into tenant (name) values ($1)', values: [`Undone ${messageId}`] };
  const failing = attempt.inOne({ target: 'A new work unit', sent: 'Pump' }, async (tx) => {
    await tx.query(undone);
    throw new Error('The disk is full.');
  });
  await expect(failing).rejects.toThrow('The disk is full.');
  expect(await world.system.db.query({ text: 'select 1 from tenant where name = $1', values: undone.values })).toEqual([]);
  expect([attempt.isRecorded, (await execution(messageId)).actionTries]).toEqual([false, []]);
  await world.system.db.transaction((tx) => attempt.end(tx, 'The disk is full.'));
  expect((await execution(messageId)).actionTries).toMatchObject([
    { number: 1, target: 'A new work unit', sent: 'Pump', error: 'The disk is full.', durationMs: expect.any(Number) },
  ]);
  const next = openTry(world.system.db, messageId, attemptOf());
  await next.inOne({ target: 'A new work unit', sent: 'Pump' }, () => Promise.resolve({ succeeded: true, detail: {} }));
  expect(next.isRecorded).toBe(true);
  expect(await execution(messageId)).toMatchObject({
    resultStatusId: resultStatus.success,
    actionTries: [{ number: 1 }, { number: 2, error: null, durationMs: expect.any(Number) }],
  });
  const late = openTry(world.system.db, messageId, attemptOf());
  await expect(late.inOne({ target: 'A new work unit' }, () => Promise.reject(new Error('This runs.')))).rejects.toThrow(ExecutionEnded);
});

it('that sends nothing undoes what was sent along with it, if its execution has ended', async () => {
  const [messageId = ''] = await queueLater(await definition());
  expect((await act((await execution(messageId)).actionHistoryId, 'stop')).status).toBeLessThan(300);
  const workUnitId = await unit();
  const attempt = openTry(world.system.db, messageId, attemptOf());
  const sent: string[] = [];
  const work = async (tx: typeof world.system.db) => {
    sent.push('first');
    await tx.query({ text: "update work_unit set title = 'Changed' where work_unit_id = $1", values: [workUnitId] });
    return { succeeded: true, detail: {} };
  };
  await expect(attempt.inOne({ target: 'A work unit' }, work)).rejects.toBeInstanceOf(ExecutionEnded);
  // Both fail: that the execution has ended counts, so that its failure is not recorded.
  const failing = () => Promise.reject(new Error('The work failed.'));
  await expect(attempt.inOne({ target: 'A work unit' }, failing)).rejects.toBeInstanceOf(ExecutionEnded);
  expect(sent).toEqual(['first']);
  const rows = await world.system.db.query({ text: 'select title from work_unit where work_unit_id = $1', values: [workUnitId] });
  expect(rows).toEqual([{ title: 'Pump 4' }]);
  expect((await execution(messageId)).actionTries).toEqual([]);
});

it('begins no call after a stop was acknowledged, however many workers run', async () => {
  const ids = await queue(await definition(), 60);
  const stops = await Promise.all(
    ids.map(async (messageId) => {
      const { actionHistoryId } = await execution(messageId);
      const { status, body } = await act(actionHistoryId, 'stop');
      return { messageId, status, isUnderWay: body['isUnderWay'], at: Date.now() };
    }),
  );
  // Those of the tests above that are queued for later stay.
  const left = { text: "select 1 from job where name = 'run-action' and run_at < now() + interval '10 minutes'" };
  await until(async () => (await world.system.db.query(left)).length === 0);
  const late = stops.filter(
    ({ messageId, status, isUnderWay, at }) =>
      status === 200 && isUnderWay === false && (arrived.get(messageId) ?? []).some((calledAt) => calledAt > at),
  );
  expect(late).toEqual([]);
  expect(stops.some(({ status }) => status === 200)).toBe(true);
  for (const { messageId, status } of stops) {
    const { resultStatusId, actionTries } = await execution(messageId);
    // Every execution that made a call has succeeded, and every one that was stopped before its call has no try.
    expect([resultStatusId, actionTries.length, arrived.get(messageId)?.length ?? 0]).toEqual(
      actionTries.length === 1 ? [resultStatus.success, 1, 1] : [resultStatus.suppressed, 0, 0],
    );
    expect([200, 409]).toContain(status);
  }
});

it('says that it waits while the circuit of its receiver is open, without a try, and asks the receiver when a person wants it', async () => {
  await world.system.db.query({
    text: `insert into destination (tenant_id, origin, failures, last_error, paused_until) values ($1, $2, 9, 'The receiver answered 503.', now() + interval '50 seconds')
      on conflict (tenant_id, origin) do update set failures = 9, disabled = null, paused_until = excluded.paused_until`,
    values: [home.tenantId, base],
  });
  const workUnitId = await unit();
  const [messageId = ''] = await queue(await definition(), 1, workUnitId);
  const waiting = await waitingFor(messageId);
  expect(waiting).toMatchObject({ resultStatusId: resultStatus.enqueueSuccess, actionTries: [] });
  expect(waiting.resultDetail).toMatchObject({
    error: 'The receiver has failed repeatedly; this waits until it answers again. The receiver answered 503.',
  });
  expect((await feed(workUnitId)).find(({ detail }) => detail.endsWith('waits: its receiver has failed repeatedly.'))?.isWarning).toBe(
    true,
  );
  expect(arrived.size).toBe(0);
  expect((await act(waiting.actionHistoryId, 'tryNow')).body).toEqual({ isUnderWay: false });
  const ended = await executionWith(messageId, (row) => row.resultStatusId === resultStatus.success);
  expect(ended.actionTries).toMatchObject([{ number: 1, status: 200 }]);
  expect(ended.resultDetail).not.toHaveProperty('error');
});

it('records of a try whose worker was lost that nobody knows whether it arrived, and tells it the unit', async () => {
  answer = () => 503;
  const workUnitId = await unit();
  const [messageId = ''] = await queue(await definition(), 1, workUnitId);
  const { actionHistoryId: id } = await waitingFor(messageId);
  await world.system.db.query({
    text: "insert into action_try (tenant_id, action_history_id, number, target) select tenant_id, action_history_id, 2, 'POST x' from action_history where action_history_id = $1",
    values: [id],
  });
  await act(id, 'tryNow');
  const row = await executionWith(messageId, ({ actionTries }) => actionTries.length === 3 && actionTries[2]?.durationMs !== null);
  expect(row.actionTries[1]).toMatchObject({
    durationMs: null,
    error: 'The worker that made this try was lost; whether it arrived is not known.',
  });
  const warnings = (await feed(workUnitId)).filter(({ detail }) => detail.includes('it may have arrived twice'));
  expect(warnings).toMatchObject([{ isWarning: true }]);
});

it('says nothing of a second arrival when only the answer of its own database was lost, for nothing was sent', async () => {
  const workUnitId = await unit();
  const [messageId = ''] = await queue(await definition(), 1, workUnitId, new Date(Date.now() + 3_600_000));
  const lease = { worker: 'mine', jobId: 0 };
  const [row] = await world.system.db.query<{ job_id: number }>({
    text: "update job set leased_by = 'mine', leased_until = now() + interval '60 seconds' where once_key = $1 returning job_id",
    values: [messageId],
  });
  lease.jobId = Number(row?.job_id);
  const { actionHistoryId } = await execution(messageId);
  // The statement is done, and its connection breaks before the answer.
  const breaking = { ...world.system.db };
  const { query: send } = world.system.db;
  vi.spyOn(breaking, 'query').mockImplementation(async (...statement) => {
    await send(...statement);
    throw new Error('The connection was closed.');
  });
  const attempt = openTry(breaking, messageId, { ...attemptOf(), lease });
  await expect(attempt.begin({ target: 'POST x' })).rejects.toThrow('The connection was closed.');
  await world.system.db.transaction((tx) => attempt.end(tx, 'The connection was closed.'));
  await openTry(world.system.db, messageId, { ...attemptOf(), lease }).begin({ target: 'POST x' });
  const { actionTries } = await execution(messageId);
  expect(actionTries.map(({ error }) => error)).toEqual(['The answer of the database was lost before anything was sent.', null]);
  expect((await feed(workUnitId)).filter(({ detail }) => detail.includes('arrived twice'))).toEqual([]);
  // A try that is older than the lease is that of a worker that was lost.
  await world.system.db.query({
    text: "update action_try set started = now() - interval '2 minutes' where action_history_id = $1 and duration_ms is null",
    values: [actionHistoryId],
  });
  const failing = { ...world.system.db, query: () => Promise.reject(new Error('The connection was closed.')) };
  const unbegun = openTry(failing, messageId, { ...attemptOf(), lease });
  await expect(unbegun.begin({ target: 'POST x' })).rejects.toThrow('The connection was closed.');
  await world.system.db.transaction((tx) => unbegun.end(tx, 'The connection was closed.'));
  await openTry(world.system.db, messageId, { ...attemptOf(), lease }).begin({ target: 'POST x' });
  expect((await feed(workUnitId)).filter(({ detail }) => detail.includes('arrived twice'))).toHaveLength(1);
});
