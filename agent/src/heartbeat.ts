import { randomUUID } from 'node:crypto';
import { messageOf } from '@cloudfit/contract/errors.ts';
import type { AgentConfiguration } from '@cloudfit/contract/agent/messages.ts';
import type { PacketMessage } from '@cloudfit/contract/resources/packets.ts';
import type { Clock } from './connection/clock.ts';
import type { Log } from './log.ts';
import type { PacketOutbox } from './outbox/packet-outbox.ts';
import type { Signal } from './signal.ts';

export interface HeartbeatOptions {
  collect: () => Promise<PacketMessage>;
  outbox: PacketOutbox;
  /** The current configuration; undefined until the server has sent one. */
  configuration: () => AgentConfiguration | undefined;
  /** Wakes the loop when the configuration has changed. */
  configurationChanged: Signal;
  /** Notified after each packet that was added to the outbox. */
  packetAdded: Signal;
  clock: Clock;
  log: Log;
}

const idleMs = 3_600_000;

const diagnosticsOf = ({ Diagnostics: diagnostics }: PacketMessage): object => (typeof diagnostics === 'object' ? (diagnostics ?? {}) : {});

/** Measures every `heartbeatInterval` seconds at a fixed rate, whether or not the server can be reached. */
export async function runHeartbeats(options: HeartbeatOptions, signal: AbortSignal): Promise<void> {
  let lastAt = -Infinity;
  while (!signal.aborted) {
    const configuration = options.configuration();
    const intervalMs = (configuration?.heartbeatInterval ?? 0) * 1_000;
    if (!configuration?.enabled || intervalMs === 0) {
      await options.configurationChanged.wait(idleMs, signal);
      continue;
    }
    const dueMs = lastAt + intervalMs - performance.now();
    if (dueMs > 0) {
      await options.configurationChanged.wait(dueMs, signal);
      continue;
    }
    // After the machine was asleep, the rate restarts from now; missed heartbeats are skipped.
    lastAt = dueMs < -intervalMs ? performance.now() : lastAt + intervalMs;
    try {
      const message = await options.collect();
      options.log(
        'trace',
        `Measured ${Object.entries(message.Metrics ?? {})
          .map(([name, value]) => `${name} ${value}`)
          .join(', ')}.`,
      );
      const dropped = options.outbox.unreportedDrops();
      options.outbox.append({
        messageId: randomUUID(),
        entityId: configuration.deviceId,
        ...options.clock.stamp(),
        message: dropped === 0 ? message : { ...message, Diagnostics: { ...diagnosticsOf(message), DroppedPackets: dropped } },
      });
      options.packetAdded.notify();
    } catch (error) {
      options.log('error', `This machine could not be measured: ${messageOf(error)}`);
    }
  }
}
