/** Versions of configuring rows: one is restored, a change set is taken back, with the rights of the reader. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { builtInAction } from '@cloudfit/contract/enums.ts';
import type { RestoreOutcome } from '@cloudfit/contract/configuration.ts';
import { allPermissions } from '@cloudfit/contract/permissions.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../testing/world.ts';

type Row = Record<string, unknown>;

let world: TestWorld;
let tenantId: string;
let admin: TestCaller;

beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());
beforeEach(async () => {
  ({ tenantId } = await world.tenant());
  admin = holder([tenantId]);
});

const call = async (method: string, path: string, body?: object, caller = admin): Promise<Row & { value?: Row[] }> => {
  const answer = await world.call(caller, method, path, body);
  expect([path, answer.body['error']]).toEqual([path, undefined]);
  return answer.body;
};
const restore = (body: object, caller = admin) => world.call(caller, 'POST', '/v1/configuration/restore', body);
const restored = async (...args: Parameters<typeof restore>): Promise<RestoreOutcome> => {
  const answer = await restore(...args);
  expect([answer.status, answer.body['error']]).toEqual([200, undefined]);
  return answer.body as unknown as RestoreOutcome;
};
const entries = async (filter: string): Promise<Row[]> =>
  (await call('GET', `/v1/audit?$orderby=auditId&$filter=${encodeURIComponent(filter)}`)).value ?? [];
const location = async (id: unknown): Promise<Row | undefined> =>
  (await call('GET', `/v1/locations?$filter=locationId eq ${String(id)}`)).value?.[0];

describe('a version', () => {
  it('is tried, then restored as a new change with its reason, and nothing is left to do', async () => {
    const { locationId } = await call('PUT', '/v1/locations', { name: 'Mill', city: 'Bergen', tenantId });
    await call('POST', `/v1/locations/${String(locationId)}`, { city: 'Oslo', state: 'Viken' });
    const [first] = await entries(`entityId eq '${String(locationId)}'`);
    const body = { auditId: first?.['auditId'], note: 'Wrong city' };
    const fields = [
      { field: 'city', before: 'Oslo', after: 'Bergen' },
      { field: 'state', before: 'Viken', after: null },
    ];
    expect(await restored({ ...body, dryRun: true })).toMatchObject({ dryRun: true, changes: [{ verb: 'change', name: 'Mill', fields }] });
    expect(await location(locationId)).toMatchObject({ city: 'Oslo' });
    const done = await restored(body);
    expect(await location(locationId)).toMatchObject({ city: 'Bergen', state: null });
    expect(await entries(`correlationId eq ${done.changeSet}`)).toMatchObject([
      { entity: 'locations', verb: 'update', before: { city: 'Oslo' }, after: { city: 'Bergen' } },
      { entity: 'configuration', verb: 'restore', tenantId, after: { restored: 1, note: 'Wrong city' } },
    ]);
    expect(await restored(body)).toMatchObject({ changes: [], left: [] });
  });

  it('brings back a deleted row under its key, and names what is gone', async () => {
    const protocol = await call('PUT', '/v1/protocols', { name: 'Page', tenantId });
    await call('PUT', '/v1/protocolActions', {
      protocolId: protocol['protocolId'],
      actionDefinitionId: builtInAction.email,
      workUnitEventTypeId: 1,
      summary: 'Mail',
      parameters: '{"To":"desk@example.com"}',
    });
    await call('DELETE', `/v1/protocols/${String(protocol['protocolId'])}`);
    const [deleted] = await entries(`entity eq 'protocolActions' and verb eq 'delete'`);
    const alone = await restored({ auditId: deleted?.['auditId'], dryRun: true });
    expect(alone.left).toMatchObject([{ resource: 'protocolActions', reason: expect.stringContaining('Gone: Protocol Page.') as string }]);
    // Both went by one request, and come back by it.
    const both = await restored({ changeSet: deleted?.['correlationId'], dryRun: true });
    expect([both.changes.map(({ resource }) => resource), both.left]).toEqual([['protocols', 'protocolActions'], []]);
    const [deletion] = await entries(`entity eq 'protocols' and verb eq 'delete'`);
    expect(await restored({ auditId: deletion?.['auditId'] })).toMatchObject({ changes: [{ verb: 'add', name: 'Page' }] });
    const back = (await call('GET', "/v1/protocols?$filter=name eq 'Page'")).value;
    expect(back).toMatchObject([{ protocolId: protocol['protocolId'] }]);
  });

  it('is restored only by who may edit the row, and seen only by who may see it', async () => {
    const { locationId } = await call('PUT', '/v1/locations', { name: 'Mill', tenantId });
    await call('POST', `/v1/locations/${String(locationId)}`, { name: 'Old mill' });
    const [first] = await entries(`entityId eq '${String(locationId)}'`);
    const body = { auditId: first?.['auditId'] };
    const reader = holder(
      [tenantId],
      allPermissions.filter((p) => !p.startsWith('CloudFit.CFS.Locations') || p.endsWith(':view')),
    );
    expect((await restored(body, reader)).left).toMatchObject([{ reason: expect.stringContaining('CloudFit.CFS.Locations:edit') }]);
    expect(await location(locationId)).toMatchObject({ name: 'Old mill' });
    const other = await world.tenant();
    expect((await restore(body, holder([other.tenantId]))).status).toBe(404);
    expect((await restore({})).status).toBe(400);
    expect((await restore({ changeSet: crypto.randomUUID() })).status).toBe(404);
  });
});

describe('an import', () => {
  const rows = () => ({
    protocols: [{ protocolId: crypto.randomUUID(), name: 'Night', tenantId }],
    locations: [
      { name: 'Mill', city: 'Oslo', tenantId },
      { name: 'Quay', tenantId },
    ],
  });

  it('is taken back as one: added rows go, changed ones become what they were', async () => {
    await call('PUT', '/v1/locations', { name: 'Mill', city: 'Bergen', tenantId });
    const document = { cloudfit: 'configuration', version: 1, rows: rows(), partly: true };
    const { changeSet } = await call('POST', '/v1/configuration', document);
    const verbs = ({ changes }: RestoreOutcome) => changes.map(({ verb, name }) => `${verb} ${name}`);
    const expected = ['change Mill', 'remove Quay', 'remove Night'];
    expect(verbs(await restored({ changeSet, dryRun: true })).toSorted()).toEqual(expected.toSorted());
    const undone = await restored({ changeSet });
    expect([verbs(undone).toSorted(), undone.left]).toEqual([expected.toSorted(), []]);
    expect((await call('GET', '/v1/locations')).value).toMatchObject([{ name: 'Mill', city: 'Bergen' }]);
    expect(await restored({ changeSet })).toMatchObject({ changes: [], left: [] });
    // Taking back is a change set too, and so can be undone back.
    await restored({ changeSet: undone.changeSet });
    expect(((await call('GET', '/v1/locations')).value ?? []).map((row) => row['name']).toSorted()).toEqual(['Mill', 'Quay']);
  });

  it('keeps what somebody changed afterwards, and says so', async () => {
    const document = { cloudfit: 'configuration', version: 1, rows: { locations: rows().locations }, partly: true };
    const { changeSet } = await call('POST', '/v1/configuration', document);
    const [mill] = (await call('GET', "/v1/locations?$filter=name eq 'Mill'")).value ?? [];
    await call('POST', `/v1/locations/${String(mill?.['locationId'])}`, { city: 'Stavanger' });
    const undone = await restored({ changeSet });
    expect(undone.changes).toMatchObject([{ verb: 'remove', name: 'Quay' }]);
    expect(undone.left).toMatchObject([{ name: 'Mill', reason: 'It was changed after that: City. Restore it from its own history.' }]);
    expect(await location(mill?.['locationId'])).toMatchObject({ city: 'Stavanger' });
  });
});

it('a row that moves has an entry in each tenant, of which neither says anything of the other, and moves back', async () => {
  const there = await world.tenant();
  const both = holder([tenantId, there.tenantId]);
  const { locationId } = await call('PUT', '/v1/locations', { name: 'Secret mill', city: 'Oslo', tenantId });
  const moved = await call('POST', `/v1/locations/${String(locationId)}`, { tenantId: there.tenantId, name: 'Mill' }, both);
  expect(moved).toMatchObject({ name: 'Mill' });
  const filter = `/v1/audit?$orderby=auditId&$filter=${encodeURIComponent(`entityId eq '${String(locationId)}'`)}`;
  const seenBy = async (caller: TestCaller) => (await world.call(caller, 'GET', filter)).text;
  const [here, arrived] = [await seenBy(admin), await seenBy(holder([there.tenantId]))];
  expect([here.includes(there.tenantId), here.includes('Secret mill')]).toEqual([false, true]);
  expect([arrived.includes(tenantId), arrived.includes('Secret mill'), arrived.includes('Oslo')]).toEqual([false, false, true]);
  const entries = (await call('GET', filter, undefined, both)).value ?? [];
  expect(entries.map(({ verb, before, after }) => [verb, before !== null, after !== null])).toEqual([
    ['create', false, true],
    ['move', true, false],
    ['move', false, true],
  ]);
  const changeSet = entries[1]?.['correlationId'];
  // Whoever may read one tenant alone neither deletes the row there nor makes a copy of it here.
  expect(await restored({ changeSet }, holder([there.tenantId]))).toMatchObject({
    changes: [],
    left: [{ name: 'Mill', reason: expect.stringContaining('It came from another tenant.') as string }],
  });
  expect((await restored({ changeSet })).left).toMatchObject([
    { reason: expect.stringContaining('It has moved to another tenant') as string },
  ]);
  expect(await restored({ changeSet }, both)).toMatchObject({ left: [], changes: [{ verb: 'change', name: 'Secret mill' }] });
  expect(await location(locationId)).toMatchObject({ name: 'Secret mill', tenantId });
});

it('names ids for who may view their rows', async () => {
  const { locationId } = await call('PUT', '/v1/locations', { name: 'Mill', tenantId });
  const ids = [locationId, crypto.randomUUID()];
  expect(await call('POST', '/v1/configuration/names', { ids })).toEqual({ names: { [String(locationId)]: 'Mill' } });
  const other = await world.tenant();
  expect(await call('POST', '/v1/configuration/names', { ids }, holder([other.tenantId]))).toEqual({ names: {} });
});
