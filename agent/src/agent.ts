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
import { readMachine } from './machine.ts';
import { openOutbox } from './outbox/outbox.ts';
import { sendPackets } from './outbox/sender.ts';
import type { Settings } from './settings.ts';
import { createBell } from './wait.ts';

/** Runs until `signal` aborts. */
export async function runAgent(settings: Settings, log: Log, signal: AbortSignal): Promise<void> {
  const machine = readMachine(settings.stateDir);
  const client = createClient({ url: settings.url, token: settings.token, log });
  const outbox = openOutbox({ folder: join(settings.stateDir, 'outbox'), maxBytes: settings.outboxBytes, log });
  const kept = keepConfiguration(settings.stateDir);
  const changed = createBell();
  const filled = createBell();
  let configuration = kept.read();

  function change(next: AgentConfiguration | undefined): void {
    configuration = next;
    try {
      kept.write(next);
    } catch (error) {
      log('warn', `The configuration cannot be kept (${(error as NodeJS.ErrnoException).code}).`);
    }
    changed.ring();
  }

  async function connect(): Promise<void> {
    while (!signal.aborted) {
      const deviceId = await registerUntilPromoted(client, machine, log, signal);
      if (deviceId === null) return;
      log('info', `This machine is device ${deviceId}.`);
      if (configuration?.deviceId !== deviceId) change(undefined);
      const end = await followConfiguration(client, machine.machineKey, configuration, change, log, signal);
      if (end === 'gone') {
        log('warn', 'The device was removed on the server.');
        change(undefined);
      }
    }
  }

  const beating = beat(
    { collect: createSystemCollector(machine), outbox, configuration: () => configuration, changed, filled, log },
    signal,
  );
  try {
    await Promise.all([connect(), beating, sendPackets(outbox, client, filled, log, signal)]);
  } finally {
    outbox.close();
  }
}
