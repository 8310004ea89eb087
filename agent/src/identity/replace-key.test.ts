/** When an agent replaces its key, and what an answer that is lost or refused leaves behind. */
import { expect, it, vi } from 'vitest';
import type { Answer, Client } from '../connection/client.ts';
import { createClock } from '../connection/clock.ts';
import { createSignal } from '../signal.ts';
import * as waiting from '../wait.ts';
import { newKey, type Identity } from './identity-file.ts';
import { replaceKeys } from './replace-key.ts';

const dayMs = 86_400_000;
const enrolment = { registrationId: 'r', audience: 'a' };

/** Lets the agent look once; returns its identity, the number of calls and what was written to the log. */
async function lookOnce(
  change: Partial<Identity>,
  { isRequested = false, answer }: { isRequested?: boolean; answer?: Answer | null } = {},
) {
  const key = await newKey();
  let identity: Identity = { key, keyCreated: new Date(Date.now() - dayMs).toISOString(), enrolment, ...change };
  const ending = new AbortController();
  /** The pauses after failures. */
  const pauses: number[] = [];
  const wait = vi.spyOn(waiting, 'wait').mockImplementation((ms) => {
    pauses.push(ms);
    ending.abort();
    return Promise.resolve();
  });
  const clock = createClock(() => undefined);
  clock.noteAnswer(new Date().toUTCString());
  const request = vi.fn<Client['request']>(() =>
    Promise.resolve(answer === undefined ? ({ status: 200, body: { keyCreated: '2026-11-28T10:00:00Z' } } as Answer) : answer),
  );
  const [forget, log] = [vi.fn<() => void>(), vi.fn<(level: string, text: string) => void>()];
  await replaceKeys(
    {
      client: { request } as unknown as Client,
      credentials: { forget, token: () => Promise.resolve(null) },
      file: { read: () => identity, write: (next) => void (identity = next) },
      clock,
      isRequested: () => isRequested,
      requestChanged: createSignal(),
      log,
    },
    ending.signal,
  );
  wait.mockRestore();
  return { key, identity, calls: request.mock.calls.length, forgets: forget.mock.calls.length, log: log.mock.calls, pauses };
}

it('leaves a key of less than thirty days alone', async () => {
  const { identity, key, calls } = await lookOnce({ keyCreated: new Date(Date.now() - 30 * dayMs + 60_000).toISOString() });
  expect([calls, identity.key]).toEqual([0, key]);
});

it.each([
  ['after thirty days', { keyCreated: new Date(Date.now() - 30 * dayMs - 60_000).toISOString() }, false],
  ['when the server asks for it', {}, true],
])('replaces it %s', async (_, change, isRequested) => {
  const { identity, key, calls, log } = await lookOnce(change, { isRequested });
  expect(calls).toBe(1);
  expect(identity).toMatchObject({ keyCreated: '2026-11-28T10:00:00Z', enrolment });
  expect(identity.key).not.toEqual(key);
  expect(identity.nextKey).toBeUndefined();
  expect(log).toEqual([['info', 'This agent has replaced its key with a new one.']]);
});

it('goes on with the key that an interrupted replacement has sent', async () => {
  const nextKey = await newKey();
  expect((await lookOnce({ nextKey })).identity.key).toEqual(nextKey);
});

it('replaces nothing before the enrolment', async () => {
  const key = await newKey();
  const { calls } = await lookOnce({ enrolment: undefined, nextKey: key } as Partial<Identity>, { isRequested: true });
  expect(calls).toBe(0);
});

it.each([
  [{ status: 409, body: { error: { message: 'Another key.' } } }, 'The server did not take the new key (409 Another key.); trying again.'],
  [{ status: 200, body: {} }, 'The server did not take the new key (200 ); trying again.'],
])('keeps both keys after a refusal, signs in again, and tries again within a minute: %j', async (answer, text) => {
  const result = await lookOnce({}, { isRequested: true, answer: answer as Answer });
  expect(result.identity.key).toEqual(result.key);
  expect(result.identity.nextKey).toBeDefined();
  expect([result.forgets, result.log, result.pauses]).toEqual([1, [['error', text]], [60_000]]);
});

it('keeps both keys when it stops before the answer, and says nothing', async () => {
  const result = await lookOnce({}, { isRequested: true, answer: null });
  expect(result.identity).toMatchObject({ key: result.key, nextKey: expect.any(Object) as object });
  expect([result.forgets, result.log]).toEqual([0, []]);
});
