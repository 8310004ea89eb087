/** Categories, relations and custom fields: which of them a work unit may name. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { viewMine } from '@cloudfit/contract/permissions.ts';
import { proves } from '@cloudfit/contract/testing/proves.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../../testing/world.ts';

let world: TestWorld;
let tenantId: string;
let me: TestCaller;

beforeAll(async () => {
  world = await createWorld();
  ({ tenantId } = await world.tenant());
  me = holder([tenantId]);
});
afterAll(() => world.close());

type Body = Record<string, unknown>;
const targets = (body: Body) => ((body['error'] as { details?: { target: string }[] }).details ?? []).map((d) => d.target);
const text = (body: Body): string => String((body['error'] as { message: string }).message);
const category = async (change: Body = {}, by = me): Promise<Body> =>
  (await world.call(by, 'PUT', '/v1/workunitcategories', { name: crypto.randomUUID(), workUnitTypeId: 1, tenantId, ...change })).body;
const sub = (change: Body) => world.call(me, 'PUT', '/v1/workunitsubcategories', { name: crypto.randomUUID(), ...change });
const unit = (change: Body = {}) => world.call(me, 'PUT', '/v1/workunits', { title: 'A unit', workUnitTypeId: 1, tenantId, ...change });

describe('categories', () => {
  it('[CAT-007] [API-208] are created with their fields', async () => {
    const created = await category({ name: 'Network' });
    expect(created).toMatchObject({ name: 'Network', tenantId, workUnitTypeId: 1, isEnabled: true, isVisibleInResolutionCenter: false });
  });

  it('[CAT-008] [API-212] have subcategories of the same tenant', async () => {
    const child = await sub({ workUnitCategoryId: (await category())['workUnitCategoryId'], name: 'Slow' });
    expect(child.body).toMatchObject({ name: 'Slow', tenantId, isEnabled: true });
  });

  it('[API-209] [API-213] are changed, and so are their subcategories', async () => {
    const created = await category({ name: 'Cables' });
    const child = await sub({ workUnitCategoryId: created['workUnitCategoryId'], name: 'Slow' });
    const path = `/v1/workunitsubcategories/${String(child.body['workUnitSubcategoryId'])}`;
    expect((await world.call(me, 'POST', path, { name: 'Slower' })).body).toMatchObject({ name: 'Slower' });
    const renamed = await world.call(me, 'POST', `/v1/workunitcategories/${String(created['workUnitCategoryId'])}`, {
      name: 'Net',
      isEnabled: false,
    });
    expect(renamed.body).toMatchObject({ name: 'Net', isEnabled: false });
  });

  it('[API-207] [API-211] are listed with their subcategories', async () => {
    const created = await category({ name: 'Paper' });
    await sub({ workUnitCategoryId: created['workUnitCategoryId'], name: 'Jam' });
    const both = await world.call(me, 'GET', `/v1/workunitcategories?$filter=name eq 'Paper'&$expand=subcategories,workUnitType`);
    expect(both.body.value).toMatchObject([{ name: 'Paper', subcategories: [{ name: 'Jam' }], workUnitType: { name: 'Incident' } }]);
    const { value } = (await world.call(me, 'GET', `/v1/workunitsubcategories?$filter=name eq 'Jam'`)).body;
    expect(value).toMatchObject([{ workUnitCategoryId: created['workUnitCategoryId'] }]);
  });

  it('[CAT-009] need a name', async () => {
    expect(targets(await category({ name: ' ' }))).toEqual(['name']);
  });

  it('[CAT-010] [CAT-011] need a type', async () => {
    const bare = await category({ name: ' ', workUnitTypeId: undefined });
    expect(targets(bare).toSorted()).toEqual(['name', 'workUnitTypeId']);
    expect(text(bare)).toContain('Please choose a work unit type.');
  });

  it('[CAT-012] need a name for each subcategory', async () => {
    const child = await sub({ workUnitCategoryId: (await category())['workUnitCategoryId'], name: '' });
    expect([child.status, targets(child.body)]).toEqual([400, ['name']]);
  });

  it('have one name each among their like', async () => {
    const created = await category({ name: 'Only' });
    expect((await category({ name: 'only' }))['error']).toMatchObject({ code: 'Conflict', target: 'name' });
    expect(await category({ name: 'Only', workUnitTypeId: 3 })).toMatchObject({ name: 'Only' });
    const workUnitCategoryId = created['workUnitCategoryId'];
    expect((await sub({ workUnitCategoryId, name: 'Same' })).status).toBe(201);
    expect((await sub({ workUnitCategoryId, name: 'SAME' })).status).toBe(409);
    expect((await sub({ workUnitCategoryId: (await category())['workUnitCategoryId'], name: 'Same' })).status).toBe(201);
  });

  it('are not those of another tenant', async () => {
    const other = await world.tenant();
    const foreign = await category({ tenantId: other.tenantId }, holder([other.tenantId]));
    const workUnitCategoryId = foreign['workUnitCategoryId'];
    expect((await sub({ workUnitCategoryId })).status).toBe(400);
    const answer = await unit({ workUnitCategoryId });
    expect([answer.status, targets(answer.body)]).toEqual([400, ['workUnitCategoryId']]);
  });

  it('[API-210] are grouped by their type', async () => {
    const grouped = await world.call(me, 'GET', `/v1/workunitcategories?${encodeURI('$apply=groupby((workUnitType/name))')}`);
    expect(grouped.body.value).toContainEqual({ workUnitType: { name: 'Incident' } });
  });

  it('[API-136] [API-137] group work units by tenant and by assignee', async () => {
    await unit({ assignedTo: 'ann@example.com' });
    const tenants = await world.call(me, 'GET', `/v1/workunits?${encodeURI('$apply=groupby((tenant/name,tenantId))')}`);
    expect(tenants.body.value).toHaveLength(1);
    const people = await world.call(me, 'GET', `/v1/workunits?${encodeURI('$apply=groupby((assignedTo))')}`);
    expect(people.body.value).toContainEqual({ assignedTo: 'ann@example.com' });
  });
});

describe('a work unit', () => {
  it('[WU-082] [API-140] names a category of its type and a subcategory of that category, and brings both', async () => {
    const [incidents, requests] = [await category(), await category({ workUnitTypeId: 3 })];
    const child = (await sub({ workUnitCategoryId: incidents['workUnitCategoryId'] })).body;
    const [workUnitCategoryId, workUnitSubcategoryId] = [incidents['workUnitCategoryId'], child['workUnitSubcategoryId']];
    const created = await unit({ workUnitCategoryId, workUnitSubcategoryId });
    expect(created.status).toBe(201);
    const expand = 'protocol,workUnitType,tenant,workUnitCategory,workUnitSubcategory,relations';
    const read = await world.call(me, 'GET', `/v1/workunits/${String(created.body['workUnitId'])}?$expand=${expand}`);
    expect(read.body).toMatchObject({
      protocol: null,
      workUnitType: { name: 'Incident' },
      tenant: { tenantId },
      workUnitCategory: { name: incidents['name'] },
      workUnitSubcategory: { name: child['name'] },
      relations: [],
    });
    for (const [change, target] of [
      [{ workUnitCategoryId: requests['workUnitCategoryId'] }, 'workUnitCategoryId'],
      [{ workUnitCategoryId: (await category({ isEnabled: false }))['workUnitCategoryId'] }, 'workUnitCategoryId'],
      [{ workUnitSubcategoryId }, 'workUnitSubcategoryId'],
    ] as const) {
      const answer = await unit(change);
      expect([answer.status, targets(answer.body)]).toEqual([400, [target]]);
    }
  });

  it('brings the name and manual actions of its protocol, the name of its type, and of its tenant the address too', async () => {
    const protocol = await world.call(me, 'PUT', '/v1/protocols', {
      name: 'Pumps',
      tenantId,
      manualActions: 'Look at #{PublicWorkUnitId}.',
    });
    expect([protocol.status, protocol.body['error']]).toEqual([201, undefined]);
    await world.call(me, 'POST', `/v1/tenants/${tenantId}`, { internalNotificationEmailAddress: 'desk@example.com' });
    const created = await unit({ protocolId: protocol.body['protocolId'] });
    const read = await world.call(me, 'GET', `/v1/workunits/${String(created.body['workUnitId'])}?$expand=protocol,workUnitType,tenant`);
    await proves('[WU-080] the protocol', () =>
      expect(read.body['protocol']).toMatchObject({ name: 'Pumps', manualActions: 'Look at #{PublicWorkUnitId}.' }),
    );
    await proves('[WU-081] the type', () => expect(read.body['workUnitType']).toMatchObject({ name: 'Incident' }));
    await proves('[WU-083] the tenant', () =>
      expect(read.body['tenant']).toMatchObject({ tenantId, internalNotificationEmailAddress: 'desk@example.com' }),
    );
  });

  it('[WU-077] is searched by title or number', async () => {
    const created = (await unit({ title: 'A very odd title' })).body;
    for (const filter of ["contains(tolower(title),'very odd')", `workUnitId eq ${String(created['workUnitId'])}`]) {
      const matching = await world.call(me, 'GET', `/v1/workunits?$filter=${encodeURIComponent(filter)}`);
      expect(matching.body.value?.map((row) => row['workUnitId'])).toEqual([created['workUnitId']]);
    }
  });

  it('[API-138] [API-139] is found by its number and by its public one', async () => {
    const created = (await unit()).body;
    const byPublic = await world.call(me, 'GET', `/v1/workunits?$filter=publicWorkUnitId eq ${String(created['publicWorkUnitId'])}`);
    expect(byPublic.body.value?.map((row) => row['workUnitId'])).toEqual([created['workUnitId']]);
    expect((await world.call(me, 'GET', `/v1/workunits(${String(created['workUnitId'])})`)).body['title']).toBe('A unit');
  });
});

describe('relations', () => {
  const relate = (change: Body) => world.call(me, 'PUT', '/v1/workunitrelations', change);

  it('[WU-091] link to rows of the same tenant, once each, and stand in the history', async () => {
    const [a, b] = [(await unit()).body['workUnitId'], (await unit()).body['workUnitId']];
    const relation = { workUnitId: a, referenceType: 'WorkUnit', referenceId: String(b) };
    const created = await relate(relation);
    expect([created.status, created.body['tenantId']]).toEqual([201, tenantId]);
    expect((await relate(relation)).status).toBe(409);
    expect((await relate({ ...relation, referenceId: `0${String(b)}` })).status).toBe(409);
    expect((await relate({ ...relation, referenceType: 'Ticket', referenceId: 'ABC-1' })).status).toBe(201);
    expect((await world.call(me, 'DELETE', `/v1/workunitrelations/${String(created.body['workUnitRelationId'])}`)).status).toBe(204);
    const feed = await world.call(me, 'GET', `/v1/workunits/GetWorkUnitHistoryRecords(workUnitId=${String(a)})`);
    expect(feed.body.value?.map((entry) => entry['detail']).slice(0, 3)).toEqual([
      `No longer linked to WorkUnit ${String(b)}.`,
      'Linked to Ticket ABC-1.',
      `Linked to WorkUnit ${String(b)}.`,
    ]);
  });

  it('are refused when what they name is not there', async () => {
    const workUnitId = (await unit()).body['workUnitId'];
    for (const [referenceType, referenceId] of [
      ['WorkUnit', '999999'],
      ['WorkUnit', 'x'],
      ['Device', crypto.randomUUID()],
      ['Device', '-'.repeat(36)],
      ['RuleMatch', crypto.randomUUID()],
      ['RuleMatch', '-'.repeat(36)],
      ['WorkUnitCommunication', '999999'],
      ['WorkUnitCommunication', 'x'],
    ]) {
      const answer = await relate({ workUnitId, referenceType, referenceId });
      expect([referenceType, answer.status, targets(answer.body)]).toEqual([referenceType, 400, ['referenceId']]);
    }
  });
});

describe('custom fields', () => {
  beforeAll(async () => {
    await world.call(me, 'POST', `/v1/tenants/${tenantId}`, {
      workUnitFieldDef2: { Name: 'Serial', Type: 1 },
      workUnitFieldDef3: { Name: 'Floor', Type: 2, Options: 'Ground, First' },
    });
  });

  it('[WU-088] [WU-133] are those that the tenant has defined', async () => {
    expect((await unit({ customValue2: 'A7', customValue3: 'First' })).body).toMatchObject({ customValue2: 'A7', customValue3: 'First' });
    const wrong = await unit({ customValue1: 'x' });
    expect([wrong.status, targets(wrong.body)]).toEqual([400, ['customValue1']]);
  });

  it('[WU-134] take the options of a dropdown', async () => {
    const wrong = await unit({ customValue3: 'Roof' });
    expect([wrong.status, targets(wrong.body)]).toEqual([400, ['customValue3']]);
    expect(text(wrong.body)).toContain('Floor is one of Ground, First.');
  });
});

describe('notes', () => {
  it('are appended and never changed, by no call and no statement', async () => {
    const workUnitId = (await unit()).body['workUnitId'];
    const note = await world.call(me, 'PUT', '/v1/workunitnotes', { workUnitId, detail: 'Once.' });
    const url = `/v1/workunitnotes/${String(note.body['workUnitNoteId'])}`;
    for (const [method, body] of [['POST', { detail: 'Twice.' }], ['PATCH', { detail: 'Twice.' }], ['DELETE']] as const)
      expect([method, (await world.call(me, method, url, body)).status]).toEqual([method, 405]);
    for (const statement of ["update work_unit_note set detail = 'Twice.'", 'delete from work_unit_note'])
      await expect(world.system.db.query({ text: statement })).rejects.toThrow('You do not have access to this.');
  });
});

describe('lookups for forms', () => {
  it('offer all to who may view categories, and to customers what their portal offers', async () => {
    const [home, other] = [await world.tenant(), await world.tenant()];
    const make = async (name: string, change: Body = {}): Promise<void> => {
      const created = await category({ tenantId: home.tenantId, name, isVisibleInResolutionCenter: true, ...change }, holder('all'));
      for (const isEnabled of [true, false])
        await world.call(holder('all'), 'PUT', '/v1/workunitsubcategories', {
          workUnitCategoryId: created['workUnitCategoryId'],
          name: `${name} ${isEnabled ? 'now' : 'before'}`,
          isEnabled,
        });
    };
    await make('Mail 10');
    await make('Mail 9');
    await make('Internal', { isVisibleInResolutionCenter: false });
    await make('Old', { isEnabled: false });
    await make('Of others', { tenantId: other.tenantId });
    const names = async (by: TestCaller, path: string) =>
      ((await world.call(by, 'GET', `/api/generallookup/${path}`)).body as unknown as { name: string }[]).map(({ name }) => name);
    const [customer, agent] = [holder([home.tenantId], [viewMine]), holder([home.tenantId])];
    expect(await names(customer, 'workunitcatgories')).toEqual(['Mail 9', 'Mail 10']);
    expect(await names(customer, 'workunitsubcatgories')).toEqual(['Mail 9 now', 'Mail 10 now']);
    expect(await names(agent, 'workunitcatgories')).toEqual(['Internal', 'Mail 9', 'Mail 10', 'Old']);
    expect(await names(agent, 'workunitsubcatgories')).toHaveLength(8);
    expect((await world.call(holder([home.tenantId], []), 'GET', '/api/generallookup/workunitsubcatgories')).status).toBe(403);
  });
});

describe('people and groups', () => {
  it('[API-006] are looked up together, groups by the names in grants of the caller', async () => {
    await world.call(holder('all'), 'PUT', '/v1/people', { name: 'Pump Master', userName: 'pumps@example.com' });
    const set = await world.call(me, 'PUT', '/v1/permissionsets', { name: 'Set', tenantId, permissions: ['CloudFit.CFS.Devices:view'] });
    await world.call(me, 'PUT', '/v1/grants', { claim: 'pump-crew', permissionSetId: set.body['permissionSetId'], tenantId });
    const ask = async (by: TestCaller) => (await world.call(by, 'GET', '/api/peopleandgroups?searchTerm=PUMP')).body;
    expect(await ask(holder('all'))).toEqual([
      { personId: expect.any(String), displayName: 'Pump Master', mail: 'pumps@example.com' },
      { personId: null, displayName: 'pump-crew', mail: '' },
    ]);
    const other = await world.tenant();
    expect(await ask(holder([other.tenantId]))).toEqual([]);
    expect((await world.call(holder([tenantId], []), 'GET', '/api/peopleandgroups?searchTerm=pump')).status).toBe(403);
  });
});
