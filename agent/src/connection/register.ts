import { registerAnswer, type RegisterRequest } from '@cloudfit/contract/agent/messages.ts';
import type { Log } from '../log.ts';
import { wait } from '../wait.ts';
import { apiMessageOf, type Client } from './client.ts';

/** The outcome for a machine that runs with the identity of another one. */
export const otherMachine = 'other-machine';

/**
 * Tells the server that the agent has started. Returns the id of the agent's device, null when `signal` aborts, or `other-machine` if this
 * machine is a copy.
 */
export async function registerStart(
  client: Client,
  machine: RegisterRequest,
  /** Receives the server's keys for packages. */
  onKeys: (packageKeys: readonly string[]) => void,
  log: Log,
  signal: AbortSignal,
): Promise<string | null> {
  while (!signal.aborted) {
    const answer = await client.request('POST', '/v1/agent/register', signal, { body: machine });
    if (answer === null) return null;
    if (answer.status === 409) return otherMachine;
    const parsed = registerAnswer.safeParse(answer.body);
    if (parsed.success) onKeys(parsed.data.packageKeys);
    if (answer.status === 200 && parsed.success && parsed.data.deviceId) return parsed.data.deviceId;
    // Without a device (it may have been deleted), the next request waits in its sign-in until the machine is promoted.
    if (answer.status !== 200 || !parsed.success)
      log('error', `The server did not register this machine (${answer.status} ${apiMessageOf(answer.body)}).`);
    await wait(answer.status === 200 ? 1_000 : 60_000, signal);
  }
  return null;
}
