/** The inbox: who is told of what, once, and what reading, snoozing and muting do. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { permission } from '@cloudfit/contract/permissions.ts';
import { update } from '../../../resources/update.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../../testing/world.ts';
import { servedWorkUnits } from '../work-units.served.ts';
import { tellInbox } from './tell.ts';

let world: TestWorld;
let tenantId: string;
let otherId: string;
beforeAll(async () => {
  world = await createWorld();
  ({ tenantId } = await world.tenant('Northwind'));
  ({ tenantId: otherId } = await world.tenant('Southwind'));
});
afterAll(() => world.close());

const rights = [permission('WorkUnits', 'view'), permission('WorkUnits', 'edit'), permission('WorkUnits', 'create')];

/** A person with an account and a grant in the tenants. */
async function person(name: string, { tenants = [tenantId], claims = [] as string[], permissions = rights } = {}) {
  const userName = `${name.toLowerCase()}.${crypto.randomUUID().slice(0, 8)}@example.com`;
  const [row] = await world.system.db.query<{ id: string }>({
    text: 'insert into person (name, user_name, email, claims) values ($1, $2, $2, $3) returning person_id as id',
    values: [name, userName, claims],
  });
  const id = row?.id ?? '';
  for (const tenant of tenants)
    await world.system.db.query({
      text: `with s as (insert into permission_set (tenant_id, name, permissions) values ($1, uuidv7()::text, $2::jsonb) returning permission_set_id)
        insert into access_grant (person_id, tenant_id, permission_set_id) select $3, $1, permission_set_id from s`,
      values: [tenant, JSON.stringify(permissions), id],
    });
  return { ...holder(tenants, permissions), actor: { kind: 'person', id, name, userName } as const };
}
type Person = Awaited<ReturnType<typeof person>>;

async function open(by: TestCaller, more: object = {}): Promise<number> {
  const body = { title: 'Pump is silent', severityId: 'Sev2', workUnitTypeId: 1, tenantId, ...more };
  return (await world.call(by, 'PUT', '/v1/workunits', body)).body['workUnitId'] as number;
}
const change = (by: TestCaller, id: number, fields: object) => world.call(by, 'POST', `/v1/workunits/${id}`, fields);
const note = (by: TestCaller, workUnitId: number, detail: string) => world.call(by, 'PUT', '/v1/workUnitNotes', { workUnitId, detail });
const watch = (by: TestCaller, id: number) => world.call(by, 'POST', `/v1/workunits/${id}/watch`);
const items = async (of: TestCaller) => (await world.call(of, 'GET', '/v1/inboxItems?$orderby=created')).body.value ?? [];
const notified = async (of: TestCaller, id: number) =>
  (await items(of)).filter((item) => item['workUnitId'] === id).map((item) => `${String(item['kind'])}: ${String(item['detail'])}`);
const unread = async (of: TestCaller) => (await world.call(of, 'GET', '/v1/inbox/count')).body['unread'];

it('tells whom a unit is assigned to, at its creation and later, by name and by group', async () => {
  const [mara, tom, ana] = [await person('Mara'), await person('Tom', { claims: ['Night desk'] }), await person('Ana')];
  const id = await open(mara, { assignedTo: tom.actor.userName });
  expect(await notified(tom, id)).toEqual(['Assigned: ']);
  await change(mara, id, { assignedTo: ana.actor.userName.toUpperCase(), assignmentGroup: 'Night desk' });
  expect(await notified(ana, id)).toEqual(['Assigned: ']);
  expect(await notified(tom, id)).toEqual(['Assigned: ', 'AssignedToGroup: ']);
  expect(await notified(mara, id)).toEqual([]);
  const [item] = await items(ana);
  expect(item).toMatchObject({ createdBy: mara.actor.userName, tenantId, readAt: null });
});

it('tells nobody of what they did themselves', async () => {
  const mara = await person('Mara', { claims: ['Own desk'] });
  const id = await open(mara, { assignedTo: mara.actor.userName, assignmentGroup: 'Own desk' });
  await watch(mara, id);
  await change(mara, id, { stateId: 'Acknowledged' });
  await note(mara, id, `I am @${mara.actor.userName}.`);
  expect(await notified(mara, id)).toEqual([]);
});

it('tells watchers and the assignee of state, severity and notes, and of nothing else', async () => {
  const [mara, tom, ana] = [await person('Mara'), await person('Tom'), await person('Ana')];
  const id = await open(mara, { assignedTo: ana.actor.userName });
  await watch(tom, id);
  await change(mara, id, { stateId: 'Acknowledged', severityId: 'Sev1' });
  await change(mara, id, { title: 'Pump 7 is silent' });
  await note(mara, id, 'A fuse?');
  const news = ['Watched: State changed from New to Acknowledged. Severity changed from Sev2 to Sev1.', 'Watched: A fuse?'];
  const sorted = async (of: Person) => (await notified(of, id)).map((text) => text.split('. ').toSorted().join('. '));
  expect(await sorted(tom)).toEqual(news.map((text) => text.split('. ').toSorted().join('. ')));
  expect((await notified(ana, id)).slice(1)).toHaveLength(2);
  await world.call(tom, 'POST', `/v1/workunits/${id}/unwatch`);
  await note(mara, id, 'A fuse.');
  expect(await notified(tom, id)).toHaveLength(2);
});

it('leaves the last of several changes unread, with the notes, those of other units and what is snoozed', async () => {
  const [mara, tom] = [await person('Mara'), await person('Tom')];
  const [id, other] = [await open(mara), await open(mara)];
  await watch(tom, id);
  await watch(tom, other);
  await change(mara, other, { stateId: 'Acknowledged' });
  await note(mara, id, 'A fuse?');
  for (const stateId of ['Acknowledged', 'InProgress', 'OnHold']) await change(mara, id, { stateId });
  const waiting = async () => (await items(tom)).filter((item) => item['readAt'] === null).map((item) => item['detail']);
  const last = 'State changed from InProgress to OnHold.';
  expect(await waiting()).toEqual(['State changed from New to Acknowledged.', 'A fuse?', last]);
  expect(await unread(tom)).toBe(3);
  expect(await notified(tom, id)).toHaveLength(4);
  const snoozed = (await items(tom)).find((item) => item['detail'] === last);
  const until = new Date(Date.now() + 3_600_000).toISOString();
  await world.call(tom, 'POST', '/v1/inbox/snooze', { ids: [snoozed?.['inboxItemId']], until });
  await change(mara, id, { stateId: 'InProgress' });
  expect((await waiting()).filter((detail) => detail === last)).toHaveLength(1);
});

it('tells a mentioned person once, as mentioned, and nobody who may not view the unit', async () => {
  const [mara, tom] = [await person('Mara'), await person('Tom')];
  const sue = await person('Sue', { tenants: [otherId] });
  const blind = await person('Bea', { permissions: [permission('Devices', 'view')] });
  const id = await open(mara);
  await watch(tom, id);
  await note(mara, id, `Ask @${tom.actor.userName}, @${sue.actor.userName} or @${blind.actor.userName}.`);
  expect(await notified(tom, id)).toEqual([expect.stringMatching(/^Mentioned: Ask @tom/)]);
  const count = await world.system.db.query({ text: 'select 1 from inbox_item where work_unit_id = $1', values: [id] });
  expect(count).toHaveLength(1);
});

it('asks approvers when they are named, and again when an edit clears their approval', async () => {
  const [mara, tom, ana] = [await person('Mara'), await person('Tom'), await person('Ana')];
  const plan = {
    workUnitTypeId: 2,
    implementationPlan: 'Swap it.',
    rollbackPlan: 'Swap it back.',
    affectedResources: 'Pump 7',
    environment: 'Production',
    expectedCFSAlerts: 'Pump is silent',
    plannedStartTime: '2027-01-01T08:00:00Z',
    plannedFinishTime: '2027-01-01T09:00:00Z',
    approver1: tom.actor.userName,
    approver2: ana.actor.userName,
    resolution: 'None yet.',
  };
  const id = await open(mara, plan);
  expect([await notified(tom, id), await notified(ana, id)]).toEqual([['Approval: '], ['Approval: ']]);
  expect((await world.call(tom, 'POST', `/v1/workunits/${id}/approve/1`, {})).status).toBe(200);
  await change(mara, id, { rollbackPlan: 'Leave it.' });
  expect([await notified(tom, id), await notified(ana, id)]).toEqual([['Approval: ', 'Approval: '], ['Approval: ']]);
  await change(mara, id, { assignmentGroup: 'Nobody here' });
  expect(await notified(tom, id)).toHaveLength(2);
});

it('tells a call-back to the assignee; without an assignee and a group, to all who may edit the unit', async () => {
  const [mara, tom] = [await person('Mara'), await person('Tom')];
  const reader = await person('Ria', { permissions: [permission('WorkUnits', 'view')] });
  const id = await open(mara);
  expect((await world.call(mara, 'POST', `/v1/workunitnotes/callme/${id}`)).body).toMatchObject({ message: expect.any(String) });
  expect(await notified(tom, id)).toEqual(['CallMe: Mara asks to be called back.']);
  expect(await notified(reader, id)).toEqual([]);
  await change(mara, id, { assignedTo: tom.actor.userName });
  const ana = await person('Ana');
  // While the call is awaited, asking again tells nobody.
  await world.call(mara, 'POST', `/v1/workunitnotes/callme/${id}`);
  expect(await notified(tom, id)).toHaveLength(2);
  await world.system.db.query({ text: 'update call_back set closed_at = now() where work_unit_id = $1', values: [id] });
  await world.call(mara, 'POST', `/v1/workunitnotes/callme/${id}`);
  expect(await notified(tom, id)).toHaveLength(3);
  expect(await notified(ana, id)).toEqual([]);
});

it('writes nothing twice for one cause, and nothing of a change that is rolled back', async () => {
  const [mara, tom] = [await person('Mara'), await person('Tom')];
  const id = await open(mara);
  const tell = () => tellInbox(world.ctx(mara), id, { cause: 'note 1', detail: 'Twice?', mentioned: [tom.actor.userName] });
  await Promise.all([tell(), tell(), tell()]);
  expect(await notified(tom, id)).toEqual(['Mentioned: Twice?']);
  const failed = world.ctx(mara).db.transaction(async (db) => {
    await update({ ...world.ctx(mara), db }, servedWorkUnits, id, { assignedTo: tom.actor.userName });
    throw new Error('The server stops here.');
  });
  await expect(failed).rejects.toThrow('The server stops here.');
  expect(await notified(tom, id)).toHaveLength(1);
});

it('shows nothing of a unit that the person may no longer see, and moves with the unit', async () => {
  const [mara, tom] = [await person('Mara', { tenants: [tenantId, otherId] }), await person('Tom', { tenants: [tenantId, otherId] })];
  const id = await open(mara, { assignedTo: tom.actor.userName });
  await watch(tom, id);
  expect(await unread(tom)).toBe(1);
  const only = (tenant: string): TestCaller => ({ ...holder([tenant], rights), actor: tom.actor });
  expect(await notified(only(otherId), id)).toEqual([]);
  expect(await unread(only(otherId))).toBe(0);
  expect((await change(mara, id, { tenantId: otherId })).status).toBe(200);
  expect(await notified(only(otherId), id)).toEqual(['Assigned: ']);
  expect(await notified(only(tenantId), id)).toEqual([]);
  expect((await world.call(only(otherId), 'GET', `/v1/workunits/${id}/watchers`)).body.value).toEqual([
    { personId: tom.actor.id, name: 'Tom', userName: tom.actor.userName },
  ]);
});

it('reads, reads not and snoozes the own items alone', async () => {
  const [mara, tom] = [await person('Mara'), await person('Tom')];
  await open(mara, { assignedTo: tom.actor.userName });
  await open(mara, { assignedTo: tom.actor.userName });
  const ids = (await items(tom)).map((item) => String(item['inboxItemId']));
  const mark = (by: TestCaller, isRead: boolean, which = ids) => world.call(by, 'POST', '/v1/inbox/mark', { ids: which, isRead });
  expect(await unread(tom)).toBe(2);
  expect((await mark(mara, true)).body).toEqual({ changed: 0 });
  expect((await mark(tom, true, ids.slice(1))).body).toEqual({ changed: 1 });
  expect(await unread(tom)).toBe(1);
  await mark(tom, false);
  expect(await unread(tom)).toBe(2);
  const until = new Date(Date.now() + 3_600_000).toISOString();
  const snooze = (by: TestCaller, at: string) => world.call(by, 'POST', '/v1/inbox/snooze', { ids: ids.slice(0, 1), until: at });
  expect((await snooze(mara, until)).body).toEqual({ changed: 0 });
  expect((await snooze(tom, until)).body).toEqual({ changed: 1 });
  expect((await world.call(tom, 'GET', '/v1/inbox/count')).body).toEqual({ unread: 1, nextDue: until });
  await world.system.db.query({ text: 'update inbox_item set due = now() where inbox_item_id = $1', values: [ids[0]] });
  expect((await world.call(tom, 'GET', '/v1/inbox/count')).body).toEqual({ unread: 2, nextDue: null });
});

it('leaves out the kinds that the person does not want', async () => {
  const [mara, tom] = [await person('Mara'), await person('Tom')];
  const id = await open(mara);
  await watch(tom, id);
  expect((await world.call(tom, 'POST', '/v1/inbox/muted', { muted: ['Watched', 'Watched'] })).body).toEqual({ muted: ['Watched'] });
  expect((await world.call(tom, 'GET', '/v1/inbox/muted')).body).toEqual({ muted: ['Watched'] });
  await note(mara, id, 'Silent.');
  await note(mara, id, `Loud, @${tom.actor.userName}`);
  expect(await notified(tom, id)).toEqual([expect.stringMatching(/^Mentioned: Loud/)]);
});

it('shortens a long note to 300 characters', async () => {
  const [mara, tom] = [await person('Mara'), await person('Tom')];
  const id = await open(mara);
  await watch(tom, id);
  for (const length of [300, 301]) await note(mara, id, 'x'.repeat(length));
  expect(await notified(tom, id)).toEqual([`Watched: ${'x'.repeat(300)}`, `Watched: ${'x'.repeat(299)}…`]);
});

it('names the watchers who may view the unit, and audits each change', async () => {
  const [mara, tom] = [await person('Mara'), await person('Tom')];
  const id = await open(mara);
  await watch(tom, id);
  expect((await watch(mara, id)).body.value?.map((watcher) => watcher['name'])).toEqual(['Tom', 'Mara']);
  await watch(tom, id);
  const audits = await world.system.db.query({
    text: "select 1 from audit where entity = 'workUnitWatchers' and entity_id like $1 || ' %'",
    values: [String(id)],
  });
  expect(audits).toHaveLength(2);
  await world.system.db.query({ text: 'update person set enabled = false where person_id = $1', values: [tom.actor.id] });
  const watchers = await world.call(mara, 'GET', `/v1/workunits/${id}/watchers`);
  expect(watchers.body.value?.map((watcher) => watcher['name'])).toEqual(['Mara']);
});

it('names whom one may mention', async () => {
  const [mara, zoe] = [await person('Mara'), await person('Zoë Quist-Lund')];
  const id = await open(mara);
  const choices = async (text: string) =>
    (await world.call(mara, 'GET', `/v1/workunits/${id}/people?text=${encodeURIComponent(text)}`)).body.value?.map(
      (watcher) => watcher['name'],
    );
  for (const text of ['zo', 'QUIST', 'lund', zoe.actor.userName]) expect(await choices(text)).toEqual(['Zoë Quist-Lund']);
  for (const text of ['uist', '.*', 'zo(', '\\']) expect(await choices(text)).toEqual([]);
});

it('refuses other tenants, programs and wrong input', async () => {
  const [mara, sue] = [await person('Mara'), await person('Sue', { tenants: [otherId] })];
  const token: TestCaller = { ...holder([tenantId]), actor: { kind: 'token', id: crypto.randomUUID(), name: 'CI', scopes: [] } };
  const none = holder([tenantId], [permission('Devices', 'view')]);
  const id = await open(mara);
  const ids = [crypto.randomUUID()];
  const until = new Date(Date.now() + 60_000).toISOString();
  const calls: [string, string, object?][] = [
    ['POST', `/v1/workunits/${id}/watch`],
    ['POST', `/v1/workunits/${id}/unwatch`],
    ['GET', '/v1/inbox/count'],
    ['POST', '/v1/inbox/mark', { ids, isRead: true }],
    ['POST', '/v1/inbox/snooze', { ids, until }],
    ['GET', '/v1/inbox/muted'],
    ['POST', '/v1/inbox/muted', { muted: [] }],
  ];
  for (const [method, path, body] of calls) {
    expect((await world.call(null, method, path, body)).status).toBe(401);
    expect((await world.call(none, method, path, body)).status).toBe(403);
    expect((await world.call(token, method, path, body)).status).toBe(403);
  }
  for (const path of ['watchers', 'people']) expect((await world.call(sue, 'GET', `/v1/workunits/${id}/${path}`)).status).toBe(404);
  for (const path of ['watch', 'unwatch']) expect((await world.call(sue, 'POST', `/v1/workunits/${id}/${path}`)).status).toBe(404);
  const wrong: [string, object, string][] = [
    ['mark', { ids: [], isRead: true }, 'ids'],
    ['snooze', { ids, until: '2020-01-01T00:00:00Z' }, 'until'],
    ['muted', { muted: ['Loud'] }, 'muted'],
  ];
  for (const [path, body, target] of wrong) {
    const answer = await world.call(mara, 'POST', `/v1/inbox/${path}`, body);
    expect([path, answer.status]).toEqual([path, 400]);
    expect(answer.text).toContain(target);
  }
});
