/** What a batch must not do: leave the service, take a caller's place, hold up others, or go on for somebody who is gone. */
import { once } from 'node:events';
import { request as send } from 'node:http';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { defineAction } from '@cloudfit/contract/action.ts';
import { limits } from '@cloudfit/contract/limits.ts';
import { implement, TextAnswer } from '../../resources/action.ts';
import { declaredRawRoutes } from '../../testing/all-actions.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../testing/world.ts';
import { callerOfBatch } from './caller.ts';

let world: TestWorld;
let tenantId: string;
let me: TestCaller;
/** What the calls of batches do and see. */
let onCall: () => Promise<void> | void = () => undefined;
let answerText = '{}';
const visits: { ip: string; headers: Record<string, unknown> }[] = [];

const probe = implement(
  defineAction({ name: 'probe', method: 'GET', path: '/v1/locations/probe', access: 'signed-in', input: z.object({}) }),
  async () => {
    await onCall();
    return new TextAnswer('application/json', answerText);
  },
);

beforeAll(async () => {
  world = await createWorld({ actions: [probe], rawRoutes: declaredRawRoutes() });
  world.app.addHook('onRequest', async ({ ip, headers }) => void (callerOfBatch() && visits.push({ ip, headers })));
  ({ tenantId } = await world.tenant('North'));
  me = holder([tenantId]);
});
afterEach(() => {
  vi.restoreAllMocks();
  onCall = () => undefined;
  answerText = '{}';
  visits.length = 0;
});
afterAll(() => world.close());

interface Answer {
  id: string;
  status: number;
  body: { error?: { message: string } };
}

const goOn = { prefer: 'odata.continue-on-error' };
const get = (url: string, id = url, more: object = {}) => ({ id, method: 'GET', url, ...more });
const probes = (count: number) => Array.from({ length: count }, (_, i) => get('locations/probe', String(i)));
const create = (name: string, more: object = {}) => ({ id: name, method: 'POST', url: 'locations', body: { name, tenantId }, ...more });

async function batch(requests: readonly object[], headers: Record<string, string> = goOn): Promise<Answer[]> {
  const { status, body } = await world.call(me, 'POST', '/v1/$batch', { requests }, headers);
  expect([status, body['error']]).toEqual([200, undefined]);
  return body['responses'] as Answer[];
}
const names = async (): Promise<unknown[]> =>
  (await world.call(me, 'GET', '/v1/locations?$orderby=name')).body.value?.map((row) => row['name']) ?? [];

it('reaches what the service declares: sets, rows, functions and actions', async () => {
  const answers = await batch([
    get('locations'),
    get('locations/$count'),
    get('currentUser'),
    get('locations/probe'),
    get("locations?$filter=name eq '../../idp'"),
    get('/v1/nothing'),
    get('$metadata'),
    get('/v1/$metadata?$format=json', 'json'),
    get('/v1/openapi.json'),
    get('workUnits/nothing/nowhere'),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 404, 200, 200, 200, 404]);
});

it.each([
  '/healthz',
  '/idp/token',
  '/v1/devices/../../idp/jwks',
  '/v1/devices/../../healthz',
  '/v1/devices/..%2f..%2fhealthz',
  '/v1/devices/%2e%2e/%2E%2e/healthz',
  '/v1/devices/%252e%252e/%252e%252e/healthz',
  '/v1/devices/.%2e/.%2e/healthz',
  String.raw`/v1/devices\..\..\healthz`,
  '/v1/devices/%5c..%5c../healthz',
  '/v1/devices/.\t./.\n./healthz',
  '/v1/devices/./probe',
  '/v1/../healthz',
  '/v1/..',
  '/api/v1/devices/../../../status/x',
  'devices/../../ack/x',
  '../healthz',
  '//localhost/v1/locations',
  'http://elsewhere/v1/locations',
  'http://localhost@elsewhere/v1/locations',
  '/v1/devices/../changes',
  '/v1/changes',
  '/v1/',
  '/v1/packets/../openapi.json',
  '/v1/devices/../$batch',
  '/v1/%24batch',
  '/v1/$batch',
  '/docs',
  '/agent/',
  '/',
])('refuses %j', async (url) => {
  const method = /batch/.test(url) ? 'POST' : 'GET';
  const [answer] = await batch([{ id: '1', method, url, ...(method === 'POST' ? { body: { requests: [] } } : {}) }]);
  expect(answer?.status).toBe(400);
});

it('keeps to the routes that admit it where an address is read in another way than here', async () => {
  const inject = world.app.inject.bind(world.app);
  vi.spyOn(world.app, 'inject').mockImplementation(((options: object) =>
    inject({ ...options, url: '/healthz' })) as unknown as typeof world.app.inject);
  const { root, authorization } = await world.connect(me);
  const reply = await fetch(`${root}/$batch`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ requests: [get('locations')] }),
  });
  const { responses } = (await reply.json()) as { responses: Answer[] };
  expect(responses.map(({ status, body }) => [status, body.error?.message])).toEqual([
    [400, 'A batch cannot make this call. Send it alone.'],
  ]);
});

it("keeps the caller's address, and no header that says who calls or from where", async () => {
  const headers = {
    'X-Forwarded-For': '203.0.113.9',
    Forwarded: 'for=203.0.113.9',
    Cookie: 'a=b',
    Host: 'elsewhere',
    Authorization: 'Bearer other',
    'cloudfit-see-as': crypto.randomUUID(),
    Prefer: 'maxpagesize=1',
  };
  const { root, authorization } = await world.connect(me);
  const body = JSON.stringify({ requests: [get('locations', '1', { headers })] });
  const outgoing = send(`${root}/$batch`, {
    method: 'POST',
    localAddress: '127.0.0.7',
    headers: { authorization, 'content-type': 'application/json' },
  }).end(body);
  const [answer] = (await once(outgoing, 'response')) as [NodeJS.ReadableStream & { statusCode: number }];
  answer.resume();
  expect([answer.statusCode, visits[0]?.ip]).toEqual([200, '127.0.0.7']);
  expect(visits[0]?.headers).toMatchObject({ prefer: 'maxpagesize=1' });
  expect(JSON.stringify(visits[0]?.headers)).not.toMatch(/203\.0|a=b|elsewhere|other|see-as/);
});

it('passes answers on as they are', async () => {
  answerText = '{"exact":12345678901234567890.10,  "text":"é"}';
  const { text } = await world.call(me, 'POST', '/v1/$batch', { requests: probes(2) });
  expect(text.split(answerText)).toHaveLength(3);
  expect((JSON.parse(text) as { responses: Answer[] }).responses.map(({ id }) => id)).toEqual(['0', '1']);
});

it('lets others have a turn between calls', async () => {
  let turns = 0;
  const at: number[] = [];
  let isWorking = true;
  const count = (): void => {
    turns += 1;
    if (isWorking) setImmediate(count);
  };
  onCall = () => {
    at.push(turns);
    const until = performance.now() + 12;
    while (performance.now() < until);
  };
  setImmediate(count);
  await batch(probes(8));
  isWorking = false;
  expect(new Set(at).size).toBe(8);
});

it('begins no further call after too many bytes or too much time, and says so', async () => {
  answerText = JSON.stringify('x'.repeat(limits.batchAnswerBytes / 2));
  const large = await batch([...probes(3), create('Never')]);
  expect(large.map(({ status }) => status)).toEqual([200, 200, 400, 400]);
  expect(large[3]?.body.error?.message).toBe('This batch has answered 16 MB, the most that is possible. Send call Never in another batch.');
  answerText = '{}';
  const now = performance.now.bind(performance);
  let ahead = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now() + ahead);
  onCall = () => void (ahead += limits.batchSeconds * 1_000);
  const group = { atomicityGroup: 'g' };
  const late = await batch([create('Kept'), create('Undone', group), { ...get('locations/probe', 'p'), ...group }, create('Late', group)]);
  expect(late.map(({ id, status, body }) => [id, status, body.error?.message])).toEqual([
    ['Kept', 201, undefined],
    ['Late', 400, 'This batch has run for 60 seconds, the most that is possible. Send call Late in another batch.'],
  ]);
  expect(await names()).toEqual(['Kept']);
});

it('ends when the caller leaves: no further call begins, and a group is undone', async () => {
  const { root, authorization } = await world.connect(me);
  for (const group of [{}, { atomicityGroup: 'g' }]) {
    let onReached = (): void => undefined;
    let release = (): void => undefined;
    const reached = new Promise<void>((resolve) => (onReached = resolve));
    onCall = () => {
      onReached();
      return new Promise<void>((resolve) => (release = resolve));
    };
    const before = await names();
    const left = new Promise<void>((resolve) => world.app.server.once('request', (_req, res) => res.once('close', () => resolve())));
    const outgoing = send(`${root}/$batch`, { method: 'POST', headers: { authorization, 'content-type': 'application/json' } });
    outgoing.on('error', () => undefined);
    const first = create(`Before ${Object.keys(group).length}`, group);
    outgoing.end(JSON.stringify({ requests: [first, { ...get('locations/probe'), ...group }, create('After', group)] }));
    await reached;
    outgoing.destroy();
    await left;
    release();
    onCall = () => undefined;
    // A second batch of the same caller takes part in the same queue, so the first has ended before it is looked at.
    await batch(probes(1));
    await vi.waitFor(async () => expect(await names()).toEqual('atomicityGroup' in group ? before : [...before, first.id].sort()));
    expect(await names()).not.toContain('After');
  }
});

it('runs four batches of a caller at once; further ones wait', async () => {
  const caller = { ...me, actor: { kind: 'person', id: crypto.randomUUID(), name: 'Busy', userName: 'busy@example.com' } as const };
  const waiting: (() => void)[] = [];
  onCall = () => new Promise<void>((resolve) => void waiting.push(resolve));
  const all = Array.from({ length: 6 }, () => world.call(caller, 'POST', '/v1/$batch', { requests: probes(1) }));
  await vi.waitFor(() => expect(waiting).toHaveLength(4));
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(waiting).toHaveLength(4);
  onCall = () => undefined;
  for (const go of waiting) go();
  expect((await Promise.all(all)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
});

it('refuses a key for all its calls', async () => {
  const { status, body } = await world.call(me, 'POST', '/v1/$batch', { requests: [create('Twice')] }, { 'idempotency-key': 'k' });
  expect([status, body['error']]).toMatchObject([
    400,
    { message: 'A batch takes no key for all its calls. Send a key in the headers of each call that creates.', target: 'idempotency-key' },
  ]);
});

it('reads a body of many line breaks without going back', async () => {
  const { root, authorization } = await world.connect(me);
  const body = `--b\r\nContent-Type: application/http\r\n\r\nPOST locations HTTP/1.1\r\n\r\n${'\n'.repeat(900_000)}x\r\n--b--`;
  const started = process.threadCpuUsage();
  await fetch(`${root}/$batch`, { method: 'POST', headers: { authorization, 'content-type': 'multipart/mixed; boundary=b' }, body });
  expect(process.threadCpuUsage(started).user).toBeLessThan(2_000_000);
}, 60_000);
