import { agentConfiguration, configurationWaitMaxSeconds, type AgentConfiguration } from '@cloudfit/contract/agent/messages.ts';
import type { Log } from '../log.ts';
import { wait } from '../wait.ts';
import { messageOf, type Client } from './client.ts';

/** The least between two polls that brought nothing, should a proxy in between cut the wait short. */
const minPollMs = 1_000;

/** Follows the device's configuration by long poll and hands on each change. Ends when the device is gone or `signal` aborts. */
export async function followConfiguration(
  client: Client,
  machineKey: string,
  known: AgentConfiguration | undefined,
  onChange: (configuration: AgentConfiguration) => void,
  log: Log,
  signal: AbortSignal,
): Promise<'gone' | 'stopped'> {
  let version = known?.version;
  while (!signal.aborted) {
    const askedAt = performance.now();
    const answer = await client.ask('GET', `/v1/agent/configuration?machineKey=${machineKey}&wait=${configurationWaitMaxSeconds}`, signal, {
      headers: version === undefined ? {} : { 'if-none-match': `"${version}"` },
      timeoutMs: (configurationWaitMaxSeconds + 15) * 1_000,
    });
    if (answer === null) break;
    if (answer.status === 404) return 'gone';
    const parsed = answer.status === 200 ? agentConfiguration.safeParse(answer.body) : undefined;
    if (parsed?.success) {
      version = parsed.data.version;
      onChange(parsed.data);
      continue;
    }
    if (answer.status !== 304) {
      log('error', `The configuration could not be read (${answer.status} ${messageOf(answer.body)}).`);
      await wait(10_000, signal);
    }
    await wait(minPollMs - (performance.now() - askedAt), signal);
  }
  return 'stopped';
}
