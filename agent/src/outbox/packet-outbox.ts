/** The outbox of packets. */
import { z } from 'zod';
import { agentPacket } from '@cloudfit/contract/agent/messages.ts';
import type { Log } from '../log.ts';
import { openOutbox, type Outbox } from './outbox.ts';

/** A packet with the stamp of its time, see `Stamp`, and the run whose result it is. */
const storedPacket = agentPacket.extend({
  run: z.optional(z.object({ operationRunId: z.string(), started: z.string() })),
  isCorrected: z.optional(z.boolean()),
  epoch: z.optional(z.string()),
  elapsedMs: z.optional(z.number()),
});
export type StoredPacket = z.infer<typeof storedPacket>;
export type PacketOutbox = Outbox<StoredPacket>;

/** The number of drops that this packet reports to the server. */
function reportedDrops(packet: StoredPacket): number {
  const diagnostics = packet.message.Diagnostics;
  const reported =
    typeof diagnostics === 'object' && diagnostics !== null && !Array.isArray(diagnostics) ? diagnostics['DroppedPackets'] : 0;
  return typeof reported === 'number' ? reported : 0;
}

export function openPacketOutbox(options: { folder: string; maxBytes: number; log: Log }): PacketOutbox {
  return openOutbox({ ...options, schema: storedPacket, dropsOf: reportedDrops });
}
