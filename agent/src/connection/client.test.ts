import { beforeEach, expect, it, vi } from 'vitest';
import { createClient, type ClientOptions } from './client.ts';
import type { Answer, Http, RequestOptions, StreamedAnswer } from './http.ts';

vi.mock('../wait.ts', () => ({
  wait: (ms: number, signal: AbortSignal) => {
    waits.push(ms);
    if (waits.length === endAfterWaits) stopping.abort();
    return Promise.resolve(signal.aborted);
  },
}));

/** What a call gets, one answer after another; an error is a server that cannot be reached. */
let answers: ((Partial<Answer> & { retryAfter?: string | null }) | Error)[] = [];
let sent: { path: string; options: RequestOptions | undefined }[] = [];
let waits: number[] = [];
let endAfterWaits = -1;
let stopping = new AbortController();
let logged: string[] = [];
let forgotten: unknown[] = [];
let tokens: (string | null)[] = [];

function client() {
  const next = (path: string, options?: RequestOptions): Promise<Answer> => {
    sent.push({ path, options });
    const answer = answers.shift() ?? new Error('Nothing answers.');
    return answer instanceof Error
      ? Promise.reject(answer)
      : Promise.resolve({ status: 200, body: null, retryAfter: null, ...answer } as Answer);
  };
  const http = {
    send: (_method: string, path: string, _signal: AbortSignal, options?: RequestOptions) => next(path, options),
    open: (path: string, _signal: AbortSignal, headers?: Record<string, string>) =>
      next(path, { headers: headers ?? {} }) as unknown as Promise<StreamedAnswer>,
  } as unknown as Http;
  const options: ClientOptions = {
    http,
    credentials: {
      token: () => Promise.resolve(tokens.length > 1 ? (tokens.shift() ?? null) : (tokens[0] ?? null)),
      forget: (token) => void forgotten.push(token),
    },
    log: (level, text) => void logged.push(`${level} ${text}`),
    random: () => 0.5,
  };
  return createClient(options);
}
const post = () => client().request('POST', '/v1/x', stopping.signal, { body: { a: 1 }, headers: { 'x-a': 'b' } });

beforeEach(() => {
  [answers, sent, waits, logged, forgotten, tokens] = [[], [], [], [], [], ['t1']];
  stopping = new AbortController();
  endAfterWaits = -1;
});

it('repeats a request until the server works, each time after a longer delay and what the server asks for', async () => {
  answers = [new Error('Refused.'), { status: 503 }, { status: 429, retryAfter: '7' }, { status: 408 }, { status: 425 }, { status: 400 }];
  expect(await post()).toMatchObject({ status: 400 });
  // What was away and what refuses are counted apart.
  expect(waits).toEqual([500, 1_000, 500 + 7_000, 1_000, 2_000]);
  expect(sent).toHaveLength(6);
  expect(sent[0]).toEqual({ path: '/v1/x', options: { body: { a: 1 }, headers: { authorization: 'Bearer t1', 'x-a': 'b' } } });
  expect([logged, forgotten]).toEqual([[], []]);
});

it('signs in again after a 401, and says what is refused, of a 401 from the second on', async () => {
  tokens = ['t1', 't2', 't3', 't4'];
  const refusal = { error: { code: 'Forbidden', message: 'No.' } };
  answers = [{ status: 401 }, { status: 401 }, { status: 403, body: refusal }, { status: 499 }];
  expect(await post()).toMatchObject({ status: 499 });
  expect(forgotten).toEqual(['t1', 't2']);
  expect(sent.map(({ options }) => options?.headers?.['authorization'])).toEqual(['Bearer t1', 'Bearer t2', 'Bearer t3', 'Bearer t4']);
  expect(logged.map((line) => /^error The server refuses a call \((\d+)/.exec(line)?.[1])).toEqual(['401', '403']);
});

it('ends with its signal: before a token, between two tries, and while it waits for an answer', async () => {
  tokens = [null];
  expect(await post()).toBeNull();
  expect(sent).toEqual([]);
  tokens = ['t1'];
  endAfterWaits = 2;
  answers = [{ status: 503 }, { status: 503 }, { status: 200 }];
  expect(await post()).toBeNull();
  expect([sent.length, waits.length]).toEqual([2, 2]);
  stopping = new AbortController();
  answers = [new Error('Aborted.')];
  const ending = post();
  stopping.abort();
  expect(await ending).toBeNull();
  expect(waits).toHaveLength(2);
});

it('opens a stream once, and forgets a token that is refused', async () => {
  const open = () => client().open('/v1/agent/configuration', stopping.signal, { 'if-none-match': '"v1"' });
  answers = [{ status: 200 }, { status: 401 }, new Error('Refused.')];
  expect(await open()).toMatchObject({ status: 200 });
  expect(forgotten).toEqual([]);
  expect(await open()).toMatchObject({ status: 401 });
  expect(forgotten).toEqual(['t1']);
  await expect(open()).rejects.toThrow('Refused.');
  expect(sent[0]?.options?.headers).toEqual({ authorization: 'Bearer t1', 'if-none-match': '"v1"' });
  tokens = [null];
  await expect(open()).rejects.toThrow('stopped');
});
