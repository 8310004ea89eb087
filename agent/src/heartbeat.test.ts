import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { runHeartbeats } from './heartbeat.ts';
import type { PacketMessage } from '@cloudfit/contract/resources/packets.ts';
import type { AgentConfiguration } from '@cloudfit/contract/agent/messages.ts';
import { openPacketOutbox, type PacketOutbox, type StoredPacket } from './outbox/packet-outbox.ts';
import { createClock } from './connection/clock.ts';
import { createSignal } from './signal.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'heartbeat-'));
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true, force: true });
});

it('[DEV-030] measures once each `heartbeatInterval` seconds, and not at all at 0', async () => {
  let measured = 0;
  let heartbeatInterval = 90;
  const [configurationChanged, stop] = [createSignal(), new AbortController()];
  const outbox = openPacketOutbox({ folder, maxBytes: 1_000_000, log: () => undefined });
  const configuration = () => ({
    deviceId: '0199aaaa-0000-7000-8000-000000000001',
    name: 'test',
    enabled: true,
    heartbeatInterval,
    restartAgentFlag: false,
    traceExpiration: null,
    operations: [],
    packages: [],
    publishers: [],
    onlyTrustedPublishers: false,
    version: 'v1',
  });
  const collect = () => Promise.resolve({ Metrics: { Cpu: ++measured } });
  const clock = createClock(() => undefined);
  const beating = runHeartbeats(
    { collect, outbox, configuration, configurationChanged, packetAdded: createSignal(), clock, log: () => undefined },
    stop.signal,
  );
  await vi.advanceTimersByTimeAsync(0);
  expect(measured).toBe(1);
  await vi.advanceTimersByTimeAsync(89_000);
  expect(measured).toBe(1);
  await vi.advanceTimersByTimeAsync(1_500);
  expect(measured).toBe(2);
  await vi.advanceTimersByTimeAsync(90_000);
  expect(measured).toBe(3);
  heartbeatInterval = 0;
  configurationChanged.notify();
  await vi.advanceTimersByTimeAsync(600_000);
  expect(measured).toBe(3);
  stop.abort();
  await beating;
  outbox.close();
});

it('says how many packets were dropped, beside what else it measured, and goes on after a measurement that failed', async () => {
  const stop = new AbortController();
  const messages = [{ Diagnostics: { Disk: 'x' } }, { Diagnostics: null }, {}, new Error('No disk.'), { Metrics: { Cpu: 1 } }];
  const drops = [3, 2, 1, 0];
  const sent: StoredPacket[] = [];
  const logged: string[] = [];
  const outbox = {
    unreportedDrops: () => drops.shift() ?? 0,
    append: (packet: StoredPacket) => void sent.push(packet),
  } as unknown as PacketOutbox;
  const packetAdded = createSignal();
  const notified = vi.spyOn(packetAdded, 'notify');
  const collect = () => {
    const message = messages.shift() ?? {};
    return message instanceof Error ? Promise.reject(message) : Promise.resolve(message as PacketMessage);
  };
  const configuration = () => ({ deviceId: 'd1', enabled: true, heartbeatInterval: 10 }) as AgentConfiguration;
  const clock = createClock(() => undefined);
  const log = (level: string, text: string) => void logged.push(`${level} ${text}`);
  const beating = runHeartbeats(
    { collect, outbox, configuration, configurationChanged: createSignal(), packetAdded, clock, log },
    stop.signal,
  );
  await vi.advanceTimersByTimeAsync(40_500);
  stop.abort();
  await beating;
  expect(sent.map(({ message }) => message)).toEqual([
    { Diagnostics: { Disk: 'x', DroppedPackets: 3 } },
    { Diagnostics: { DroppedPackets: 2 } },
    { Diagnostics: { DroppedPackets: 1 } },
    { Metrics: { Cpu: 1 } },
  ]);
  expect([new Set(sent.map(({ messageId }) => messageId)).size, notified.mock.calls.length]).toEqual([4, 4]);
  expect(logged.filter((line) => !line.startsWith('trace'))).toEqual([expect.stringContaining('No disk.')]);
});
