/** The S3 store against a real S3-compatible server, started here. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { s3Key, startS3Server } from '../testing/s3-server.ts';
import type { S3Options } from './s3-client.ts';
import { s3Store } from './s3-store.ts';

let folder: string;
let stop: () => Promise<void>;
let options: S3Options;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 's3-'));
  const server = await startS3Server(join(folder, 'data'), 'cloudfit');
  stop = server.stop;
  options = {
    endpoint: `http://127.0.0.1:${server.port}/`,
    bucket: 'cloudfit',
    region: 'us-east-1',
    accessKeyId: s3Key,
    secretAccessKey: s3Key,
  };
});
afterAll(async () => {
  await stop();
  await rm(folder, { recursive: true, force: true });
});

const nameOf = (): string => randomBytes(24).toString('hex');

async function fileOf(content: Buffer): Promise<{ path: string; size: number; sha256: string }> {
  const path = join(folder, nameOf());
  await writeFile(path, content);
  return { path, size: content.length, sha256: createHash('sha256').update(content).digest('hex') };
}

async function listed(then: Date): Promise<string[]> {
  const names: string[] = [];
  for await (const name of s3Store(options).keptBefore(then)) names.push(name);
  return names;
}

it('keeps a file, gives it back as it was and forgets it', async () => {
  const store = s3Store(options);
  const content = randomBytes(3 * 1024 ** 2 + 7);
  const { path, ...file } = await fileOf(content);
  const name = nameOf();
  await store.keep(name, path, file);
  await expect(stat(path)).rejects.toThrow(/ENOENT/);
  expect((await buffer(await store.open(name))).equals(content)).toBe(true);
  expect(await listed(new Date(Date.now() + 60_000))).toContain(name);
  expect(await listed(new Date(Date.now() - 60_000))).toEqual([]);
  await store.remove(name);
  await store.remove(name);
  await expect(store.open(name)).rejects.toThrow('The file store answered 404 (NoSuchKey) to GET.');
});

it('signs calls with the session token of temporary keys', async () => {
  const received: IncomingHttpHeaders[] = [];
  const recorder = createServer((request, response) => {
    received.push(request.headers);
    response.end();
  });
  await new Promise<void>((done) => recorder.listen(0, '127.0.0.1', done));
  const endpoint = `http://127.0.0.1:${(recorder.address() as AddressInfo).port}`;
  for (const sessionToken of ['of an hour', undefined]) await s3Store({ ...options, endpoint, sessionToken }).remove('a');
  recorder.close();
  expect(received.map((headers) => headers['x-amz-security-token'])).toEqual(['of an hour', undefined]);
  expect(received.map((headers) => /SignedHeaders=[^,]*x-amz-security-token/.test(headers.authorization ?? ''))).toEqual([true, false]);
});

it('keeps nothing without a key that the store knows, and leaves the file where it is', async () => {
  const { path, ...file } = await fileOf(Buffer.from('x'));
  await expect(s3Store({ ...options, accessKeyId: 'wrong' }).keep(nameOf(), path, file)).rejects.toThrow(
    'The file store answered 403 (InvalidAccessKeyId) to PUT.',
  );
  expect((await stat(path)).size).toBe(1);
});

it('lists more than one page', async () => {
  const store = s3Store(options);
  const names = Array.from({ length: 1_005 }, nameOf);
  for (let at = 0; at < names.length; at += 67)
    await Promise.all(
      names.slice(at, at + 67).map(async (name) => {
        const { path, ...file } = await fileOf(Buffer.alloc(0));
        await store.keep(name, path, file);
      }),
    );
  expect((await listed(new Date(Date.now() + 60_000))).toSorted()).toEqual(names.toSorted());
});
