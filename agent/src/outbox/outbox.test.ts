import { appendFileSync, mkdtempSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AgentPacket } from '@cloudfit/contract/agent/messages.ts';
import { openPacketOutbox, type PacketOutbox } from './packet-outbox.ts';

let folder: string;
let logged: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'outbox-'));
  logged = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const open = (maxBytes = 64 * 1_048_576): PacketOutbox => openPacketOutbox({ folder, maxBytes, log: (_level, text) => logged.push(text) });

function packet(n: number, more: object = {}): AgentPacket {
  return { messageId: `m${n}`, entityId: 'e', timestamp: new Date(n).toISOString(), message: { Metrics: { N: n }, ...more } };
}

/** Empties the outbox in batches, as a sender does; returns the ids of the packets. */
function drain(outbox: PacketOutbox, limit = 500): string[] {
  const ids: string[] = [];
  for (let batch = outbox.peek(limit); batch; batch = outbox.peek(limit)) {
    ids.push(...batch.items.map((p) => p.messageId));
    outbox.markSent(batch.end);
  }
  return ids;
}

const ids = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => `m${from + i}`);
const segments = () =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.ndjson'))
    .toSorted();
const bytes = () => segments().reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);

describe('outbox', () => {
  it('gives packets in order, again until they are done, and leaves no file behind', () => {
    const outbox = open();
    expect(outbox.peek(500)).toBeUndefined();
    for (let n = 0; n < 1_200; n++) outbox.append(packet(n));
    expect(outbox.peek(500)?.items).toHaveLength(500);
    expect(outbox.peek(500)?.items[0]?.messageId).toBe('m0');
    expect(drain(outbox)).toEqual(ids(0, 1_200));
    expect(segments()).toHaveLength(1);
    expect(bytes()).toBe(0);
  });

  it('goes on where it was after a kill, without the torn last line', () => {
    const outbox = open();
    for (let n = 0; n < 10; n++) outbox.append(packet(n));
    const batch = outbox.peek(4);
    if (batch) outbox.markSent(batch.end);
    // Not closed: this is how a killed process ends, here in the middle of a line.
    appendFileSync(join(folder, segments()[0] ?? ''), JSON.stringify(packet(10)).slice(0, 25));
    const next = open();
    next.append(packet(11));
    expect(drain(next)).toEqual([...ids(4, 10), 'm11']);
  });

  it('sends again rather than losing when its position is lost, and passes over spoilt lines', () => {
    const outbox = open();
    for (let n = 0; n < 3; n++) outbox.append(packet(n));
    const batch = outbox.peek(2);
    if (batch) outbox.markSent(batch.end);
    outbox.close();
    writeFileSync(join(folder, 'position.json'), '{"segm');
    appendFileSync(join(folder, segments()[0] ?? ''), 'no packet\n{"messageId":1}\n');
    const next = open();
    next.append(packet(3));
    expect(drain(next)).toEqual(ids(0, 4));
  });

  it('begins again when its file is shorter than its position, as after a power cut', () => {
    const outbox = open();
    for (let n = 0; n < 3; n++) outbox.append(packet(n));
    const batch = outbox.peek(2);
    if (batch) outbox.markSent(batch.end);
    outbox.close();
    truncateSync(join(folder, segments()[0] ?? ''), 0);
    const next = open();
    next.append(packet(3));
    expect(drain(next)).toEqual(['m3']);
  });

  it('passes over damaged lines that are as many as a batch, or longer than one read', () => {
    const outbox = open();
    outbox.append(packet(0));
    appendFileSync(join(folder, segments()[0] ?? ''), 'spoilt\n'.repeat(120_000));
    const reopened = open();
    reopened.append(packet(1));
    expect(drain(reopened, 1)).toEqual(['m0', 'm1']);
  });

  it('stays within its bound: drops the oldest, counts them, tells once', () => {
    const max = 64 * 1_024;
    const outbox = open(max);
    for (let n = 0; n < 2_000; n++) {
      outbox.append(packet(n));
      expect(bytes()).toBeLessThanOrEqual(max);
    }
    const dropped = outbox.unreportedDrops();
    expect(dropped).toBeGreaterThan(0);
    expect(logged.some((text) => text.includes('dropped'))).toBe(true);
    outbox.close();

    const next = open(max);
    expect(next.unreportedDrops()).toBe(dropped);
    next.append(packet(2_000, { Diagnostics: { DroppedPackets: dropped } }));
    const before = next.unreportedDrops();
    const left = drain(next);
    expect(left.at(-1)).toBe('m2000');
    // Each packet was either sent or counted as dropped: reported by the last packet, or still to be reported.
    expect(left.length + dropped + before).toBe(2_001);
  });

  it('counts drops that a packet tells no second time after a kill', () => {
    const outbox = open(32 * 1_024);
    for (let n = 0; outbox.unreportedDrops() === 0; n++) outbox.append(packet(n));
    outbox.append(packet(9_999, { Diagnostics: { DroppedPackets: outbox.unreportedDrops() } }));
    // Not closed: the second one reads what a killed process has left.
    expect([outbox.unreportedDrops(), open(32 * 1_024).unreportedDrops()]).toEqual([0, 0]);
  });

  it('keeps the count of a telling packet that is itself dropped', () => {
    const max = 32 * 1_024;
    const outbox = open(max);
    outbox.append(packet(0, { Diagnostics: { DroppedPackets: 5 } }));
    for (let n = 1; outbox.unreportedDrops() === 0; n++) outbox.append(packet(n));
    const first = Number(outbox.peek(1)?.items[0]?.messageId.slice(1));
    expect(outbox.unreportedDrops()).toBe(first + 5);
  });

  it('ignores an answer for packets that were dropped meanwhile', () => {
    const outbox = open(32 * 1_024);
    outbox.append(packet(0));
    const batch = outbox.peek(500);
    let n = 1;
    while (outbox.unreportedDrops() === 0) outbox.append(packet(n++));
    const first = outbox.peek(1)?.items[0]?.messageId;
    if (batch) outbox.markSent(batch.end);
    expect(outbox.peek(1)?.items[0]?.messageId).toBe(first);
  });

  it('refuses a packet that would fit no batch, with a count', () => {
    const outbox = open();
    outbox.append(packet(0, { Diagnostics: 'x'.repeat(600_000) }));
    outbox.append(packet(1));
    expect(outbox.unreportedDrops()).toBe(1);
    expect(drain(outbox)).toEqual(['m1']);
  });

  it('keeps a batch under the size of one body', () => {
    const outbox = open();
    for (let n = 0; n < 10; n++) outbox.append(packet(n, { Diagnostics: 'x'.repeat(200_000) }));
    for (let batch = outbox.peek(500); batch; batch = outbox.peek(500)) {
      expect(JSON.stringify(batch.items).length).toBeLessThan(1_048_576);
      outbox.markSent(batch.end);
    }
    expect(bytes()).toBe(0);
  });

  it('loses and reorders nothing, whatever is appended, sent and reopened', () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant('append' as const), count: fc.integer({ min: 1, max: 40 }) }),
      fc.record({ do: fc.constant('send' as const), count: fc.integer({ min: 1, max: 60 }) }),
      fc.record({ do: fc.constant('reopen' as const), count: fc.integer({ min: 0, max: 30 }) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        rmSync(folder, { recursive: true, force: true });
        let outbox = open();
        const [appended, sent]: [string[], string[]] = [[], []];
        for (const { do: what, count } of steps) {
          if (what === 'append') {
            for (let i = 0; i < count; i++) {
              outbox.append(packet(appended.length));
              appended.push(`m${appended.length}`);
            }
          } else if (what === 'send') {
            const batch = outbox.peek(count);
            if (batch) sent.push(...batch.items.map((p) => p.messageId));
            if (batch) outbox.markSent(batch.end);
          } else {
            outbox.close();
            const last = segments().at(-1) ?? '';
            if (count > 0) appendFileSync(join(folder, last), 'y'.repeat(count));
            outbox = open();
          }
        }
        sent.push(...drain(outbox));
        outbox.close();
        expect(sent).toEqual(appended);
      }),
      { numRuns: 60 },
    );
  });
});
