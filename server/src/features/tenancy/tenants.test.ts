/** Tenants with their custom fields, subscriptions and locations over HTTP. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { proves } from '@cloudfit/contract/testing/proves.ts';
import { allPermissions, areas } from '@cloudfit/contract/permissions.ts';
import { personAccess } from '../../auth/people.ts';
import { createWorld, holder, type TestCaller, type WorldReply, type TestWorld } from '../../testing/world.ts';

let world: TestWorld;
let tenantId: string;
let otherId: string;
const admin = holder('all');
let member: TestCaller;

beforeAll(async () => {
  world = await createWorld();
  ({ tenantId } = await world.tenant('Northwind Power'));
  ({ tenantId: otherId } = await world.tenant('Southwind'));
  member = holder([tenantId]);
});
afterAll(() => world.close());

const details = (body: Record<string, unknown>) =>
  ((body['error'] as { details?: { target: string; message: string }[] } | undefined)?.details ?? []).map((d) => [d.target, d.message]);
const change = (body: object) => world.call(member, 'POST', `/v1/tenants/${tenantId}`, body);
const slots = Array.from({ length: 15 }, (_, i) => i + 1);

describe('tenants', () => {
  it('[API-181] [TEN-002] are listed with their count and searched by name', async () => {
    const page = await world.call(admin, 'GET', `/v1/tenants?$count=true&$filter=contains(tolower(name),'wind p')`);
    expect(page.body).toMatchObject({ '@odata.count': 1, value: [{ tenantId, name: 'Northwind Power' }] });
  });

  it('[API-184] [API-185] are created without an id and changed', async () => {
    const created = await world.call(admin, 'PUT', '/v1/tenants', {
      name: 'Eastwind',
      internalNotificationEmailAddress: 'ops@example.com',
    });
    expect(created.status).toBe(201);
    const path = `/v1/tenants/${String(created.body['tenantId'])}`;
    expect((await world.call(admin, 'POST', path, { assignmentGroups: 'Network,Desk' })).body).toMatchObject({
      name: 'Eastwind',
      enabled: true,
      assignmentGroups: 'Network,Desk',
    });
    const mail = await world.call(admin, 'POST', path, { internalNotificationEmailAddress: 'nobody' });
    expect(details(mail.body)).toEqual([['internalNotificationEmailAddress', 'Please enter a valid email address.']]);
  });

  it('[TEN-015] need a name that no other has', async () => {
    for (const name of [undefined, '', '  '])
      expect(details((await world.call(admin, 'PUT', '/v1/tenants', { name })).body)).toEqual([['name', 'Name is required.']]);
    expect(details((await world.call(admin, 'POST', `/v1/tenants/${tenantId}`, { name: '' })).body)).toEqual([
      ['name', 'Name is required.'],
    ]);
    expect((await world.call(admin, 'PUT', '/v1/tenants', { name: 'northWIND power' })).status).toBe(409);
  });

  const definition = (n: number) => (n % 2 ? { Name: `Field ${n}`, Type: 1 } : { Name: `Field ${n}`, Type: 2, Options: 'Yes,No' });

  it('hold 15 custom fields: textboxes, and dropdowns with their options', async () => {
    const all = Object.fromEntries(slots.map((n) => [`workUnitFieldDef${n}`, definition(n)]));
    const changed = await change(all);
    await proves('[TEN-009] have a name, a type and options', () => expect([changed.status, changed.body]).toMatchObject([200, all]));
    // A client may send back the row unchanged.
    expect((await change(changed.body)).status).toBe(200);
    await proves('[TEN-013] 15, by their names', async () => {
      for (const n of slots) expect(changed.body[`workUnitField${n}`]).toBe(`Field ${n}`);
      expect((await change({ workUnitFieldDef15: null })).body).toMatchObject({ workUnitField15: null, workUnitFieldDef15: null });
      expect((await change({ workUnitFieldDef16: definition(1) })).status).toBe(400);
    });
  });

  const refuses = async (wrong: object, message: string) =>
    expect(details((await change({ workUnitFieldDef15: wrong })).body)).toEqual([['workUnitFieldDef15', message]]);

  it('[TEN-010] have custom fields of two types', async () => {
    await refuses({ Name: 'A', Type: 3 }, 'The type of a custom field is 1 Textbox or 2 Dropdown.');
  });

  it('[TEN-011] have options for a dropdown only', async () => {
    await refuses({ Name: 'A', Type: 1, Options: 'Yes' }, 'Only a dropdown has options.');
    await refuses({ Name: 'A', Type: 2 }, 'A dropdown needs options.');
  });

  it('[TEN-006] have the fields of the specification, and secrets by expansion', async () => {
    const custom = slots.flatMap((n) => [`workUnitField${n}`, `workUnitFieldDef${n}`]);
    const names = ['tenantId', 'name', 'internalNotificationEmailAddress', 'enabled', 'assignmentGroups', ...custom];
    const row = await world.call(member, 'GET', `/v1/tenants(${tenantId})`);
    expect(Object.keys(row.body)).toEqual(expect.arrayContaining(names));
    const expanded = await world.call(member, 'GET', `/v1/tenants(${tenantId})?$expand=secrets`);
    expect(expanded.body['secrets']).toEqual([]);
  });

  it('are renamed only by who sees all of them, for a name that is taken would tell of another tenant', async () => {
    const [freshTenant, other] = [await world.tenant(), await world.tenant('Hidden Industries')];
    const rename = (name: string) => world.call(holder([freshTenant.tenantId]), 'POST', `/v1/tenants/${freshTenant.tenantId}`, { name });
    const [conflicting, free] = [await rename('Hidden Industries'), await rename('Nobody Has This')];
    expect([conflicting.status, free.status, details(conflicting.body)]).toEqual([400, 400, details(free.body)]);
    expect(
      (await world.call(holder([freshTenant.tenantId]), 'POST', `/v1/tenants/${freshTenant.tenantId}`, { assignmentGroups: 'Desk' }))
        .status,
    ).toBe(200);
    expect((await world.call(holder('all'), 'POST', `/v1/tenants/${other.tenantId}`, { name: 'Shown Industries' })).status).toBe(200);
  });

  it('[TEN-016] [TEN-017] refuse two custom fields of one name', async () => {
    await change(Object.fromEntries(slots.map((n) => [`workUnitFieldDef${n}`, null])));
    const twice = await change({ workUnitFieldDef1: { Name: 'Site', Type: 1 }, workUnitFieldDef4: { Name: ' site', Type: 1 } });
    expect([twice.status, details(twice.body)]).toEqual([400, [['workUnitFieldDef4', 'Can not have duplicate custom fields.']]]);
  });

  it('[TEN-018] [TEN-019] refuse a custom field without a name, and one without a column', async () => {
    for (const nameless of [{ Type: 1 }, { Name: ' ', Type: 1 }])
      expect(details((await change({ workUnitFieldDef1: nameless })).body)).toEqual([
        ['workUnitFieldDef1', 'A custom field needs a name.'],
      ]);
    expect((await change({ workUnitFieldDef: { Name: 'Site', Type: 1 } })).status).toBe(400);
  });
});

describe('subscriptions', () => {
  let created: WorldReply;
  beforeAll(async () => {
    created = await world.call(member, 'PUT', '/v1/subscriptions', { tenantId, name: 'Plant 7' });
  });

  it('[SUB-002] [API-189] are created for a tenant', () => {
    expect([created.status, created.body]).toMatchObject([201, { tenantId, name: 'Plant 7' }]);
  });

  it('[SUB-003] [API-190] are renamed, need a name and stay with their tenant', async () => {
    const path = `/v1/subscriptions/${String(created.body['subscriptionId'])}`;
    expect((await world.call(member, 'POST', path, { name: 'Plant 8' })).body['name']).toBe('Plant 8');
    expect(details((await world.call(member, 'POST', path, { name: '' })).body)).toEqual([['name', 'Name is required.']]);
    expect((await world.call(member, 'POST', path, { tenantId: otherId })).status).toBe(400);
  });

  it('[API-188] are filtered by tenant', async () => {
    for (const query of [`$filter=tenantId eq ${tenantId}`, `tenantId=${tenantId}`]) {
      const { value } = (await world.call(admin, 'GET', `/v1/subscriptions?${query}`)).body;
      expect([query, value?.map((row) => row['name'])]).toEqual([query, ['Default', expect.stringMatching(/^Plant/)]]);
    }
    expect((await world.call(admin, 'GET', '/v1/subscriptions?tenantId=x')).status).toBe(400);
    expect((await world.call(member, 'GET', `/v1/subscriptions?tenantId=${otherId}`)).body.value).toEqual([]);
  });

  it('[SUB-004] are chosen within the chosen tenant only', async () => {
    const [theirs] = (await world.call(admin, 'GET', `/v1/subscriptions?tenantId=${otherId}`)).body.value ?? [];
    const both = holder([tenantId, otherId]);
    const refused = await world.call(both, 'PUT', '/v1/devices', { name: 'Pump', tenantId, subscriptionId: theirs?.['subscriptionId'] });
    expect([refused.status, details(refused.body)]).toEqual([400, [['subscriptionId', 'Subscription was not found.']]]);
  });
});

describe('locations', () => {
  const address = {
    address1: 'Pier 4',
    address2: 'Shed B',
    city: 'Bergen',
    state: 'Vestland',
    country: 'NO',
    postalCode: '5003',
    coordinates: '60.39,5.32',
  };
  let created: WorldReply;
  beforeAll(async () => {
    created = await world.call(member, 'PUT', '/v1/locations', { name: 'Harbour', tenantId, ...address });
  });

  it('[LOC-007] [API-130] are created with an address', () => {
    expect([created.status, created.body]).toMatchObject([201, { name: 'Harbour', tenantId, ...address }]);
  });

  it('[API-131] are changed', async () => {
    const path = `/v1/locations/${String(created.body['locationId'])}`;
    expect((await world.call(member, 'POST', path, { city: 'Oslo' })).body).toMatchObject({ ...address, city: 'Oslo' });
  });

  it('[API-128] are listed with their tenant', async () => {
    const listed = await world.call(member, 'GET', `/v1/locations?$filter=name eq 'Harbour'&$expand=tenant($select=name)`);
    expect(listed.body.value).toMatchObject([{ name: 'Harbour', tenant: { name: 'Northwind Power' } }]);
  });

  it('without a tenant are for everybody to see, and for people of all tenants to write', async () => {
    const created = await world.call(admin, 'PUT', '/v1/locations', { name: 'Everywhere', tenantId: null });
    const names = async (caller: TestCaller) => (await world.call(caller, 'GET', '/v1/locations')).body.value?.map((row) => row['name']);
    await proves('[PERM-033] in lists', async () => {
      expect(await names(member)).toContain('Everywhere');
      expect(await names(holder([otherId]))).toEqual(['Everywhere']);
    });
    await proves('[API-127] in the lookup', async () => {
      const lookup = await world.call(holder([otherId]), 'GET', '/api/generallookup/locations');
      expect(lookup.body).toMatchObject([{ name: 'Everywhere', tenantId: null }]);
    });
    expect((await world.call(member, 'POST', `/v1/locations/${String(created.body['locationId'])}`, { city: 'X' })).status).toBe(403);
  });
});

describe('permissions', () => {
  it('[PERM-003] are answered by the permissions call', async () => {
    const answered = (await world.app.inject({ url: '/v1/permissions' })).statusCode;
    expect(answered).toBe(401);
    const mine = await world.call(admin, 'GET', '/v1/permissions');
    expect(mine.body).toEqual([...allPermissions].toSorted());
  });

  it('[PERM-004] [PERM-005] are four for each area, the 24 required ones among them, view:mine, and the three beyond views and edits', () => {
    const required =
      'ActionDefinitions Blocks Compliance CurrentUser Devices Home Locations Packages Packets PendingDevices People Resources Rules Settings Subscriptions Tenants Tokens WorkUnits WorkUnits.Categories WorkUnits.Protocols WorkUnits.Subcategories WorkUnits.Types WorkUnitCommunications Visualizations'.split(
        ' ',
      );
    expect(areas).toEqual(expect.arrayContaining(required));
    for (const area of areas)
      for (const verb of ['create', 'edit', 'view', 'delete']) expect(allPermissions).toContain(`CloudFit.CFS.${area}:${verb}`);
    expect(allPermissions.filter((p) => !/^CloudFit\.CFS\.[A-Za-z\d.]+:(create|edit|view|delete)$/.test(p))).toEqual([
      'CloudFit.CFS.WorkUnits:view:mine',
      'CloudFit.CFS.WorkUnits:override:approval',
      'CloudFit.CFS.Settings:view:audit',
      'CloudFit.CFS.Devices:run:operations',
    ]);
  });

  it('[PERM-006] count whatever the set that gives them is called', async () => {
    const [person] = await world.system.db.query<{ id: string }>({
      text: "insert into person (name, user_name) values ('Ada', 'ada@example.com') returning person_id as id",
    });
    const set = await world.call(admin, 'PUT', '/v1/permissionSets', {
      name: 'Harbour masters',
      permissions: ['CloudFit.CFS.Locations:view'],
    });
    await world.call(admin, 'PUT', '/v1/grants', { personId: person?.id, permissionSetId: set.body['permissionSetId'], tenantId });
    const access = await personAccess(world.system.db, { personId: person?.id ?? '', groups: [] }, []);
    expect([...(access?.permissions ?? [])]).toEqual([[tenantId, new Set(['CloudFit.CFS.Locations:view'])]]);
    const ada: TestCaller = { tenants: access?.tenants ?? [], permissions: access?.permissions ?? new Map() };
    expect((await world.call(ada, 'GET', '/v1/locations')).status).toBe(200);
    expect((await world.call(ada, 'GET', '/v1/devices')).status).toBe(403);
  });

  it('[PERM-034] let holders of Settings:view alone see lists of settings', async () => {
    const without = holder(
      'all',
      allPermissions.filter((p) => p !== 'CloudFit.CFS.Settings:view' && p !== 'CloudFit.CFS.Settings:view:audit'),
    );
    const only = holder('all', ['CloudFit.CFS.Settings:view']);
    for (const list of ['features', 'audit']) {
      expect([list, (await world.call(without, 'GET', `/v1/${list}`)).status]).toEqual([list, 403]);
      expect([list, (await world.call(only, 'GET', `/v1/${list}`)).status]).toEqual([list, 200]);
    }
  });
});
