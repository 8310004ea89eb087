/** The resource suite: tests that every registered entity must pass. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { permission } from '@cloudfit/contract/permissions.ts';
import type { Resource } from '@cloudfit/contract/resource.ts';
import { resources } from '@cloudfit/contract/resources/registry.ts';
import { insertSample, sampleBody, type SubscriptionIds } from '../testing/samples.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../testing/world.ts';
import { servedNamed } from './served.ts';

let world: TestWorld;
let mine: SubscriptionIds;
let theirs: SubscriptionIds;

beforeAll(async () => {
  world = await createWorld();
  [mine, theirs] = [await world.tenant('Mine'), await world.tenant('Theirs')];
});
afterAll(() => world.close());

const scoped = resources.filter((r) => r.scope.kind !== 'installation');
const writable = resources.filter((r) => r.verbs.includes('create'));
const updatable = resources.filter((r) => r.verbs.includes('update'));
const deletable = resources.filter((r) => r.verbs.includes('delete'));
/** A caller who may write the resource: rows of the installation and new tenants need permissions in all tenants. */
const writerOf = (r: Resource): TestCaller => holder(r.scope.kind === 'installation' || r.name === 'tenants' ? 'all' : [mine.tenantId]);
const homeRow = (r: Resource): Promise<Record<string, unknown>> =>
  r.name === 'tenants' ? Promise.resolve({ ...mine }) : insertSample(world, r, mine);
const theirRow = (r: Resource): Promise<Record<string, unknown>> =>
  r.name === 'tenants' ? Promise.resolve({ ...theirs }) : insertSample(world, r, theirs);
const literal = (r: Resource, value: unknown): string => `${r.key} eq ${String(value)}`;

describe.each(resources.map((r) => [r.name, r] as const))('%s', (_name, r) => {
  it('[PERM-001] refuses every verb without its permission', async () => {
    const nobody = holder([mine.tenantId], ['CloudFit.CFS.Resources:view']);
    const row =
      r.scope.kind === 'installation' ? { [r.key]: r.fields[r.key]?.kind === 'guid' ? crypto.randomUUID() : 1 } : await homeRow(r);
    expect((await world.call(nobody, 'GET', `/v1/${r.name}`)).status).toBe(403);
    expect((await world.call(nobody, 'GET', `/v1/${r.name}(${String(row[r.key])})`)).status).toBe(403);
    if (r.verbs.includes('create'))
      expect((await world.call(nobody, 'PUT', `/v1/${r.name}`, await sampleBody(world, r, mine))).status).toBe(403);
    const viewer = holder([mine.tenantId], [permission(r.area, 'view')]);
    if (r.scope.kind === 'installation') return;
    if (r.verbs.includes('update'))
      expect((await world.call(viewer, 'POST', `/v1/${r.name}/${String(row[r.key])}`, { [r.title]: 'Changed' })).status).toBe(403);
    if (r.verbs.includes('delete')) expect((await world.call(viewer, 'DELETE', `/v1/${r.name}/${String(row[r.key])}`)).status).toBe(403);
  });

  it('[API-001] answers nothing to a caller without a token', async () => {
    for (const method of ['GET', 'PUT'])
      expect((await world.call(null, method, `/v1/${r.name}`, method === 'PUT' ? {} : undefined)).status).toBe(401);
  });

  it('refuses verbs that it does not have with 405', async () => {
    const key = r.fields[r.key]?.kind === 'guid' ? crypto.randomUUID() : '1';
    const calls = [
      ['create', 'PUT', ''],
      ['update', 'POST', `/${key}`],
      ['delete', 'DELETE', `/${key}`],
    ] as const;
    for (const [verb, method, path] of calls) {
      const { status } = await world.call(holder('all'), method, `/v1/${r.name}${path}`, method === 'DELETE' ? undefined : {});
      expect([verb, status === 405]).toEqual([verb, !r.verbs.includes(verb)]);
    }
  });

  it('refuses unknown names in filter, order, select and expand', async () => {
    for (const option of [
      '$filter=nothing eq 1',
      '$orderby=nothing',
      '$select=nothing',
      '$expand=nothing',
      '$nothing=1',
      '$filter=__proto__ eq null',
    ]) {
      const answer = await world.call(holder('all'), 'GET', `/v1/${r.name}?${encodeURI(option)}`);
      expect([option, answer.status]).toEqual([option, 400]);
      expect(answer.body['error']).toMatchObject({ message: expect.any(String) });
    }
  });

  it('filters and sorts by every field that says so, and expands every relation', async () => {
    const fields = Object.entries(r.fields);
    for (const [name, field] of fields) {
      const filter = field.kind === 'text' && field.nullable === false ? `${name} ne ''` : `${name} ne null`;
      expect([name, (await world.call(holder('all'), 'GET', `/v1/${r.name}?$filter=${encodeURIComponent(filter)}&$top=1`)).status]).toEqual(
        [name, field.filter ? 200 : 400],
      );
      expect([name, (await world.call(holder('all'), 'GET', `/v1/${r.name}?$orderby=${name} desc&$top=1`)).status]).toEqual([
        name,
        field.sort ? 200 : 400,
      ]);
    }
    for (const name of Object.keys(r.relations)) {
      expect([name, (await world.call(holder('all'), 'GET', `/v1/${r.name}?$expand=${name}&$top=2`)).status]).toEqual([name, 200]);
    }
  });

  it('pages without gaps and counts what it pages', async () => {
    if (r.name !== 'workUnitTypes') for (let i = 0; i < 3; i++) await insertSample(world, r, mine);
    const all = await world.call(holder('all'), 'GET', `/v1/${r.name}?$count=true&$top=1000`);
    expect(all.status).toBe(200);
    expect(all.body['@odata.count']).toBe(all.body.value?.length);
    const paged: unknown[] = [];
    for (let skip = 0; skip < (all.body.value?.length ?? 0); skip += 2) {
      const page = await world.call(holder('all'), 'GET', `/v1/${r.name}?$top=2&$skip=${skip}&$count=true`);
      expect(page.body['@odata.count']).toBe(all.body['@odata.count']);
      paged.push(...(page.body.value ?? []).map((row) => row[r.key]));
    }
    expect(paged).toEqual(all.body.value?.map((row) => row[r.key]));
  });

  it('answers declared fields only, and the chosen ones alone', async () => {
    const [row] = (await world.call(holder('all'), 'GET', `/v1/${r.name}?$top=1`)).body.value ?? [];
    const names = (of: object | undefined): string[] => Object.keys(of ?? {}).filter((name) => name !== '@odata.etag');
    expect(names(row).toSorted()).toEqual(Object.keys(r.fields).toSorted());
    const [part] = (await world.call(holder('all'), 'GET', `/v1/${r.name}?$top=1&$select=${r.title}`)).body.value ?? [];
    expect(names(part)).toEqual([r.title]);
  });
});

describe.each(scoped.map((r) => [r.name, r] as const))('%s of another tenant', (_name, r) => {
  it('[PERM-030] [PERM-032] is invisible to list, count, filter and get', async () => {
    const row = await theirRow(r);
    const me = holder([mine.tenantId]);
    const filtered = await world.call(me, 'GET', `/v1/${r.name}?$count=true&$filter=${encodeURIComponent(literal(r, row[r.key]))}`);
    expect(filtered.body).toMatchObject({ '@odata.count': 0, value: [] });
    const listed = await world.call(me, 'GET', `/v1/${r.name}?$top=1000`);
    expect(listed.body.value?.map((x) => x[r.key])).not.toContain(row[r.key]);
    const missing = await world.call(me, 'GET', `/v1/${r.name}(${String(row[r.key])})`);
    expect(missing.status).toBe(404);
  });

  it('cannot be changed or deleted, and its existence is not told', async () => {
    const row = await theirRow(r);
    const me = holder([mine.tenantId]);
    const url = `/v1/${r.name}/${String(row[r.key])}`;
    expect((await world.call(me, 'POST', url, { [r.title]: 'Taken' })).status).toBe(r.verbs.includes('update') ? 404 : 405);
    expect((await world.call(me, 'DELETE', url)).status).toBe(r.verbs.includes('delete') ? 404 : 405);
  });

  it('does not come by $expand from any resource', async () => {
    for (const from of resources) {
      for (const [name, relation] of Object.entries(from.relations)) {
        if (relation.to !== r.name) continue;
        const rows = (await world.call(holder([mine.tenantId]), 'GET', `/v1/${from.name}?$expand=${name}&$top=1000`)).body.value ?? [];
        const field = r.scope.kind === 'installation' ? '' : r.scope.field;
        const tenants = rows
          .flatMap((row) => [row[name]].flat())
          .filter((x) => x !== null)
          .map((x) => (x as Record<string, unknown>)[field] ?? null);
        expect(tenants.filter((t) => t !== null && t !== mine.tenantId)).toEqual([]);
      }
    }
  });

  it('is hidden by the database itself from a scoped connection', async () => {
    await theirRow(r);
    const rows = await world.database
      .scoped([mine.tenantId])
      .query<{ n: number }>({ text: `select count(*)::int n from ${tableOf(r)} where tenant_id = $1`, values: [theirs.tenantId] });
    expect(rows[0]?.n).toBe(0);
    const none = await world.database
      .scoped([])
      .query<{ n: number }>({ text: `select count(*)::int n from ${tableOf(r)} where tenant_id is not null` });
    expect(none[0]?.n).toBe(0);
  });
});

const tableOf = (r: Resource): string => servedNamed(r.name).table;

describe.each(writable.map((r) => [r.name, r] as const))('creating %s', (_name, r) => {
  it('answers 201 with the row, where it is, and records audit and change', async () => {
    const body = await sampleBody(world, r, mine);
    const answer = await world.call(writerOf(r), 'PUT', `/v1/${r.name}`, body);
    expect([answer.status, answer.body['error']]).toEqual([201, undefined]);
    for (const [name, value] of Object.entries(body)) expect([name, answer.body[name]]).toEqual([name, value]);
    expect(answer.headers['location']).toBe(`http://localhost/v1/${r.name}(${String(answer.body[r.key])})`);
    const [audit] = await world.system.db.query<{ before: unknown; after: Record<string, unknown> | null; verb: string }>({
      text: 'select before, after, verb from audit where entity = $1 and entity_id = $2',
      values: [r.name, String(answer.body[r.key])],
    });
    expect(audit).toMatchObject({ verb: 'create', before: null });
    expect(audit?.after).toMatchObject(
      Object.fromEntries(Object.entries(body).filter(([name, value]) => value !== null && r.fields[name]?.kind !== 'json')),
    );
    const changed = await world.system.db.query({
      text: 'select verb from change where entity = $1 and entity_id = $2',
      values: [r.name, String(answer.body[r.key])],
    });
    expect(changed).toEqual([{ verb: 'create' }]);
  });

  it('refuses unknown, missing and invalid fields by name, and ignores what only the server sets', async () => {
    const body = await sampleBody(world, r, mine);
    const refused = async (change: Record<string, unknown>): Promise<string[]> => {
      const answer = await world.call(writerOf(r), 'PUT', `/v1/${r.name}`, { ...body, ...change });
      expect(answer.status).toBe(400);
      return (answer.body['error'] as { details: { target: string }[] }).details.map((d) => d.target);
    };
    expect(await refused({ nothing: 1 })).toEqual(['nothing']);
    const fields = Object.entries(r.fields);
    const serverSet = Object.fromEntries(fields.flatMap(([name, field]) => (field.write === 'never' ? [[name, { not: 'a value' }]] : [])));
    expect(await refused({ ...serverSet, nothing: 1 })).toEqual(['nothing']);
    for (const [name, field] of fields) if (field.write !== 'never') expect(await refused({ [name]: { not: 'a value' } })).toContain(name);
    for (const [name, field] of Object.entries(r.fields)) {
      if (!field.required || field.initial !== undefined) continue;
      const { [name]: _left, ...rest } = body;
      const answer = await world.call(writerOf(r), 'PUT', `/v1/${r.name}`, rest);
      expect([name, answer.status, JSON.stringify(answer.body).includes(`"target":"${name}"`)]).toEqual([name, 400, true]);
    }
  });

  it('refuses another tenant as if it did not exist', async () => {
    if (r.scope.kind === 'installation' || r.name === 'tenants') return;
    const body = await sampleBody(world, r, theirs);
    const answer = await world.call(holder([mine.tenantId]), 'PUT', `/v1/${r.name}`, body);
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body)).toContain('was not found');
  });

  it('keeps global rows to callers with all tenants', async () => {
    if (r.scope.kind !== 'tenant-or-global' || r.fields[r.scope.field]?.write === 'never') return;
    const body = { ...(await sampleBody(world, r, mine)), [r.scope.field]: null };
    expect((await world.call(holder([mine.tenantId]), 'PUT', `/v1/${r.name}`, body)).status).toBeGreaterThanOrEqual(400);
  });
});

describe.each(updatable.map((r) => [r.name, r] as const))('updating %s', (_name, r) => {
  const changeOf = (r: Resource): Record<string, unknown> => ({ [r.title]: `Renamed ${crypto.randomUUID()}` });

  it('writes only what differs and records before and after', async () => {
    const row = await insertSample(world, r, mine);
    const change = changeOf(r);
    const answer = await world.call(writerOf(r), 'POST', `/v1/${r.name}/${String(row[r.key])}`, { ...row, ...change });
    expect([answer.status, answer.body['error']]).toEqual([200, undefined]);
    expect(answer.body).toMatchObject(change);
    const [audit] = await world.system.db.query<{ before: object | null; after: object | null }>({
      text: "select before, after from audit where entity = $1 and entity_id = $2 and verb = 'update'",
      values: [r.name, String(row[r.key])],
    });
    expect(audit?.before).toMatchObject({ [r.title]: row[r.title] });
    expect(audit?.after).toMatchObject(change);
    const again = await world.call(writerOf(r), 'POST', `/v1/${r.name}/${String(row[r.key])}`, change);
    expect(again.status).toBe(200);
    const audits = await world.system.db.query({
      text: "select 1 from audit where entity = $1 and entity_id = $2 and verb = 'update'",
      values: [r.name, String(row[r.key])],
    });
    expect(audits).toHaveLength(1);
  });

  it('[API-148] [ERR-050] answers 409 to a patch whose test no longer holds, and changes nothing', async () => {
    const row = await insertSample(world, r, mine);
    const url = `/v1/${r.name}/${String(row[r.key])}`;
    const patch = (value: unknown) => [
      { op: 'test', path: `/${r.title}`, value },
      { op: 'replace', path: `/${r.title}`, value: `Patched ${crypto.randomUUID()}` },
    ];
    const stale = await world.call(writerOf(r), 'PATCH', url, patch('Not this'), { 'content-type': 'application/json-patch+json' });
    expect(stale.status).toBe(409);
    expect(JSON.stringify(stale.body)).toContain('is not equal to the test value');
    const fresh = await world.call(writerOf(r), 'PATCH', url, patch(row[r.title]), { 'content-type': 'application/json-patch+json' });
    expect(fresh.status).toBe(200);
  });

  it('cannot be moved to a tenant that the caller does not have', async () => {
    const field = r.scope.kind === 'installation' ? undefined : r.fields[r.scope.field];
    if (r.scope.kind === 'installation' || field?.write !== 'always') return;
    const row = await insertSample(world, r, mine);
    const answer = await world.call(holder([mine.tenantId]), 'POST', `/v1/${r.name}/${String(row[r.key])}`, {
      [r.scope.field]: theirs.tenantId,
    });
    expect([r.name, answer.status]).toEqual([r.name, 400]);
  });
});

describe.each(deletable.map((r) => [r.name, r] as const))('deleting %s', (_name, r) => {
  it('answers 204, hides the row and records what it was', async () => {
    const row = await insertSample(world, r, mine);
    const url = `/v1/${r.name}/${String(row[r.key])}`;
    expect((await world.call(writerOf(r), 'DELETE', url)).status).toBe(204);
    expect((await world.call(writerOf(r), 'GET', url)).status).toBe(404);
    expect((await world.call(writerOf(r), 'DELETE', url)).status).toBe(404);
    const [audit] = await world.system.db.query<{ before: object | null; after: unknown }>({
      text: "select before, after from audit where entity = $1 and entity_id = $2 and verb = 'delete'",
      values: [r.name, String(row[r.key])],
    });
    expect(audit).toMatchObject({ before: { [r.key]: row[r.key] }, after: null });
  });
});

it('has a policy on every table that holds tenants, and forces it', async () => {
  const rows = await world.system.db.query<{ table: string }>({
    text: `select c.relname as table from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and (not c.relrowsecurity or not c.relforcerowsecurity or not exists (select from pg_policy p where p.polrelid = c.oid))`,
  });
  expect(rows).toEqual([]);
});
