/** Which answers of a receiver end an action, and which cause another try. */
import { expect, it } from 'vitest';
import { openHopCounts } from '../context/hop-count.ts';
import type { TenantSecrets } from '../auth/tenant-secrets.ts';
import type { Db } from '../db/db.ts';
import { NotTried, requireCallSlot, RetryLater } from '../jobs/job.ts';
import { OutboundFailed, OutboundRefused } from '../outbound/circuit-breaker.ts';
import { readerOf } from '../platform/language.ts';
import { attemptOf } from '../testing/attempt.ts';
import type { QueuedAction, QueuedExecution } from './execution.ts';
import { ActionFailure } from './action-result.ts';
import { callEndpoint } from './call-endpoint.ts';

const expected = { successStatuses: null, successText: null, successField: null, successValue: null };
const action = {
  endpointUrl: 'https://hook.example.com',
  httpMethod: 'POST',
  headers: null,
  body: null,
  expected,
  lookBackAddress: null,
  reference: { referenceField: null, referenceAddress: null },
} as QueuedAction;
const execution = {
  tenantId: 't',
  messageId: 'm',
  parameters: {},
  unfilled: {},
  reader: readerOf(null),
  values: {},
  hops: 0,
} as unknown as QueuedExecution;
const hopCounts = openHopCounts({ signatures: () => ['x'] });
const secrets = { latest: async () => new Map(), recent: async () => [] } as unknown as TenantSecrets;

/** A try that has a slot for calls of `slot`, and whose record is nowhere. */
const unrecorded = (slot: string) => ({
  ...attemptOf(1, slot),
  status: undefined,
  begin: async () => undefined,
  lookBack: async () => ({ hasBegun: false, sinceMs: 0, isUnknown: false }),
  noteTwice: async () => undefined,
  requireSlot: (destination: string, series: string | undefined) => requireCallSlot(attemptOf(1, slot), destination, series),
  end: async () => undefined,
  inOne: () => Promise.reject(new Error('A call is no transaction.')),
  isRecorded: false,
});

/** The outcome of an action for an answer of its receiver, or for a failed call. */
async function outcome(
  answer: { status: number; retryAfterMs?: number } | Error,
  destination = 'https://hook.example.com',
  definition = action,
): Promise<unknown> {
  const send = async () => {
    if (answer instanceof Error) throw answer;
    return { body: 'noted', truncated: false, durationMs: 1, retryAfterMs: undefined, ...answer };
  };
  const caller = { http: { send, close: async () => undefined }, secrets, hopCounts, db: {} as Db };
  return callEndpoint(caller, definition, execution, unrecorded(destination)).catch((error: unknown) => error);
}

it.each([200, 204, 299])('succeeds at %i', async (status) => {
  expect(await outcome({ status })).toEqual({ succeeded: true, detail: { status, answer: 'noted', truncated: false, durationMs: 1 } });
});

it.each([408, 429, 500, 503])('tries again at %i', async (status) => {
  expect(await outcome({ status })).toEqual(new OutboundFailed(`The receiver answered ${status}.`));
  expect(await outcome({ status })).not.toBeInstanceOf(ActionFailure);
});

it.each([408, 429, 503])('tries again at %i after the time that the receiver names', async (status) => {
  const later = await outcome({ status, retryAfterMs: 7_000 });
  expect(later).toBeInstanceOf(RetryLater);
  expect(later).toMatchObject({ delayMs: 7_000 });
});

it.each([199, 300, 400, 401, 404, 407, 409, 410, 428, 430, 499])('fails at once at %i', async (status) => {
  const failure = await outcome({ status, retryAfterMs: 7_000 });
  expect(failure).toBeInstanceOf(ActionFailure);
  expect(failure).toMatchObject({ detail: { status } });
});

it('fails at once when the receiver says no in its answer, and tries again when the answer is not its own', async () => {
  const of = (declared: object, status = 200) => outcome({ status }, undefined, { ...action, expected: { ...expected, ...declared } });
  expect(await of({ successText: 'NOTED' })).toMatchObject({ succeeded: true });
  const later = await of({ successField: 'ok', successValue: 'true' });
  expect(later).toEqual(new OutboundFailed('The receiver answered 200. Its answer is not JSON, so it has no field ok.'));
  expect(await of({ successStatuses: '409' }, 409)).toMatchObject({ succeeded: true });
  expect(await of({ successStatuses: '409' })).toBeInstanceOf(ActionFailure);
});

it('fails at once when the call may not be made, and waits while the circuit is open', async () => {
  expect(await outcome(new OutboundRefused('Not this address.'))).toBeInstanceOf(ActionFailure);
  const later = await outcome(new OutboundFailed('The receiver has failed repeatedly.', 60_000));
  expect(later).toBeInstanceOf(NotTried);
  expect(later).toMatchObject({ destination: 'https://hook.example.com' });
  expect(await outcome(new OutboundFailed('No answer.'))).toBeInstanceOf(OutboundFailed);
});

it('is not made without a slot of its receiver, and names the one that it needs', async () => {
  const moved = await outcome({ status: 200 }, 'https://other.example.com');
  expect(moved).toBeInstanceOf(NotTried);
  expect(moved).toMatchObject({ destination: 'https://hook.example.com' });
});
