import { agentConfiguration, configurationWaitMaxSeconds, type AgentConfiguration } from '@cloudfit/contract/agent/messages.ts';
import type { Log } from '../log.ts';
import { wait } from '../wait.ts';
import { apiMessageOf, type Client } from './client.ts';
import { otherMachine } from './register.ts';

/** Minimum milliseconds between two polls without a change, for the case that a proxy ends long polls early. */
const minPollMs = 1_000;

/** Follows the device's configuration by long poll and reports each change, until the device is removed, this machine is found to be a copy, or `signal` aborts. */
export async function followConfiguration(
  client: Client,
  current: AgentConfiguration | undefined,
  onChange: (configuration: AgentConfiguration) => void,
  /** The process of this agent, as it was registered. */
  instanceId: string,
  log: Log,
  signal: AbortSignal,
): Promise<'device-removed' | 'stopped' | typeof otherMachine> {
  let version = current?.version;
  while (!signal.aborted) {
    const polledAt = performance.now();
    const answer = await client.request(
      'GET',
      `/v1/agent/configuration?wait=${configurationWaitMaxSeconds}&agentTime=${new Date().toISOString()}&instance=${instanceId}`,
      signal,
      {
        headers: version === undefined ? {} : { 'if-none-match': `"${version}"` },
        timeoutMs: (configurationWaitMaxSeconds + 15) * 1_000,
      },
    );
    if (answer === null) break;
    if (answer.status === 404) return 'device-removed';
    if (answer.status === 409) return otherMachine;
    const parsed = answer.status === 200 ? agentConfiguration.safeParse(answer.body) : undefined;
    if (parsed?.success) {
      version = parsed.data.version;
      onChange(parsed.data);
      continue;
    }
    if (answer.status !== 304) {
      log('error', `The configuration could not be read (${answer.status} ${apiMessageOf(answer.body)}).`);
      await wait(10_000, signal);
    }
    await wait(minPollMs - (performance.now() - polledAt), signal);
  }
  return 'stopped';
}
