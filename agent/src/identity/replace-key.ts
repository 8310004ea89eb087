/** Replaces the key of this agent every 30 days, and when the server asks for it. */
import { nextKeyClaim, replaceKeyAnswer } from '@cloudfit/contract/agent/identity.ts';
import { apiMessageOf, type Client, type TokenSource } from '../connection/client.ts';
import type { Clock } from '../connection/clock.ts';
import type { Log } from '../log.ts';
import type { Signal } from '../signal.ts';
import { wait } from '../wait.ts';
import { signAssertion } from './assertion.ts';
import { newKey, publicHalf, type Identity, type IdentityFile } from './identity-file.ts';

export interface ReplaceKeyOptions {
  client: Client;
  credentials: TokenSource;
  file: IdentityFile;
  clock: Clock;
  /** Whether the server asks for a new key. */
  isRequested: () => boolean;
  /** Notified when the result of `isRequested` may have changed. */
  requestChanged: Signal;
  log: Log;
}

const keyLifeMs = 30 * 86_400_000;
const checkMs = 3_600_000;
const retryMs = 60_000;

/** Replaces keys until `signal` aborts. An interrupted replacement is completed with the same new key. */
export async function replaceKeys(options: ReplaceKeyOptions, signal: AbortSignal): Promise<void> {
  const { file, clock } = options;
  while (!signal.aborted) {
    const identity = file.read();
    const age = identity ? clock.now().getTime() - Date.parse(identity.keyCreated) : 0;
    const isDue = identity?.nextKey !== undefined || options.isRequested() || age > keyLifeMs;
    const isFailed = isDue && identity?.enrolment && !(await replaceKey(options, identity, identity.enrolment, signal));
    if (isFailed) await wait(retryMs, signal);
    else await options.requestChanged.wait(checkMs, signal);
  }
}

/**
 * Tries the replacement once; returns whether the key is replaced. Both keys stay on disk until the server has confirmed the
 * new one.
 */
async function replaceKey(
  { client, credentials, file, clock, log }: ReplaceKeyOptions,
  identity: Identity,
  enrolment: NonNullable<Identity['enrolment']>,
  signal: AbortSignal,
): Promise<boolean> {
  const nextKey = identity.nextKey ?? (await newKey());
  if (!identity.nextKey) file.write({ ...identity, nextKey });
  const assertion = await signAssertion(identity.key, enrolment, clock.now(), { [nextKeyClaim]: { jwk: publicHalf(nextKey) } });
  const answer = await client.request('POST', '/v1/agent/key', signal, { body: { assertion } });
  if (answer === null) return false;
  const parsed = replaceKeyAnswer.safeParse(answer.body);
  if (answer.status !== 200 || !parsed.success) {
    log('error', `The server did not take the new key (${answer.status} ${apiMessageOf(answer.body)}); trying again.`);
    // The server may have taken the key although its answer was lost; the next sign-in shows whether it has.
    credentials.forget();
    return false;
  }
  // Without `nextKey`, a sign-in in the meantime has found that the server knows the new key, and has stored it as `key`.
  const current = file.read();
  if (current?.nextKey) file.write({ key: nextKey, keyCreated: parsed.data.keyCreated, enrolment, facts: current.facts });
  log('info', 'This agent has replaced its key with a new one.');
  return true;
}
