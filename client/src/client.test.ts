import { afterEach, expect, it, vi } from 'vitest';
import { accessOfPerson, resolveWorkUnits, signOut } from '@cloudfit/contract/calls.ts';
import { createClient } from './client.ts';
import { CallFailed, retryAfterMs, type CloudFitOptions } from './send.ts';

interface SeenCall {
  method: string | undefined;
  url: string;
  headers: Headers;
  body: unknown;
}

/** A client whose requests are answered one after the other; the last answer repeats. */
function clientWith(answers: readonly (() => Response | Promise<Response>)[], options: Partial<CloudFitOptions> = {}) {
  const calls: SeenCall[] = [];
  const fetch: typeof globalThis.fetch = (url, init) => {
    const body = typeof init?.body === 'string' ? (JSON.parse(init.body) as unknown) : undefined;
    calls.push({ method: init?.method, url: String(url), headers: new Headers(init?.headers), body });
    const answer = answers[Math.min(calls.length, answers.length) - 1];
    return Promise.resolve().then(() => answer?.() ?? Response.json({}));
  };
  return { client: createClient({ server: 'https://ops.example.com', token: 'cfst_a', fetch, ...options }), calls };
}

const refused =
  (status: number, headers: Record<string, string> = { 'retry-after': '0' }, error: object = {}) =>
  () =>
    Response.json({ error }, { status, headers });
const fine =
  (body: object = {}) =>
  () =>
    Response.json(body);

afterEach(() => vi.useRealTimers());

it('sends a declared call with the token, and returns its answer', async () => {
  const { client, calls } = clientWith([fine({ value: [{ workUnitId: 5 }] }), () => new Response(null, { status: 204 })]);
  const { value } = await client.call(resolveWorkUnits, { ids: [5], resolution: 'Cleaned.' });
  expect(value[0]?.workUnitId).toBe(5);
  expect(await client.call(signOut, {})).toBeUndefined();
  const [first] = calls;
  expect([first?.method, first?.url, first?.body]).toEqual([
    'POST',
    'https://ops.example.com/v1/workUnits/resolve',
    { ids: [5], resolution: 'Cleaned.' },
  ]);
  expect(first?.headers.get('authorization')).toBe('Bearer cfst_a');
});

it('reads, creates, changes and deletes rows of an entity', async () => {
  const { client, calls } = clientWith([fine({ value: [], workUnitId: 5 })]);
  await client.list('workUnits', { filter: "title eq 'a&b'", orderBy: 'created desc', top: 5, expand: ['tenant'] });
  const unit = await client.read('workUnits', 5, { select: ['workUnitId'] });
  expect(unit.workUnitId).toBe(5);
  await client.create('workUnitNotes', { workUnitId: 5, detail: 'Looked.' });
  await client.change('workUnits', 5, { title: 'Pump' });
  await client.remove('locations', 'a b');
  expect(calls.map(({ method, url }) => [method, url.replace('https://ops.example.com/v1/', '')])).toEqual([
    ['GET', 'workUnits?$filter=title%20eq%20%27a%26b%27&$expand=tenant&$orderby=created%20desc&$top=5'],
    ['GET', 'workUnits(5)?$select=workUnitId'],
    ['PUT', 'workUnitNotes'],
    ['PATCH', 'workUnits(5)'],
    ['DELETE', 'locations(a%20b)'],
  ]);
  expect(calls[2]?.headers.get('idempotency-key')).toMatch(/^[\w-]{36}$/);
  expect(calls[3]?.body).toEqual({ title: 'Pump' });
});

it('follows the pages of a list at its own server alone, whatever host the link names', async () => {
  const next = 'https://elsewhere.example/v1/devices?$skiptoken=b%27c';
  const { client, calls } = clientWith([
    fine({ value: [{ deviceId: 'a' }], '@odata.nextLink': next }),
    fine({ value: [{ deviceId: 'b' }] }),
  ]);
  const ids: string[] = [];
  for await (const device of client.rows('devices')) ids.push(device.deviceId);
  expect(ids).toEqual(['a', 'b']);
  expect(calls.map(({ url }) => url)).toEqual([
    'https://ops.example.com/v1/devices',
    'https://ops.example.com/v1/devices?$skiptoken=b%27c',
  ]);
});

it('waits as long as Retry-After says, and repeats a create by the same key', async () => {
  vi.useFakeTimers();
  const { client, calls } = clientWith([
    refused(503, { 'retry-after': '7' }),
    refused(429, { 'retry-after': '2' }),
    fine({ locationId: 'l' }),
  ]);
  const created = client.create('locations', { name: 'Leeds' });
  await vi.advanceTimersByTimeAsync(6_900);
  expect(calls).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(200);
  expect(calls).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(2_000);
  expect((await created).locationId).toBe('l');
  expect(new Set(calls.map(({ headers }) => headers.get('idempotency-key'))).size).toBe(1);
});

it('repeats no work that may have been done: a POST after a 503, but after a 429', async () => {
  const once = clientWith([refused(503), fine({ value: [] })]);
  await expect(once.client.call(resolveWorkUnits, { ids: [5], resolution: 'x' })).rejects.toMatchObject({ status: 503 });
  expect(once.calls).toHaveLength(1);
  const twice = clientWith([refused(429), fine({ value: [] })]);
  await twice.client.call(resolveWorkUnits, { ids: [5], resolution: 'x' });
  expect(twice.calls).toHaveLength(2);
});

it('gives up after its number of repeats, at once after a longer wait than it may, and says what the server said', async () => {
  const ever = clientWith([refused(429)], { retries: 2 });
  await expect(ever.client.list('devices')).rejects.toMatchObject({ status: 429 });
  expect(ever.calls).toHaveLength(3);
  const long = clientWith([refused(429, { 'retry-after': '600' })]);
  await expect(long.client.list('devices')).rejects.toMatchObject({ status: 429 });
  expect(long.calls).toHaveLength(1);
  const error = { code: 'ValidationFailed', message: 'Name is required.', target: 'name', details: [{ target: 'name' }] };
  const wrong = clientWith([refused(400, { 'x-request-id': 'r1' }, error)]);
  await expect(wrong.client.create('locations', {})).rejects.toMatchObject({ status: 400, ...error, requestId: 'r1' });
  const proxy = clientWith([() => new Response('<html>', { status: 502, statusText: 'Bad Gateway' })]);
  await expect(proxy.client.list('devices')).rejects.toThrow('The server answered 502 Bad Gateway');
});

it('repeats a read that was not answered, and names the server when there is none', async () => {
  vi.useFakeTimers();
  const lost = () => Promise.reject(new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') }));
  const { client, calls } = clientWith([lost, fine({ value: [] })]);
  const page = client.list('devices');
  await vi.runAllTimersAsync();
  expect((await page).value).toEqual([]);
  expect(calls).toHaveLength(2);
  const away = clientWith([lost], { retries: 0 });
  await expect(away.client.list('devices')).rejects.toThrow('The server at https://ops.example.com does not answer: connect ECONNREFUSED');
});

it('asks for another token once when the server refuses the first', async () => {
  const tokens: (string | undefined)[] = [];
  const token = (refusedToken?: string) => (tokens.push(refusedToken), Promise.resolve(refusedToken === undefined ? 'old' : 'new'));
  const { client, calls } = clientWith([refused(401), fine({ grants: [], groups: [] })], { token });
  await client.call(accessOfPerson, { id: 'p' });
  expect(tokens).toEqual([undefined, 'old']);
  expect(calls.map(({ headers }) => headers.get('authorization'))).toEqual(['Bearer old', 'Bearer new']);
  const ended = clientWith([refused(401)], { token });
  await expect(ended.client.call(accessOfPerson, { id: 'p' })).rejects.toBeInstanceOf(CallFailed);
  expect(ended.calls).toHaveLength(2);
});

it('ends with its signal, also while it waits', async () => {
  const { client, calls } = clientWith([refused(503, { 'retry-after': '30' })]);
  const leaving = new AbortController();
  const read = client.list('devices', {}, { signal: leaving.signal });
  await expect.poll(() => calls.length).toBe(1);
  leaving.abort();
  await expect(read).rejects.toMatchObject({ name: 'AbortError' });
});

it('reads Retry-After as seconds or as a date', () => {
  vi.useFakeTimers({ now: new Date('2026-11-29T07:00:00Z') });
  expect(['3', '', 'soon', 'Sun, 29 Nov 2026 07:00:05 GMT', 'Sun, 29 Nov 2026 06:00:00 GMT'].map(retryAfterMs)).toEqual([
    3_000,
    undefined,
    undefined,
    5_000,
    0,
  ]);
  expect(retryAfterMs(null)).toBeUndefined();
});

it('refuses an address that is none', () => {
  expect(() => createClient({ server: 'ftp://ops.example.com' })).toThrow('ftp://ops.example.com is no http address.');
});
