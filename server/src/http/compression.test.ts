/** Answers are compressed for clients that accept it. */
import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import Fastify from 'fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { keptDocument, sendDocument } from './docs/document.ts';
import { createWorld, holder, type TestWorld } from '../testing/world.ts';

let world: TestWorld;
let root: string;
let authorization: string;

beforeAll(async () => {
  world = await createWorld();
  const { tenantId } = await world.tenant();
  await world.system.db.query({
    text: "insert into work_unit (tenant_id, title, work_unit_type_id, created_by, modified_by) select $1, 'Unit ' || n, 1, 'test', 'test' from generate_series(1, 90) n",
    values: [tenantId],
  });
  ({ root, authorization } = await world.connect(holder([tenantId])));
});
afterAll(() => world.close());

interface Read {
  body: Buffer;
  encoding: string | undefined;
  vary: string;
  length: string | undefined;
}

function read(path: string, encodings?: string): Promise<Read> {
  return new Promise((resolve, reject) => {
    const headers = { authorization, ...(encodings === undefined ? {} : { 'accept-encoding': encodings }) };
    request(new URL(path, root), { headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () =>
        resolve({
          body: Buffer.concat(chunks),
          encoding: answer.headers['content-encoding'],
          vary: String(answer.headers['vary']),
          length: answer.headers['content-length'],
        }),
      );
    })
      .on('error', reject)
      .end();
  });
}

it.each(['/v1/workUnits?$orderby=title', '/v1/$metadata', '/v1/workUnits/Export()'])('is offered for %s', async (path) => {
  const plain = await read(path);
  expect(plain.encoding).toBeUndefined();
  const brotli = await read(path, 'gzip, deflate, br');
  expect(brotli.encoding).toBe('br');
  expect(brotliDecompressSync(brotli.body).equals(plain.body)).toBe(true);
  expect(brotli.vary).toContain('accept-encoding');
  const gzip = await read(path, 'gzip');
  expect(gzip.encoding).toBe('gzip');
  expect(gunzipSync(gzip.body).equals(plain.body)).toBe(true);
  expect(gzip.body.length).toBeLessThan(plain.body.length / 3);
});

it('is not worth its time for a small answer, and not done for a client that accepts none of it', async () => {
  expect((await read('/v1/workUnits?$top=1', 'gzip, br')).encoding).toBeUndefined();
  expect((await read('/v1/workUnits', 'zstd')).encoding).toBeUndefined();
});

it('is done once for documents that are the same for everybody, and kept', async () => {
  for (const path of ['/v1/openapi.json', '/v1/$metadata', '/v1/$metadata?$format=json', '/v1/', '/docs', '/docs/swagger-ui-bundle.js'])
    for (const encoding of ['br', 'gzip']) {
      const answer = await read(path, `identity, ${encoding}`);
      // An answer that is compressed while it is sent has no length.
      expect([path, answer.encoding, answer.length]).toEqual([path, encoding, String(answer.body.length)]);
      expect(answer.vary).toContain('accept-encoding');
    }
  expect((await read('/v1/openapi.json', 'br;q=0, gzip')).encoding).toBe('gzip');
  const storedDocument = keptDocument('text/plain', 'x'.repeat(10_000));
  const app = Fastify().get('/', (request, reply) => sendDocument(request, reply, storedDocument));
  await app.inject({ url: '/', headers: { 'accept-encoding': 'br' } });
  const first = storedDocument.compressed.br;
  const again = await app.inject({ url: '/', headers: { 'accept-encoding': 'br' } });
  expect(first).toBeDefined();
  expect(storedDocument.compressed.br).toBe(first);
  expect(brotliDecompressSync(again.rawPayload).equals(storedDocument.content)).toBe(true);
  expect((await app.inject({ url: '/', headers: { 'if-none-match': storedDocument.etag } })).statusCode).toBe(304);
});
