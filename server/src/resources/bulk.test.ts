/** Bulk edits: all or nothing, errors row by row, in each of their forms. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createWorld, holder, type TestCaller, type WorldReply, type TestWorld } from '../testing/world.ts';

let world: TestWorld;
let tenantId: string;
let me: TestCaller;
let ids: number[];

const titles = async (): Promise<unknown[]> =>
  (await world.call(me, 'GET', `/v1/workunits?$filter=workUnitId in (${ids.join(',')})&$orderby=workUnitId`)).body.value?.map(
    (r) => r['title'],
  ) ?? [];
const bulk = (body: unknown, who = me, headers?: Record<string, string>): Promise<WorldReply> =>
  world.call(who, 'PATCH', '/v1/workunits', body, headers);
const details = (reply: WorldReply): { code: string; target: string; message: string }[] =>
  (reply.body['error'] as { details: { code: string; target: string; message: string }[] }).details;

beforeAll(async () => {
  world = await createWorld();
  ({ tenantId } = await world.tenant());
  me = holder([tenantId]);
});
beforeEach(async () => {
  ids = [];
  for (const n of [1, 2, 3]) {
    const created = await world.call(me, 'PUT', '/v1/workunits', {
      title: `Unit ${n}`,
      description: 'Silent.',
      workUnitTypeId: 1,
      tenantId,
    });
    ids.push(Number(created.body['workUnitId']));
  }
});
afterAll(() => world.close());

describe('the forms of a bulk edit', () => {
  it('[MASS-001] [API-149] sets one new state on several rows, tested against their previous states', async () => {
    const previousState = ids.map((workUnitId) => ({ workUnitId, severityId: 'Sev0', '@odata.etag': 'W/"1"' }));
    const answer = await bulk({ ids, newState: { severityId: 'Sev2' }, previousState });
    expect([answer.status, answer.body.value?.map((row) => [row['workUnitId'], row['severityId']])]).toEqual([
      200,
      ids.map((id) => [id, 'Sev2']),
    ]);
    const [row] = answer.body.value ?? [];
    expect((await world.call(me, 'GET', `/v1/workunits(${ids[0]})`)).body).toMatchObject(row ?? {});
  });

  it('takes one previous state for all, none, or a patch', async () => {
    expect((await bulk({ ids, newState: { title: 'Title A' } })).status).toBe(200);
    expect((await bulk({ ids, newState: { title: 'Title B' }, previousState: { title: 'Title A' } })).status).toBe(200);
    const patch = [
      { op: 'test', path: '/title', value: 'Title B' },
      { op: 'replace', path: '/title', value: 'Title C' },
    ];
    expect((await bulk({ ids, patch })).status).toBe(200);
    expect(await titles()).toEqual(['Title C', 'Title C', 'Title C']);
  });

  it('takes rows with states of their own, and lists of states', async () => {
    const [a, b, c] = ids;
    const mixed = [
      { id: a, newState: { title: 'Title A' }, previousState: { title: 'Unit 1' } },
      { workUnitId: b, newState: { title: 'Title B' } },
      { id: c, patch: [{ op: 'replace', path: '/title', value: 'Title C' }] },
    ];
    expect((await bulk(mixed)).status).toBe(200);
    expect(await titles()).toEqual(['Title A', 'Title B', 'Title C']);
    const states = {
      previousState: [a, b].map((workUnitId, i) => ({ workUnitId, title: `Title ${'AB'[i]}` })),
      newState: [a, b].map((workUnitId) => ({ workUnitId, title: 'Title again' })),
    };
    expect((await bulk(states)).status).toBe(200);
    expect(await titles()).toEqual(['Title again', 'Title again', 'Title C']);
  });

  it('[MASS-013] [MASS-014] takes New for an empty state and Sev0 for an empty severity', async () => {
    await bulk({ ids, newState: { stateId: 'Acknowledged', severityId: 'Sev3' } });
    const answer = await bulk({ ids: [ids[0]], newState: { stateId: '', severityId: null } });
    expect(answer.body.value?.[0] ?? answer.body).toMatchObject({ stateId: 'New', severityId: 'Sev0' });
  });

  it('answers 204 for return=minimal', async () => {
    expect((await bulk({ ids, newState: { title: 'Title X' } }, me, { prefer: 'return=minimal' })).status).toBe(204);
  });
});

describe('a refused bulk edit', () => {
  const unchanged = async (): Promise<void> => expect(await titles()).toEqual(['Unit 1', 'Unit 2', 'Unit 3']);

  it('[ERR-050] changes nothing when one row was changed by another, and names row and field', async () => {
    const previousState = ids.map((workUnitId, i) => ({ workUnitId, title: i === 1 ? 'Stale' : `Unit ${i + 1}` }));
    const answer = await bulk({ ids, newState: { title: 'Mine' }, previousState });
    expect(answer.status).toBe(409);
    expect((answer.body['error'] as { message: string }).message).toContain('is not equal to the test value');
    expect(details(answer)).toMatchObject([{ code: 'TestFailed', target: `${ids[1]}/title` }]);
    await unchanged();
  });

  it('tells every wrong field of every row', async () => {
    const answer = await bulk([
      { id: ids[0], newState: { title: '' } },
      { id: ids[1], newState: { title: 'Good' } },
      { id: ids[2], newState: { severityId: 'Sev9', nothing: 'me' } },
    ]);
    expect([
      answer.status,
      details(answer)
        .map((d) => d.target)
        .toSorted(),
    ]).toEqual([400, [`${ids[0]}/title`, `${ids[2]}/nothing`, `${ids[2]}/severityId`].toSorted()]);
    await unchanged();
  });

  it('answers 404 for a row of another tenant, 403 without the right', async () => {
    const other = await world.tenant();
    expect((await bulk({ ids, newState: { title: 'Title X' } }, holder([other.tenantId]))).status).toBe(404);
    const mixed = await bulk({ ids: [...ids, 999_999_999, 'x'], newState: { title: 'Title X' } });
    expect([mixed.status, details(mixed).map((d) => d.target)]).toEqual([404, ['999999999', 'x']]);
    expect((await bulk({ ids, newState: { title: 'Title X' } }, holder([tenantId], ['CloudFit.CFS.WorkUnits:view']))).status).toBe(403);
    await unchanged();
  });

  it.each([
    ['no ids', () => ({ newState: { title: 'Title X' } })],
    ['nothing to do', () => ({ ids })],
    ['no rows', () => []],
    ['a row twice', () => ({ ids: [ids[0], ids[0]], newState: { title: 'Title X' } })],
    [
      'a previous state that lacks a row',
      () => ({ ids, newState: { title: 'Title X' }, previousState: [{ workUnitId: ids[0], title: 'A' }] }),
    ],
    ['a row without key', () => [{ newState: { title: 'Title X' } }]],
    ['too many rows', () => ({ ids: Array.from({ length: 1_001 }, (_, i) => i + 1), newState: { title: 'Title X' } })],
    ['text', () => '"x"'],
  ])('says what is wrong with %s', async (_what, body) => {
    expect((await bulk(body())).status).toBe(400);
    await unchanged();
  });

  it('does not offer what the resource does not', async () => {
    expect((await world.call(holder('all'), 'PATCH', '/v1/ruleMatches', { ids: [crypto.randomUUID()], newState: {} })).status).toBe(405);
    expect((await bulk({ ids, newState: { title: 'Title X' } }, me, { 'if-match': '*' })).status).toBe(501);
  });
});

it('edits a thousand rows at once, each with its record', async () => {
  const freshTenant = await world.tenant();
  const rows = await world.system.db.query<{ id: number }>({
    text: `insert into work_unit (tenant_id, title, description, work_unit_type_id, created_by, modified_by)
      select $1, 'Unit ' || n, 'x', 1, 't', 't' from generate_series(1, 1000) n returning work_unit_id as id`,
    values: [freshTenant.tenantId],
  });
  const answer = await bulk({ ids: rows.map((row) => row.id), newState: { severityId: 'Sev1' } }, holder([freshTenant.tenantId]));
  expect([answer.status, answer.body.value?.length]).toEqual([200, 1_000]);
  const [audits] = await world.system.db.query<{ n: number }>({
    text: "select count(*)::int n from audit where entity = 'workUnits' and verb = 'update' and tenant_id = $1",
    values: [freshTenant.tenantId],
  });
  expect(audits?.n).toBe(1_000);
});

it('writes rows after which nothing comes in one transaction', async () => {
  const names = Array.from({ length: 30 }, (_, n) => `Hall ${n}`);
  const created = await Promise.all(names.map((name) => world.call(me, 'POST', '/v1/locations', { name, tenantId })));
  const keys = created.map(({ body }) => String(body['locationId']));
  const answer = await world.call(me, 'PATCH', '/v1/locations', { ids: keys, newState: { city: 'Porto' } });
  expect(answer.status).toBe(200);
  const [row] = await world.system.db.query<{ rows: number; transactions: number }>({
    text: `select count(*)::int as rows, count(distinct xmin::text)::int as transactions from audit
      where entity = 'locations' and verb = 'update' and entity_id = any($1)`,
    values: [keys],
  });
  expect(row).toEqual({ rows: 30, transactions: 1 });
});
