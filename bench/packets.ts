/** Sends batches of packets from a separate thread: eight senders, each with its own devices. */
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';

export const senders = 8;
export const batchSize = 100;

export interface PacketLoad {
  port: number;
  token: string;
  devices: readonly string[];
  seconds: number;
  /** The rate of all senders together. Without a rate, a sender sends its next batch after the response to the previous one. */
  batchesPerSecond?: number;
  /** Bodies that are sent once each, in place of batches of packets; the load ends when none is left. */
  sent?: { path: string; headers: Record<string, string>; bodies: readonly Uint8Array[] };
}

export interface SentPackets {
  batches: number;
  seconds: number;
  latencies: number[];
  failure?: string;
}

/** The batches of one sender; a few packets exceed the limits of some rules. */
function bodiesOf(devices: readonly string[], sender: number): Buffer[] {
  const ownDevices = devices.filter((_, i) => i % senders === sender);
  return Array.from({ length: 20 }, (_, n) =>
    Buffer.from(
      JSON.stringify(
        Array.from({ length: batchSize }, (_packet, i) => ({
          entityId: ownDevices[(n * batchSize + i) % ownDevices.length],
          message: {
            Properties: { Host: `host-${i}`, Version: '1.4.2' },
            Metrics: {
              Cpu: (n * 7 + i) % 200 === 0 ? 97 : (i * 13 + n) % 85,
              Memory: (i * 7 + n) % 80,
              Uptime: 12_345 + i,
              DiskFree: 55.5,
            },
            States: { Health: 'Healthy' },
          },
        })),
      ),
    ),
  );
}

async function send(load: PacketLoad, bodies: readonly Uint8Array[], until: number): Promise<SentPackets> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const sent: SentPackets = { batches: 0, seconds: 0, latencies: [] };
  const began = performance.now();
  const { path = '/v1/packets', headers: typeHeaders = { 'content-type': 'application/json' } } = load.sent ?? {};
  for (let n = 0; performance.now() < until && (!load.sent || n < bodies.length); n += 1) {
    const body = bodies[n % bodies.length] ?? Buffer.alloc(0);
    const headers = { authorization: `Bearer ${load.token}`, ...typeHeaders, 'content-length': body.length };
    if (load.batchesPerSecond) await sleep(Math.max(0, began + (n * senders * 1_000) / load.batchesPerSecond - performance.now()));
    const started = performance.now();
    const answer = await new Promise<{ status: number; text: string }>((resolve, reject) => {
      const request = http.request({ port: load.port, host: '127.0.0.1', agent, method: 'POST', path, headers }, (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(parts).toString() }));
      });
      request.on('error', reject);
      request.end(body);
    });
    sent.latencies.push(performance.now() - started);
    if (answer.status < 300 && !/"refused"|Success/.test(answer.text)) sent.batches += 1;
    else sent.failure ??= `${answer.status} ${answer.text.slice(0, 300)}`;
  }
  agent.destroy();
  return sent;
}

async function sendAll(load: PacketLoad): Promise<SentPackets> {
  const until = performance.now() + load.seconds * 1_000;
  const began = performance.now();
  const bodiesFor = (sender: number): readonly Uint8Array[] =>
    load.sent ? load.sent.bodies.filter((_, i) => i % senders === sender) : bodiesOf(load.devices, sender);
  const all = await Promise.all(Array.from({ length: senders }, (_, sender) => send(load, bodiesFor(sender), until)));
  const failure = all.find((item) => item.failure)?.failure;
  return {
    batches: all.reduce((sum, item) => sum + item.batches, 0),
    seconds: (performance.now() - began) / 1_000,
    latencies: all.flatMap((item) => item.latencies),
    ...(failure ? { failure } : {}),
  };
}

/** Sends packets for `load.seconds` from a separate thread. Returns the number of successful batches, and all latencies. */
export async function sendInThread(load: PacketLoad): Promise<SentPackets> {
  const worker = new Worker(fileURLToPath(import.meta.url), { workerData: load, execArgv: [] });
  try {
    return await new Promise((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
    });
  } finally {
    await worker.terminate();
  }
}

if (!isMainThread && parentPort) parentPort.postMessage(await sendAll(workerData as PacketLoad));
