import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as backoff from '../connection/backoff.ts';
import { createClient } from '../connection/client.ts';
import { createClock } from '../connection/clock.ts';
import { createHttp } from '../connection/http.ts';
import { deviceId, startFakeServer, waitUntil, type FakeServer } from '../testing/fake-server.ts';
import { createSignal, type Signal } from '../signal.ts';
import { openPacketOutbox, type PacketOutbox, type StoredPacket } from './packet-outbox.ts';
import * as waiting from '../wait.ts';
import { sendOutbox, sendPackets } from './sender.ts';

let server: FakeServer;
let folder: string;
let outbox: PacketOutbox;
let packetAdded: Signal;
let stopping: AbortController;
let sending: Promise<void>;
let logged: string[];
let refusals: string[];
let packetCount = 0;

beforeEach(async () => {
  server = await startFakeServer();
  folder = mkdtempSync(join(tmpdir(), 'sender-'));
  logged = [];
  refusals = [];
  const log = (_level: string, text: string) => void logged.push(text);
  outbox = openPacketOutbox({ folder, maxBytes: 1_048_576, log });
  packetAdded = createSignal();
  stopping = new AbortController();
  const clock = createClock(() => undefined);
  const http = createHttp({ url: server.url, log, clock });
  const client = createClient({ http, credentials: { token: async () => 't', forget: () => undefined }, log, random: () => 0.02 });
  const onRefused = ({ messageId }: StoredPacket, reason: string) => void refusals.push(`${messageId}: ${reason}`);
  sending = sendPackets({ outbox, client, clock, packetAdded, onRefused, log }, stopping.signal);
});

afterEach(async () => {
  stopping.abort();
  await sending;
  outbox.close();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

function measure(count: number): string[] {
  const ids = Array.from({ length: count }, () => `p${packetCount++}`);
  for (const messageId of ids)
    outbox.append({
      messageId,
      entityId: deviceId,
      timestamp: new Date().toISOString(),

      message: { Metrics: { N: packetCount } },
    });
  packetAdded.notify();
  return ids;
}

const allStored = (ids: string[]) => waitUntil(() => ids.every((id) => server.stored.has(id)), 'all packets stored');
const allDone = () => waitUntil(() => outbox.peek(1) === undefined, 'the outbox is empty');

describe('sender', () => {
  it('loses nothing that was measured while the server was away', async () => {
    const sentBefore = measure(3);
    await allStored(sentBefore);
    await server.stop();
    const during = measure(1_234);
    await waitUntil(() => logged.some((text) => text.includes('cannot be reached')), 'a send that fails');
    expect(server.stored.size).toBe(3);
    await server.start();
    await allStored(during);
    await allDone();
    expect([...server.stored.keys()]).toEqual([...sentBefore, ...during]);
    expect(logged).toContain('The server answers again.');
  });

  it('sends again when the answer was lost; the messageId makes it stored once', async () => {
    server.failure = 'lose-answer';
    const ids = measure(5);
    await allStored(ids);
    server.failure = 'none';
    await allDone();
    expect(server.repeats).toBeGreaterThanOrEqual(5);
    expect(server.stored.size).toBe(5);
  });

  it.each([503, 429, 401, 500])('keeps packets while the server answers %i', async (status) => {
    server.failure = status;
    server.retryAfter = '0';
    const ids = measure(2);
    await waitUntil(() => logged.length > 0, 'a line in the log');
    expect(outbox.peek(500)?.items).toHaveLength(2);
    server.failure = 'none';
    await allStored(ids);
  });

  it('waits as long as Retry-After asks', async () => {
    server.failure = 503;
    server.retryAfter = '1';
    const startedAt = Date.now();
    const ids = measure(1);
    await waitUntil(() => logged.length > 0, 'the refusal');
    server.failure = 'none';
    await allStored(ids);
    expect(Date.now() - startedAt).toBeGreaterThanOrEqual(1_000);
  });

  it('lets go of refused packets and says so; their neighbours are stored', async () => {
    const [, second] = ['', `p${packetCount + 1}`];
    server.refuse = (packet) => packet.messageId === second;
    measure(3);
    await allDone();
    expect(server.stored.size).toBe(2);
    expect(logged.some((text) => /refused 1 of 3 packets: Too old/.test(text))).toBe(true);
    expect(refusals).toEqual([`${second}: Too old.`]);
  });

  it('lets go of a batch of which all packets are refused, at once and together', async () => {
    server.refuse = () => true;
    measure(3);
    await allDone();
    expect(server.stored.size).toBe(0);
    expect(logged.filter((text) => text.includes('refused'))).toEqual(['The server refused 3 of 3 packets: Too old.']);
  });

  it('asks for the time of the server before it sends what was measured without it', async () => {
    const log = (): void => undefined;
    const clock = createClock(log, { wallMs: () => Date.now() - 3_600_000, elapsedMs: () => Math.round(performance.now()), epoch: 'now' });
    const http = createHttp({ url: server.url, log, clock });
    const client = createClient({ http, credentials: { token: async () => 't', forget: log }, log });
    const early = openPacketOutbox({ folder: join(folder, 'early'), maxBytes: 1_048_576, log });
    early.append({ messageId: 'early', entityId: deviceId, ...clock.stamp(), message: { Metrics: { N: 1 } } });
    const sent = sendPackets({ outbox: early, client, clock, packetAdded: createSignal(), onRefused: log, log }, stopping.signal);
    await allStored(['early']);
    expect(Math.abs(Date.parse(server.stored.get('early')?.timestamp ?? '') - Date.now())).toBeLessThan(60_000);
    stopping.abort();
    await sent;
    early.close();
  });

  it('pauses as after a first failure once a batch was taken', async () => {
    vi.spyOn(waiting, 'wait').mockResolvedValue();
    const delays = vi.spyOn(backoff, 'retryDelayMs');
    const statuses = [500, 500, 200, 500];
    await sendOutbox(
      {
        outbox: {
          ...outbox,
          append: () => true,
          peek: () => ({ items: ['a'], end: { segment: 1, offset: 1 } }),
          markSent: () => undefined,
        },
        added: packetAdded,
        what: 'items',
        maxBatch: 1,
        post: () => Promise.resolve(statuses.length === 0 ? null : { status: statuses.shift() ?? 0, body: {} }),
        isTaken: ({ status }) => status === 200,
        log: () => undefined,
      },
      stopping.signal,
    );
    expect(delays.mock.calls).toEqual([[1], [2], [1]]);
    vi.restoreAllMocks();
  });

  it('finds the one packet that spoils whole batches, and goes on with whole ones', async () => {
    const spoilt = `p${packetCount + 41}`;
    server.spoilsBatch = (packet) => packet.messageId === spoilt;
    const ids = measure(100);
    await allStored(ids.filter((id) => id !== spoilt));
    await allDone();
    expect(server.stored.has(spoilt)).toBe(false);
    expect(refusals).toEqual([expect.stringContaining(spoilt)]);
    await allStored(measure(50));
    expect(server.batches.at(-1)).toBe(50);
  });
});
