/** Who sees and changes rules of a group of tenants and of all, over HTTP. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtInAction } from '@cloudfit/contract/enums.ts';
import { createWorld, holder, type TestCaller, type TestWorld, type WorldReply } from '../../testing/world.ts';

let world: TestWorld;
let home: { tenantId: string; subscriptionId: string };
let other: { tenantId: string; subscriptionId: string };
let me: TestCaller;
const everybody = holder('all');

beforeAll(async () => {
  world = await createWorld();
  [home, other] = [await world.tenant(), await world.tenant()];
  me = holder([home.tenantId]);
});
afterAll(() => world.close());

const cpu = { Type: 'And', LeftOperand: 62, LeftOperandFieldName: 'Cpu', Operator: 3, RightOperand: '90' };
const make = (body: Record<string, unknown> = {}, caller = everybody) =>
  world.call(caller, 'PUT', '/v1/rules', {
    name: `Rule ${crypto.randomUUID()}`,
    ruleTypeId: 1,
    tenantId: null,
    conditions: [cpu],
    ...body,
  });
const details = (answer: WorldReply) => (answer.body['error'] as { details: { target: string; message: string }[] }).details;
const group = async (tenantIds: string[]) =>
  String(
    (await world.call(everybody, 'PUT', '/v1/tenantGroups', { name: `Group ${crypto.randomUUID()}`, tenantIds })).body['tenantGroupId'],
  );
const idsFor = async (caller: TestCaller) =>
  ((await world.call(caller, 'GET', '/v1/rules?$top=1000')).body.value ?? []).map((row) => row['ruleId']);

describe('rules of all tenants', () => {
  it('[RULE-041] [PERM-033] are made by clearing the tenant, seen by everybody, and changed by those with the right for all tenants', async () => {
    const created = await make();
    expect([created.status, created.body['tenantId'], created.body['tenantGroupId']]).toEqual([201, null, null]);
    const url = `/v1/rules/${String(created.body['ruleId'])}`;
    expect((await world.call(me, 'GET', url)).body).toMatchObject({ name: created.body['name'] });
    expect((await make({}, me)).status).toBe(403);
    for (const caller of [me, holder([home.tenantId, other.tenantId])]) {
      expect((await world.call(caller, 'POST', url, { description: 'Taken' })).status).toBe(403);
      expect((await world.call(caller, 'POST', `/v1/rules/toggledisabled/${String(created.body['ruleId'])}`)).status).toBe(403);
      expect((await world.call(caller, 'DELETE', url)).status).toBe(403);
    }
    const ownRule = await world.call(me, 'PUT', '/v1/rules', { name: 'Own', ruleTypeId: 1, ...home, conditions: [cpu] });
    expect(
      (await world.call(me, 'POST', `/v1/rules/${String(ownRule.body['ruleId'])}`, { tenantId: null, subscriptionId: null })).status,
    ).toBe(403);
    expect((await world.call(everybody, 'POST', url, { description: 'Changed' })).status).toBe(200);
    expect((await world.call(everybody, 'DELETE', url)).status).toBe(204);
  });

  it('name nothing of one tenant', async () => {
    const device = (await world.call(me, 'PUT', '/v1/devices', { name: 'web-1', ...home, deviceTypeId: 1, operatingSystemId: 1 })).body[
      'deviceId'
    ];
    const refused = async (body: object) => details(await make(body as Record<string, unknown>)).map(({ target }) => target);
    expect(await refused({ subscriptionId: home.subscriptionId })).toEqual(['subscriptionId']);
    expect(await refused({ conditions: [{ Type: 'And', LeftOperand: 20, Operator: 1, RightOperand: home.tenantId }, cpu] })).toEqual([
      'conditions[0].LeftOperand',
    ]);
    expect(await refused({ conditions: [{ Type: 'And', LeftOperand: 30, Operator: 1, RightOperand: device }, cpu] })).toEqual([
      'conditions[0].RightOperand',
    ]);
    const call = { ActionDefinitionId: builtInAction.createWorkUnit, Parameters: { TenantId: home.tenantId } };
    expect(await refused({ matchActions: [call] })).toEqual(['matchActions[0].Parameters.TenantId']);
    expect(await refused({ ...home, subscriptionId: null, tenantGroupId: await group([home.tenantId]) })).toEqual(['tenantGroupId']);
  });

  it('refer only to each other, and cannot be deleted while a rule of a tenant reads their matches', async () => {
    const global = String((await make()).body['ruleId']);
    const reads = { Type: 'And', LeftOperand: 83, Operator: 1, RightOperand: global };
    const reader = await world.call(me, 'PUT', '/v1/rules', { name: 'Reader', ruleTypeId: 1, ...home, conditions: [reads, cpu] });
    expect([reader.status, reader.body['error']]).toEqual([201, undefined]);
    const ofTenant = { ...reads, RightOperand: String(reader.body['ruleId']) };
    expect(details(await make({ conditions: [ofTenant, cpu] }))).toMatchObject([{ target: 'conditions[0].RightOperand' }]);
    expect(details(await world.call(everybody, 'DELETE', `/v1/rules/${global}`))[0]?.message).toContain('Reader');
  });
});

describe('rules of a group', () => {
  it('are seen by people of its tenants, who learn neither the group nor its other tenants', async () => {
    const [ours, theirs] = [await group([home.tenantId, other.tenantId]), await group([other.tenantId])];
    const [both, foreign] = [
      String((await make({ tenantGroupId: ours })).body['ruleId']),
      String((await make({ tenantGroupId: theirs })).body['ruleId']),
    ];
    expect(await idsFor(me)).toContain(both);
    expect(await idsFor(me)).not.toContain(foreign);
    expect((await world.call(me, 'GET', `/v1/rules(${foreign})`)).status).toBe(404);
    expect((await world.call(me, 'POST', `/v1/rules/${foreign}`, { description: 'x' })).status).toBe(404);
    expect((await world.call(me, 'GET', `/v1/tenantGroups(${ours})`)).status).toBe(404);
    expect((await world.call(me, 'GET', `/v1/rules(${both})?$expand=tenantGroup`)).body['tenantGroup']).toBeNull();
    const whole = holder([home.tenantId, other.tenantId]);
    expect((await world.call(whole, 'GET', `/v1/tenantGroups(${ours})`)).status).toBe(200);
    // The database itself hides the rule, whatever a query forgets.
    const hidden = await world.database.scoped([home.tenantId]).query({ text: 'select 1 from rule where rule_id = $1', values: [foreign] });
    expect(hidden).toEqual([]);
  });

  it('keep their group from deletion, and a group has existing tenants only', async () => {
    const tenantGroupId = await group([home.tenantId]);
    const { body } = await make({ tenantGroupId, name: 'Of the group' });
    expect(details(await world.call(everybody, 'DELETE', `/v1/tenantGroups/${tenantGroupId}`))[0]?.message).toContain('Of the group');
    await world.call(everybody, 'DELETE', `/v1/rules/${String(body['ruleId'])}`);
    expect((await world.call(everybody, 'DELETE', `/v1/tenantGroups/${tenantGroupId}`)).status).toBe(204);
    const unknown = await world.call(everybody, 'PUT', '/v1/tenantGroups', { name: 'None', tenantIds: [crypto.randomUUID()] });
    expect(details(unknown)).toMatchObject([{ target: 'tenantIds' }]);
    expect((await world.call(me, 'PUT', '/v1/tenantGroups', { name: 'Mine', tenantIds: [home.tenantId] })).status).toBe(403);
  });
});

describe('what a change of a rule of many touches', () => {
  it('counts the devices of the tenants whose devices the caller may view', async () => {
    const ofTenant = async (caller: TestCaller, place: object, name: string) =>
      world.call(caller, 'PUT', '/v1/devices', { name, ...place, deviceTypeId: 1, operatingSystemId: 1 });
    await ofTenant(everybody, home, 'impact-1');
    await ofTenant(everybody, other, 'impact-2');
    const named = { Type: 'And', LeftOperand: 31, Operator: 5, RightOperand: 'impact-' };
    const { body } = await make({ conditions: [named, cpu] });
    const count = async (caller: TestCaller, input: object = {}) => {
      const answer = await world.call(caller, 'POST', `/v1/impact/rules/${String(body['ruleId'])}`, input);
      const groups = (answer.body['groups'] ?? []) as { kind: string; count: number }[];
      return Object.fromEntries(groups.map((item) => [item.kind, item.count]));
    };
    expect(await count(everybody)).toMatchObject({ devicesBefore: 2 });
    expect(await count(me)).toMatchObject({ devicesBefore: 1 });
    const draft = { name: 'x', ruleTypeId: 1, tenantId: home.tenantId, conditions: [named, cpu] };
    expect(await count(everybody, { rule: draft })).toMatchObject({ devicesBefore: 2, devicesAfter: 1, devicesLost: 1 });
  });
});

describe('exceptions', () => {
  const put = (body: Record<string, unknown>, caller = me) =>
    world.call(caller, 'PUT', '/v1/ruleExceptions', { tenantId: home.tenantId, reason: 'Batch jobs', ...body });

  it('are of the tenant: its people write and see them, others neither', async () => {
    const ruleId = (await make()).body['ruleId'];
    const created = await put({ ruleId, ownValues: { '62 Cpu 3': '95' } });
    expect([created.status, created.body['error']]).toEqual([201, undefined]);
    const url = `/v1/ruleExceptions(${String(created.body['ruleExceptionId'])})`;
    expect((await world.call(holder([other.tenantId]), 'GET', url)).status).toBe(404);
    expect((await put({ ruleId, tenantId: other.tenantId, isOff: true })).status).toBe(400);
    expect((await put({ ruleId, isOff: true }, holder([home.tenantId], ['CloudFit.CFS.Rules:view']))).status).toBe(403);
    expect((await put({ ruleId, isOff: true })).status).toBe(409);
  });

  it('say what is wrong with them', async () => {
    const ruleId = (await make()).body['ruleId'];
    const message = async (body: Record<string, unknown>) => details(await put(body)).map(({ target, message }) => [target, message]);
    expect(await message({ ruleId })).toEqual([
      ['ownValues', 'Say what is otherwise here: a value, the lifetime, the severity, or that the rule does not hold.'],
    ]);
    expect(await message({ ruleId, ownValues: { '62 Disk 3': '1' } })).toEqual([
      ['ownValues', 'The rule has no constant 62 Disk 3. It has 62 Cpu 3.'],
    ]);
    expect((await message({ ruleId, ownValues: { '62 Cpu 3': 'much' } }))[0]?.[0]).toBe('ownValues');
    expect((await message({ ruleId, matchLifetime: '00:01:00' }))[0]).toEqual(['matchLifetime', 'Must be at least 5 minutes.']);
    const ownRule = await world.call(me, 'PUT', '/v1/rules', { name: 'Mine', ruleTypeId: 1, ...home, conditions: [cpu] });
    expect((await message({ ruleId: ownRule.body['ruleId'], isOff: true }))[0]?.[0]).toBe('appliesTo');
    const foreign = (await make({ tenantGroupId: await group([other.tenantId]) })).body['ruleId'];
    expect((await message({ ruleId: foreign, isOff: true }))[0]?.[0]).toBe('ruleId');
  });
});

describe('copies of a rule', () => {
  it('become one rule of many that holds in each tenant as its copy did, and in no other', async () => {
    const third = await world.tenant();
    const cpuOf = (RightOperand: string) => [{ ...cpu, RightOperand }];
    const copy = async (place: object, body: object) =>
      String(
        (await world.call(everybody, 'PUT', '/v1/rules', { name: 'Copy', ruleTypeId: 1, ...place, subscriptionId: null, ...body })).body[
          'ruleId'
        ],
      );
    const ids = [
      await copy(home, { conditions: cpuOf('95') }),
      await copy(other, { conditions: cpuOf('90'), matchLifetime: '00:10:00' }),
      await copy(third, { conditions: cpuOf('90'), matchLifetime: '00:10:00' }),
    ];
    const fourth = await world.tenant();
    const tenantGroupId = await group([home, other, third, fourth].map(({ tenantId }) => tenantId));
    const input = { ruleIds: ids, tenantGroupId };
    const preview = await world.call(everybody, 'POST', '/v1/rules/join/preview', input);
    expect(preview.body).toMatchObject({ conditions: 'Metric Cpu > 90', leftOut: 1 });
    expect(preview.body['differences']).toMatchObject([{ tenantId: home.tenantId, differs: ['Metric Cpu > 95', '00:05:00'] }]);
    expect((await world.call(me, 'POST', '/v1/rules/join', { ...input, name: 'One' })).status).toBe(403);
    const answer = await world.call(everybody, 'POST', '/v1/rules/join', { ...input, name: 'One' });
    expect([answer.status, answer.body['exceptions']]).toEqual([200, 2]);
    const row = await world.call(everybody, 'GET', `/v1/ruleExceptions?$filter=ruleId eq ${String(answer.body['ruleId'])}&$orderby=isOff`);
    expect(row.body.value).toMatchObject([
      { tenantId: home.tenantId, ownValues: { '62 Cpu 3': '95' }, matchLifetime: '00:05:00', isOff: false },
      { tenantId: fourth.tenantId, isOff: true },
    ]);
    for (const id of ids) expect((await world.call(everybody, 'GET', `/v1/rules(${id})`)).body['enabled']).toBe(false);
    expect(
      details(await world.call(everybody, 'POST', '/v1/rules/join', { ruleIds: [ids[0], ids[0]], tenantGroupId, name: 'One' })),
    ).toMatchObject([{ target: 'ruleIds', message: 'Choose at least two rules.' }]);
    const inGroup = { ruleIds: ids, tenantGroupId: await group([home.tenantId]), name: 'One' };
    expect(details(await world.call(everybody, 'POST', '/v1/rules/join', inGroup))).toMatchObject([{ target: 'tenantGroupId' }]);
  });
});

describe('exceptions by other places than the tenant', () => {
  const put = (body: object, caller = me) => world.call(caller, 'PUT', '/v1/ruleExceptions', { reason: 'Builds', isOff: true, ...body });
  const exceptionOf = async (body: object, caller = me) => {
    const answer = await put(body, caller);
    expect(answer.status, answer.text).toBe(201);
    return String(answer.body['ruleExceptionId']);
  };
  const seenBy = async (caller: TestCaller, ruleId: unknown) =>
    ((await world.call(caller, 'GET', `/v1/ruleExceptions?$filter=ruleId eq ${String(ruleId)}`)).body.value ?? []).map(
      (row) => row['ruleExceptionId'],
    );

  it('without a tenant are written by those with the right in all, and seen by the tenants that they concern', async () => {
    const tenantGroupId = await group([other.tenantId]);
    const rule = (await make()).body['ruleId'];
    const ofGroup = await exceptionOf({ ruleId: rule, appliesTo: 'Group', tenantGroupId }, everybody);
    const ofAll = await exceptionOf({ ruleId: rule, appliesTo: 'Tag', tag: 'build' }, everybody);
    const ofOther = await exceptionOf({ ruleId: rule, appliesTo: 'Tag', tag: 'build', tenantId: other.tenantId }, everybody);
    expect(await seenBy(me, rule)).toEqual([ofAll]);
    expect((await seenBy(holder([other.tenantId]), rule)).toSorted()).toEqual([ofGroup, ofAll, ofOther].toSorted());
    expect((await put({ ruleId: rule, appliesTo: 'Tag', tag: 'mine' })).status).toBe(403);
    expect((await world.call(me, 'DELETE', `/v1/ruleExceptions/${ofAll}`)).status).toBe(403);
    expect((await put({ ruleId: rule, appliesTo: 'Tag', tag: 'BUILD', tenantId: other.tenantId }, everybody)).status).toBe(409);
    // An exception of all tenants of a rule of a group is not for the others; the database itself hides it.
    const foreign = (await make({ tenantGroupId })).body['ruleId'];
    const hidden = await exceptionOf({ ruleId: foreign, appliesTo: 'Name', entityName: 'db-1' }, everybody);
    expect(await seenBy(me, foreign)).toEqual([]);
    const rows = await world.database
      .scoped([home.tenantId])
      .query({ text: 'select 1 from rule_exception where rule_exception_id = any($1::uuid[])', values: [[hidden, ofGroup]] });
    expect(rows).toEqual([]);
    expect(details(await world.call(everybody, 'DELETE', `/v1/tenantGroups/${tenantGroupId}`))[0]?.message).toMatch(
      /^Rules are for this group: /,
    );
  });

  it('say what is missing, what is too much, and what the rule has not', async () => {
    const ofMine = (await world.call(me, 'PUT', '/v1/rules', { name: 'Mine', ruleTypeId: 1, ...home, conditions: [cpu] })).body['ruleId'];
    const rule = (await make()).body['ruleId'];
    const count = { Type: 'And', LeftOperand: 71, Operator: 6, RightOperand: '2', WindowSeconds: 300 };
    const many = (await make({ ruleTypeId: 6, conditions: [count] })).body['ruleId'];
    const refused = async (body: object, caller = me) => details(await put(body, caller)).map(({ target }) => target);
    const here = { ruleId: rule, tenantId: home.tenantId };
    expect(await refused({ ...here, appliesTo: 'Device' })).toEqual(['deviceId']);
    expect(await refused({ ...here, appliesTo: 'Tag', tag: 'x', entityName: 'y' })).toEqual(['entityName']);
    expect(await refused({ ruleId: rule, appliesTo: 'Tenant' }, everybody)).toEqual(['tenantId']);
    expect(await refused({ ...here, appliesTo: 'Tenant', tenantGroupId: await group([home.tenantId]) }, everybody)).toEqual([
      'tenantGroupId',
    ]);
    expect(await refused({ ruleId: ofMine, tenantId: home.tenantId })).toEqual(['appliesTo']);
    expect(await refused({ ruleId: ofMine, appliesTo: 'Tag', tag: 'x' }, everybody)).toEqual(['ruleId']);
    expect(await refused({ ruleId: many, tenantId: home.tenantId, appliesTo: 'Tag', tag: 'x' })).toEqual(['appliesTo']);
    expect(await refused({ ...here, isOff: false, severityId: 'Sev1' })).toEqual(['severityId']);
    const theirs = await world.call(everybody, 'PUT', '/v1/devices', { name: 'theirs', ...other, deviceTypeId: 1, operatingSystemId: 1 });
    expect(await refused({ ...here, appliesTo: 'Device', deviceId: theirs.body['deviceId'] }, everybody)).toEqual(['deviceId']);
    await exceptionOf({ ruleId: ofMine, tenantId: home.tenantId, appliesTo: 'Tag', tag: 'x' });
    expect((await world.call(me, 'DELETE', `/v1/rules/${String(ofMine)}`)).status).toBe(204);
  });

  it('say before they are saved for which devices they would hold, and to which ones they yield', async () => {
    const place = await world.tenant();
    const caller = holder([place.tenantId]);
    const device = async (name: string, tags: string) =>
      String(
        (await world.call(caller, 'PUT', '/v1/devices', { name, tags, ...place, deviceTypeId: 1, operatingSystemId: 1 })).body['deviceId'],
      );
    const [one, two] = [await device('p-1', 'build'), await device('p-2', 'build, prod')];
    await device('p-3', '');
    const rule = (await make()).body['ruleId'];
    const draft = { ruleId: rule, tenantId: place.tenantId, appliesTo: 'Tag', tag: 'Build' };
    const ask = async () => (await world.call(caller, 'POST', '/v1/ruleExceptions/preview', draft)).body;
    expect(await ask()).toMatchObject({ devices: 2, yieldsTo: [] });
    const ofDevice = await exceptionOf({ ruleId: rule, tenantId: place.tenantId, appliesTo: 'Device', deviceId: two }, caller);
    expect(await ask()).toMatchObject({ devices: 1, first: [{ id: one }], yieldsTo: [{ ruleExceptionId: ofDevice, devices: 1 }] });
    const there = await world.call(caller, 'GET', `/v1/devices/${two}/ruleExceptions`);
    const ofThisRule = (there.body['rules'] as { ruleId: string }[]).filter((row) => row.ruleId === rule);
    expect(ofThisRule).toMatchObject([{ ruleId: rule, isInherited: true, exception: { appliesTo: 'Device', isOff: true }, others: [] }]);
    expect((await world.call(me, 'GET', `/v1/devices/${two}/ruleExceptions`)).status).toBe(404);
    const inherited = (await world.call(caller, 'GET', `/v1/tenants/${place.tenantId}/inheritedRules`)).body['rules'] as {
      ruleId: string;
    }[];
    expect(inherited.find(({ ruleId }) => ruleId === rule)).toMatchObject({
      exception: null,
      constants: [{ key: expect.any(String) as string, value: expect.any(String) as string }],
      others: [{ appliesTo: 'Device' }],
      ended: [],
    });
    // An exception that ends by itself is told of before, and after.
    const ends = { ruleId: rule, tenantId: place.tenantId, appliesTo: 'Tenant', isOff: true };
    const ending = await exceptionOf({ ...ends, until: new Date(Date.now() + 3_600_000).toISOString() }, caller);
    const thereNow = async () =>
      ((await world.call(caller, 'GET', `/v1/tenants/${place.tenantId}/inheritedRules`)).body['rules'] as { ruleId: string }[]).find(
        ({ ruleId }) => ruleId === rule,
      );
    expect(await thereNow()).toMatchObject({ exception: { ruleExceptionId: ending, isOff: true }, ended: [] });
    await world.call(caller, 'POST', `/v1/ruleExceptions/${ending}`, { until: new Date(Date.now() - 1_000).toISOString() });
    expect(await thereNow()).toMatchObject({ exception: null, ended: [{ ruleExceptionId: ending, until: expect.any(String) as string }] });
    expect((await world.call(me, 'GET', `/v1/tenants/${place.tenantId}/inheritedRules`)).status).toBe(404);
  });
});
