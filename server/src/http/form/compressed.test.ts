/** Compressed bodies: read on every call, in each encoding, within limits; what cannot be read is refused. */
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openIngest, type Ingest } from '../../ingest/accept.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../testing/world.ts';
import { rawRoutes } from '../raw-calls.ts';

let world: TestWorld;
let ingest: Ingest;
let agent: TestCaller;
let me: TestCaller;
let tenantId: string;
let deviceId: string;

beforeAll(async () => {
  const parts = { ingest: (ctx, body, type) => ingest.ingestBody(ctx, body, type) } satisfies Partial<Parameters<typeof rawRoutes>[0]>;
  const raw = rawRoutes({ ...parts, files: {} } as unknown as Parameters<typeof rawRoutes>[0]);
  world = await createWorld({ rawRoutes: raw.filter(({ action }) => action.path === '/v1/packets') });
  ingest = await openIngest({ database: world.database, log: pino({ level: 'silent' }) });
  const tenant = await world.tenant();
  ({ tenantId } = tenant);
  me = holder([tenantId]);
  agent = { ...holder([tenantId], []), actor: { kind: 'token', id: crypto.randomUUID(), name: 'agents', scopes: ['ingest'] } };
  const device = await world.call(me, 'PUT', '/v1/devices', { name: 'web-1', tenantId, subscriptionId: tenant.subscriptionId });
  deviceId = String(device.body['deviceId']);
});
afterAll(async () => {
  await ingest.stop();
  await world.close();
});

const mark = Buffer.from([0xef, 0xbb, 0xbf]);
const pack = {
  gzip: (text: string) => gzipSync(text),
  'X-GZip': (text: string) => gzipSync(text),
  deflate: (text: string) => deflateSync(text),
  'deflate ': (text: string) => deflateRawSync(text),
  br: (text: string) => brotliCompressSync(text),
  zstd: (text: string) => zstdCompressSync(text),
  // Written in two pieces, as a sender does that flushes.
  'zstd ': (text: string) => Buffer.concat([zstdCompressSync(text.slice(0, 20)), zstdCompressSync(text.slice(20))]),
  'gzip ': (text: string) => Buffer.concat([gzipSync(text.slice(0, 20)), gzipSync(text.slice(20))]),
  identity: (text: string) => Buffer.from(text),
  IDENTITY: (text: string) => Buffer.concat([mark, Buffer.from(text)]),
};
const packet = (value: number, filler = '') => JSON.stringify({ entityId: deviceId, message: { Value: value, Properties: { filler } } });
const text = (error: unknown) => (error as { message: string }).message;

it.each(Object.entries(pack))('is read as %s on every call with a body', async (encoding, compress) => {
  const headers = { 'content-encoding': encoding };
  const lines = `${packet(1)}\n${packet(2)}\n`;
  const sent = await world.call(agent, 'POST', '/v1/packets', compress(lines), { ...headers, 'content-type': 'application/x-ndjson' });
  expect(sent.body.value?.map(({ status }) => status)).toEqual(['stored', 'stored']);
  const large = await world.call(agent, 'POST', '/v1/packets', compress(`[${packet(3, 'x'.repeat(70_000))}]`), headers);
  expect(large.body.value?.map(({ status }) => status)).toEqual(['stored']);
  const name = `Hall ${encoding}${crypto.randomUUID()}`;
  const created = await world.call(me, 'PUT', '/v1/locations', compress(JSON.stringify({ name, tenantId })), headers);
  expect([created.status, created.body['name']]).toEqual([201, name.trim()]);
  const requests = [{ id: '1', method: 'GET', url: 'locations/$count' }];
  const batch = await world.call(me, 'POST', '/v1/$batch', compress(JSON.stringify({ requests })), headers);
  expect(batch.body['responses']).toMatchObject([{ status: 200 }]);
  const multipart = '--b\r\nContent-Type: application/http\r\n\r\nGET locations/$count HTTP/1.1\r\n\r\n\r\n--b--\r\n';
  const mixed = { ...headers, 'content-type': 'multipart/mixed; boundary=b' };
  expect((await world.call(me, 'POST', '/v1/$batch', compress(multipart), mixed)).text).toContain('HTTP/1.1 200');
});

it('is refused when it is not what its header says, and nothing is stored', async () => {
  for (const encoding of ['gzip', 'deflate', 'br', 'zstd'] as const)
    for (const body of [
      Buffer.from(packet(1)),
      pack[encoding](packet(1)).subarray(0, -3),
      Buffer.concat([pack[encoding](packet(1)), mark]),
    ]) {
      const answer = await world.call(agent, 'POST', '/v1/packets', body, { 'content-encoding': encoding });
      expect([encoding, answer.status, text(answer.body['error'])]).toEqual([
        encoding,
        400,
        `The body is not ${encoding} as Content-Encoding says, or not the whole of it.`,
      ]);
    }
});

it('is refused in encodings that are not read, which the answer names', async () => {
  for (const encoding of ['compress', 'gzip, br', 'constructor']) {
    const answer = await world.call(agent, 'POST', '/v1/packets', gzipSync(packet(1)), { 'content-encoding': encoding });
    expect([answer.status, answer.headers['accept-encoding']]).toEqual([415, 'gzip, deflate, br, zstd']);
    expect(text(answer.body['error'])).toContain(encoding);
  }
  const form = await world.call(me, 'POST', '/v1/$batch', gzipSync('x'), {
    'content-encoding': 'gzip',
    'content-type': 'multipart/form-data; boundary=b',
  });
  expect([form.status, form.headers['accept-encoding']]).toEqual([415, 'identity']);
});

it('has limits that count unpacked bytes', async () => {
  const bomb = Buffer.alloc(64 * 1_048_576, 32);
  for (const [encoding, body] of [
    ['gzip', gzipSync(bomb)],
    ['br', brotliCompressSync(bomb)],
    ['zstd', zstdCompressSync(bomb)],
    ['deflate', deflateSync(bomb)],
    // Within the limit of this call, but no data shrink to a thousandth.
    ['gzip', gzipSync(bomb.subarray(0, 4 * 1_048_576))],
  ] as const) {
    const headers = { 'content-encoding': encoding };
    expect((await world.call(agent, 'POST', '/v1/packets', body, headers)).status).toBe(413);
    expect((await world.call(me, 'PUT', '/v1/locations', body, headers)).status).toBe(413);
  }
  const many = Buffer.concat(Array.from({ length: 2_000 }, () => zstdCompressSync('')));
  expect((await world.call(agent, 'POST', '/v1/packets', many, { 'content-encoding': 'zstd' })).status).toBe(400);
});
