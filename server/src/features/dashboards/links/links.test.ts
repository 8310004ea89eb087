/** Links that show a dashboard without sign-in: what they show, what they never show, and when they end. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TilesAnswer } from '@cloudfit/contract/walls/calls.ts';
import { createWorld, holder, type TestCaller, type TestWorld, type WorldReply } from '../../../testing/world.ts';

let world: TestWorld;
let home: { tenantId: string };
let other: { tenantId: string };
const rights = ['Visualizations:view', 'Visualizations:create', 'Visualizations:edit', 'WorkUnits:view'].map(
  (right) => `CloudFit.CFS.${right}`,
);
const tile = (kind: string, scope?: object) => ({ id: kind, title: '', x: 0, y: 0, w: 3, h: 2, kind, ...(scope ? { scope } : {}) });

interface Maker extends TestCaller {
  id: string;
}

/** A person of the database with grants, as whom the API is called. */
async function maker(tenants: readonly string[], permissions: readonly string[] = rights): Promise<Maker> {
  const userName = `${crypto.randomUUID()}@example.com`;
  const [row] = await world.system.db.query<{ id: string }>({
    text: `with p as (insert into person (name, user_name) values ('Mara', $1) returning person_id),
      s as (insert into permission_set (name, tenant_id, permissions) select $1, t, $3::jsonb from unnest($2::uuid[]) t returning permission_set_id, tenant_id),
      g as (insert into access_grant (person_id, permission_set_id, tenant_id) select person_id, permission_set_id, tenant_id from p, s)
      select person_id as id from p`,
    values: [userName, tenants, JSON.stringify(permissions)],
  });
  const id = row?.id ?? '';
  return { ...holder(tenants, permissions), id, actor: { kind: 'person', id, name: 'Mara', userName } };
}

async function dashboardOf(caller: TestCaller, tiles: object[], more: object = {}): Promise<string> {
  const { status, body } = await world.call(caller, 'PUT', '/v1/dashboards', {
    name: `Wall ${crypto.randomUUID()}`,
    tenantId: home.tenantId,
    sharing: 'Everybody changes it',
    tiles,
    ...more,
  });
  expect(status).toBe(201);
  return String(body['dashboardId']);
}
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
const make = (caller: TestCaller, dashboardId: string, more: object = {}) =>
  world.call(caller, 'POST', '/v1/dashboardLinks/make', { dashboardId, name: 'Lobby', expires: inDays(7), ...more });
async function linkOf(caller: TestCaller, dashboardId: string, more: object = {}): Promise<{ id: string; token: string }> {
  const { status, body } = await make(caller, dashboardId, more);
  expect([status, body['error']]).toEqual([200, undefined]);
  return { id: String((body['link'] as Record<string, unknown>)['dashboardLinkId']), token: String(body['generatedToken']) };
}
const open = (token: string, more: object = {}) => world.call(null, 'POST', '/v1/wall', { token, ...more });
const shownBy = ({ body }: WorldReply) =>
  (body['reading'] as TilesAnswer).tiles.map(({ state, parts }) =>
    state === 'Shown' ? (parts[0]?.shown as { count?: number } | undefined)?.count : state,
  );

beforeAll(async () => {
  world = await createWorld();
  [home, other] = [await world.tenant('Northwind'), await world.tenant('Southwind')];
  await world.system.db.query({
    text: "insert into work_unit (tenant_id, title, work_unit_type_id, created_by, modified_by) values ($1, 'Mine', 1, 't', 't'), ($2, 'Theirs', 1, 't', 't'), ($2, 'Theirs too', 1, 't', 't')",
    values: [home.tenantId, other.tenantId],
  });
});
afterAll(() => world.close());

it('shows the dashboard to anybody who has it, and says in the audit who opened it first and from where', async () => {
  const mara = await maker([home.tenantId]);
  const { id, token } = await linkOf(mara, await dashboardOf(mara, [tile('units')]));
  const first = await open(token);
  expect([first.status, first.body['tenantName'], shownBy(first)]).toEqual([200, 'Northwind', [1]]);
  expect(first.headers['cache-control']).toContain('no-store');
  await open(token);
  const listed = await world.call(mara, 'GET', `/v1/dashboardLinks?$filter=dashboardLinkId eq ${id}`);
  expect(listed.body.value).toMatchObject([
    { firstUsedFrom: '127.0.0.1', lastUsedFrom: '127.0.0.1', createdBy: mara.actor?.kind === 'person' ? mara.actor.userName : '' },
  ]);
  expect(listed.text).not.toContain(token);
  await world.call(mara, 'POST', `/v1/dashboardLinks/${id}/end`);
  const audit = await world.system.db.query<{ verb: string; address: string | null }>({
    text: "select verb, address from audit where entity = 'dashboardLinks' and entity_id = $1 order by at, audit_id",
    values: [id],
  });
  expect(audit.map(({ verb, address }) => [verb, address])).toEqual([
    ['create', null],
    ['first-use', '127.0.0.1'],
    ['update', null],
  ]);
});

it('never shows more than its maker may see, whoever edits the dashboard', async () => {
  const mara = await maker([home.tenantId]);
  const provider = await maker([home.tenantId, other.tenantId]);
  const dashboardId = await dashboardOf(mara, [tile('units')]);
  const { token } = await linkOf(mara, dashboardId);
  const edited = [tile('units', {}), tile('matches', {}), { ...tile('units', { tenant: other.tenantId }), id: 'theirs' }];
  expect((await world.call(provider, 'POST', `/v1/dashboards/${dashboardId}`, { tiles: edited })).status).toBe(200);
  const reply = await open(token);
  expect(shownBy(reply)).toEqual([1, 'Denied', 'Denied']);
  expect(reply.text).not.toContain('Theirs');
  expect(shownBy(await open((await linkOf(provider, dashboardId)).token))).toEqual([3, 'Denied', 2]);
});

it('shows the chosen values alone: a visitor cannot send others', async () => {
  const provider = await maker([home.tenantId, other.tenantId]);
  const dashboardId = await dashboardOf(provider, [tile('units', { tenant: '{tenant}' })], {
    variables: [{ kind: 'tenant', value: home.tenantId }],
  });
  const plain = await linkOf(provider, dashboardId);
  const fixed = await linkOf(provider, dashboardId, { variables: { tenant: other.tenantId } });
  expect(shownBy(await open(plain.token))).toEqual([1]);
  expect(shownBy(await open(fixed.token))).toEqual([2]);
  for (const guess of [{ variables: { tenant: other.tenantId } }, { tiles: [tile('units', {})] }, { dashboardId }])
    expect((await open(plain.token, guess)).status).toBe(400);
  expect((await world.call(null, 'POST', `/v1/wall?tenant=${other.tenantId}`, { token: plain.token })).status).toBe(400);
});

it('is no token for any other call', async () => {
  const mara = await maker([home.tenantId]);
  const dashboardId = await dashboardOf(mara, [tile('units')]);
  const { token } = await linkOf(mara, dashboardId);
  for (const path of [
    '/v1/workUnits',
    `/v1/dashboards(${dashboardId})`,
    '/v1/dashboards',
    '/v1/dashboardLinks',
    '/v1/customers',
    '/v1/currentUser',
  ])
    expect((await world.call(null, 'GET', path, undefined, { authorization: `Bearer ${token}` })).status).toBe(401);
  expect(
    (
      await world.call(
        null,
        'POST',
        '/v1/dashboards/readTiles',
        { tenantId: home.tenantId, tiles: [tile('units')] },
        { authorization: `Bearer ${token}` },
      )
    ).status,
  ).toBe(401);
});

it('ends with its time, its maker, the rights of its maker, and by hand', async () => {
  const ends = async (end: (of: { id: string; dashboardId: string; mara: Maker }) => Promise<unknown>) => {
    const mara = await maker([home.tenantId]);
    const dashboardId = await dashboardOf(mara, [tile('units')]);
    const { id, token } = await linkOf(mara, dashboardId);
    expect((await open(token)).status).toBe(200);
    await end({ id, dashboardId, mara });
    const { status, body } = await open(token);
    expect((body['error'] as { message: string }).message).toContain('This link is not valid, or it has ended.');
    return status;
  };
  const run = (text: string, ...values: unknown[]) => world.system.db.query({ text, values });
  expect(await ends(({ id, mara }) => world.call(mara, 'POST', `/v1/dashboardLinks/${id}/end`))).toBe(404);
  expect(
    await ends(({ id }) => run("update dashboard_link set expires = now() - interval '1 second' where dashboard_link_id = $1", id)),
  ).toBe(404);
  expect(await ends(({ mara }) => run('update person set enabled = false where person_id = $1', mara.id))).toBe(404);
  expect(await ends(({ mara }) => run('delete from access_grant where person_id = $1', mara.id))).toBe(404);
  expect(
    await ends(({ mara }) =>
      run(
        'update permission_set set permissions = \'["CloudFit.CFS.Visualizations:view"]\' where permission_set_id = (select permission_set_id from access_grant where person_id = $1)',
        mara.id,
      ),
    ),
  ).toBe(404);
  expect(
    await ends(({ dashboardId }) =>
      run("update dashboard set sharing = 'Only me', owner_id = uuidv7() where dashboard_id = $1", dashboardId),
    ),
  ).toBe(404);
  expect(await ends(({ dashboardId }) => run('delete from dashboard where dashboard_id = $1', dashboardId))).toBe(404);
});

it('names its links that show nothing any more, because of who made them', async () => {
  const [mara, ben] = [await maker([home.tenantId]), await maker([home.tenantId])];
  const dashboardId = await dashboardOf(mara, [tile('units')]);
  await linkOf(mara, dashboardId);
  const [first, second] = [await linkOf(ben, dashboardId), await linkOf(ben, dashboardId)];
  const idle = (caller: TestCaller | null) => world.call(caller, 'GET', `/v1/dashboards/${dashboardId}/idleLinks`);
  expect((await idle(mara)).body).toEqual({ dashboardLinkIds: [] });
  await world.system.db.query({ text: 'update person set enabled = false where person_id = $1', values: [ben.id] });
  expect(((await idle(mara)).body['dashboardLinkIds'] as string[]).toSorted()).toEqual([first.id, second.id].toSorted());
  await world.call(mara, 'POST', `/v1/dashboardLinks/${first.id}/end`);
  expect((await idle(mara)).body).toEqual({ dashboardLinkIds: [second.id] });
  expect((await idle(null)).status).toBe(401);
  expect((await idle(holder([home.tenantId], ['CloudFit.CFS.WorkUnits:view']))).status).toBe(403);
  expect((await idle(holder([other.tenantId]))).status).toBe(404);
});

it('shows less as soon as its maker may see less', async () => {
  const mara = await maker([home.tenantId]);
  const { token } = await linkOf(mara, await dashboardOf(mara, [tile('units')]));
  expect(shownBy(await open(token))).toEqual([1]);
  await world.system.db.query({
    text: 'update permission_set set permissions = $2 where permission_set_id = (select permission_set_id from access_grant where person_id = $1)',
    values: [mara.id, JSON.stringify(rights.filter((right) => !right.includes('WorkUnits')))],
  });
  expect(shownBy(await open(token))).toEqual(['Denied']);
});

it('opens in its networks only, and refuses what is no link', async () => {
  const mara = await maker([home.tenantId]);
  const dashboardId = await dashboardOf(mara, [tile('units')]);
  expect((await open((await linkOf(mara, dashboardId, { networks: ['127.0.0.0/8', '2001:db8::/32'] })).token)).status).toBe(200);
  const elsewhere = await open((await linkOf(mara, dashboardId, { networks: ['10.1.0.0/16'] })).token);
  expect([elsewhere.status, (elsewhere.body['error'] as { message: string }).message]).toEqual([
    403,
    'This link does not show anything at the address 127.0.0.1. It is for certain networks only.',
  ]);
  for (const token of ['', 'x', 'cfsw_', `cfsw_${'0'.repeat(49)}`]) expect((await open(token)).status).toBe(404);
});

it('is made by people who may create dashboards there, for a dashboard that they see', async () => {
  const mara = await maker([home.tenantId]);
  const dashboardId = await dashboardOf(mara, [tile('units')]);
  const hidden = await dashboardOf(mara, [tile('units')], { sharing: 'Only me' });
  const colleague = await maker([home.tenantId]);
  expect((await make(colleague, hidden)).status).toBe(404);
  expect((await make(await maker([other.tenantId]), dashboardId)).status).toBe(404);
  expect((await make(await maker([home.tenantId], ['CloudFit.CFS.Visualizations:view']), dashboardId)).status).toBe(403);
  const token: TestCaller = { ...holder([home.tenantId]), actor: { kind: 'token', id: crypto.randomUUID(), name: 'CI', scopes: [] } };
  expect((await make(token, dashboardId)).status).toBe(403);
  expect((await make(mara, dashboardId, { expires: inDays(-1) })).text).toContain('Ends on is in the past.');
  expect((await make(mara, dashboardId, { expires: inDays(400) })).text).toContain('A link lasts at most 366 days.');
  expect((await make(mara, dashboardId, { networks: ['10.0.0.0/99'] })).text).toContain('10.0.0.0/99 is not a network such as');
  const { id } = await linkOf(mara, dashboardId);
  const end = async (caller: TestCaller) => (await world.call(caller, 'POST', `/v1/dashboardLinks/${id}/end`)).status;
  expect(await end(await maker([other.tenantId]))).toBe(404);
  expect(await end(await maker([home.tenantId], ['CloudFit.CFS.Visualizations:view']))).toBe(403);
  expect(await end(colleague)).toBe(200);
});
