/** Work units that are the same become one, and are taken apart again, over HTTP. */
import { viewMine } from '@cloudfit/contract/permissions.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld, holder, type TestCaller, type TestWorld, type WorldReply } from '../../../testing/world.ts';

let world: TestWorld;
let tenantId: string;
let otherId: string;
let me: TestCaller;
beforeAll(async () => {
  world = await createWorld();
  ({ tenantId } = await world.tenant('Northwind'));
  ({ tenantId: otherId } = await world.tenant('Southwind'));
  me = holder([tenantId]);
});
afterAll(() => world.close());

async function open(more: object = {}, caller = me): Promise<number> {
  const body = { title: 'Pump is silent', severityId: 'Sev2', workUnitTypeId: 1, tenantId, ...more };
  return Number((await world.call(caller, 'PUT', '/v1/workUnits', body)).body['workUnitId']);
}
const merge = (id: number, ids: readonly number[], caller: TestCaller | null = me) =>
  world.call(caller, 'POST', `/v1/workUnits/${id}/merge`, { ids });
const split = (id: number, caller: TestCaller | null = me) => world.call(caller, 'POST', `/v1/workUnits/${id}/split`);
const unit = async (id: number) => (await world.call(me, 'GET', `/v1/workUnits(${id})?$expand=relations`)).body;
const history = async (id: number) =>
  (await world.call(me, 'GET', `/v1/workunits/GetWorkUnitHistoryRecords(workUnitId=${id})`)).body as unknown as {
    value: { detail: string; mergedNumber?: number }[];
    merges?: object[];
  };
const notes = async (id: number) => (await history(id)).value.map(({ detail }) => detail);
const note = (workUnitId: number, detail: string) => world.call(me, 'PUT', '/v1/workUnitNotes', { workUnitId, detail });
const rows = <T = object>(text: string, ...values: unknown[]) => world.system.db.query<T>({ text, values });
const faultOf = ({ status, body }: WorldReply) => {
  const { message, details } = body['error'] as { message: string; details?: { message: string }[] };
  return `${status} ${details?.[0]?.message ?? message}`;
};

/** Everything that a merge changes of a unit. */
async function stateOf(id: number): Promise<object> {
  const { stateId, resolution, resolved, relations } = await unit(id);
  return {
    fields: [stateId, resolution, resolved],
    relations: (relations as { referenceType: string; referenceId: string }[])
      .map((row) => `${row.referenceType} ${row.referenceId}`)
      .toSorted(),
    watchers: await rows('select person_id from work_unit_watcher where work_unit_id = $1 order by person_id', id),
    matches: await rows('select rule_match_id from rule_match where work_unit_id = $1 order by rule_match_id', id),
    lines: await rows('select rule_id, subject_id, phase from rule_unit where work_unit_id = $1 order by rule_id', id),
  };
}

async function watcher(id: number): Promise<string> {
  const name = `${crypto.randomUUID()}@example.com`;
  const [person] = await rows<{ id: string }>(
    'insert into person (name, user_name, email) values ($1, $1, $1) returning person_id as id',
    name,
  );
  await rows('insert into work_unit_watcher (work_unit_id, person_id, tenant_id) values ($1, $2, $3)', id, person?.id, tenantId);
  return person?.id ?? '';
}

/** A match of the unit, and the row by which further ones join it. */
async function matched(id: number): Promise<string> {
  const [match] = await rows<{ id: string }>(
    `with line as (insert into rule_unit (tenant_id, rule_id, subject_id, phase, work_unit_id) values ($1, uuidv7(), uuidv7(), 'match', $2) returning rule_id, subject_id)
    insert into rule_match (tenant_id, rule_id, subject_id, label, expires, first_match, last_match, correlation_id, rule_packet, work_unit_id)
    select $1, rule_id, subject_id, 'Silent', now() + interval '1 hour', now(), now(), gen_random_uuid(), '{}', $2 from line returning rule_match_id as id`,
    tenantId,
    id,
  );
  await world.call(me, 'PUT', '/v1/workUnitRelations', { workUnitId: id, referenceType: 'RuleMatch', referenceId: match?.id });
  return match?.id ?? '';
}

it('closes a duplicate, gives the other one what it has, and takes both apart exactly', async () => {
  const [into, duplicate] = [await open(), await open({ title: 'Pump again' })];
  const [shared, match] = [await watcher(into), await matched(duplicate)];
  await rows('insert into work_unit_watcher (work_unit_id, person_id, tenant_id) values ($1, $2, $3)', duplicate, shared, tenantId);
  const follower = await watcher(duplicate);
  await matched(into);
  await note(duplicate, 'Called the site.');
  const before = [await stateOf(into), await stateOf(duplicate)];
  const number = (await unit(duplicate))['publicWorkUnitId'];
  // Pages that show the unit that stays read it again, although its fields do not change.
  const announced = async () => (await rows("select 1 from change where entity = 'workUnits' and entity_id = $1", String(into))).length;
  const changes = await announced();

  const answer = await merge(into, [duplicate]);
  expect([answer.status, answer.body.value]).toMatchObject([200, [{ workUnitId: duplicate, stateId: 'Canceled' }]]);
  const intoNumber = String((await unit(into))['publicWorkUnitId']);
  expect((await unit(duplicate))['resolution']).toBe(`Duplicate of #${intoNumber}.`);
  const { value, merges } = await history(into);
  expect(value).toContainEqual(expect.objectContaining({ detail: 'Called the site.', mergedNumber: number }));
  expect(merges).toEqual([{ workUnitId: duplicate, publicWorkUnitId: number, title: 'Pump again', isInto: false }]);
  expect((await history(duplicate)).merges).toMatchObject([{ workUnitId: into, isInto: true }]);
  expect(await notes(duplicate)).not.toContain(`Merged with #${String(number)}, a duplicate.`);
  const merged = (await stateOf(into)) as { relations: string[]; watchers: object[]; lines: object[]; matches: object[] };
  expect(merged.relations).toEqual(expect.arrayContaining([`RuleMatch ${match}`, `WorkUnit ${duplicate}`]));
  expect(merged.watchers).toContainEqual({ person_id: follower });
  expect([merged.watchers.length, merged.matches.length, merged.lines.length]).toEqual([2, 2, 2]);
  expect(await stateOf(duplicate)).toMatchObject({ matches: [], lines: [] });
  expect(await announced()).toBe(changes + 1);

  // A match that joins later stays.
  await note(into, 'Written since.');
  expect((await split(duplicate)).body).toMatchObject({ workUnitId: duplicate, stateId: 'New', resolution: null });
  expect([await stateOf(into), await stateOf(duplicate)]).toEqual(before);
  expect(await announced()).toBe(changes + 2);
  expect(await notes(into)).not.toContain('Called the site.');
  expect(await notes(into)).toContain('Written since.');
  expect((await history(into)).merges).toEqual([]);
  const audit = await rows<{ verb: string }>(
    "select verb from audit where entity = 'workUnitMerges' and entity_id = $1 order by at",
    String(duplicate),
  );
  expect(audit.map(({ verb }) => verb)).toEqual(['create', 'delete']);
});

it('writes the resolution in the language of whoever merges, and takes it back in another one', async () => {
  const [into, duplicate] = [await open(), await open()];
  await world.call(me, 'POST', `/v1/workUnits/${into}/merge`, { ids: [duplicate] }, { 'accept-language': 'de' });
  expect((await unit(duplicate))['resolution']).toBe(`Duplikat von #${String((await unit(into))['publicWorkUnitId'])}.`);
  expect((await split(duplicate)).body).toMatchObject({ stateId: 'New', resolution: null });
});

it('leaves the state that somebody gave the duplicate since', async () => {
  const [into, duplicate, ended] = [await open(), await open(), await open()];
  await world.call(me, 'POST', `/v1/workUnits/${ended}`, { stateId: 'Canceled', resolution: 'Wrong number.' });
  await merge(into, [duplicate, ended]);
  expect(await unit(ended)).toMatchObject({ stateId: 'Canceled', resolution: 'Wrong number.' });
  await world.call(me, 'POST', `/v1/workUnits/${duplicate}`, { stateId: 'InProgress', resolution: 'Not the same.' });
  expect((await split(duplicate)).body).toMatchObject({ stateId: 'InProgress', resolution: 'Not the same.' });
  expect((await split(ended)).body).toMatchObject({ stateId: 'Canceled', resolution: 'Wrong number.' });
});

it('reads through several merges, and refuses circles', async () => {
  const [top, middle, low] = [await open(), await open(), await open()];
  await note(low, 'From below.');
  await merge(middle, [low]);
  await merge(top, [middle]);
  expect(await notes(top)).toContain('From below.');
  expect(faultOf(await merge(low, [top]))).toMatch(/^409 #\d+ is merged into another work unit already/);
  expect(faultOf(await merge(middle, [await open()]))).toContain('409 ');
  await split(middle);
  expect(await notes(top)).not.toContain('From below.');
  expect(await notes(middle)).toContain('From below.');
});

it('merges once, however often it is asked, and two people get one outcome', async () => {
  const [one, two, third] = [await open(), await open(), await open()];
  const answers = await Promise.all([merge(one, [two]), merge(two, [one]), merge(one, [two])]);
  const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
  expect([
    [200, 200, 409],
    [200, 409, 409],
  ]).toContainEqual(statuses);
  expect(await rows('select 1 from work_unit_merge where work_unit_id in ($1, $2)', one, two)).toHaveLength(1);
  const [{ id: duplicate } = { id: 0 }] = await rows<{ id: number }>(
    'select work_unit_id as id from work_unit_merge where work_unit_id in ($1, $2)',
    one,
    two,
  );
  expect(faultOf(await merge(third, [duplicate]))).toContain('409 ');
  const apart = await Promise.all([split(duplicate), split(duplicate)]);
  expect(apart.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
});

it('needs the rights of every unit, and units that can be the same', async () => {
  const [into, duplicate, foreign] = [await open(), await open(), await open({ tenantId: otherId }, holder([otherId]))];
  const both = holder([tenantId, otherId]);
  const viewer = holder([tenantId], ['CloudFit.CFS.WorkUnits:view']);
  expect((await merge(into, [duplicate], null)).status).toBe(401);
  expect((await merge(into, [duplicate], viewer)).status).toBe(403);
  expect((await merge(into, [foreign])).status).toBe(404);
  expect((await merge(foreign, [duplicate])).status).toBe(404);
  expect(faultOf(await merge(into, [foreign], both))).toContain('is of another tenant');
  expect(faultOf(await merge(into, [into]))).toContain('400 ');
  expect(faultOf(await merge(into, []))).toContain('400 Please name the work units.');
  expect(await rows('select 1 from work_unit_merge where into_id = $1', into)).toEqual([]);
  await merge(into, [duplicate]);
  expect((await split(duplicate, null)).status).toBe(401);
  expect((await split(duplicate, viewer)).status).toBe(403);
  expect((await split(duplicate, holder([otherId]))).status).toBe(404);
  expect(faultOf(await split(into))).toContain('409 ');
});

it('shows customers of a duplicate how far the other unit is, and tells those who work on it what they write', async () => {
  const person = async (name: string, permissions: readonly string[]): Promise<TestCaller> => {
    const userName = `${name}@example.com`;
    const [row] = await rows<{ id: string }>(
      'insert into person (name, user_name, email, email_verified) values ($1, $2, $2, true) returning person_id as id',
      name,
      userName,
    );
    return { ...holder([tenantId], permissions), actor: { kind: 'person', id: row?.id ?? '', name, userName } };
  };
  const [ina, worker] = [await person('ina', [viewMine]), await person('wanda', ['CloudFit.CFS.WorkUnits:view'])];
  const [set] = await rows<{ id: string }>(
    `insert into permission_set (name, permissions) values ('Works on merged units', '["CloudFit.CFS.WorkUnits:view", "CloudFit.CFS.WorkUnits:edit"]') returning permission_set_id as id`,
  );
  await rows('insert into access_grant (person_id, permission_set_id, tenant_id) values ($1, $2, $3)', worker.actor?.id, set?.id, tenantId);
  const request = { title: 'No heating', description: 'Since today.', stakeHolderPhoneNumber: '1', tenantId };
  const duplicate = Number((await world.call(ina, 'PUT', '/v1/rc/workunits', request)).body['workUnitId']);
  const [middle, into] = [await open(), await open()];
  const say = (workUnitId: number, detail: string) =>
    world.call(me, 'PUT', '/v1/workUnitNotes', { workUnitId, detail, isExternalNote: true });
  await say(into, 'To others, before.');
  await merge(middle, [duplicate]);
  await merge(into, [middle]);
  await world.call(me, 'POST', `/v1/workUnits/${into}`, { stateId: 'Acknowledged', assignedTo: 'wanda@example.com' });
  const shown = async () => (await world.call(ina, 'GET', `/v1/workunits/rc?$filter=workUnitId eq ${duplicate}`)).body.value?.[0];
  expect(await shown()).toMatchObject({ stateId: 'Acknowledged', status: 'Active', resolution: null, resolved: null, isAssigned: true });
  await say(into, 'The boiler is on its way.');
  await note(into, 'Internal.');
  await world.call(ina, 'POST', `/v1/workunits/rc/${duplicate}/reply`, { text: 'Thank you.' });
  const notesShown = await world.call(ina, 'GET', `/v1/workunits/${duplicate}/externalNotes`);
  expect(notesShown.body.value?.map((row) => row['detail']).toSorted()).toEqual(['Thank you.', 'The boiler is on its way.']);
  const items = await rows("select kind, work_unit_id as unit from inbox_item where person_id = $1 and kind = 'Reply'", worker.actor?.id);
  expect(items).toEqual([{ kind: 'Reply', unit: duplicate }]);
  await world.call(me, 'POST', `/v1/workUnits/${into}`, { stateId: 'Resolved', resolution: 'New boiler.' });
  expect(await shown()).toMatchObject({ stateId: 'Resolved', status: 'Done', resolution: 'New boiler.', resolved: expect.any(String) });
  await split(middle);
  expect(await shown()).toMatchObject({ stateId: 'New', status: 'Active', resolution: null });
});

it('keeps a merged unit with its customer', async () => {
  const both = holder([tenantId, otherId]);
  const [into, duplicate] = [await open(), await open()];
  await merge(into, [duplicate]);
  for (const id of [into, duplicate])
    expect(faultOf(await world.call(both, 'POST', `/v1/workUnits/${id}`, { tenantId: otherId }))).toContain('409 A merged work unit stays');
  await split(duplicate);
  expect((await world.call(both, 'POST', `/v1/workUnits/${into}`, { tenantId: otherId })).status).toBe(200);
});
