/** Files in notes, over HTTP: what is taken, who may read it, how it is served, and when it is removed. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { noteFileLimits } from '@cloudfit/contract/note-files.ts';
import { viewMine } from '@cloudfit/contract/permissions.ts';
import { rawRoutes } from '../../../http/raw-calls.ts';
import { folderStore } from '../../packages/folder-store.ts';
import { sweepWork } from '../../packages/sweep.ts';
import { testPackageKey } from '../../../testing/packages/key.ts';
import { multipartOf } from '../../../testing/packages/zip.ts';
import { storeUnitFile } from './unit-files.ts';
import { createWorld, holder, type TestCaller, type TestWorld, type WorldReply } from '../../../testing/world.ts';

const maxNoteFileBytes = 1024 ** 2;
let folder: string;
let world: TestWorld;
let tenantId: string;
let otherId: string;
let me: TestCaller;
let unitId: number;
let png: Buffer;

const stored = async (): Promise<number> => {
  const parts = await readdir(join(folder, 'stored')).catch(() => []);
  return (await Promise.all(parts.map((part) => readdir(join(folder, 'stored', part))))).flat().length;
};
const newUnit = async (caller = me, tenant = tenantId): Promise<number> => {
  const unit = { workUnitId: -1, title: 'Gateway is silent', workUnitTypeId: 1, severityId: 'Sev3', tenantId: tenant };
  return Number((await world.call(caller, 'PUT', '/v1/workUnits', unit)).body['workUnitId']);
};
function send(name: string, content: Buffer, caller: TestCaller | null = me, id = unitId): Promise<WorldReply> {
  const { body, headers } = multipartOf({}, [content], [name]);
  return world.call(caller, 'POST', `/v1/workunits/${id}/files`, body, headers);
}
const read = (id: unknown, caller: TestCaller | null = me, query = '') =>
  world.call(caller, 'GET', `/v1/workunits/files/${String(id)}${query}`);
const faultOf = ({ status, body }: WorldReply) =>
  `${status} ${(body['error'] as { details?: { message: string }[] } | undefined)?.details?.[0]?.message ?? ''}`;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'note-files-'));
  const store = folderStore(join(folder, 'stored'));
  const files = { store, key: testPackageKey(), incoming: join(folder, 'incoming'), maxBytes: 1, maxNoteFileBytes };
  world = await createWorld({ rawRoutes: rawRoutes({ files } as Parameters<typeof rawRoutes>[0]) });
  ({ tenantId } = await world.tenant('Northwind'));
  ({ tenantId: otherId } = await world.tenant('Southwind'));
  me = holder([tenantId]);
  unitId = await newUnit();
  png = await sharp({ create: { width: 900, height: 300, channels: 3, background: '#c00' } })
    .png()
    .toBuffer();
});
afterAll(async () => {
  await world.close();
  await rm(folder, { recursive: true, force: true });
});

it('stores an image, and serves it and its small form for saving alone', async () => {
  const answer = await send('../a :shot.png', png);
  expect([answer.status, answer.body]).toEqual([201, { id: expect.any(String), name: 'a _shot.png', size: png.length, isImage: true }]);
  const full = await read(answer.body['id']);
  expect(full.status).toBe(200);
  expect(full.headers).toMatchObject({
    'content-type': 'image/png',
    'content-length': String(png.length),
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
    'cache-control': 'private, no-cache',
  });
  expect(full.headers['content-disposition']).toMatch(/^attachment; /);
  const small = await read(answer.body['id'], me, '?small=true');
  expect(small.headers).toMatchObject({ 'content-type': 'image/webp', 'x-content-type-options': 'nosniff' });
  expect(Number(small.headers['content-length'])).toBeGreaterThan(0);
  const [row] = await world.system.db.query<{ thumbnail: Buffer | null }>({
    text: 'select thumbnail from work_unit_file where work_unit_file_id = $1',
    values: [answer.body['id']],
  });
  expect(await sharp(row?.thumbnail ?? undefined).metadata()).toMatchObject({ width: 480, height: 160 });
  // A photo of a phone that was held upright says only in its metadata which side is up; the small form has no metadata.
  const photo = await send('photo.jpg', await sharp(png).jpeg().withMetadata({ orientation: 6 }).toBuffer());
  const [upright] = await world.system.db.query<{ thumbnail: Buffer | null }>({
    text: 'select thumbnail from work_unit_file where work_unit_file_id = $1',
    values: [photo.body['id']],
  });
  expect(await sharp(upright?.thumbnail ?? undefined).metadata()).toMatchObject({ width: 160, height: 480 });
  const audit = await world.system.db.query({
    text: `select tenant_id from audit where entity = 'workUnitFiles' and entity_id = $1 and verb = 'create'`,
    values: [answer.body['id']],
  });
  expect(audit).toEqual([{ tenant_id: tenantId }]);
});

it('takes texts, archives and PDFs, which it serves as bytes, and no small form of them', async () => {
  for (const [name, content] of [
    ['app.log', '<script>alert(1)</script> started'],
    ['dump.zip', 'PK\x03\x04 x'],
    ['plan.pdf', '%PDF-1.7 x'],
  ] as const) {
    const answer = await send(name, Buffer.from(content, 'latin1'));
    expect([answer.status, answer.body['isImage']]).toEqual([201, false]);
    expect((await read(answer.body['id'])).headers['content-type']).toBe('application/octet-stream');
    expect((await read(answer.body['id'], me, '?small=true')).status).toBe(404);
  }
});

it('refuses what it does not take, by content and not by name, and stores none of it', async () => {
  const before = await stored();
  const refused = async (name: string, content: string | Buffer) => faultOf(await send(name, Buffer.from(content as string, 'latin1')));
  for (const name of ['page.html', 'icon.svg', 'run.exe', 'run.sh', 'shot', '.png', 'a.__proto__'])
    expect(await refused(name, 'x')).toContain('400 ');
  expect(await refused('icon.svg', '<svg onload="alert(1)"/>')).toContain('is of a type that notes do not take');
  expect(await refused('shot.png', '<svg onload="alert(1)"/>')).toContain('is not what its name says');
  expect(await refused('shot.jpg', png.toString('latin1'))).toContain('is not what its name says');
  expect(await refused('plan.pdf', 'MZ')).toContain('is not what its name says');
  expect(await refused('app.log', 'MZ\0\0')).toContain('is not what its name says');
  expect(await refused('shot.png', png.subarray(0, 60).toString('latin1'))).toContain('is no image that can be shown');
  expect(await refused('app.log', '')).toContain('is empty');
  expect((await send('app.log', Buffer.alloc(maxNoteFileBytes + 1, 'x'))).status).toBe(413);
  expect(await stored()).toBe(before);
  expect(await readdir(join(folder, 'incoming'))).toEqual([]);
});

it('gives files to those alone who may view the unit, and takes them from those who may edit it', async () => {
  const viewer = holder([tenantId], ['CloudFit.CFS.WorkUnits:view']);
  const outsider = holder([otherId]);
  const { id } = (await send('shot.png', png)).body;
  expect((await read(id, viewer)).status).toBe(200);
  expect((await read(id, null)).status).toBe(401);
  expect((await read(id, holder([tenantId], ['CloudFit.CFS.Locations:view']))).status).toBe(403);
  expect((await read(id, outsider)).status).toBe(404);
  expect((await read(id, outsider, '?small=true')).status).toBe(404);
  expect((await read('0197a3b0-1111-7222-8333-444455556666')).status).toBe(404);
  const before = await stored();
  expect((await send('shot.png', png, null)).status).toBe(401);
  expect((await send('shot.png', png, viewer)).status).toBe(403);
  expect((await send('shot.png', png, outsider)).status).toBe(404);
  expect((await send('shot.png', png, holder([tenantId, otherId]), 999_999)).status).toBe(404);
  expect(await stored()).toBe(before);
});

it('deletes a file for its author and for who may delete units: the row says by whom, the bytes go', async () => {
  const person = (name: string, ...verbs: string[]): TestCaller => ({
    ...holder(
      [tenantId],
      verbs.map((verb) => `CloudFit.CFS.WorkUnits:${verb}`),
    ),
    actor: { kind: 'person', id: crypto.randomUUID(), name, userName: `${name}@example.com` },
  });
  const remove = (id: unknown, caller: TestCaller | null) => world.call(caller, 'DELETE', `/v1/workunits/files/${String(id)}`);
  const [ada, bo, viewer] = [person('Ada', 'view', 'edit'), person('Bo', 'view', 'edit'), person('Vi', 'view')];
  const boss = person('Boss', 'view', 'delete');
  const merged = await newUnit();
  const [mine, other] = [
    (await send('shot.png', png, ada, merged)).body['id'],
    (await send('app.log', Buffer.from('x'), ada, merged)).body['id'],
  ];
  expect((await world.call(me, 'POST', `/v1/workUnits/${unitId}/merge`, { ids: [merged] })).status).toBe(200);
  const before = await stored();
  expect((await remove(mine, null)).status).toBe(401);
  expect((await remove(mine, viewer)).status).toBe(403);
  const refused = await remove(mine, bo);
  expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('Only Ada@example.com, who added shot.png,')]);
  expect((await remove(mine, holder([otherId]))).status).toBe(404);
  expect((await remove('x', ada)).status).toBe(400);
  expect(await stored()).toBe(before);

  const both = await Promise.all([remove(mine, ada), remove(mine, ada)]);
  expect(both.map(({ status }) => status).toSorted()).toEqual([204, 404]);
  expect((await remove(other, boss)).status).toBe(204);
  expect(await stored()).toBe(before - 2);
  const deleted = await read(mine);
  expect([deleted.status, deleted.text]).toEqual([404, expect.stringContaining('shot.png was deleted by Ada@example.com.')]);
  expect((await read(mine, me, '?small=true')).text).toContain('was deleted by');
  const audit = await world.system.db.query({
    text: `select actor_name, before from audit where entity = 'workUnitFiles' and entity_id = $1 and verb = 'delete'`,
    values: [mine],
  });
  expect(audit).toEqual([{ actor_name: 'Ada@example.com', before: { workUnitId: merged, name: 'shot.png' } }]);
});

it('moves the files of a unit with it to another tenant', async () => {
  const both = holder([tenantId, otherId]);
  const id = await newUnit();
  const file = (await send('shot.png', png, me, id)).body['id'];
  expect((await world.call(both, 'POST', `/v1/workUnits/${id}`, { tenantId: otherId })).status).toBe(200);
  expect((await read(file)).status).toBe(404);
  expect((await read(file, holder([otherId]))).status).toBe(200);
});

it('removes the bytes of a file whose row is gone with its unit, and no others', async () => {
  const id = await newUnit();
  await send('shot.png', png, me, id);
  const before = await stored();
  const sweep = sweepWork(folderStore(join(folder, 'stored')), join(folder, 'incoming'), () => Date.now() + 2 * 3_600_000);
  await sweep.run(world.system.db);
  expect(await stored()).toBe(before);
  await world.system.db.query({ text: 'delete from work_unit_file where work_unit_id = $1', values: [id] });
  await sweep.run(world.system.db);
  expect(await stored()).toBe(before - 1);
});

it('keeps a file whose row was written although the database was lost before it said so', async () => {
  const store = folderStore(join(folder, 'stored'));
  const path = join(folder, 'lost.log');
  await writeFile(path, 'started');
  const ctx = world.ctx(me);
  const lost = async <T>(work: Parameters<typeof ctx.db.transaction<T>>[0]): Promise<T> => {
    await ctx.db.transaction(work);
    throw new Error('Connection terminated');
  };
  const file = { part: 'file-1', fileName: 'lost.log', path, size: 7, sha256: '0'.repeat(64) };
  await expect(storeUnitFile({ ...ctx, db: { ...ctx.db, transaction: lost } }, store, unitId, file)).rejects.toThrow(
    'Connection terminated',
  );
  const [row] = await world.system.db.query<{ id: string }>({
    text: "select work_unit_file_id as id from work_unit_file where name = 'lost.log'",
  });
  expect((await read(row?.id)).text).toBe('started');
});

it('takes so many files of a unit, and keeps none that it refuses', async () => {
  const id = await newUnit();
  await world.system.db.query({
    text: `insert into work_unit_file (tenant_id, work_unit_id, name, content_type, size, sha256, storage_name, created_by)
      select $1, $2, 'x.log', 'text/plain', 1, '', 'none ' || gen_random_uuid(), 'test' from generate_series(2, $3) n`,
    values: [tenantId, id, noteFileLimits.perUnit],
  });
  expect((await send('last.log', Buffer.from('x'), me, id)).status).toBe(201);
  const before = await stored();
  expect((await send('more.log', Buffer.from('x'), me, id)).status).toBe(409);
  expect(await stored()).toBe(before);
});

it('takes files of customers for their own requests, and shows them those of both sides that are for them', async () => {
  const customer = (name: string, tenant = tenantId): TestCaller => ({
    ...holder([tenant], [viewMine]),
    actor: { kind: 'person', id: randomUUID(), name, userName: `${name}@example.com` },
  });
  const [mara, bo, fay] = [customer('mara'), customer('bo'), customer('fay', otherId)];
  const request = { title: 'My screen is dark', description: 'Since today.', stakeHolderPhoneNumber: '1', tenantId };
  const id = Number((await world.call(mara, 'PUT', '/v1/rc/workunits', request)).body['workUnitId']);
  const sent = await send('shot.png', png, mara, id);
  expect(sent.status).toBe(201);
  expect((await read(sent.body['id'], mara)).status).toBe(200);
  expect((await read(sent.body['id'], mara, '?small=true')).headers['content-type']).toBe('image/webp');
  expect((await read(sent.body['id'], me)).status).toBe(200);
  for (const outsider of [bo, fay]) {
    expect((await read(sent.body['id'], outsider)).status).toBe(404);
    expect([403, 404]).toContain((await send('shot.png', png, outsider, id)).status);
  }
  // Nor to a unit of the tenant that is not their request.
  expect([403, 404]).toContain((await send('shot.png', png, mara)).status);
  expect(faultOf(await send('icon.svg', Buffer.from('<svg/>'), mara, id))).toContain('is of a type that notes do not take');

  const inside = (await send('plan.png', png, me, id)).body['id'];
  const note = (detail: string, isExternalNote: boolean) =>
    world.call(me, 'PUT', '/v1/workunitnotes', { workUnitId: id, detail, isExternalNote });
  expect((await read(inside, mara)).status).toBe(404);
  expect((await note(`For us: ![plan.png](file:${String(inside)})`, false)).status).toBe(201);
  expect((await read(inside, mara)).status).toBe(404);
  // A customer who names the file of somebody else gets nothing by it.
  const claim = await world.call(mara, 'POST', `/v1/workunits/rc/${id}/reply`, { text: `![x](file:${String(inside)})` });
  expect(claim.status).toBe(200);
  expect((await read(inside, mara)).status).toBe(404);
  expect((await note(`For you: ![plan.png](file:${String(inside)})`, true)).status).toBe(201);
  expect((await read(inside, mara)).status).toBe(200);
  expect((await read(inside, bo)).status).toBe(404);
  // A note on another request gives nothing of a file that is not its own.
  const other = Number((await world.call(bo, 'PUT', '/v1/rc/workunits', request)).body['workUnitId']);
  await world.call(me, 'PUT', '/v1/workunitnotes', { workUnitId: other, detail: `![x](file:${String(inside)})`, isExternalNote: true });
  expect((await read(inside, bo)).status).toBe(404);

  await world.system.db.query({
    text: `insert into work_unit_file (tenant_id, work_unit_id, name, content_type, size, sha256, storage_name, created_by, is_from_customer)
      select $1, $2, 'x.log', 'text/plain', 1, '', 'none ' || gen_random_uuid(), 'test', true from generate_series(3, $3) n`,
    values: [tenantId, id, noteFileLimits.fromCustomer],
  });
  expect((await send('last.log', Buffer.from('x'), mara, id)).status).toBe(201);
  expect((await send('more.log', Buffer.from('x'), mara, id)).status).toBe(409);
  expect((await send('desk.log', Buffer.from('x'), me, id)).status).toBe(201);
});
