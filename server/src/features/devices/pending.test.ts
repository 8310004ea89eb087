/** Pending devices over HTTP: listed, promoted and deleted in batches. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { proves } from '@cloudfit/contract/testing/proves.ts';
import { createWorld, holder, type TestCaller, type WorldReply, type TestWorld } from '../../testing/world.ts';

let world: TestWorld;
let mine: { tenantId: string; subscriptionId: string };
let theirs: { tenantId: string; subscriptionId: string };
let me: TestCaller;
let otherTenantCaller: TestCaller;
let viewer: TestCaller;

beforeAll(async () => {
  world = await createWorld();
  [mine, theirs] = [await world.tenant(), await world.tenant()];
  [me, otherTenantCaller] = [holder([mine.tenantId]), holder([theirs.tenantId])];
  viewer = holder([mine.tenantId], ['CloudFit.CFS.PendingDevices:view', 'CloudFit.CFS.Devices:view']);
});
afterAll(() => world.close());

async function pending(over: { tenantId?: string; name?: string; lastPing?: string } = {}): Promise<string> {
  const [row] = await world.system.db.query<{ id: string }>({
    text: `insert into pending_device (tenant_id, machine_name, operating_system, architecture, ip_address, machine_key, last_ping)
      values ($1, $2, 'Debian GNU/Linux 12', 'x64', '192.0.2.7', uuidv7(), coalesce($3, now())) returning pending_device_id as id`,
    values: [over.tenantId ?? mine.tenantId, over.name ?? 'db-1', over.lastPing ?? null],
  });
  return row?.id ?? '';
}
const promote = (ids: unknown, query = `?subscriptionId=${mine.subscriptionId}`, caller = me) =>
  world.call(caller, 'POST', `/v1/pendingdevices/batchpromote${query}`, ids);
const remove = (ids: unknown, caller = me) => world.call(caller, 'DELETE', '/v1/pendingdevices/batchdelete', ids);
const wrongOf = (answer: WorldReply): string[] =>
  ((answer.body['error'] as { details?: { target: string; message: string }[] }).details ?? []).map((d) => `${d.target}: ${d.message}`);
const shown = async (ids: string[]): Promise<number> =>
  (await world.call(me, 'GET', `/v1/pendingdevices?$filter=pendingDeviceId in (${ids.join(',')})`)).body.value?.length ?? 0;

describe('the list', () => {
  it('has the fields of the spec, and hides those without a ping in the last day by a filter', async () => {
    const day = 86_400_000;
    const ids = [await pending(), await pending({ lastPing: new Date(Date.now() - day - 60_000).toISOString() })];
    const list = (filter: string) =>
      world.call(
        me,
        'GET',
        `/v1/pendingdevices?$count=true&$filter=${encodeURIComponent(`pendingDeviceId in (${ids.join(',')})${filter}`)}`,
      );
    const all = await list('');
    await proves('[API-177] OData is accepted', () => expect(all.body['@odata.count']).toBe(2));
    const active = await list(` and lastPing ge ${new Date(Date.now() - day).toISOString()}`);
    await proves('[API-178] [PEND-023] those that are inactive are hidden', () =>
      expect(active.body.value?.map((row) => row['pendingDeviceId'])).toEqual([ids[0]]),
    );
    await proves('[PEND-012] the fields', () => {
      expect(active.body.value).toMatchObject([
        { machineName: 'db-1', operatingSystem: 'Debian GNU/Linux 12', architecture: 'x64', ipAddress: '192.0.2.7' },
      ]);
      expect(Object.keys(active.body.value?.[0] ?? {})).toEqual(expect.arrayContaining(['created', 'lastPing']));
    });
  });

  it.each([
    ['[PEND-004]', 'machineName', 'EB-77'],
    ['[PEND-005]', 'operatingSystem', 'debian'],
    ['[PEND-006]', 'architecture', 'X64'],
    ['[PEND-007]', 'ipAddress', '192.0.2'],
  ])('%s can be searched by %s', async (_id, field, text) => {
    const id = await pending({ name: 'web-77' });
    const filter = encodeURIComponent(`contains(tolower(${field}),'${text.toLowerCase()}') and pendingDeviceId eq ${id}`);
    expect((await world.call(me, 'GET', `/v1/pendingdevices?$filter=${filter}`)).body.value).toHaveLength(1);
  });
});

describe('promotion', () => {
  it('makes devices of all that are named, in the subscription and at the location chosen', async () => {
    const location = await world.call(me, 'PUT', '/v1/locations', { name: 'Plant', tenantId: mine.tenantId });
    const ids = [await pending({ name: 'a' }), await pending({ name: 'b' })];
    const answer = await promote(ids, `?subscriptionId=${mine.subscriptionId}&locationId=${String(location.body['locationId'])}`);
    await proves('[API-179] takes their ids', () => expect([answer.status, answer.body['error']]).toEqual([200, undefined]));
    const deviceIds = answer.body.value?.map((v) => String(v['deviceId'])) ?? [];
    const { body } = await world.call(me, 'GET', `/v1/devices?$filter=deviceId in (${deviceIds.join(',')})`);
    await proves('[PEND-011] makes devices', async () => {
      expect(body.value).toMatchObject([
        { name: 'a', ...mine, locationId: location.body['locationId'], operatingSystemId: 4 },
        { name: 'b', ...mine },
      ]);
      expect(await shown(ids)).toBe(0);
    });
    const audits = await world.system.db.query<{ after: { deviceId: string } | null }>({
      text: "select after from audit where entity = 'pendingDevices' and entity_id = any($1) and verb = 'update'",
      values: [ids],
    });
    expect(audits.map((a) => a.after?.deviceId).toSorted()).toEqual(deviceIds.toSorted());
  });

  it('[PEND-013] goes to the current subscription when none is named', async () => {
    const [person] = await world.system.db.query<{ id: string }>({
      text: `insert into person (name, user_name, context_subscription_id) values ('P', $1, $2) returning person_id as id`,
      values: [`${crypto.randomUUID()}@example.com`, mine.subscriptionId],
    });
    const id = await pending();
    const personCaller: TestCaller = { ...me, actor: { kind: 'person', id: person?.id ?? '', name: 'P', userName: 'p' } };
    expect((await promote([id], '', personCaller)).status).toBe(200);
    expect(wrongOf(await promote([await pending()], ''))).toEqual(['subscriptionId: Please choose a subscription.']);
  });

  it('is all or nothing, with a reason for each id', async () => {
    const good = await pending();
    const elsewhere = await pending({ tenantId: theirs.tenantId, name: 'far' });
    const unknown = crypto.randomUUID();
    const missing = await promote([good, elsewhere, unknown]);
    expect([missing.status, wrongOf(missing)]).toEqual([
      404,
      [`${elsewhere}: This pending device was not found.`, `${unknown}: This pending device was not found.`],
    ]);
    const both = holder([mine.tenantId, theirs.tenantId]);
    expect(wrongOf(await promote([good, elsewhere], undefined, both))).toEqual([
      `${elsewhere}: far registered for another tenant than that of the subscription.`,
    ]);
    expect(await shown([good])).toBe(1);
  });

  it('[PEND-016] takes at least one id', async () => {
    expect(wrongOf(await promote([]))).toEqual(['items: Please select at least one Device.']);
    expect(wrongOf(await promote(['x']))).toEqual(['items.0: Please enter a valid GUID.']);
    expect(wrongOf(await promote({}))).toEqual(['items: Send a list of ids.']);
  });

  it('[PEND-018] [PEND-020] takes fewer than 25 ids', async () => {
    expect(wrongOf(await promote(Array.from({ length: 25 }, () => crypto.randomUUID())))).toEqual([
      'items: Please select fewer than 25 Devices.',
    ]);
    expect((await promote(Array.from({ length: 24 }, () => crypto.randomUUID()))).status).toBe(404);
  });

  it('is refused without the permissions and with a subscription or location that is not there', async () => {
    const id = await pending();
    expect((await promote([id], undefined, viewer)).status).toBe(403);
    const withoutDevices = holder([mine.tenantId], ['CloudFit.CFS.PendingDevices:view', 'CloudFit.CFS.PendingDevices:edit']);
    expect((await promote([id], undefined, withoutDevices)).status).toBe(403);
    expect(wrongOf(await promote([id], `?subscriptionId=${theirs.subscriptionId}`))).toEqual([
      'subscriptionId: Subscription was not found.',
    ]);
    expect(wrongOf(await promote([id], `?subscriptionId=${mine.subscriptionId}&locationId=${crypto.randomUUID()}`))).toEqual([
      'locationId: Location was not found.',
    ]);
    expect((await promote([id], `?subscriptionId=${theirs.subscriptionId}`, otherTenantCaller)).status).toBe(404);
  });
});

describe('deletion', () => {
  it('[PEND-014] [API-180] is for good', async () => {
    const ids = [await pending(), await pending()];
    expect((await remove(ids)).status).toBe(204);
    const left = await world.system.db.query({ text: 'select 1 from pending_device where pending_device_id = any($1)', values: [ids] });
    expect(left).toEqual([]);
  });

  it('[PEND-017] [PEND-019] takes at least one and fewer than 25 ids', async () => {
    expect(wrongOf(await remove([]))).toEqual(['items: Please select at least one Device.']);
    expect(wrongOf(await remove(Array.from({ length: 25 }, () => crypto.randomUUID())))).toEqual([
      'items: Please select fewer than 25 Devices.',
    ]);
  });

  it('is all or nothing, refused without the permission and across tenants', async () => {
    const [good, elsewhere] = [await pending(), await pending({ tenantId: theirs.tenantId })];
    expect((await remove([good], viewer)).status).toBe(403);
    const answer = await remove([good, elsewhere]);
    expect([answer.status, wrongOf(answer)]).toEqual([404, [`${elsewhere}: This pending device was not found.`]]);
    expect(await shown([good])).toBe(1);
  });
});
