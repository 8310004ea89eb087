/** Who has opened a unit and the links of messages about it. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { builtInAction } from '@cloudfit/contract/enums.ts';
import { personRecipient } from '../../../platform/ack-links.ts';
import { ensureShippedSets, shippedSets } from '../../../auth/shipped.ts';
import { keepVisit } from './visits.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../../testing/world.ts';

let world: TestWorld;
let tenantId: string;
type Person = TestCaller & { actor: { kind: 'person'; id: string } };
let ada: Person;
let bo: Person;

beforeAll(async () => {
  world = await createWorld();
  ({ tenantId } = await world.tenant());
  await ensureShippedSets(world.system.db);
  ada = await person('Ada');
  bo = await person('Bo');
});
afterAll(() => world.close());

async function person(name: string): Promise<Person> {
  const userName = `${name.toLowerCase()}@example.com`;
  const [row] = await world.system.db.query<{ id: string }>({
    text: 'insert into person (name, user_name, email, email_verified) values ($1, $2, $2, true) returning person_id as id',
    values: [name, userName],
  });
  const id = String(row?.id);
  await world.system.db.query({
    text: 'insert into access_grant (person_id, tenant_id, permission_set_id) values ($1, $2, $3)',
    values: [id, tenantId, shippedSets.operator.id],
  });
  return { ...holder([tenantId]), actor: { kind: 'person', id, name, userName } };
}

const token = (): TestCaller => ({ ...holder([tenantId]), actor: { kind: 'token', id: ada.actor.id, name: 'Robot', scopes: [] } });

async function open(): Promise<number> {
  const body = { title: 'Pump is silent', severityId: 'Sev1', workUnitTypeId: 1, tenantId };
  return Number((await world.call(holder([tenantId]), 'PUT', '/v1/workunits', body)).body['workUnitId']);
}
const look = (caller: TestCaller, id: number, state = 'looking') =>
  world.call(caller, 'POST', `/v1/workunits/${id}/presence`, { page: randomUUID(), state });
const visitsOf = async (id: number) =>
  ((await world.call(bo, 'GET', `/v1/workunits/${id}/seen`)).body.value ?? []) as {
    way: string;
    name: string;
    first: string;
    last: string;
  }[];
const names = async (id: number) => (await visitsOf(id)).map(({ way, name }) => `${way} ${name}`);
const version = async (id: number) =>
  (
    await world.system.db.query<{ v: string }>({
      text: 'select xmin::text || ctid::text as v from work_unit_seen where work_unit_id = $1',
      values: [id],
    })
  )[0]?.v;
const past = (id: number, minutes: number) =>
  world.system.db.query({
    text: 'update work_unit_seen set first_at = first_at - make_interval(mins => $2), last_at = last_at - make_interval(mins => $2) where work_unit_id = $1',
    values: [id, minutes],
  });

it('keeps who opened it first and last, written once an hour, also when many pages tell at once', async () => {
  const id = await open();
  await Promise.all(Array.from({ length: 8 }, () => look(ada, id)));
  expect(await names(id)).toEqual(['page Ada']);
  await past(id, 59);
  const before = await version(id);
  await look(ada, id);
  expect(await version(id)).toBe(before);
  await past(id, 2);
  await Promise.all([look(ada, id), look(ada, id)]);
  const [entry] = await visitsOf(id);
  expect(Date.parse(entry?.last ?? '') - Date.parse(entry?.first ?? '')).toBeGreaterThanOrEqual(60 * 60_000);
  await look(bo, id);
  expect(await names(id)).toEqual(['page Bo', 'page Ada']);
});

it('keeps nothing of a token, of a page that leaves, and of who may not see the unit', async () => {
  const id = await open();
  await look(token(), id);
  await look(ada, id, 'gone');
  const { tenantId: other } = await world.tenant();
  const otherTenant = { ...holder([other]), actor: ada.actor };
  expect((await look(otherTenant, id)).status).toBe(404);
  expect(await names(id)).toEqual([]);
  const path = `/v1/workunits/${id}/seen`;
  expect((await world.call(null, 'GET', path)).status).toBe(401);
  expect((await world.call(holder([tenantId], ['CloudFit.CFS.Devices:view']), 'GET', path)).status).toBe(403);
  expect((await world.call(holder([other]), 'GET', path)).status).toBe(404);
});

it('never fails the page that tells it', async () => {
  const ctx = world.ctx(ada);
  const failing = { ...ctx, db: { ...ctx.db, query: () => Promise.reject(new Error('The disk is full.')) } };
  await expect(keepVisit(failing, { workUnitId: await open(), tenantId, way: 'page', personId: null })).resolves.toBeUndefined();
});

it('keeps that the link of a message was opened, without sign-in too; not that a program looked whether it works', async () => {
  const id = await open();
  const linkTo = (recipient: string | null) => new URL(world.ackLinks.url({ workUnitId: id, tenantId, recipient })).pathname;
  await world.call(null, 'HEAD', linkTo(null));
  expect((await world.call(null, 'GET', linkTo(personRecipient(ada.actor.id)))).status).toBe(200);
  await expect.poll(() => names(id)).toEqual(['link Ada']);
  await world.call(null, 'GET', linkTo('desk@example.com'));
  await world.call(null, 'GET', linkTo(null));
  await expect.poll(async () => (await names(id)).toSorted()).toEqual(['link ', 'link Ada', 'link desk@example.com']);
});

it('keeps that a person came by the link of a message of this tenant', async () => {
  const id = await open();
  const messageId = randomUUID();
  const follow = (caller: TestCaller | null, input: object) => world.call(caller, 'POST', `/v1/workunits/${id}/openedLink`, input);
  expect((await follow(ada, { messageId })).status).toBe(404);
  await world.system.db.query({
    text: `insert into action_history (message_id, tenant_id, correlation_id, result_status_id, action_definition_id, work_unit_id) values ($1, $2, $1, 1, $3, $4)`,
    values: [messageId, tenantId, builtInAction.email, id],
  });
  expect((await follow(null, { messageId })).status).toBe(401);
  expect((await follow(holder([tenantId], ['CloudFit.CFS.Devices:view']), { messageId })).status).toBe(403);
  expect((await follow(token(), { messageId })).status).toBe(403);
  expect((await follow(ada, { messageId: 'x' })).body).toMatchObject({ error: { details: [{ target: 'messageId' }] } });
  expect((await follow(ada, { messageId })).status).toBe(204);
  expect(await names(id)).toEqual(['link Ada']);
  const another = `/v1/workunits/${await open()}/openedLink`;
  expect((await world.call(ada, 'POST', another, { messageId })).status).toBe(404);
});

it('moves with its unit to another tenant', async () => {
  const id = await open();
  await look(ada, id);
  const { tenantId: other } = await world.tenant();
  const both = holder([tenantId, other]);
  await world.call(both, 'POST', `/v1/workunits/${id}`, { tenantId: other });
  expect((await world.call(both, 'GET', `/v1/workunits/${id}/seen`)).body.value).toHaveLength(1);
});
