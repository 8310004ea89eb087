/** Zips that agents would refuse are refused at the upload; a file that changed in the store is not served as good. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ZipFile } from 'yazl';
import { rawRoutes } from '../../http/raw-calls.ts';
import { manifestOf, multipartOf, zipOf } from '../../testing/packages/zip.ts';
import { testPackageKey } from '../../testing/packages/key.ts';
import { createWorld, holder, type TestCaller, type TestWorld, type WorldReply } from '../../testing/world.ts';
import { folderStore } from './folder-store.ts';

let folder: string;
let world: TestWorld;
let tenantId: string;
let me: TestCaller;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'zips-'));
  const files = {
    store: folderStore(join(folder, 'kept')),
    key: testPackageKey(),
    incoming: join(folder, 'incoming'),
    maxBytes: 1024 ** 2,
  };
  world = await createWorld({ rawRoutes: rawRoutes({ files } as Parameters<typeof rawRoutes>[0]) });
  ({ tenantId } = await world.tenant());
  me = holder([tenantId]);
});
afterAll(async () => {
  await world.close();
  await rm(folder, { recursive: true, force: true });
});

function upload(zip: Buffer): Promise<WorldReply> {
  const { body, headers } = multipartOf({ label: 'A build', tenantId }, [zip]);
  return world.call(me, 'POST', '/v1/packages/upload', body, headers);
}

const manifest = JSON.stringify(manifestOf());
const good = { 'cloudfit.json': manifest, 'bin/metrics.js': 'console.log(1);' };

/** A zip with this entry of this Unix mode beside those of a good package. */
function withMode(name: string, mode: number, rest: Readonly<Record<string, string>>): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [path, content] of Object.entries(rest)) zip.addBuffer(Buffer.from(content), path);
  zip.addBuffer(Buffer.from('/etc/passwd'), name, { mode });
  zip.end();
  return buffer(zip.outputStream);
}

/** The zip with each occurrence of these bytes replaced by others of the same length. */
function replaced(zip: Buffer, from: string, to: string): Buffer {
  return Buffer.from(zip.toString('latin1').replaceAll(from, to), 'latin1');
}

/** The zip in whose directory each entry has this unpacked size, but the manifest. */
function declaring(zip: Buffer, size: number): Buffer {
  const copy = Buffer.from(zip);
  for (let at = copy.indexOf('PK\x01\x02'); at >= 0; at = copy.indexOf('PK\x01\x02', at + 4))
    if (
      !copy
        .subarray(at + 46)
        .toString('latin1')
        .startsWith('cloudfit.json')
    )
      copy.writeUInt32LE(size, at + 24);
  return copy;
}

/** The zip whose last entry of the directory has the bytes of the first. */
function overlapping(zip: Buffer): Buffer {
  const copy = Buffer.from(zip);
  const last = copy.lastIndexOf('PK\x01\x02');
  copy.writeUInt32LE(copy.readUInt32LE(copy.indexOf('PK\x01\x02') + 42), last + 42);
  return copy;
}

const zips: Record<string, [() => Promise<Buffer>, string]> = {
  'a link as a file': [() => withMode('lib/link', 0o120777, good), 'holds lib/link, which is a link or a special file.'],
  'a link as the executable': [
    () => withMode('bin/metrics.js', 0o120777, { 'cloudfit.json': manifest }),
    'holds bin/metrics.js, which is a link or a special file.',
  ],
  'a device': [() => withMode('disk', 0o060644, good), 'holds disk, which is a link or a special file.'],
  'two manifests': [
    async () => replaced(await zipOf({ ...good, 'cloudfit.jsoX': manifest }), 'cloudfit.jsoX', 'cloudfit.json'),
    'holds cloudfit.json twice.',
  ],
  'two manifests by case': [() => zipOf({ ...good, 'CloudFit.json': manifest }), 'holds CloudFit.json twice.'],
  'names that differ by case': [() => zipOf({ ...good, 'a.txt': '1', 'A.txt': '2' }), 'holds A.txt twice.'],
  'a name of one composition in two ways': [
    () => zipOf({ ...good, 'caf\u00e9.txt': '1', 'cafe\u0301.txt': '2' }),
    'holds cafe\u0301.txt twice.',
  ],
  'a file as a folder': [() => zipOf({ ...good, lib: '1', 'LIB/x': '2' }), 'holds LIB/x inside a file.'],
  'a name with NUL': [
    async () => replaced(await zipOf({ ...good, 'nameX.txt': '1' }), 'nameX.txt', 'name\0.txt'),
    'holds a file with a name that is not allowed: name?.txt.',
  ],
  'a name with a colon': [() => zipOf({ ...good, 'bin/a:x': '1' }), 'holds a file with a name that is not allowed: bin/a:x.'],
  'files in the same bytes': [
    async () => overlapping(await zipOf({ ...good, z: '1' })),
    'holds cloudfit.json and another file in the same bytes.',
  ],
  'a file that is longer than it says': [
    async () => declaring(await zipOf({ ...good, zeros: Buffer.alloc(100_000) }), 10),
    'is a damaged zip file: too many bytes in the stream. expected 10. got at least 15.',
  ],
};

it.each(Object.keys(zips))('refuses %s', async (name) => {
  const [make, message] = zips[name] ?? [];
  const zip = await make?.();
  const answer = await upload(zip ?? Buffer.alloc(0));
  const { details } = (answer.body['error'] ?? {}) as { details?: { message: string }[] };
  expect([answer.status, details?.map((detail) => detail.message)]).toEqual([400, [`package 1.zip: ${message}`]]);
  expect(await readdir(join(folder, 'kept')).catch(() => [])).toEqual([]);
});

it('accepts a good one, and notices at the download that its stored bytes have changed', async () => {
  const answer = await upload(await zipOf({ ...good, 'large.bin': randomBytes(300_000) }));
  const [version] = answer.body.value ?? [];
  const path = `/v1/packages/${String(version?.['packageId'])}/versions/${String(version?.['packageVersionId'])}/content`;
  const { root, authorization } = await world.connect(me);
  const read = (headers: Record<string, string> = {}) => fetch(`${root}${path.slice(3)}`, { headers: { authorization, ...headers } });
  const whole = Buffer.from(await (await read()).arrayBuffer());
  expect(whole.length).toBeGreaterThan(70_000);
  const part = await read({ range: 'bytes=10-19' });
  expect([part.status, Buffer.from(await part.arrayBuffer()).equals(whole.subarray(10, 20))]).toEqual([206, true]);
  const [shard = ''] = await readdir(join(folder, 'kept'));
  const [name = ''] = await readdir(join(folder, 'kept', shard));
  const file = join(folder, 'kept', shard, name);
  const bytes = await readFile(file);
  bytes[50_000] = (bytes[50_000] ?? 0) ^ 1;
  await writeFile(file, bytes);
  // The answer of a large file begins before its last bytes are known, and never ends as a whole.
  await expect(read().then((reply) => (reply.ok ? reply.arrayBuffer() : Promise.reject(new Error(String(reply.status)))))).rejects.toThrow(
    /terminated|aborted|other side closed/,
  );
  const range = await read({ range: 'bytes=10-19' });
  expect(range.headers.get('content-disposition')).toBeNull();
  expect([range.status, await range.json()]).toMatchObject([
    409,
    { error: { message: 'The stored file of this version has changed. Upload the version again, or restore its file from a backup.' } },
  ]);
});
