/** ETag, If-Match, If-None-Match and Prefer: a changed row or list is never answered as unchanged. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createWorld, holder, type TestCaller, type WorldReply, type TestWorld } from '../testing/world.ts';
import { openDatabase } from '../db/connection.ts';
import { planList, runPlan } from '../resources/list.ts';
import { servedNamed } from '../resources/served.ts';
import { listTag, unchangedTag } from './list-version.ts';

let world: TestWorld;
let tenantId: string;
let me: TestCaller;
let place: { url: string; etag: string };

async function newPlace(name = `Place ${crypto.randomUUID()}`, tenant = tenantId): Promise<{ url: string; etag: string }> {
  const created = await world.call(holder('all'), 'PUT', '/v1/locations', { name, tenantId: tenant });
  return { url: `/v1/locations(${String(created.body['locationId'])})`, etag: String(created.headers['etag']) };
}

beforeAll(async () => {
  world = await createWorld();
  ({ tenantId } = await world.tenant('Northwind'));
  me = holder([tenantId]);
});
beforeEach(async () => {
  place = await newPlace();
});
afterAll(() => world.close());

describe('the version of a row', () => {
  it('is the same in create, read, list and update, and changes with each update', async () => {
    const read = await world.call(me, 'GET', place.url);
    expect([read.headers['etag'], read.body['@odata.etag']]).toEqual([place.etag, place.etag]);
    const listed = await world.call(me, 'GET', `/v1/locations?$filter=name eq '${String(read.body['name'])}'&$select=name`);
    expect(listed.body.value).toEqual([{ '@odata.etag': place.etag, name: read.body['name'] }]);
    const changed = await world.call(me, 'POST', place.url, { city: 'Bergen' });
    expect(changed.headers['etag']).not.toBe(place.etag);
    expect((await world.call(me, 'GET', place.url)).headers['etag']).toBe(changed.headers['etag']);
    const same = await world.call(me, 'POST', place.url, { city: 'Bergen' });
    expect(same.headers['etag']).toBe(changed.headers['etag']);
  });

  it('lets If-Match pass for what the caller saw, any of several, or *', async () => {
    const first = await world.call(me, 'POST', place.url, { city: 'A' }, { 'if-match': place.etag });
    expect(first.status).toBe(200);
    const several = { 'if-match': `W/"1", ${String(first.headers['etag'])}` };
    expect((await world.call(me, 'PATCH', place.url, { city: 'B' }, several)).status).toBe(200);
    expect((await world.call(me, 'POST', place.url, { city: 'C' }, { 'if-match': '*' })).status).toBe(200);
  });

  it.each(['POST', 'PATCH', 'DELETE'])('refuses %s of a row that changed meanwhile with 412, and changes nothing', async (method) => {
    await world.call(me, 'POST', place.url, { city: 'Other' });
    const body = method === 'DELETE' ? undefined : { city: 'Mine' };
    const answer = await world.call(me, method, place.url, body, { 'if-match': place.etag });
    expect([answer.status, (answer.body['error'] as { code: string }).code]).toEqual([412, 'PreconditionFailed']);
    expect((await world.call(me, 'GET', place.url)).body['city']).toBe('Other');
  });

  it('lets one of two at once win', async () => {
    const write = (city: string): Promise<WorldReply> => world.call(me, 'POST', place.url, { city }, { 'if-match': place.etag });
    const statuses = (await Promise.all(['A', 'B', 'C', 'D'].map(write))).map((answer) => answer.status);
    expect(statuses.toSorted()).toEqual([200, 412, 412, 412]);
  });

  it('refuses If-Match on a row that does not exist yet, or no longer', async () => {
    expect((await world.call(me, 'PUT', '/v1/locations', { name: 'New', tenantId }, { 'if-match': '*' })).status).toBe(412);
    await world.call(me, 'DELETE', place.url);
    expect((await world.call(me, 'POST', place.url, { city: 'X' }, { 'if-match': place.etag })).status).toBe(404);
  });

  it('answers 304 to a read of what the client has', async () => {
    const headers = { 'if-none-match': place.etag };
    const same = await world.call(me, 'GET', place.url, undefined, headers);
    expect([same.status, same.headers['etag'], same.body]).toEqual([304, place.etag, {}]);
    expect((await world.call(me, 'HEAD', place.url, undefined, headers)).status).toBe(304);
    await world.call(me, 'POST', place.url, { city: 'Oslo' });
    expect((await world.call(me, 'GET', place.url, undefined, headers)).status).toBe(200);
  });

  it('is one in header and body, however many properties and related rows the answer has', async () => {
    const whole = await world.call(me, 'GET', place.url);
    for (const query of ['$select=city', '$expand=tenant', '$select=city&$expand=tenant($select=name)', '$compute=1 as n&$select=n']) {
      const { headers, body } = await world.call(me, 'GET', `${place.url}?${query}`);
      expect([query, headers['etag'], body['@odata.etag']]).toEqual([query, whole.headers['etag'], whole.headers['etag']]);
    }
  });

  it('says nothing of related rows, which are sent again, and of the former ETags is taken too', async () => {
    const url = `${place.url}?$expand=tenant`;
    const { etag } = (await world.call(me, 'GET', url)).headers;
    const headers = { 'if-none-match': String(etag) };
    await world.call(holder('all'), 'POST', `/v1/tenants/${tenantId}`, { assignmentGroups: 'Desk' });
    const { status, body } = await world.call(me, 'GET', url, undefined, headers);
    expect([status, body['tenant']]).toMatchObject([200, { assignmentGroups: 'Desk' }]);
    expect((await world.call(me, 'GET', `${place.url}?$select=city`, undefined, headers)).status).toBe(304);
    const former = String(etag).replace(/"$/, '-8HRn9xYz"');
    expect((await world.call(me, 'POST', place.url, { city: 'Y' }, { 'if-match': former })).status).toBe(200);
    expect((await world.call(me, 'POST', place.url, { city: 'Z' }, { 'if-match': former })).status).toBe(412);
  });
});

describe('a poll of a list', () => {
  const poll = (url: string, etag: unknown, who = me): Promise<WorldReply> =>
    world.call(who, 'GET', url, undefined, { 'if-none-match': String(etag) });

  it('costs a 304 when nothing changed, and reads no table but the changes', async () => {
    const url = '/v1/locations?$expand=tenant&$count=true';
    const { etag } = (await world.call(me, 'GET', url)).headers;
    const again = await poll(url, etag);
    expect([again.status, again.headers['etag'], again.body]).toEqual([304, etag, {}]);
    expect((await world.call(me, 'HEAD', url, undefined, { 'if-none-match': String(etag) })).status).toBe(304);
  });

  it('sees what the same caller wrote just before: created, changed, deleted', async () => {
    let { etag } = (await world.call(me, 'GET', '/v1/locations')).headers;
    const steps = [
      () => world.call(me, 'PUT', '/v1/locations', { name: crypto.randomUUID(), tenantId }),
      () => world.call(me, 'POST', place.url, { city: crypto.randomUUID() }),
      () => world.call(me, 'DELETE', place.url),
    ];
    for (const step of steps) {
      await step();
      const answer = await poll('/v1/locations', etag);
      expect(answer.status).toBe(200);
      ({ etag } = answer.headers);
      expect((await poll('/v1/locations', etag)).status).toBe(304);
    }
  });

  it('sees what a transaction writes that was open while the list was read', async () => {
    const { etag } = await world.system.db.transaction(async (db) => {
      await db.query({ text: "insert into location (tenant_id, name) values ($1, 'Late')", values: [tenantId] });
      await db.query({
        text: "insert into change (tenant_id, verb, entity, entity_id, correlation_id) values ($1, 'create', 'locations', 'x', uuidv7())",
        values: [tenantId],
      });
      return (await world.call(me, 'GET', '/v1/locations')).headers;
    });
    expect((await poll('/v1/locations', etag)).status).toBe(200);
  });

  it('is told of changes of what it joins and expands, not of others', async () => {
    const filtered = "/v1/locations?$filter=tenant/name ne 'x'";
    const [plain, expanded, joined] = await Promise.all(
      ['/v1/locations', '/v1/locations?$expand=tenant', filtered].map(async (url) => (await world.call(me, 'GET', url)).headers['etag']),
    );
    await world.call(holder('all'), 'POST', `/v1/tenants/${tenantId}`, { assignmentGroups: crypto.randomUUID() });
    expect((await poll('/v1/locations', plain)).status).toBe(304);
    expect((await poll('/v1/locations?$expand=tenant', expanded)).status).toBe(200);
    expect((await poll(filtered, joined)).status).toBe(200);
  });

  it('is not disturbed by other tenants, but told of rows that come from or go to one', async () => {
    const other = await world.tenant();
    const { etag } = (await world.call(me, 'GET', '/v1/locations')).headers;
    const theirs = await newPlace('Theirs', other.tenantId);
    expect((await poll('/v1/locations', etag)).status).toBe(304);
    await world.call(holder('all'), 'POST', theirs.url, { tenantId });
    const arrived = await poll('/v1/locations', etag);
    expect(arrived.status).toBe(200);
    await world.call(holder('all'), 'POST', theirs.url, { tenantId: other.tenantId });
    expect((await poll('/v1/locations', arrived.headers['etag'])).status).toBe(200);
  });

  it('holds for this question, caller and address alone', async () => {
    const { etag } = (await world.call(me, 'GET', '/v1/locations')).headers;
    expect((await poll('/v1/locations?$top=1', etag)).status).toBe(200);
    expect((await poll('/v1/locations', etag, holder('all'))).status).toBe(200);
    expect((await poll('/v1/locations', etag, holder([tenantId], ['CloudFit.CFS.Devices:view']))).status).toBe(403);
    for (const tag of [
      'x',
      'W/"x"',
      '*',
      String(etag).replace(/\d+:\d+:/, '9:1:'),
      String(etag).replace(/(\d+):(\d+):/, '$1:99999999999:'),
    ])
      expect([tag, (await poll('/v1/locations', tag)).status]).toEqual([tag, tag === '*' ? 304 : 200]);
  });

  it('ends after ten minutes, long before changes are forgotten', async () => {
    const plan = planList(world.ctx(me), servedNamed('locations'), '', { wire: true });
    const at = (minutes: number) => ({ ...world.ctx(me), now: () => new Date(Date.now() + minutes * 60_000) });
    const etag = listTag(at(0), plan, '', (await runPlan(world.ctx(me), plan)).snapshot, Buffer.alloc(0));
    expect(await unchangedTag(at(9), plan, '', etag)).toBe(etag);
    expect(await unchangedTag(at(11), plan, '', etag)).toBeUndefined();
  });

  it('holds on another server, and sees there what was written here', async () => {
    const second = openDatabase({ url: world.url, max: 1, onError: () => undefined });
    const there = { ...world.ctx(me), db: second.scoped(me.tenants) };
    const plan = planList(there, servedNamed('locations'), '', { wire: true });
    const etag = listTag(there, plan, '', (await runPlan(world.ctx(me), plan)).snapshot, Buffer.alloc(0));
    expect(await unchangedTag(there, plan, '', etag)).toBe(etag);
    await world.call(me, 'POST', place.url, { city: crypto.randomUUID() });
    expect(await unchangedTag(there, plan, '', etag)).toBeUndefined();
    await second.close();
  });

  it.each(['/v1/packets', '/v1/locations?$filter=created lt now()', '/v1/devices?$expand=latestPacket'])(
    'goes by the answer itself where changes cannot tell: %s',
    async (url) => {
      const answer = await world.call(me, 'GET', url);
      if (answer.status === 400) return;
      expect(answer.headers['etag']).toMatch(/^W\/"[\w-]{27}"$/);
      expect((await poll(url, answer.headers['etag'])).status).toBe(304);
    },
  );
});

describe('preferences', () => {
  it('answers 204 with the address for return=minimal, the row for return=representation', async () => {
    const minimal = await world.call(me, 'PUT', '/v1/locations', { name: 'Minimal', tenantId }, { prefer: 'return=minimal' });
    expect([minimal.status, minimal.body, minimal.headers['preference-applied']]).toEqual([204, {}, 'return=minimal']);
    expect(minimal.headers['odata-entityid']).toBe(minimal.headers['location']);
    const { pathname } = new URL(String(minimal.headers['location']));
    expect((await world.call(me, 'GET', pathname)).body['name']).toBe('Minimal');
    const changed = await world.call(me, 'POST', pathname, { city: 'X' }, { prefer: 'return=minimal' });
    expect([changed.status, changed.headers['odata-entityid'], typeof changed.headers['etag']]).toEqual([
      204,
      minimal.headers['location'],
      'string',
    ]);
    const shown = await world.call(me, 'POST', pathname, { city: 'Y' }, { prefer: 'return=representation' });
    expect([shown.status, shown.body['city'], shown.headers['preference-applied']]).toEqual([200, 'Y', 'return=representation']);
  });

  it.each([
    ['', 'odata.maxpagesize=7'],
    ['$top=20', 'maxpagesize=7'],
    ['$top=5', 'maxpagesize=7'],
    ['$skip=3', 'maxpagesize=7, return=minimal, unknown'],
    ['$top=20&$skip=2', 'maxpagesize=7'],
    ['$orderby=name desc', 'maxpagesize=7'],
    ['$orderby=city', 'maxpagesize=4'],
    ['$orderby=city desc,name', 'maxpagesize=4'],
    ['$orderby=tenant/name,tolower(city) desc', 'maxpagesize=4'],
    ['$orderby=tenant/name&$apply=filter(city ne null)/groupby((city,tenant/name),aggregate($count as n))', 'maxpagesize=1'],
    ["$filter=contains(name,'Place') and tenantId ne null&$orderby=created desc&$count=true", 'maxpagesize=6'],
  ])('pages by the size that the client prefers: ?%s with %s', async (query, prefer) => {
    const freshTenant = await world.tenant();
    await world.system.db.query({
      text: `insert into location (tenant_id, name, city)
        select $1, 'Place ' || lpad(n::text, 4, '0'), (array['Basel', 'Chur', null])[1 + n % 3] from generate_series(1, 30) n`,
      values: [freshTenant.tenantId],
    });
    const whole = `/v1/locations?${query}${query.includes('$filter') || query.includes('$apply') ? '' : '&$filter=tenantId ne null'}`;
    const all = (await world.call(holder([freshTenant.tenantId]), 'GET', whole)).body.value ?? [];
    expect(all.length).toBeGreaterThan(1);
    const paged: unknown[] = [];
    let url: string | undefined = whole;
    while (url !== undefined) {
      const answer: WorldReply = await world.call(holder([freshTenant.tenantId]), 'GET', url, undefined, { prefer });
      expect(answer.headers['preference-applied']).toMatch(/^maxpagesize=[1-7]$/);
      expect(answer.body.value?.length).toBeLessThanOrEqual(7);
      paged.push(...(answer.body.value ?? []));
      const next = answer.body['@odata.nextLink'];
      url = typeof next === 'string' ? next.replace('http://localhost', '') : undefined;
    }
    expect(paged).toEqual(all);
  });

  it('gives each row that stays once while others come and go', async () => {
    const moving = await world.tenant();
    const caller = holder([moving.tenantId]);
    const insert = (from: number, to: number) =>
      world.system.db.query({
        text: `insert into location (tenant_id, name, city) select $1, 'Row ' || n, case when n % 4 > 0 then 'City ' || n % 7 end from generate_series($2::int, $3::int) n`,
        values: [moving.tenantId, from, to],
      });
    const stays = (name: unknown): boolean => Number(String(name).slice(4)) % 2 === 0;
    for (const order of ['', '$orderby=city desc', '$orderby=name']) {
      await world.system.db.query({ text: 'delete from location where tenant_id = $1', values: [moving.tenantId] });
      await insert(1, 120);
      const names: string[] = [];
      let url: string | undefined = `/v1/locations?${order}`;
      for (let page = 1; url !== undefined; page++) {
        const answer: WorldReply = await world.call(caller, 'GET', url, undefined, { prefer: 'maxpagesize=10' });
        names.push(...(answer.body.value ?? []).map((row) => String(row['name'])));
        await insert(1_000 * page + 1, 1_000 * page + 1);
        await world.system.db.query({
          text: `delete from location where location_id in (select location_id from location where tenant_id = $1 and substr(name, 5)::int % 2 = 1 order by random() limit 4)`,
          values: [moving.tenantId],
        });
        const next = answer.body['@odata.nextLink'];
        url = typeof next === 'string' ? next.replace('http://localhost', '') : undefined;
      }
      expect(new Set(names).size).toBe(names.length);
      expect(names.filter(stays)).toHaveLength(60);
    }
  });

  it('refuses the token of another list or order', async () => {
    const { body } = await world.call(me, 'GET', '/v1/locations?$orderby=name', undefined, { prefer: 'maxpagesize=1' });
    const token = new URL(String(body['@odata.nextLink'])).searchParams.get('$skiptoken');
    for (const url of [
      `/v1/locations?$skiptoken=${token}`,
      `/v1/tenants?$orderby=name&$skiptoken=${token}`,
      '/v1/locations?$skiptoken=x',
    ]) {
      const answer = await world.call(me, 'GET', url);
      expect([answer.status, (answer.body['error'] as { target: string }).target]).toEqual([400, '$skiptoken']);
    }
  });
});
