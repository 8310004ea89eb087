/** The sign-in of this agent: enrols its key once with an enrolment token, and gets access tokens with the enrolled key. */
import { agentTokenAnswer, agentTokenPath, agentTokenRefusal, assertionType } from '@cloudfit/contract/agent/identity.ts';
import type { UninstallOrder } from '@cloudfit/contract/agent/uninstall.ts';
import { registerAnswer, type RegisterRequest } from '@cloudfit/contract/agent/messages.ts';
import { awayDelayMs, isAway, retryAfterMs, retryDelayMs } from '../connection/backoff.ts';
import type { TokenSource } from '../connection/client.ts';
import type { Clock } from '../connection/clock.ts';
import { apiMessageOf, type Send } from '../connection/http.ts';
import type { Level, Log } from '../log.ts';
import { wait } from '../wait.ts';
import { signAssertion } from './assertion.ts';
import { newKey, publicHalf, type Identity, type IdentityFile, type AgentPrivateKey } from './identity-file.ts';

export interface SignInOptions {
  send: Send;
  file: IdentityFile;
  machine: RegisterRequest;
  /** The enrolment token; empty when there is none. */
  enrolmentToken: () => string;
  clock: Clock;
  log: Log;
  /** Receives the order to uninstall the agent of this registration. */
  onUninstall?: (order: UninstallOrder, registrationId: string) => void;
  /** Aborts when the agent ends. */
  signal: AbortSignal;
}

/** The part of an access token's lifetime after which the next use fetches a new token. */
const usefulPart = 0.8;
/** Milliseconds after the start during which the agent asks every second whether it is promoted; promotion is often quick. */
const frequentMs = 60_000;
/** Milliseconds between two tries while only a person can solve the problem. */
const slowMs = 300_000;
/** Milliseconds between two tries of a device that was cut off, because whoever admits it again watches whether it comes back. */
const refusedMs = 8_000;

type SignInStep = { token: string; seconds: number } | { pauseMs?: number; isAway?: boolean };
type KeySignIn = SignInStep | 'unknown';

/** Creates the source of this agent's access tokens. Concurrent callers share one sign-in. */
export function createSignIn(options: SignInOptions): TokenSource {
  const { send, file, machine, clock, signal } = options;
  let present: { token: string; usefulUntil: number } | undefined;
  let running: Promise<string | null> | undefined;
  let lastMessage: string | undefined;
  const startedAt = performance.now();

  /** Logs a text unless it equals the previous one, so that a lasting problem is logged only once. */
  function report(level: Level, text: string): void {
    if (text !== lastMessage) options.log(level, text);
    lastMessage = text;
  }

  async function identityOrNew(): Promise<Identity> {
    const stored = file.read();
    if (stored) return stored;
    const created = { key: await newKey(), keyCreated: clock.now().toISOString(), facts: machine.facts };
    file.write(created);
    return created;
  }

  async function attempt(): Promise<SignInStep> {
    // An assertion must have the server's time, which every answer of the server contains.
    if (!clock.isKnown()) await send('GET', '/healthz', signal);
    const identity = await identityOrNew();
    const { enrolment } = identity;
    if (!enrolment) return enrol(identity.key, identity.copiedFrom);
    const signedIn = await signInBy(identity.key, enrolment);
    if (signedIn !== 'unknown') return signedIn;
    if (identity.nextKey) {
      // The server may have accepted the next key although the agent did not get the answer.
      const byNext = await signInBy(identity.nextKey, enrolment);
      if (byNext !== 'unknown') {
        file.write({ key: identity.nextKey, keyCreated: clock.now().toISOString(), enrolment, facts: identity.facts });
        return byNext;
      }
    }
    // An administrator withdrew the key, perhaps because it leaked: the agent enrols a new key, and stores the old one until
    // the enrolment succeeds.
    const nextKey = identity.nextKey ?? (await newKey());
    file.write({ ...identity, nextKey });
    return enrol(nextKey);
  }

  async function signInBy(key: AgentPrivateKey, enrolment: NonNullable<Identity['enrolment']>): Promise<KeySignIn> {
    const answer = await send('POST', agentTokenPath, signal, {
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_assertion_type: assertionType,
        client_assertion: await signAssertion(key, enrolment, clock.now()),
      }),
    });
    const granted = agentTokenAnswer.safeParse(answer.body);
    if (answer.status === 200 && granted.success) return { token: granted.data.access_token, seconds: granted.data.expires_in };
    const refusal = agentTokenRefusal.safeParse(answer.body);
    if (!refusal.success) return later(answer);
    const { error, error_description: reason, uninstall } = refusal.data;
    if (error === 'invalid_client') return 'unknown';
    if (error === 'authorization_pending') {
      report('info', 'Registered as a pending device; waiting to be promoted.');
      return { pauseMs: performance.now() - startedAt < frequentMs ? 1_000 : 60_000 };
    }
    if (error === 'access_denied') {
      if (uninstall) options.onUninstall?.(uninstall, enrolment.registrationId);
      report('error', `The server refuses this device: ${reason}`);
      return { pauseMs: retryAfterMs(answer.retryAfter) ?? refusedMs };
    }
    report('error', `The server did not accept the sign-in of this agent: ${reason}`);
    return later(answer);
  }

  /** Enrols the key: for a copy by the access of the machine that it is a copy of, if the server grants that, otherwise by the token. */
  async function enrol(key: AgentPrivateKey, copiedFrom?: Identity['copiedFrom']): Promise<SignInStep> {
    const access = copiedFrom && (await signInBy(copiedFrom.key, copiedFrom.enrolment));
    const token = typeof access === 'object' && 'token' in access ? access.token : options.enrolmentToken();
    if (token === '') {
      report('error', 'This machine is not enrolled, and there is no token that enrols it: please give the agent a new one.');
      return { pauseMs: slowMs };
    }
    const answer = await send('POST', '/v1/agent/register', signal, {
      headers: { authorization: `Bearer ${token}` },
      body: { ...machine, publicKey: publicHalf(key) },
    });
    const parsed = registerAnswer.safeParse(answer.body);
    if (answer.status === 200 && parsed.success && parsed.data.audience !== undefined) {
      const { pendingDeviceId: registrationId, audience } = parsed.data;
      file.write({ key, keyCreated: clock.now().toISOString(), enrolment: { registrationId, audience }, facts: machine.facts });
      report('info', 'This machine is enrolled; its agent signs in by its own key from now on.');
      return { pauseMs: 0 };
    }
    if (answer.status === 200) report('error', 'The server is too old for this agent: it keeps no keys of agents.');
    else if (answer.status < 500 && answer.status !== 429)
      report('error', `The server did not enrol this machine (${answer.status} ${apiMessageOf(answer.body)}); trying again.`);
    return answer.status === 409 ? { pauseMs: slowMs } : later(answer);
  }

  async function acquire(): Promise<string | null> {
    // Tries of a machine that waits for its promotion are no absence of the server.
    let away = 0;
    for (let failures = 1; !signal.aborted; failures++) {
      let pauseMs: number | undefined;
      try {
        const outcome = await attempt();
        if ('token' in outcome) {
          lastMessage = undefined;
          present = { token: outcome.token, usefulUntil: performance.now() + outcome.seconds * 1_000 * usefulPart };
          return outcome.token;
        }
        away = outcome.isAway ? away + 1 : 0;
        pauseMs = outcome.isAway ? awayDelayMs(away) : outcome.pauseMs;
      } catch (error) {
        away += 1;
        pauseMs = awayDelayMs(away);
        // `send` has logged missing answers already; a state folder that cannot be written is logged here.
        if (error instanceof Error && 'syscall' in error && 'path' in error)
          report('error', `The keys cannot be stored: ${error.message}.`);
      }
      if (signal.aborted) break;
      // A random factor spreads the slow tries of many agents.
      const factor = pauseMs !== undefined && pauseMs >= refusedMs ? 0.5 + Math.random() / 2 : 1;
      await wait((pauseMs ?? retryDelayMs(failures)) * factor, signal);
    }
    return null;
  }

  return {
    token: async () => {
      if (present && performance.now() < present.usefulUntil) return present.token;
      running ??= acquire().finally(() => (running = undefined));
      return running;
    },
    forget: (token) => {
      if (token === undefined || present?.token === token) present = undefined;
    },
  };
}

/** Returns the pause before a retry: `Retry-After` and a random delay; without the header none, so the backoff applies. */
function later(answer: { status: number; retryAfter: string | null }): SignInStep {
  if (isAway(answer)) return { isAway: true };
  const requestedMs = retryAfterMs(answer.retryAfter);
  return requestedMs === undefined ? {} : { pauseMs: requestedMs + retryDelayMs(1) };
}
