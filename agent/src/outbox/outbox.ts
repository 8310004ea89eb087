/** Packets on disk until the server has answered for them: bounded, survives kill -9, the oldest are dropped first and counted. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { agentPacket, type AgentPacket } from '@cloudfit/contract/agent/messages.ts';
import type { Log } from '../log.ts';
import { openSegments } from './segments.ts';

export interface Batch {
  packets: AgentPacket[];
  /** Where the batch ends; give it back when the server has answered. */
  end: { segment: number; offset: number };
}

export interface Outbox {
  append(packet: AgentPacket): void;
  /** The oldest packets, at most `limit`; undefined when none waits. */
  peek(limit: number): Batch | undefined;
  /** The server has dealt with everything up to `end`. */
  done(end: Batch['end']): void;
  /** How many were dropped and not yet told of; the next packet tells. */
  dropped(): number;
  close(): void;
}

export interface OutboxOptions {
  folder: string;
  maxBytes: number;
  log: Log;
}

interface Position {
  segment: number;
  offset: number;
  dropped: number;
}

function isPosition(value: unknown): value is Position {
  if (typeof value !== 'object' || value === null) return false;
  return ['segment', 'offset', 'dropped'].every((name) => Number.isSafeInteger((value as Record<string, unknown>)[name]));
}

/** Stays under the server's limit of one body (1 MiB), brackets included. */
const batchBytes = 768 * 1_024;
/** Longer than this a packet does not fit a batch. */
const packetMaxBytes = 512 * 1_024;

/** Packets that were dropped before this one, as this one tells it. */
function toldDropped(packet: AgentPacket): number {
  const diagnostics = packet.message.Diagnostics;
  const told = typeof diagnostics === 'object' && diagnostics !== null && !Array.isArray(diagnostics) ? diagnostics.DroppedPackets : 0;
  return typeof told === 'number' ? told : 0;
}

export function openOutbox({ folder, maxBytes, log }: OutboxOptions): Outbox {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const segments = openSegments(folder);
  const segmentBytes = Math.min(1_048_576, Math.ceil(maxBytes / 16));
  const positionFile = join(folder, 'position.json');
  let at = readPosition();

  function readPosition(): Position {
    const start = { segment: segments.list[0]?.id ?? 1, offset: 0, dropped: 0 };
    try {
      const kept: unknown = JSON.parse(readFileSync(positionFile, 'utf8'));
      if (!isPosition(kept)) return start;
      const segment = segments.list.find((s) => s.id === kept.segment);
      return segment && kept.offset <= segment.bytes ? kept : { ...start, dropped: kept.dropped };
    } catch {
      // Lost: what was answered for is sent once more, and the server knows it by its messageId.
      return start;
    }
  }

  function keepPosition(): void {
    try {
      writeFileSync(`${positionFile}.new`, JSON.stringify(at), { mode: 0o600 });
      renameSync(`${positionFile}.new`, positionFile);
    } catch (error) {
      log('warn', `The outbox cannot write its position (${(error as NodeJS.ErrnoException).code}).`);
    }
  }

  /** Packets from here on, up to `bytes`, and the offset behind each. */
  function lines(segment: number, offset: number, bytes: number): { packet: AgentPacket | undefined; end: number }[] {
    const buffer = segments.read(segment, offset, bytes);
    const found: { packet: AgentPacket | undefined; end: number }[] = [];
    for (let from = 0, to = buffer.indexOf(0x0a); to >= 0; from = to + 1, to = buffer.indexOf(0x0a, from)) {
      found.push({ packet: parse(buffer.toString('utf8', from, to)), end: offset + to + 1 });
    }
    return found;
  }

  function dropOldest(): void {
    const [oldest, next] = segments.list;
    if (!oldest || !next) return;
    const offset = oldest.id === at.segment ? at.offset : 0;
    for (const { packet } of lines(oldest.id, offset, oldest.bytes)) at.dropped += 1 + (packet ? toldDropped(packet) : 0);
    at = { segment: next.id, offset: 0, dropped: at.dropped };
    keepPosition();
    segments.remove(oldest.id);
    log('warn', `The outbox is full: ${at.dropped} packets were dropped, the oldest first.`);
  }

  /** All is sent: an empty file takes the place of the written one, if the disk allows it. */
  function startAnew(): void {
    try {
      at = { segment: segments.rotate(), offset: 0, dropped: at.dropped };
    } catch (error) {
      log('warn', `The outbox cannot start a new file (${(error as NodeJS.ErrnoException).code}).`);
    }
  }

  function makeRoom(bytes: number): void {
    const active = segments.list.at(-1);
    if (active && active.bytes > 0 && active.bytes + bytes > segmentBytes) segments.rotate();
    const total = () => segments.list.reduce((sum, segment) => sum + segment.bytes, bytes);
    while (segments.list.length > 1 && total() > maxBytes) dropOldest();
  }

  return {
    append: (packet) => {
      const line = JSON.stringify(packet);
      const bytes = Buffer.byteLength(line) + 1;
      if (bytes > Math.min(packetMaxBytes, maxBytes)) {
        at.dropped++;
        log('error', `A packet of ${bytes} bytes is too large to be sent and was dropped.`);
        return keepPosition();
      }
      const told = toldDropped(packet);
      try {
        makeRoom(bytes);
        segments.append(line);
        at.dropped -= Math.min(told, at.dropped);
      } catch (error) {
        at.dropped++;
        log('error', `A packet cannot be kept (${(error as NodeJS.ErrnoException).code}) and was dropped.`);
      }
      if (told > 0) keepPosition();
    },
    peek: (limit) => {
      for (const segment of segments.list) {
        if (segment.id < at.segment) continue;
        const found = lines(segment.id, segment.id === at.segment ? at.offset : 0, batchBytes).slice(0, limit);
        const packets = found.flatMap(({ packet }) => packet ?? []);
        const end = found.at(-1)?.end;
        if (end !== undefined && packets.length > 0) return { packets, end: { segment: segment.id, offset: end } };
      }
      return undefined;
    },
    done: (end) => {
      // Dropped meanwhile to make room.
      if (end.segment < at.segment) return;
      at = { ...end, dropped: at.dropped };
      const active = segments.list.at(-1);
      if (active?.id === end.segment && end.offset >= active.bytes) startAnew();
      for (const segment of segments.list.filter((s) => s.id < at.segment)) segments.remove(segment.id);
      keepPosition();
    },
    dropped: () => at.dropped,
    close: segments.close,
  };
}

/** Undefined for a line that the disk has spoilt. */
function parse(line: string): AgentPacket | undefined {
  try {
    return agentPacket.parse(JSON.parse(line));
  } catch {
    return undefined;
  }
}
