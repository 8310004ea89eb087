import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createClock } from '../connection/clock.ts';
import type { Send } from '../connection/http.ts';
import { newKey, type Identity } from './identity-file.ts';
import { createSignIn } from './sign-in.ts';

// Signing takes real time, which fake timers do not wait for.
vi.mock('./assertion.ts', () => ({ signAssertion: () => Promise.resolve('assertion') }));

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

const log = vi.fn<(level: string, text: string) => void>();

/** The sign-in of an enrolled machine. */
async function signInOn(send: Send) {
  const key = await newKey();
  const identity: Identity = { key, keyCreated: '2026-11-28T00:00:00Z', enrolment: { registrationId: 'r', audience: 'a' }, facts: {} };
  const clock = createClock(() => undefined);
  clock.noteAnswer(new Date().toUTCString());
  const { token } = createSignIn({
    send,
    file: { read: () => identity, write: () => undefined },
    machine: { facts: {} } as never,
    enrolmentToken: () => '',
    clock,
    log,
    signal: new AbortController().signal,
  });
  return token(new AbortController().signal);
}

it('takes tries that were answered for no absence of the server', async () => {
  let calls = 0;
  const granted = signInOn(() => {
    calls += 1;
    if (calls === 41) throw new Error('connect ECONNREFUSED');
    const pending = { error: 'authorization_pending', error_description: 'Later.' };
    const body = calls > 41 ? { access_token: 't', token_type: 'Bearer', expires_in: 600 } : pending;
    return Promise.resolve({ status: calls > 41 ? 200 : 400, body, retryAfter: null });
  });
  await vi.waitFor(() => expect(calls).toBe(1));
  for (let second = 1; second <= 41; second += 1) await vi.advanceTimersByTimeAsync(1_000);
  expect(await granted).toBe('t');
});

it('notices within seconds that a device that was cut off is admitted again', async () => {
  let isCutOff = true;
  let retryAfter: string | null = null;
  const calls: string[] = [];
  const send: Send = async (_method, path) => {
    calls.push(path);
    const body = isCutOff
      ? { error: 'access_denied', error_description: 'The device was cut off.' }
      : { access_token: 't', token_type: 'Bearer', expires_in: 600 };
    return { status: isCutOff ? 400 : 200, body, retryAfter };
  };
  const granted = signInOn(send);
  await vi.waitFor(() => expect(calls.length).toBe(1));
  // A minute of asking is no flood, and one line of log.
  await vi.advanceTimersByTimeAsync(60_000);
  await vi.waitFor(() => expect(calls.length).toBeGreaterThanOrEqual(7));
  expect(calls.length).toBeLessThanOrEqual(17);
  expect(log.mock.calls).toEqual([['error', 'The server refuses this device: The device was cut off.']]);
  // A disabled tenant has its agents ask less often.
  retryAfter = '240';
  await vi.advanceTimersByTimeAsync(8_000);
  const before = calls.length;
  await vi.advanceTimersByTimeAsync(110_000);
  expect(calls.length).toBe(before);
  isCutOff = false;
  await vi.advanceTimersByTimeAsync(240_000);
  expect(await granted).toBe('t');
});
