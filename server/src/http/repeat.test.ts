/** Creates with a key: created once, answered alike, for any caller and on any server. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAction } from '@cloudfit/contract/action.ts';
import { implement } from '../resources/action.ts';
import { create } from '../resources/create.ts';
import { servedNamed } from '../resources/served.ts';
import { createWorld, holder, type TestCaller, type WorldReply, type TestWorld } from '../testing/world.ts';

let world: TestWorld;
let tenantId: string;
let me: TestCaller;

const openPlace = implement(
  defineAction({
    name: 'openPlace',
    method: 'POST',
    path: '/v1/locations/open',
    access: { area: 'Locations', verb: 'create' },
    repeatable: true,
    input: z.object({ name: z.string(), tenantId: z.guid() }),
  }),
  (ctx, input) => create(ctx, servedNamed('locations'), input),
);

beforeAll(async () => {
  world = await createWorld({ actions: [openPlace] });
  ({ tenantId } = await world.tenant());
  me = { ...holder([tenantId]), actor: { kind: 'person', id: crypto.randomUUID(), name: 'Me', userName: 'me@example.com' } };
});
afterAll(() => world.close());

const put = (name: string, key: string, who = me, more: Record<string, string> = {}): Promise<WorldReply> =>
  world.call(who, 'PUT', '/v1/locations', { name, tenantId }, { 'idempotency-key': key, ...more });
const named = async (name: string): Promise<number> =>
  (await world.call(me, 'GET', `/v1/locations?$filter=name eq '${name}'`)).body.value?.length ?? -1;

it('answers the second call like the first, and makes one row, one audit entry, one change', async () => {
  const first = await put('Once', 'key-1');
  const second = await put('Once', 'key-1');
  expect([first.status, second.status]).toEqual([201, 201]);
  expect(second.body).toEqual(first.body);
  expect([second.headers['location'], second.headers['etag']]).toEqual([first.headers['location'], first.headers['etag']]);
  expect(await named('Once')).toBe(1);
  const records = await world.system.db.query({
    text: "select 1 from audit where entity = 'locations' and entity_id = $1",
    values: [first.body['locationId']],
  });
  expect(records).toHaveLength(1);
});

it('makes one row of twenty calls at once', async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => put('Twenty', 'key-20')));
  expect(new Set(answers.map((answer) => answer.body['locationId'])).size).toBe(1);
  expect(await named('Twenty')).toBe(1);
});

it('refuses another body with the same key by 409', async () => {
  await put('Mine', 'key-2');
  const other = await put('Other', 'key-2');
  expect([other.status, (other.body['error'] as { target: string }).target]).toEqual([409, 'idempotency-key']);
  expect(await named('Other')).toBe(0);
});

it('keeps keys of two callers apart', async () => {
  await put('Two', 'key-3');
  expect((await put('Two', 'key-3', { ...me, actor: { kind: 'person', id: crypto.randomUUID(), name: '', userName: '' } })).status).toBe(
    201,
  );
  expect(await named('Two')).toBe(2);
});

it('leaves the key free when the create was refused', async () => {
  expect((await put('', 'key-4')).status).toBe(400);
  expect((await put('Better', 'key-4')).status).toBe(201);
});

it('takes the header of OData, and says what came of it', async () => {
  const headers = { 'repeatability-request-id': crypto.randomUUID(), 'repeatability-first-sent': new Date().toUTCString() };
  const send = () => world.call(me, 'PUT', '/v1/locations', { name: 'OData', tenantId }, headers);
  const answers = [await send(), await send()];
  expect(answers.map((answer) => answer.headers['repeatability-result'])).toEqual(['accepted', 'accepted']);
  expect(await named('OData')).toBe(1);
});

it('does the same for calls that are declared repeatable', async () => {
  const open = () => world.call(me, 'POST', '/v1/locations/open', { name: 'Open', tenantId }, { 'idempotency-key': 'key-5' });
  const [first, second] = await Promise.all([open(), open()]);
  expect([first?.status, second?.body]).toEqual([200, first?.body]);
  expect(await named('Open')).toBe(1);
});

it('refuses a key that is none, and forgets one after a day', async () => {
  expect((await put('Bad', ' ')).status).toBe(400);
  expect((await put('Bad', 'x'.repeat(300))).status).toBe(400);
  await put('Again', 'key-6');
  await world.system.db.query({ text: "update repeatable_answer set created = now() - interval '25 hours'" });
  await put('Again', 'key-6');
  expect(await named('Again')).toBe(2);
});

it('keeps answers so that the database alone cannot read them', async () => {
  await put('Secret place', 'key-7');
  const rows = await world.system.db.query<{ answer: Buffer }>({ text: 'select answer from repeatable_answer where answer is not null' });
  expect(rows.some((row) => row.answer.includes('Secret place'))).toBe(false);
});
