/** Contacts of a tenant: who writes and reads them, how they end the mails, and how people subscribe by themselves. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { contactsMax } from '@cloudfit/contract/resources/communication-contacts.ts';
import { viewMine } from '@cloudfit/contract/permissions.ts';
import { contactLinkPath, openContactLinks } from '../../../platform/contact-links.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../../testing/world.ts';

let world: TestWorld;
let tenantId: string;
let otherId: string;
let me: TestCaller;
let other: TestCaller;

beforeAll(async () => {
  world = await createWorld();
  ({ tenantId } = await world.tenant('Northwind'));
  ({ tenantId: otherId } = await world.tenant('Southwind'));
  me = holder([tenantId]);
  other = holder([otherId]);
});
afterAll(() => world.close());

const add = (body: object, caller = me, tenant = tenantId) =>
  world.call(caller, 'PUT', '/v1/communicationContacts', { name: 'Ada', tenantId: tenant, ...body });
const contact = async (email: string, caller = me) =>
  (await world.call(caller, 'GET', `/v1/communicationContacts?$filter=email eq '${email}'`)).body.value?.[0];
const targets = (body: Record<string, unknown>) =>
  ((body['error'] as { details?: { target: string; message: string }[] } | undefined)?.details ?? []).map(({ target }) => target);

it('stores an address once in each tenant, in lower case, and refuses what is none', async () => {
  const created = await add({ email: 'Ada@Example.com' });
  expect(created.body).toMatchObject({ email: 'ada@example.com', language: 'en', kinds: 'All', minimumSeverity: 'Sev4', active: true });
  const twice = await add({ email: 'ADA@example.com' });
  expect([twice.status, (twice.body['error'] as { message: string }).message]).toEqual([
    409,
    'There is already a contact with this email.',
  ]);
  expect((await add({ email: 'ada@example.com' }, other, otherId)).status).toBe(201);
  for (const email of ['ada', 'a@b, c@d', 'Ada <a@b.c>', '']) expect(targets((await add({ email })).body)).toEqual(['email']);
  expect(targets((await add({ email: 'x@example.com', language: 'fr' })).body)).toEqual(['language']);
  expect(targets((await add({ email: 'x@example.com', timeZone: 'Berlin' })).body)).toEqual(['timeZone']);
  const listed = await world.call(me, 'GET', "/v1/communicationContacts?$filter=contains(folded(name),'ada')&$count=true");
  expect(listed.body['@odata.count']).toBe(1);
});

it('is for people who may edit the communications of the tenant, and nobody else', async () => {
  await add({ email: 'bo@example.com' });
  const id = String((await contact('bo@example.com'))?.['communicationContactId']);
  const reader = holder([tenantId], ['CloudFit.CFS.WorkUnitCommunications:view']);
  expect((await world.call(null, 'GET', '/v1/communicationContacts')).status).toBe(401);
  expect((await world.call(reader, 'GET', '/v1/communicationContacts')).status).toBe(403);
  expect((await world.call(other, 'POST', `/v1/communicationContacts/${id}`, { active: false })).status).toBe(404);
  expect((await add({ email: 'c@example.com' }, other)).status).toBe(400);
  expect(await contact('bo@example.com', other)).toBeUndefined();
});

it('takes so many of a tenant and no more', async () => {
  const { tenantId: full } = await world.tenant();
  await world.system.db.query({
    text: `insert into communication_contact (tenant_id, name, email, language, kinds, minimum_severity, active, created_by)
      select $1, 'Many', n || '@example.com', 'en', 'All', 'Sev4', true, 'test' from generate_series(2, $2) n`,
    values: [full, contactsMax],
  });
  expect((await add({ email: 'last@example.com' }, holder([full]), full)).status).toBe(201);
  expect(targets((await add({ email: 'more@example.com' }, holder([full]), full)).body)).toEqual(['tenantId']);
});

const form = { 'content-type': 'application/x-www-form-urlencoded' };

it('ends the mails by the link alone, at once by one POST (RFC 8058) and only once', async () => {
  await add({ email: 'cy@example.com' });
  const id = String((await contact('cy@example.com'))?.['communicationContactId']);
  const link = new URL(openContactLinks(world.masterKey, 'http://localhost').url({ tenantId, communicationContactId: id })).pathname;
  expect(link.startsWith(contactLinkPath)).toBe(true);
  // Programs that check links open them.
  expect((await world.call(null, 'GET', link)).text).toContain('<button type="submit">Unsubscribe');
  expect(await contact('cy@example.com')).toMatchObject({ active: true, unsubscribed: null });
  // As the RFC prefers it; that parser ignores what is in it.
  const body = '--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n';
  const ended = await world.call(null, 'POST', link, body, { 'content-type': 'multipart/form-data; boundary=x' });
  expect([ended.status, ended.text]).toEqual([200, expect.stringContaining('You get no more of these mails.')]);
  expect(await contact('cy@example.com')).toMatchObject({ active: false, unsubscribed: expect.any(String) as string });
  expect((await world.call(null, 'POST', link, 'List-Unsubscribe=One-Click', form)).status).toBe(200);
  const audits = await world.call(me, 'GET', `/v1/audit?$filter=entityId eq '${id}' and verb eq 'update'`);
  expect(audits.body.value).toMatchObject([{ actorName: 'Contact', before: { active: true }, after: { active: false } }]);
  expect((await world.call(null, 'POST', `${link}x`, '', form)).status).toBe(404);
  const again = await world.call(me, 'POST', `/v1/communicationContacts/${id}`, { active: true });
  expect(again.body).toMatchObject({ active: true, unsubscribed: null });
});

interface Requester {
  caller: TestCaller;
  personId: string;
}

async function requester(email: string | null, isVerified = true, tenants = [tenantId]): Promise<Requester> {
  const personId = randomUUID();
  await world.system.db.query({
    text: 'insert into person (person_id, name, user_name, email, email_verified) values ($1, $2, $3, $4, $5)',
    values: [personId, 'Mara Okafor', `mara-${personId}`, email, isVerified],
  });
  const actor = { kind: 'person', id: personId, name: 'Mara Okafor', userName: `mara-${personId}` } as const;
  return { personId, caller: { ...holder(tenants, [viewMine]), actor } };
}
const choice = { active: true, language: 'de', kinds: 'Incidents', minimumSeverity: 'Sev2' };
const subscribe = (caller: TestCaller | null, body: object = choice, tenant = tenantId) =>
  world.call(caller, 'PUT', `/v1/rc/subscriptions/${tenant}`, body);
const subscriptionsOf = async (caller: TestCaller) => (await world.call(caller, 'GET', '/v1/rc/subscriptions')).body;

it('lets people of the resolution center subscribe themselves, with their confirmed address and for their tenant alone', async () => {
  const { caller, personId } = await requester('Mara@Example.com');
  expect(await subscriptionsOf(caller)).toMatchObject({
    email: 'mara@example.com',
    value: [{ tenantId, tenantName: 'Northwind', active: false }],
  });
  expect((await subscribe(caller, { ...choice, active: false })).status).toBe(200);
  expect(await contact('mara@example.com')).toBeUndefined();
  expect((await subscribe(caller)).body).toEqual({ tenantId, ...choice });
  expect(await contact('mara@example.com')).toMatchObject({ ...choice, name: 'Mara Okafor', personId });
  expect(await subscriptionsOf(caller)).toMatchObject({ value: [{ ...choice, tenantId }] });
  await subscribe(caller, { ...choice, active: false });
  expect(await contact('mara@example.com')).toMatchObject({ active: false, unsubscribed: expect.any(String) as string });
  await subscribe(caller);
  expect(await contact('mara@example.com')).toMatchObject({ active: true, unsubscribed: null });
  expect((await subscribe(caller, choice, otherId)).status).toBe(404);
  expect((await subscribe(null)).status).toBe(401);
  expect((await subscribe(holder([tenantId], ['CloudFit.CFS.Locations:view']))).status).toBe(403);
  expect((await subscribe(caller, { ...choice, language: 'fr' })).status).toBe(400);
  // A customer who is switched off tells nobody anything.
  const { tenantId: ended } = await world.tenant();
  const { caller: former } = await requester('former@example.com', true, [tenantId, ended]);
  const names = async () => ((await subscriptionsOf(former))['value'] as unknown as { tenantId: string }[]).map((row) => row.tenantId);
  expect((await names()).toSorted()).toEqual([tenantId, ended].toSorted());
  await world.system.db.query({ text: 'update tenant set enabled = false where tenant_id = $1', values: [ended] });
  expect(await names()).toEqual([tenantId]);
  // They see no contacts, not even themselves there.
  expect((await world.call(caller, 'GET', '/v1/communicationContacts')).status).toBe(403);
});

it('subscribes nobody to an address that is not confirmed', async () => {
  const { caller } = await requester('victim@example.com', false);
  expect((await subscriptionsOf(caller))['email']).toBeNull();
  const refused = await subscribe(caller);
  expect([refused.status, targets(refused.body)]).toEqual([400, ['active']]);
  expect(await contact('victim@example.com')).toBeUndefined();
});

it('takes over the contact that staff added with the address, also after the address has changed', async () => {
  await add({ name: 'Desk', email: 'shared@example.com' });
  const { caller, personId } = await requester('shared@example.com');
  expect(await subscriptionsOf(caller)).toMatchObject({ value: [{ active: true }] });
  await subscribe(caller);
  expect(await contact('shared@example.com')).toMatchObject({ name: 'Desk', personId, language: 'de' });
  await add({ email: 'moved@example.com' });
  await world.system.db.query({ text: "update person set email = 'moved@example.com' where person_id = $1", values: [personId] });
  await subscribe(caller);
  expect(await contact('moved@example.com')).toMatchObject({ personId });
  expect(await contact('shared@example.com')).toBeUndefined();
});

it('keeps templates of a tenant and of all, and refuses what no update knows', async () => {
  const put = (body: object, caller = me) => world.call(caller, 'PUT', '/v1/communicationTemplates', { name: 'First', ...body });
  expect((await put({ detail: '{Title}: we write again by {NextUpdate}.', tenantId })).status).toBe(201);
  const wrong = await put({ detail: '{InternalBridge}', tenantId });
  expect([wrong.status, targets(wrong.body)]).toEqual([400, ['detail']]);
  expect((await put({ detail: 'For all.', tenantId: null })).status).toBe(403);
  expect((await put({ detail: 'For all.', tenantId: null }, holder('all'))).status).toBe(201);
  const names = async (caller: TestCaller) =>
    (await world.call(caller, 'GET', '/v1/communicationTemplates')).body.value?.map((row) => String(row['detail'])).toSorted();
  expect(await names(me)).toEqual(['For all.', '{Title}: we write again by {NextUpdate}.']);
  expect(await names(other)).toEqual(['For all.']);
});
