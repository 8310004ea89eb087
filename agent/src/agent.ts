/** The agent's loops, from registration to stop. What each does is in the rooms beside. */
import { join } from 'node:path';
import type { AgentConfiguration } from '@cloudfit/contract/agent/messages.ts';
import { createSystemCollector } from './collectors/system.ts';
import { createClient } from './connection/client.ts';
import { followConfiguration } from './connection/configuration.ts';
import { registerUntilPromoted } from './connection/register.ts';
import { beat } from './heartbeat.ts';
import { keepConfiguration } from './kept-configuration.ts';
import type { Log } from './log.ts';
import { keepLogLines, logsPath, sendLogs } from './logs.ts';
import { readMachine } from './machine.ts';
import { openOutbox } from './outbox/outbox.ts';
import { sendPackets } from './outbox/sender.ts';
import type { Settings } from './settings.ts';
import { createBell, wait } from './wait.ts';
import { agentVersion } from './version.ts';

/** An agent that has just started does not start anew before this age: a flag that stays must not keep it from measuring. */
const youngMs = 5_000;

export type End = 'stopped' | 'restart';

/** Runs until `signal` aborts or the server asks for a restart. `print` writes a line where this machine collects it. */
export async function runAgent(settings: Settings, print: Log, signal: AbortSignal): Promise<End> {
  const machine = readMachine(settings.stateDir);
  const [changed, filled, logged] = [createBell(), createBell(), createBell()];
  const restarting = new AbortController();
  const ending = AbortSignal.any([signal, restarting.signal]);
  const kept = keepConfiguration(settings.stateDir);
  let configuration = kept.read();

  const lines = keepLogLines(logged);
  const isTraced = () => Date.parse(configuration?.traceExpiration ?? '') > Date.now();
  const log: Log = (level, text) => {
    if (level === 'trace' && !isTraced()) return;
    print(level, text);
    lines.add(level, text);
  };
  // The call that carries the log would be a line of the next one, for ever.
  const callLog: Log = (level, text) => {
    if (level !== 'trace' || !text.includes(logsPath)) log(level, text);
  };
  const client = createClient({ url: settings.url, token: settings.token, log: callLog });
  const outbox = openOutbox({ folder: join(settings.stateDir, 'outbox'), maxBytes: settings.outboxBytes, log });

  function change(next: AgentConfiguration | undefined): void {
    configuration = next;
    try {
      kept.write(next);
    } catch (error) {
      log('warn', `The configuration cannot be kept (${(error as NodeJS.ErrnoException).code}).`);
    }
    changed.ring();
  }

  async function follow(next: AgentConfiguration): Promise<void> {
    change(next);
    log('trace', `The configuration ${next.version} holds.`);
    if (!next.restartAgentFlag) return;
    log('info', 'The server asks for a restart.');
    await wait(youngMs - performance.now(), ending);
    restarting.abort();
  }

  async function connect(): Promise<void> {
    while (!ending.aborted) {
      // Whoever registers has started: the server takes the flag of the restart back.
      const deviceId = await registerUntilPromoted(client, machine, log, ending);
      if (deviceId === null) return;
      log('info', `This machine is device ${deviceId}; agent ${agentVersion}.`);
      if (configuration?.deviceId !== deviceId) change(undefined);
      const end = await followConfiguration(client, machine.machineKey, configuration, (next) => void follow(next), log, ending);
      if (end === 'gone') {
        log('warn', 'The device was removed on the server.');
        change(undefined);
      }
    }
  }

  const beating = beat(
    { collect: createSystemCollector(machine), outbox, configuration: () => configuration, changed, filled, log },
    ending,
  );
  try {
    await Promise.all([
      connect(),
      beating,
      sendPackets(outbox, client, filled, log, ending),
      sendLogs(lines, client, machine.machineKey, logged, ending),
    ]);
  } finally {
    outbox.close();
  }
  return restarting.signal.aborted && !signal.aborted ? 'restart' : 'stopped';
}
