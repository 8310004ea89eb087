/** The servers of a stream: encrypted by an authority of one's own, and three of which one is killed. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { opensslMissing } from '../../testing/openssl.ts';
import { hasNats, startNats, type NatsServer } from '../../testing/programs/nats.ts';
import { freePort } from '../../testing/server-process.ts';
import { openPacketStream, type PacketStream } from './stream.ts';

const log = pino({ level: 'silent' });
const open = (url: string, more: { caFile?: string; replicas?: number } = {}): Promise<PacketStream> =>
  openPacketStream({ url, installation: 'test', maxBytes: 64 * 1_048_576, replicas: 1, log, ...more });

describe.skipIf(!hasNats || opensslMissing)('a NATS with TLS', { timeout: 60_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'cloudfit-tls-'));
  const file = (name: string): string => join(folder, name);
  let encrypted: NatsServer;
  let plain: NatsServer;

  beforeAll(async () => {
    const openssl = (command: string): Buffer => execFileSync('openssl', command.split(' '), { cwd: folder, stdio: 'pipe' });
    const key = '-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes';
    openssl(`req -x509 ${key} -keyout ca.key -out ca.pem -days 2 -subj /CN=test`);
    openssl(`req ${key} -keyout nats.key -out nats.csr -subj /CN=nats`);
    writeFileSync(file('san'), 'subjectAltName=IP:127.0.0.1');
    openssl('x509 -req -in nats.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out nats.pem -days 2 -extfile san');
    encrypted = await startNats({ tls: { cert: file('nats.pem'), key: file('nats.key') } });
    plain = await startNats();
  });
  afterAll(async () => {
    await encrypted.close();
    await plain.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('is used with the certificate of its authority, and is not believed without it', async () => {
    const stream = await open(encrypted.url, { caFile: file('ca.pem') });
    expect(await stream.publish(3, 'text', 'one')).toBe(true);
    await stream.close();
    await expect(open(encrypted.url)).rejects.toThrow('The stream of STREAM_URL cannot be reached');
    const elsewhere = encrypted.url.replace('127.0.0.1', 'localhost');
    await expect(open(elsewhere, { caFile: file('ca.pem') })).rejects.toThrow("certificate's altnames");
  });

  it('is asked for: a server without TLS gets no packets', async () => {
    const url = plain.url.replace('nats://', 'tls://');
    await expect(open(url, { caFile: file('ca.pem') })).rejects.toThrow('The stream of STREAM_URL cannot be reached');
  });

  it('has settings that fit together', async () => {
    await expect(open(plain.url, { caFile: file('ca.pem') })).rejects.toThrow('STREAM_URL names no server by tls://');
    await expect(open(encrypted.url, { caFile: file('none.pem') })).rejects.toThrow('The file of STREAM_CA_FILE cannot be read');
  });
});

describe.skipIf(!hasNats)('three servers of NATS', { timeout: 180_000 }, () => {
  const servers: NatsServer[] = [];
  let stream: PacketStream;

  beforeAll(async () => {
    const ports = [await freePort(), await freePort(), await freePort()];
    servers.push(...(await Promise.all(ports.map((port, n) => startNats({ cluster: { name: `n${n}`, port, ports } })))));
    // They choose a leader first.
    const url = servers.map((server) => server.url).join(',');
    for (;;) {
      const opened = await open(url, { replicas: 3 }).catch(() => undefined);
      if (opened) {
        stream = opened;
        return;
      }
      await sleep(500);
    }
  }, 180_000);
  afterAll(async () => {
    await (stream as PacketStream | undefined)?.close();
    await Promise.all(servers.map((server) => server.close()));
  });

  it('lose nothing that was accepted when each in turn is killed', async () => {
    const accepted: string[] = [];
    let isOver = false;
    const sending = (async () => {
      for (let n = 0; !isOver; n += 1) {
        const text = `message ${n}`;
        const isStored = await stream.publish(3, text, text).then(
          () => true,
          () => false,
        );
        if (isStored) accepted.push(text);
        else await sleep(50);
      }
    })();
    for (const server of servers) {
      const before = accepted.length;
      await server.kill();
      await expect.poll(() => accepted.length, { timeout: 60_000 }).toBeGreaterThan(before + 50);
      await server.start();
      await expect
        .poll(
          () =>
            stream.state(3).then(
              () => true,
              () => false,
            ),
          { timeout: 60_000 },
        )
        .toBe(true);
      // It copies what it has missed before the next one is killed.
      await sleep(3_000);
    }
    isOver = true;
    await sending;
    const stopping = new AbortController();
    const missing = new Set(accepted);
    for await (const { text } of stream.read(3, 0, stopping.signal)) {
      missing.delete(text);
      if (missing.size === 0 || text === accepted.at(-1)) stopping.abort();
    }
    expect([...missing]).toEqual([]);
  });
});
