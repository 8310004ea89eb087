/** The portions in which the history of many entities is read. The test supplies the database's answers. */
import { hourMs } from '@cloudfit/contract/durations.ts';
import { describe, expect, it } from 'vitest';
import type { Db, Statement } from '../../db/db.ts';
import { mayBeAheadMs, type PastPacket } from './past-packets.ts';
import { readBefore, readHistory } from './read-history.ts';

const packetAt = (timestamp: number, { received = timestamp, entityId = 'e1' } = {}): PastPacket => ({
  entityId,
  packetId: `${entityId} ${timestamp} ${received}`,
  timestamp,
  received,
  message: {},
});

interface Request {
  ids: number;
  from: number;
  to: number;
  limit: number;
}

function history(packets: readonly PastPacket[]) {
  const requests: Request[] = [];
  const receipts: { ids: string[]; from: number; before: number }[] = [];
  const query = ({ text, values = [] }: Statement): unknown[] => {
    const ids = values[0] as string[];
    const [from, to] = [Date.parse(String(values[1])), Date.parse(String(values[2]))];
    if (text.includes('lateral')) {
      requests.push({ ids: ids.length, from, to: from, limit: 1 });
      return ids.flatMap((id) => packets.findLast((packet) => packet.entityId === id && packet.timestamp < from) ?? []);
    }
    if (text.includes('min(received_timestamp)')) {
      const before = Date.parse(String(values[3]));
      receipts.push({ ids, from, before });
      const later = packets.filter((packet) => ids.includes(packet.entityId) && packet.timestamp >= from && packet.received < before);
      return [...Map.groupBy(later, (entity) => entity.entityId)].map(([id, some]) => ({
        id,
        received: Math.min(...some.map((item) => item.received)),
      }));
    }
    const limit = Number(values[3]);
    requests.push({ ids: ids.length, from, to, limit });
    return packets.filter((packet) => ids.includes(packet.entityId) && packet.timestamp >= from && packet.timestamp < to).slice(0, limit);
  };
  const db = { query: (statement: Statement) => Promise.resolve(query(statement)) } as unknown as Db;
  const read = async (period: { from: number; to: number }, ids: string[] = ['e1'], options?: { stale?: boolean }) => {
    const pieces = [];
    for await (const piece of readHistory(db, ids, period, options)) pieces.push(piece);
    const times = pieces.flatMap((piece) => [...piece.packets.values()].flat().map((item) => item.timestamp));
    return { pieces, times, hours: requests.map(({ from, to }) => [from / hourMs, to / hourMs]) };
  };
  return { db, read, requests, receipts };
}

describe('a history', () => {
  it('is read by the hour at first, then in longer portions, up to steps of six hours', async () => {
    const { read, requests } = history([packetAt(0), packetAt(hourMs), packetAt(20 * hourMs - 1), packetAt(20 * hourMs)]);
    const { hours, pieces, times } = await read({ from: 0, to: 20 * hourMs });
    expect(hours).toEqual([
      [0, 1],
      [1, 3],
      [3, 6],
      [6, 12],
      [12, 18],
      [18, 20],
    ]);
    expect(pieces.map((piece) => [piece.until / hourMs, piece.count])).toEqual([
      [0, 1],
      [0, 1],
      [0, 0],
      [6, 0],
      [12, 0],
      [18, 1],
    ]);
    expect(times).toEqual([0, hourMs, 20 * hourMs - 1]);
    expect(new Set(requests.map((request) => request.limit))).toEqual(new Set([10_001]));
  });

  it('is read in portions of ten thousand packets at most, each packet once', async () => {
    const fits = history(Array.from({ length: 10_000 }, (_, n) => packetAt(n * 100)));
    expect((await fits.read({ from: 0, to: 3 * hourMs })).hours).toEqual([
      [0, 1],
      [1, 2],
      [2, 3],
    ]);
    const packets = Array.from({ length: 10_001 }, (_, n) => packetAt(n * 300));
    const { read } = history(packets);
    const { hours, times } = await read({ from: 0, to: hourMs });
    expect(hours).toEqual([
      [0, 1],
      [0, 0.5],
      [0.5, 1],
    ]);
    expect(times).toEqual(packets.map((packet) => packet.timestamp));
  });

  it('is read in longer portions again where fewer than a quarter of that came', async () => {
    const of = async (count: number) =>
      (await history(Array.from({ length: count }, (_, n) => packetAt(n))).read({ from: 0, to: 3 * hourMs })).hours;
    expect(await of(2_499)).toEqual([
      [0, 1],
      [1, 3],
    ]);
    expect(await of(2_500)).toEqual([
      [0, 1],
      [1, 2],
      [2, 3],
    ]);
  });

  it('of one second is read completely', async () => {
    const packets = Array.from({ length: 10_001 }, () => packetAt(500));
    const { read, requests } = history(packets);
    expect((await read({ from: 0, to: hourMs })).times).toHaveLength(10_001);
    const complete = requests.filter((request) => request.limit === 100_000);
    expect(complete.map(({ from, to }) => [from, to])).toEqual([
      [0, 1_000],
      [1_000, 2_000],
    ]);
  });

  it('of many entities is read in groups of 250', async () => {
    const ids = Array.from({ length: 251 }, (_, n) => `e${n}`);
    const { read, requests, db } = history(ids.map((entityId) => packetAt(hourMs, { entityId })));
    const { times, pieces } = await read({ from: hourMs, to: 2 * hourMs }, ids);
    expect([times.length, pieces.map((piece) => piece.packets.size)]).toEqual([251, [250, 1]]);
    expect(await readBefore(db, ids, hourMs + 1)).toHaveLength(251);
    expect(await readBefore(db, ids, hourMs)).toEqual([]);
    expect(requests.map((request) => request.ids)).toEqual([250, 1, 250, 1, 250, 1]);
    expect(await readBefore(db, ids.slice(0, 250), hourMs)).toEqual([]);
    expect(requests).toHaveLength(7);
  });

  it('leaves out what came too late to be evaluated, unless that is asked for', async () => {
    const packets = [packetAt(1, { received: 50_000 }), packetAt(30_002, { received: 40_000 }), packetAt(50_001, { received: 60_000 })];
    const { pieces, times } = await history(packets).read({ from: 0, to: hourMs });
    expect([times, pieces[0]?.count, pieces[0]?.to]).toEqual([[30_002, 50_001], 3, hourMs]);
    expect((await history(packets).read({ from: 0, to: hourMs }, ['e1'], { stale: true })).times).toEqual([1, 30_002, 50_001]);
  });

  it('contains what came late in the order of receipt, as far as a rule may have evaluated it', async () => {
    const packets = [packetAt(2, { received: 50_000 }), packetAt(30_002, { received: 40_000 }), packetAt(50_001, { received: 60_000 })];
    expect((await history(packets).read({ from: 0, to: hourMs })).times).toEqual([30_002, 2, 50_001]);
  });

  it('compares what may have come late with the packets of the next portion', async () => {
    const late = packetAt(hourMs - 1, { received: hourMs + 5_000 });
    const next = packetAt(hourMs + 10, { received: hourMs + 4_000 });
    const { read, receipts } = history([packetAt(1), late, next]);
    expect((await read({ from: 0, to: hourMs })).times).toEqual([1, hourMs - 1]);
    expect(receipts).toEqual([{ ids: ['e1'], from: hourMs, before: hourMs + 5_000 }]);
    const atLimit = history([packetAt(1, { received: hourMs - mayBeAheadMs }), packetAt(2, { received: hourMs - mayBeAheadMs + 1 })]);
    await atLimit.read({ from: 0, to: hourMs });
    expect(atLimit.receipts.map((receipt) => receipt.before)).toEqual([hourMs - mayBeAheadMs + 1]);
    const early = history([packetAt(1, { received: hourMs - mayBeAheadMs })]);
    await early.read({ from: 0, to: hourMs });
    expect(early.receipts).toEqual([]);
  });
});
