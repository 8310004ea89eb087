import { randomUUID } from 'node:crypto';
import type { AgentConfiguration } from '@cloudfit/contract/agent/messages.ts';
import type { PacketMessage } from '@cloudfit/contract/resources/packets.ts';
import type { Log } from './log.ts';
import type { Outbox } from './outbox/outbox.ts';
import type { Bell } from './wait.ts';

export interface HeartbeatOptions {
  collect: () => Promise<PacketMessage>;
  outbox: Outbox;
  /** What the device is to do now; undefined while it is unknown. */
  configuration: () => AgentConfiguration | undefined;
  /** Rings when the configuration changed. */
  changed: Bell;
  /** Rung when the outbox got a packet. */
  filled: Bell;
  log: Log;
}

const idleMs = 3_600_000;

/** Measures every `heartbeatInterval` seconds, on a steady beat, whether or not the server can be reached. */
export async function beat(options: HeartbeatOptions, signal: AbortSignal): Promise<void> {
  let lastAt = -Infinity;
  while (!signal.aborted) {
    const configuration = options.configuration();
    const intervalMs = (configuration?.heartbeatInterval ?? 0) * 1_000;
    if (!configuration?.enabled || intervalMs === 0) {
      await options.changed.heard(idleMs, signal);
      continue;
    }
    const dueMs = lastAt + intervalMs - performance.now();
    if (dueMs > 0) {
      await options.changed.heard(dueMs, signal);
      continue;
    }
    // After a sleep of the machine the beat starts anew; what was missed is not made up.
    lastAt = dueMs < -intervalMs ? performance.now() : lastAt + intervalMs;
    try {
      const message = await options.collect();
      options.log(
        'trace',
        `Measured ${Object.entries(message.Metrics ?? {})
          .map(([name, value]) => `${name} ${value}`)
          .join(', ')}.`,
      );
      const dropped = options.outbox.dropped();
      options.outbox.append({
        messageId: randomUUID(),
        entityId: configuration.deviceId,
        timestamp: new Date().toISOString(),
        message: dropped === 0 ? message : { ...message, Diagnostics: { DroppedPackets: dropped } },
      });
      options.filled.ring();
    } catch (error) {
      options.log('error', `This machine could not be measured: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}
