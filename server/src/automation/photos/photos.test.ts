/**
 * Photos of people over HTTP: uploaded, removed, visible to those who share a tenant; and downloaded from a real host of an
 * identity provider.
 */
import { createHash } from 'node:crypto';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { deflateSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import sharp from 'sharp';
import { seeAsHeader } from '@cloudfit/contract/see-as.ts';
import { photoLimits } from '@cloudfit/contract/photos.ts';
import { systemCtx } from '../../auth/system-ctx.ts';
import { rawRoutes } from '../../http/raw-calls.ts';
import { jobRegistry } from '../../jobs/job.ts';
import { startWorker, type Worker } from '../../jobs/worker.ts';
import { openOutboundHttp } from '../../outbound/http.ts';
import { silent, until } from '../../rules/testing/flow.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../testing/world.ts';
import { fetchPhotoJob, photosWork } from './fetch-photos.ts';

let world: TestWorld;
let worker: Worker;
let host: Server;
let answer: RequestListener;
let requests: string[] = [];
let [tenantId, otherId] = ['', ''];
// The host of the photos has two names here, only one of which the operator allows.
const http = openOutboundHttp({
  allow: ['pictures.test'],
  resolve: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]),
});

function chunk(type: string, data: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(data.length);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, data, Buffer.alloc(4)]);
}
/** A PNG of this size in pixels, padded with `bytes` bytes. */
function png(width: number, height = width, bytes = 0): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width);
  header.writeUInt32BE(height, 4);
  header.set([8, 2], 8);
  const parts = [Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), chunk('IHDR', header), chunk('tEXt', Buffer.alloc(bytes, 'x'))];
  return Buffer.concat([...parts, chunk('IDAT', deflateSync(Buffer.alloc(width * 3))), chunk('IEND', Buffer.alloc(0))]);
}
const jpeg = Buffer.from(
  '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQH/wAALCAABAAEBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAACf/EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AVN//2Q==',
  'base64',
);
const webp = Buffer.from('UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAAgA0JaQAA3AA/vv9UAA=', 'base64');
const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>');
const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex');

async function person(name: string, tenant: string | null, picture: string | null = null) {
  const [row] = await world.system.db.query<{ id: string }>({
    text: `with p as (insert into person (name, user_name, issuer, subject, picture) values ($1, $1 || '@example.com', 'https://id.example.org', $1, $3) returning person_id),
      g as (insert into access_grant (person_id, permission_set_id, tenant_id) select person_id, (select permission_set_id from permission_set limit 1), $2 from p)
      select person_id as id from p`,
    values: [name, tenant, picture],
  });
  const id = row?.id ?? '';
  const actor: TestCaller['actor'] = { kind: 'person', id, name, userName: `${name}@example.com` };
  return { id, ...holder(tenant ? [tenant] : [], []), actor };
}

const put = (caller: TestCaller | null, content: Buffer | string) =>
  world.call(caller, 'PUT', '/v1/currentUser/photo', { content: typeof content === 'string' ? content : content.toString('base64') });
/** Gets bytes over a real connection. */
async function get(caller: TestCaller, path: string, headers: Record<string, string> = {}) {
  const { root, authorization } = await world.connect(caller);
  const reply = await fetch(`${root.replace(/\/v1$/, '')}${path}`, { headers: { authorization, ...headers } });
  return { status: reply.status, headers: reply.headers, content: Buffer.from(await reply.arrayBuffer()) };
}
const photoOf = async (id: string) =>
  (
    await world.system.db.query<{ photo: string | null; problem: string | null; tried: string | null }>({
      text: 'select photo, picture_problem as problem, picture_tried as tried from person where person_id = $1',
      values: [id],
    })
  )[0];
const address = async (caller: TestCaller, userName: string) =>
  (await world.call(caller, 'POST', '/v1/people/names', { userNames: [userName] })).body.value?.[0]?.['photo'];

beforeAll(async () => {
  world = await createWorld({ rawRoutes: rawRoutes({} as Parameters<typeof rawRoutes>[0]) });
  await world.system.db.query({ text: `insert into permission_set (name, permissions) values ('None', '[]')` });
  [tenantId, otherId] = [(await world.tenant()).tenantId, (await world.tenant()).tenantId];
  host = createServer((request, reply) => {
    requests.push(String(request.url));
    answer(request, reply);
  });
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
  worker = await startWorker({
    dataFolder: 'test',
    database: world.database,
    log: silent,
    jobs: jobRegistry([fetchPhotoJob(http)]),
    ctxFor: ({ correlationId }) => systemCtx({ database: world.database, log: silent, name: 'Automation', correlationId }),
  });
});
afterAll(async () => {
  await worker.stop();
  await http.close();
  host.closeAllConnections();
  await new Promise<void>((resolve) => host.close(() => resolve()));
  await world.close();
});

it('[API-028] answers the own photo as it was uploaded, replaced and removed, and nothing without one', async () => {
  const ada = await person('ada', tenantId);
  const ownPhoto = (headers = {}) => get(ada, '/api/auth/currentUserPhoto', headers);
  expect((await ownPhoto()).status).toBe(204);
  for (const [content, type] of [
    [png(64), 'image/png'],
    [jpeg, 'image/jpeg'],
    [webp, 'image/webp'],
  ] as const) {
    expect((await put(ada, content)).body).toEqual({ photo: sha256(content) });
    const { status, headers, content: bytes } = await ownPhoto();
    expect([status, headers.get('content-type'), headers.get('x-content-type-options')]).toEqual([200, type, 'nosniff']);
    expect(bytes.equals(content)).toBe(true);
    expect((await world.call(ada, 'GET', '/v1/currentUser')).body['photo']).toBe(sha256(content));
  }
  expect((await ownPhoto({ 'if-none-match': `"${sha256(webp)}"` })).status).toBe(304);
  expect((await world.call(ada, 'DELETE', '/v1/currentUser/photo')).status).toBe(204);
  expect((await ownPhoto()).status).toBe(204);
  const audit = await world.system.db.query<{ before: object | null; after: object | null }>({
    text: "select before, after from audit where entity = 'people' and entity_id = $1 order by at",
    values: [ada.id],
  });
  expect(audit).toHaveLength(4);
  expect(audit.at(-1)).toEqual({ before: { photo: sha256(webp) }, after: { photo: null } });
});

it('refuses what is no photo, by its bytes', async () => {
  const ben = await person('ben', tenantId);
  const why = async (content: Buffer | string) => {
    const { status, body } = await put(ben, content);
    return [status, (body['error'] as { details: { target: string; message: string }[] }).details[0]];
  };
  const wrong = [400, { target: 'content', message: 'The file is not a JPEG, PNG or WebP image.' }];
  expect(await why(svg)).toMatchObject(wrong);
  expect(await why(Buffer.from('GIF89a\x01\x00\x01\x00'))).toMatchObject(wrong);
  expect(await why(png(9).subarray(0, 12))).toMatchObject(wrong);
  expect(await why(Buffer.concat([Buffer.from([0xff, 0xd8, 0xff]), svg]))).toMatchObject(wrong);
  expect(await why(png(photoLimits.pixels + 1, 1))).toMatchObject([400, { message: expect.stringContaining('4097 x 1') as string }]);
  expect(await why(png(9, 9, photoLimits.bytes))).toMatchObject([400, { message: 'The photo is larger than 1 MiB.' }]);
  expect(await why('no base64!')).toMatchObject([400, { message: 'The content of the photo must be Base64.' }]);
  expect((await put(null, png(9))).status).toBe(401);
  expect((await put({ ...holder([tenantId]), actor: { kind: 'token', id: ben.id, name: 't', scopes: [] } }, png(9))).status).toBe(403);
  expect((await photoOf(ben.id))?.photo).toBeNull();
});

it('shows a photo to people who share a tenant with the person, by an address that browsers keep', async () => {
  const [cleo, mate, other] = [await person('cleo', tenantId), await person('mate', tenantId), await person('other', otherId)];
  await put(cleo, png(32));
  const path = String(await address(mate, 'cleo@example.com'));
  expect(path).toBe(`/v1/people/${cleo.id}/photo?v=${sha256(png(32))}`);
  expect(await address(other, 'cleo@example.com')).toBeUndefined();
  const reply = await get(mate, path);
  expect(reply.status).toBe(200);
  expect(reply.headers.get('cache-control')).toBe('private, max-age=604800, immutable');
  expect(reply.headers.get('vary')).toContain('authorization');
  expect((await get(mate, path, { 'if-none-match': String(reply.headers.get('etag')) })).status).toBe(304);
  expect((await get(mate, path.replace(/\?.*/, ''))).headers.get('cache-control')).toBe('private, no-cache');
  for (const caller of [other, holder([], [])]) expect((await get(caller, path)).status).toBe(404);
  expect((await get(holder('all', []), path)).status).toBe(200);
  expect((await get(mate, `/v1/people/${mate.id}/photo`)).status).toBe(404);
});

it('lets administrators remove the photo of a person, and nobody else', async () => {
  const dora = await person('dora', tenantId);
  await put(dora, png(16));
  const remove = (caller: TestCaller | null, headers = {}) =>
    world.call(caller, 'DELETE', `/v1/people/${dora.id}/photo`, undefined, headers);
  expect((await remove(null)).status).toBe(401);
  expect((await remove(holder([tenantId], ['CloudFit.CFS.People:view']))).status).toBe(403);
  expect((await remove(holder([otherId]))).status).toBe(404);
  expect((await remove(holder([tenantId]))).status).toBe(403);
  expect((await photoOf(dora.id))?.photo).toBe(sha256(png(16)));
  expect((await remove(holder('all'))).status).toBe(204);
  expect((await photoOf(dora.id))?.photo).toBeNull();
  const administrator: TestCaller = { ...holder('all'), actor: (await person('root', null)).actor };
  const impersonation = await world.call(administrator, 'POST', `/v1/people/${dora.id}/seeAs`, {});
  const isVisible = { [seeAsHeader]: String(impersonation.body['seeAsId']) };
  expect((await world.call(administrator, 'PUT', '/v1/currentUser/photo', { content: png(9).toString('base64') }, isVisible)).status).toBe(
    403,
  );
});

/** Runs the download of photos, and returns the person's row. */
async function afterTry(id: string) {
  await photosWork.run(world.system.db);
  await until(async () => {
    const jobs = await world.system.db.query({ text: 'select 1 from job' });
    return jobs.length === 0 ? true : undefined;
  });
  return photoOf(id);
}
const at = (path: string, name = 'pictures.test') => `http://${name}:${(host.address() as AddressInfo).port}${path}`;

/** An image of one colour with a note of where it was taken. */
const picture = (width: number, height: number, background = '#c03020') =>
  sharp({ create: { width, height, channels: 4, background } })
    .withExif({ IFD0: { Copyright: 'Taken at the plant' } })
    .webp({ lossless: true });
const contentOf = async (caller: TestCaller) => (await get(caller, '/api/auth/currentUserPhoto')).content;

it('takes over the photo of the identity provider once, and again when its address changes', async () => {
  requests = [];
  const [first, second] = [await picture(900, 600).toBuffer(), await picture(30, 40, '#2030c0').toBuffer()];
  answer = (_request, reply) => reply.writeHead(200, { 'content-type': 'text/plain' }).end(first);
  const eve = await person('eve', tenantId, at('/eve.webp'));
  const tried = await afterTry(eve.id);
  expect(tried).toMatchObject({ photo: sha256(await contentOf(eve)), problem: null, tried: at('/eve.webp') });
  expect((await get(eve, '/api/auth/currentUserPhoto')).headers.get('content-type')).toBe('image/jpeg');
  await afterTry(eve.id);
  expect(requests).toEqual(['/eve.webp']);
  answer = (_request, reply) => reply.end(second);
  await world.system.db.query({ text: 'update person set picture = $2 where person_id = $1', values: [eve.id, at('/eve-2.webp')] });
  expect((await afterTry(eve.id))?.photo).not.toBe(tried?.photo);
});

it('stores the photo of the provider as small, square and without metadata as one that is uploaded', async () => {
  const portrait = await picture(600, 900).toBuffer();
  // A photo stored on its side, as telephones do: the left half of the file is at the top of what people see.
  const turned = await sharp({ create: { width: 400, height: 400, channels: 3, background: '#c03020' } })
    .composite([
      {
        input: await sharp({ create: { width: 200, height: 400, channels: 3, background: '#2030c0' } })
          .png()
          .toBuffer(),
        left: 0,
        top: 0,
      },
    ])
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer();
  for (const [name, content] of [
    ['oda', portrait],
    ['pia', turned],
  ] as const) {
    answer = (_request, reply) => reply.end(content);
    const caller = await person(name, tenantId, at(`/${name}`));
    expect((await afterTry(caller.id))?.problem).toBeNull();
    const stored = await contentOf(caller);
    expect(await sharp(stored).metadata()).toMatchObject({ format: 'jpeg', width: 256, height: 256 });
    expect((await sharp(stored).metadata()).exif).toBeUndefined();
    expect(stored.length).toBeLessThan(20_000);
  }
  const [row] = await world.system.db.query<{ content: Buffer | null }>({
    text: "select h.content from person p join person_photo h using (person_id) where p.name = 'pia'",
  });
  const dominantOf = async (top: number) => {
    const half = await sharp(row?.content ?? Buffer.alloc(0))
      .extract({ left: 0, top, width: 256, height: 100 })
      .toBuffer();
    const { channels } = await sharp(half).stats();
    return (channels[0]?.mean ?? 0) > (channels[2]?.mean ?? 0) ? 'red' : 'blue';
  };
  expect([await dominantOf(0), await dominantOf(156)]).toEqual(['blue', 'red']);
});

it('keeps what a person chose: an own photo, or none', async () => {
  answer = (_request, reply) => reply.end(jpeg);
  const fay = await person('fay', tenantId, at('/fay.jpg'));
  await put(fay, png(11));
  requests = [];
  expect((await afterTry(fay.id))?.photo).toBe(sha256(png(11)));
  await world.call(fay, 'DELETE', '/v1/currentUser/photo');
  expect((await afterTry(fay.id))?.photo).toBeNull();
  expect(requests).toEqual([]);
  // The person chose a photo while the provider's photo was being downloaded.
  const gil = await person('gil', tenantId, at('/gil.jpg'));
  answer = (_request, reply) => void put(gil, png(12)).then(() => reply.end(jpeg));
  expect((await afterTry(gil.id))?.photo).toBe(sha256(png(12)));
});

it('refuses private addresses, other types and large answers of a provider, and says why', async () => {
  requests = [];
  const why = async (name: string, picture: string) => (await afterTry((await person(name, tenantId, picture)).id))?.problem;
  expect(await why('hal', 'http://internal.test/hal.jpg')).toContain('127.0.0.1 is not public');
  expect(await why('ian', at('/ian.jpg', '127.0.0.1'))).toContain('127.0.0.1 is not public');
  expect(await why('jil', 'http://169.254.169.254/latest/meta-data')).toContain('must never be reached');
  expect(requests).toEqual([]);
  answer = (_request, reply) => reply.writeHead(302, { location: at('/', '127.0.0.1') }).end();
  expect(await why('kay', at('/kay.jpg'))).toContain('127.0.0.1 is not public');
  answer = (_request, reply) => reply.writeHead(200, { 'content-type': 'image/png' }).end(svg);
  expect(await why('lea', at('/lea.png'))).toBe('The file is not a JPEG, PNG or WebP image.');
  answer = (_request, reply) => reply.end(png(9, 9, photoLimits.bytes));
  expect(await why('max', at('/max.png'))).toBe('The photo is larger than 1 MiB.');
  answer = (_request, reply) => reply.end(png(9));
  expect(await why('mia', at('/mia.png'))).toContain('The photo cannot be read');
  answer = (_request, reply) => reply.writeHead(404).end();
  expect(await why('ned', at('/ned.png'))).toBe('The receiver answered 404.');
  const listed = await world.call(holder('all'), 'GET', "/v1/people?$filter=startswith(userName,'ned')");
  expect(listed.body.value?.[0]).toMatchObject({ photo: null, pictureProblem: 'The receiver answered 404.' });
});
