/** A configuration that names people, schedules and devices goes to another installation, row by row. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { builtInAction } from '@cloudfit/contract/enums.ts';
import type { ConfigurationDocument, ImportOutcome } from '@cloudfit/contract/configuration.ts';
import { requireResource } from '@cloudfit/contract/resources/registry.ts';
import { ensureShippedSets } from '../../auth/shipped.ts';
import { insertSample, personIn } from '../../testing/samples.ts';
import { createWorld, holder, type TestWorld } from '../../testing/world.ts';
import { levelsOf } from './levels.ts';
import type { PortableResource } from './portable.ts';

type Row = Record<string, unknown>;

let from: TestWorld;
let to: TestWorld;
let home: { tenantId: string; subscriptionId: string };
let document: ConfigurationDocument;
let mara: string;

const all = holder('all');
const put = async (world: TestWorld, name: string, body: object): Promise<Row> => {
  const created = await world.call(all, 'PUT', `/v1/${name}`, body);
  expect([name, created.status, created.body['error']]).toEqual([name, 201, undefined]);
  return created.body;
};
const read = async (world: TestWorld, tenantId: string): Promise<ConfigurationDocument> =>
  (await world.call(all, 'GET', `/v1/configuration?tenantId=${tenantId}`)).body as unknown as ConfigurationDocument;
const send = (tenantId: string, more: object = {}) => to.call(all, 'POST', '/v1/configuration', { ...document, tenantId, ...more });
const outcome = async (...args: Parameters<typeof send>): Promise<ImportOutcome> => {
  const answer = await send(...args);
  expect([answer.status, answer.body['error']]).toEqual([200, undefined]);
  return answer.body as unknown as ImportOutcome;
};
const userName = async (personId: string): Promise<string> => {
  const [row] = await from.system.db.query<{ user_name: string }>({
    text: 'select user_name from person where person_id = $1',
    values: [personId],
  });
  return row?.user_name ?? '';
};
/** A person of the other installation with rights in the tenant. */
const personThere = async (tenantId: string, name: string): Promise<string> => {
  const personId = await personIn(to, tenantId);
  await to.system.db.query({ text: 'update person set user_name = $2 where person_id = $1', values: [personId, name] });
  return personId;
};

beforeAll(async () => {
  [from, to] = [await createWorld(), await createWorld()];
  await ensureShippedSets(to.system.db);
  home = await from.tenant('Northwind');
  const { tenantId } = home;
  mara = await personIn(from, tenantId, 'Mara Lind');
  const layer = { name: 'Nights', people: [mara], start: '2026-05-04T09:00', unit: 'Weeks', every: 1, restrictions: [], holidays: 'Same' };
  const schedule = await put(from, 'onCallSchedules', { name: 'Nights', tenantId, timeZone: 'Europe/Berlin', layers: [layer] });
  const protocol = await put(from, 'protocols', { name: 'Page', tenantId });
  const step = (sequence: number, parameters: object) => ({
    protocolId: protocol['protocolId'],
    actionDefinitionId: builtInAction.notify,
    workUnitEventTypeId: 1,
    sequence,
    parameters: JSON.stringify(parameters),
  });
  await put(from, 'protocolActions', step(1, { Whom: 'Schedule', ScheduleId: schedule['onCallScheduleId'] }));
  await put(from, 'protocolActions', step(2, { Whom: 'Person', PersonId: mara }));
  await insertSample(from, requireResource('deviceOperations'), home);
  document = await read(from, tenantId);
});
afterAll(async () => {
  await Promise.all([from.close(), to.close()]);
});

let there: { tenantId: string; subscriptionId: string };
beforeEach(async () => {
  there = await to.tenant();
});

const stepsOf = async () => ((await read(to, there.tenantId)).rows['protocolActions'] ?? []).map((row) => String(row['parameters']));

describe('a protocol that pages somebody', () => {
  it('arrives with its schedule and its person, whom the user name finds', async () => {
    const name = await userName(mara);
    expect(document.names?.['people']).toEqual([{ key: mara, name }]);
    const maraThere = await personThere(there.tenantId, name.toUpperCase());
    const first = await outcome(there.tenantId, { partly: true });
    expect(first.left.map(({ resource }) => resource)).toEqual(['deviceOperations']);
    const [schedule] = (await read(to, there.tenantId)).rows['onCallSchedules'] ?? [];
    expect(schedule?.['layers']).toMatchObject([{ people: [maraThere] }]);
    expect(await stepsOf()).toEqual([expect.stringContaining(String(schedule?.['onCallScheduleId'])), expect.stringContaining(maraThere)]);
    // The text of a difference has names in place of all ids.
    expect(first.names).toMatchObject({ [maraThere]: expect.stringMatching(/^Person/), [builtInAction.notify]: 'Notify' });
    expect(await outcome(there.tenantId, { partly: true })).toMatchObject({ added: 0, changed: 0, changes: [] });
    // Where she has no rights, another person can be chosen.
    const elsewhere = await to.tenant();
    const { left, missing } = await outcome(elsewhere.tenantId, { partly: true, dryRun: true });
    expect(JSON.stringify(left)).toContain('Person was not found among those with rights in this tenant.');
    expect(missing).toContainEqual({ resource: 'people', name, key: mara, rows: 2 });
    await to.system.db.query({ text: "update person set user_name = 'former ' || user_name where person_id = $1", values: [maraThere] });
  });

  it('is refused as a whole with the name of who is missing, and partly imports the rest', async () => {
    const refused = await send(there.tenantId);
    expect(refused.status).toBe(400);
    expect(JSON.stringify(refused.body)).toContain(
      `The person ${await userName(mara)} is missing here. Make it, map it to another, or leave it out.`,
    );
    const rest = await outcome(there.tenantId, { partly: true });
    expect(rest.changes.map(({ resource }) => resource)).toContain('protocols');
    expect(rest.left.map(({ resource }) => resource)).toEqual(
      ['deviceOperations', 'onCallSchedules', 'protocolActions', 'protocolActions'].toSorted(),
    );
    // The schedule that was left out is missing for the step that names it.
    expect(rest.missing.map(({ resource, rows }) => [resource, rows]).toSorted()).toEqual([
      ['devices', 1],
      ['onCallSchedules', 1],
      ['operations', 1],
      ['people', 2],
    ]);
    expect((await read(to, there.tenantId)).rows['protocols']).toMatchObject([{ name: 'Page' }]);
  });

  it('takes another person by a mapping, or nobody', async () => {
    const name = await userName(mara);
    const jon = await personThere(there.tenantId, `jon.${there.tenantId}@example.com`);
    await outcome(there.tenantId, { partly: true, mapping: { people: { [name]: `jon.${there.tenantId}@example.com` } } });
    expect(await stepsOf()).toEqual([expect.anything(), expect.stringContaining(jon)]);
    const other = await to.tenant();
    const left = await outcome(other.tenantId, { partly: true, mapping: { people: { [mara]: null } } });
    const schedules = (await read(to, other.tenantId)).rows['onCallSchedules'];
    expect(schedules).toMatchObject([{ name: 'Nights', layers: [{ name: 'Nights', people: [] }] }]);
    expect(left.left.find(({ resource }) => resource === 'protocolActions')?.reason).toBe(`${name} is left out, but this row needs it.`);
  });
});

describe('a check of a device', () => {
  it('arrives at the device and the operation with the same names', async () => {
    const names = document.names ?? {};
    const [device, operation] = [names['devices']?.[0], names['operations']?.[0]];
    const packageName = operation?.of ?? '';
    const { deviceId } = await put(to, 'devices', { ...there, name: device?.name });
    await to.system.db.query({
      text: `with p as (insert into package (name, tenant_id, package_type_id, executable_type_id) values ($1, $3, 1, 1) returning package_id)
        insert into operation (name, tenant_id, package_id, frequency_definitions) select $2, $3, package_id, '[1, 2, 3]' from p`,
      values: [packageName, operation?.name, there.tenantId],
    });
    const rows = { deviceOperations: document.rows['deviceOperations'] };
    expect(await outcome(there.tenantId, { rows })).toMatchObject({ added: 1 });
    expect((await read(to, there.tenantId)).rows['deviceOperations']).toMatchObject([
      { deviceId, label: rows.deviceOperations?.[0]?.['label'] },
    ]);
    expect(await outcome(there.tenantId, { rows })).toMatchObject({ added: 0, changed: 0 });
  });

  it('does not arrive at the device of another tenant of the same installation', async () => {
    const second = await from.tenant();
    const answer = await from.call(all, 'POST', '/v1/configuration', {
      ...document,
      rows: { deviceOperations: document.rows['deviceOperations'] },
      tenantId: second.tenantId,
    });
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([400, expect.stringContaining('The device Device')]);
  });
});

describe('what is missing, made by the import', () => {
  const make = { make: true, partly: true };

  it('is a person who may read the tenant, and a device in the subscription of its name', async () => {
    const name = await userName(mara);
    const tried = await outcome(there.tenantId, { ...make, dryRun: true });
    const added = (done: ImportOutcome) =>
      done.changes.filter(({ resource }) => ['people', 'devices'].includes(resource)).map((c) => c.name);
    const device = document.names?.['devices']?.[0]?.name ?? '';
    expect(added(tried)).toEqual([name, device]);
    const people = { text: 'select person_id, email from person where user_name = $1', values: [name] };
    expect(await to.system.db.query(people)).toEqual([]);
    const done = await outcome(there.tenantId, make);
    expect(added(done)).toEqual([name, device]);
    // The operation of a package that is not here stays missing.
    expect(done.left.map(({ resource }) => resource)).toEqual(['deviceOperations']);
    const [person] = await to.system.db.query<{ person_id: string; email: string | null }>(people);
    expect(person?.email).toBe(name);
    expect(
      await to.system.db.query({
        text: 'select s.name, g.tenant_id from access_grant g join permission_set s using (permission_set_id) where person_id = $1',
        values: [person?.person_id],
      }),
    ).toEqual([{ name: 'Reader', tenant_id: there.tenantId }]);
    expect(await stepsOf()).toEqual([expect.anything(), expect.stringContaining(person?.person_id ?? '')]);
    const devices = { text: 'select subscription_id, name from device where tenant_id = $1', values: [there.tenantId] };
    expect(await to.system.db.query(devices)).toEqual([{ subscription_id: there.subscriptionId, name: device }]);
    // A second import, also into another tenant, makes nobody twice.
    expect(added(await outcome(there.tenantId, make))).toEqual([]);
    await to.system.db.query({
      text: "update person set user_name = 'made ' || user_name where person_id = $1",
      values: [person?.person_id],
    });
  });

  it('is only what chosen rows name', async () => {
    const places = Object.entries(document.rows).flatMap(([name, rows]) => rows.map((_, place) => `${name}[${place}]`));
    const without = places.filter((at) => /^(onCallSchedules|protocolActions|deviceOperations)/.test(at));
    const { changes } = await outcome(there.tenantId, { ...make, without });
    expect(changes.map(({ resource }) => resource)).toContain('protocols');
    expect(changes.filter(({ resource }) => ['people', 'devices'].includes(resource))).toEqual([]);
  });

  it('is no device where nobody can tell its subscription, and nobody whom the caller may not let in', async () => {
    const names = { ...document.names, devices: document.names?.['devices']?.map((row) => ({ ...row, of: 'Elsewhere' })) };
    const { left } = await outcome(there.tenantId, { ...make, names, dryRun: true });
    expect(left.find(({ resource }) => resource === 'devices')?.reason).toContain('so is its subscription Elsewhere');
    const editor = holder([there.tenantId], ['CloudFit.CFS.Settings:edit', 'CloudFit.CFS.OnCall:create', 'CloudFit.CFS.OnCall:view']);
    const rows = { onCallSchedules: document.rows['onCallSchedules'] };
    const answer = await to.call(editor, 'POST', '/v1/configuration', { ...document, rows, tenantId: there.tenantId, ...make });
    expect(JSON.stringify(answer.body['left'])).toContain('"resource":"people"');
    expect(await to.system.db.query({ text: 'select 1 from person where user_name = $1', values: [await userName(mara)] })).toEqual([]);
  });
});

it('leaves out the rows that nobody chose, and still finds them for rows that name them', async () => {
  const steps = (document.rows['protocolActions'] ?? []).map((_, place) => `protocolActions[${place}]`);
  const mapping = { people: { [mara]: null } };
  const first = await outcome(there.tenantId, { partly: true, mapping, without: [...steps, 'deviceOperations[0]'] });
  expect([first.left, first.missing]).toEqual([[], []]);
  expect(first.changes.map(({ resource }) => resource)).not.toContain('protocolActions');
  const second = await outcome(there.tenantId, {
    partly: true,
    mapping,
    without: ['onCallSchedules[0]', 'deviceOperations[0]', 'protocols[0]'],
  });
  expect(second.changes.map(({ resource }) => resource)).toEqual(['protocolActions']);
});

it('writes the good rows around bad ones, in more than one turn, and is one change set of the audit', async () => {
  const names = Array.from({ length: 120 }, (_, place) => (place % 40 === 7 ? '' : `Hall ${place}`));
  const before = document;
  document = { cloudfit: 'configuration', version: 1, rows: { locations: names.map((name) => ({ name, tenantId: home.tenantId })) } };
  // A row of the same document may stand for one before it.
  document.rows['locations']?.push({ name: 'Hall 1', tenantId: home.tenantId, city: 'Bergen' });
  try {
    expect(await outcome(there.tenantId, { partly: true, dryRun: true })).toMatchObject({ added: 117, changed: 1 });
    expect((await read(to, there.tenantId)).rows['locations']).toEqual([]);
    const done = await outcome(there.tenantId, { partly: true, note: 'From the test installation' });
    expect(done).toMatchObject({ added: 117, changed: 1, dryRun: false });
    expect(done.left.map(({ at, reason }) => `${at} ${reason}`)).toEqual(
      [7, 47, 87].map((place) => `locations[${place}] Name is required.`),
    );
    const entries = await to.system.db.query<{ entity: string; after: Row; n: number }>({
      text: `select entity, count(*)::int as n, (array_agg(after))[1] as after from audit where correlation_id = $1 group by 1 order by 1`,
      values: [done.changeSet],
    });
    expect(entries).toMatchObject([
      { entity: 'configuration', n: 1, after: { added: 117, changed: 1, left: 3, note: 'From the test installation' } },
      { entity: 'locations', n: 118 },
    ]);
    expect(await outcome(there.tenantId, { partly: true })).toMatchObject({ added: 0, changed: 0 });
  } finally {
    document = before;
  }
});

it('keeps the address of a status page only where it is free', async () => {
  const page = { statusPageId: crypto.randomUUID(), title: 'Public', address: 'northwind-status', enabled: false, components: [] };
  const before = document;
  document = { cloudfit: 'configuration', version: 1, rows: { statusPages: [{ ...page, tenantId: home.tenantId }] } };
  try {
    await outcome(there.tenantId);
    expect((await read(to, there.tenantId)).rows['statusPages']).toMatchObject([{ address: 'northwind-status' }]);
    const second = await to.tenant();
    expect(await outcome(second.tenantId)).toMatchObject({ added: 1 });
    const [copy] = (await read(to, second.tenantId)).rows['statusPages'] ?? [];
    expect(copy?.['address']).toMatch(/^[0-9a-f]{20}$/);
    expect(await outcome(second.tenantId)).toMatchObject({ added: 0, changed: 0 });
  } finally {
    document = before;
  }
});

it('orders rows that name each other, and those that stand for the same row', () => {
  const [a, b] = [crypto.randomUUID(), crypto.randomUUID()];
  const resource = requireResource('locations') as PortableResource;
  const rows = [{ locationId: a, name: 'A', city: b }, { locationId: b, name: 'B' }, { name: 'B' }, { locationId: a, name: 'C' }];
  expect(levelsOf(resource, rows).map((level) => level.map(([place]) => place))).toEqual([[1], [0, 2], [3]]);
  const circle = [
    { locationId: a, name: 'A', city: b },
    { locationId: b, name: 'B', city: a },
  ];
  expect(levelsOf(resource, circle).flat()).toHaveLength(2);
});
