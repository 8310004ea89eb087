import { renderHook } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { en } from '@cloudfit/contract/messages/en.ts';
import { answerMs, callJson, failureText, RequestFailed, request, whenForbidden } from './client.ts';
import { renew, startSession, useSession } from './session.ts';
import { nowMs } from '../theme/now.ts';

const key = 'oidc.user:http://localhost/idp:portal';
const signinSilent = vi.fn<() => Promise<object | null>>();

vi.mock('oidc-client-ts', () => ({
  UserManager: class {
    signinSilent = signinSilent;
  },
  WebStorageStateStore: class {},
}));

function store(token: string) {
  localStorage.setItem(key, JSON.stringify({ access_token: token, expires_at: Date.now() / 1_000 + 600 }));
}

/** Accepts only calls with the token `accepted`; returns the list to which the tokens of all calls are added. */
function serve(accepted: string): (string | undefined)[] {
  const tokens: (string | undefined)[] = [];
  globalThis.fetch = (input, init) => {
    if (String(input).endsWith('oidcclientconfig'))
      return Promise.resolve(Response.json({ authority: 'http://localhost/idp', clientId: 'portal' }));
    const token = new Headers(init?.headers).get('authorization')?.replace('Bearer ', '');
    tokens.push(token);
    return Promise.resolve(token === accepted ? Response.json({ value: 7 }) : Response.json({}, { status: 401 }));
  };
  return tokens;
}

beforeEach(() => {
  localStorage.clear();
  signinSilent.mockReset();
  store('revoked');
});

it('renews a refused token once and sends the call again', async () => {
  const tokens = serve('renewed');
  signinSilent.mockImplementation(() => {
    store('renewed');
    return Promise.resolve({});
  });
  expect(await callJson('/v1/devices')).toEqual({ value: 7 });
  expect(tokens).toEqual(['revoked', 'renewed']);
});

it('fails when the renewed token is refused too, without a third call', async () => {
  const tokens = serve('another');
  signinSilent.mockImplementation(() => {
    store('renewed');
    return Promise.resolve({});
  });
  await expect(callJson('/v1/devices')).rejects.toMatchObject({ status: 401 });
  expect(tokens).toEqual(['revoked', 'renewed']);
});

it('fails at once when the sign-in cannot be renewed', async () => {
  const tokens = serve('renewed');
  signinSilent.mockResolvedValue(null);
  await expect(callJson('/v1/devices')).rejects.toBeInstanceOf(RequestFailed);
  expect(tokens).toEqual(['revoked']);
});

it('ends the session after a refusal, whose message the sign-in page shows', async () => {
  serve('renewed');
  signinSilent.mockResolvedValue(null);
  await startSession();
  const { result } = renderHook(() => useSession());
  await expect(callJson('/v1/devices')).rejects.toMatchObject({ status: 401, isTold: true });
  await vi.waitFor(() => expect(result.current).toMatchObject({ state: 'signed-out', problem: 'expired' }));
});

it('tells a 403 once, unless the call is quiet, and leaves other failures to the screen', async () => {
  const refusal = vi.fn<() => void>();
  whenForbidden(refusal);
  const answers = (status: number) => void (globalThis.fetch = () => Promise.resolve(Response.json({}, { status })));
  answers(403);
  await expect(callJson('/v1/devices', { quiet: true })).rejects.toMatchObject({ status: 403, isTold: false });
  expect(refusal).not.toHaveBeenCalled();
  await expect(callJson('/v1/devices')).rejects.toMatchObject({ status: 403, isTold: true });
  expect(refusal).toHaveBeenCalledOnce();
  answers(404);
  await expect(callJson('/v1/devices')).rejects.toMatchObject({ status: 404, isTold: false });
  expect(refusal).toHaveBeenCalledOnce();
});

it('says what failed in the words of the server, otherwise in its own', async () => {
  const messageOf = async (answer: Response) => {
    globalThis.fetch = () => Promise.resolve(answer);
    return failureText(await callJson('/v1/devices').catch((error: unknown) => error));
  };
  const error = { code: 'ValidationFailed', message: 'Name is required.', details: [{ target: 'name', message: 'Name is required.' }] };
  expect(await messageOf(Response.json({ error }, { status: 400 }))).toBe('Name is required.');
  expect(await messageOf(Response.json({}, { status: 403 }))).toBe(en.failure.forbidden);
  expect(await messageOf(new Response('<html>', { status: 500 }))).toBe(en.failure.server);
  expect(await messageOf(new Response('<html>', { status: 499 }))).toBe(en.failure.unknown);
  expect(failureText('broken')).toBe(en.failure.unknown);
  globalThis.fetch = () => Promise.resolve(Response.json({ error }, { status: 400 }));
  await expect(callJson('/v1/devices')).rejects.toMatchObject({ code: 'ValidationFailed', details: error.details });
});

it('sends a body as what it is, and takes an answer without content for none', async () => {
  const sent: (RequestInit & { path: string })[] = [];
  globalThis.fetch = (path, init) => {
    sent.push({ ...init, path: path as string });
    return Promise.resolve(new Response(null, { status: 204 }));
  };
  expect(await callJson('/v1/devices/1', { method: 'DELETE' })).toBeUndefined();
  await request('/v1/devices', { method: 'POST', body: {} });
  await request('/v1/devices', { method: 'PATCH', body: { a: 1 }, contentType: 'application/merge-patch+json', accept: 'text/csv' });
  expect(sent.map(({ path, method, body, headers }) => ({ path, method, body, headers }))).toEqual([
    {
      path: '/v1/devices/1',
      method: 'DELETE',
      body: undefined,
      headers: { accept: 'application/json', 'accept-language': 'en', authorization: 'Bearer revoked' },
    },
    {
      path: '/v1/devices',
      method: 'POST',
      body: '{}',
      headers: { accept: 'application/json', 'accept-language': 'en', authorization: 'Bearer revoked', 'content-type': 'application/json' },
    },
    {
      path: '/v1/devices',
      method: 'PATCH',
      body: '{"a":1}',
      headers: {
        accept: 'text/csv',
        'accept-language': 'en',
        authorization: 'Bearer revoked',
        'content-type': 'application/merge-patch+json',
      },
    },
  ]);
});

/** A call without an answer, until it is ended. */
const hang: typeof fetch = (_input, init) =>
  new Promise((_resolve, reject) => {
    const end = () => reject(init?.signal?.reason as Error);
    if (init?.signal?.aborted) end();
    else init?.signal?.addEventListener('abort', end);
  });

it('ends a read that is not answered, and says so', async () => {
  vi.useFakeTimers();
  globalThis.fetch = hang;
  const failure = callJson('/v1/devices').catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(answerMs);
  expect(await failure).toMatchObject({ status: 0, message: expect.stringMatching(/did not answer in time/) });
  vi.useRealTimers();
});

it('leaves a call alone that its caller ended', async () => {
  const ended = new AbortController();
  globalThis.fetch = hang;
  const read = callJson('/v1/devices', { signal: ended.signal });
  ended.abort();
  await expect(read).rejects.toMatchObject({ name: 'AbortError' });
});

it('does not fail when the server is away while the sign-in is renewed', async () => {
  signinSilent.mockRejectedValue(new TypeError('Failed to fetch'));
  expect(await renew()).toBe(false);
});

/** Answers creates by `answer`, one after the other; returns their keys. */
function serveCreates(...answers: readonly (() => Promise<Response>)[]): (string | null)[] {
  const keys: (string | null)[] = [];
  store('valid');
  globalThis.fetch = (_input, init) => {
    keys.push(new Headers(init?.headers).get('idempotency-key'));
    return answers[keys.length - 1]?.() ?? Promise.resolve(Response.json({ id: keys.length }, { status: 201 }));
  };
  return keys;
}

const unit = { method: 'PUT', body: { title: 'Pump' } } as const;

it('sends what a form creates once, though its button is pressed twice at once', async () => {
  const keys = serveCreates();
  const [first, second] = await Promise.all([callJson('/v1/workunits', unit), callJson('/v1/workunits', unit)]);
  expect([first, second, keys.length]).toEqual([{ id: 1 }, { id: 1 }, 1]);
  // The next form makes a row of its own.
  expect(await callJson('/v1/workunits', unit)).toEqual({ id: 2 });
  await callJson('/v1/people/invite', { method: 'POST', body: {}, creates: true });
  expect(new Set(keys).size).toBe(3);
  expect(keys).not.toContain(null);
});

it('repeats a create without an answer by the same key, and one that was refused by another', async () => {
  const lost = () => Promise.reject(new TypeError('Failed to fetch'));
  const refused = (status: number) => () => Promise.resolve(Response.json({}, { status }));
  const keys = serveCreates(lost, refused(503), refused(400));
  for (const status of [0, 503, 400]) await expect(callJson('/v1/workunits', unit)).rejects.toMatchObject({ status });
  await callJson('/v1/workunits', unit);
  expect(keys[1]).toBe(keys[0]);
  expect(keys[2]).toBe(keys[0]);
  expect(keys[3]).not.toBe(keys[0]);
});

it('takes the same content for another row when ten minutes have passed without an answer', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const lost = () => Promise.reject(new TypeError('Failed to fetch'));
  const keys = serveCreates(lost, lost);
  await expect(callJson('/v1/workunits', unit)).rejects.toMatchObject({ status: 0 });
  vi.setSystemTime(Date.now() + 599_000);
  await expect(callJson('/v1/workunits', unit)).rejects.toMatchObject({ status: 0 });
  vi.setSystemTime(Date.now() + 2_000);
  store('valid');
  await callJson('/v1/workunits', unit);
  vi.useRealTimers();
  expect(keys[1]).toBe(keys[0]);
  expect(keys[2]).not.toBe(keys[0]);
});

it('creates one row of a form by one key, though its content changed before an answer came', async () => {
  const answer =
    (status: number, error = {}) =>
    () =>
      Promise.resolve(Response.json({ error }, { status }));
  const lost = () => Promise.reject(new TypeError('Failed to fetch'));
  const keys = serveCreates(lost, answer(503), answer(409, { code: 'Conflict', target: 'idempotency-key', message: 'Used.' }));
  const create = (title: string, form: string) => callJson('/v1/workunits', { method: 'PUT', body: { title }, form });
  await expect(create('Pump', 'one')).rejects.toMatchObject({ status: 0 });
  await expect(create('Pumps', 'one')).rejects.toMatchObject({ status: 503 });
  // The first was stored: that is said in words, and what the person then sends is new.
  await expect(create('Pumps!', 'one')).rejects.toMatchObject({
    status: 409,
    message: expect.stringContaining('What you sent first was saved'),
  });
  await create('Pumps!', 'one');
  await create('Pumps!', 'another');
  expect(keys.slice(0, 3)).toEqual([keys[0], keys[0], keys[0]]);
  expect(new Set(keys).size).toBe(3);
});

it('does not take another row of the same form for the one that is under way', async () => {
  const keys = serveCreates();
  const create = (title: string) => callJson('/v1/workunits', { method: 'PUT', body: { title }, form: 'menu' });
  expect(await Promise.all([create('A'), create('B'), create('A')])).toEqual([{ id: 1 }, { id: 2 }, { id: 1 }]);
  expect(new Set(keys).size).toBe(2);
});

it('sends no key with calls that create nothing', async () => {
  const keys = serveCreates();
  await Promise.all([callJson('/v1/workunits/1', { method: 'POST', body: {} }), callJson('/v1/workunits/1', { method: 'POST', body: {} })]);
  expect(keys).toEqual([null, null]);
});

it('learns the time of the server from answers, not from a file that the browser has stored', async () => {
  const answerOf = (date: number, cacheControl: string) =>
    Promise.resolve(new Response('', { headers: { date: new Date(date).toUTCString(), 'cache-control': cacheControl } }));
  const isOffBy = () => Math.round((nowMs() - Date.now()) / 60_000);
  globalThis.fetch = () => answerOf(Date.now() + 600_000, 'private, no-cache');
  await request('/v1/devices');
  expect(isOffBy()).toBe(10);
  globalThis.fetch = () => answerOf(Date.now() - 86_400_000, 'private, max-age=604800, immutable');
  await request('/v1/photos/1');
  expect(isOffBy()).toBe(10);
  globalThis.fetch = () => answerOf(Date.now(), 'private, no-cache');
  await request('/v1/devices');
  expect(isOffBy()).toBe(0);
});
