import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { runHeartbeats } from './heartbeat.ts';
import { openPacketOutbox } from './outbox/packet-outbox.ts';
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
