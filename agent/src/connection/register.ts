import { registerAnswer, type RegisterRequest } from '@cloudfit/contract/agent/messages.ts';
import type { Log } from '../log.ts';
import { wait } from '../wait.ts';
import { messageOf, type Client } from './client.ts';

const frequentMs = 60_000;

/** Repeats the registration until a person has promoted this machine. Returns its device id, or null when `signal` aborts. */
export async function registerUntilPromoted(
  client: Client,
  machine: RegisterRequest,
  /** Receives the server's keys for packages. */
  onKeys: (packageKeys: readonly string[]) => void,
  log: Log,
  signal: AbortSignal,
): Promise<string | null> {
  const startedAt = performance.now();
  while (!signal.aborted) {
    const answer = await client.request('POST', '/v1/agent/register', signal, { body: machine });
    if (answer === null) return null;
    const parsed = registerAnswer.safeParse(answer.body);
    if (parsed.success) onKeys(parsed.data.packageKeys);
    if (answer.status !== 200 || !parsed.success)
      log('error', `The server did not register this machine (${answer.status} ${messageOf(answer.body)}).`);
    else if (parsed.data.status === 'promoted' && parsed.data.deviceId) return parsed.data.deviceId;
    else log('info', 'Registered as a pending device; waiting to be promoted.');
    // Promotion often follows at once, so the first minute polls every second.
    await wait(performance.now() - startedAt < frequentMs ? 1_000 : 60_000, signal);
  }
  return null;
}
