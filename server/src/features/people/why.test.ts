/**
 * Why a person may or may not do something: the grants that allow it, what is missing and who may give it, without revealing
 * other tenants.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { permission } from '@cloudfit/contract/permissions.ts';
import type { ExplainedAccess } from '@cloudfit/contract/actions/people.ts';
import { ensureShippedSets, shippedSets } from '../../auth/shipped.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../testing/world.ts';

let world: TestWorld;
let tenantId: string;
let otherId: string;
let ruth: string;

beforeAll(async () => {
  world = await createWorld();
  await ensureShippedSets(world.system.db);
  ({ tenantId } = await world.tenant('Harbour'));
  ({ tenantId: otherId } = await world.tenant('Quarry'));
  ruth = await person('Ruth', [
    [shippedSets.reader.id, tenantId],
    [shippedSets.administrator.id, otherId],
  ]);
  await person('Ada', [[shippedSets.administrator.id, tenantId]]);
  await person('Root', [[shippedSets.administrator.id, null]]);
  await person('Gone', [[shippedSets.administrator.id, tenantId]], false);
});
afterAll(() => world.close());

const rows = <T>(text: string, ...values: unknown[]) => world.system.db.query<T>({ text, values });

async function person(name: string, grants: [string, string | null][], enabled = true): Promise<string> {
  const [row] = await rows<{ person_id: string }>(
    `insert into person (name, user_name, enabled, claims) values ($1, $1 || gen_random_uuid()::text || '@example.com', $2, array['night-' || $1]) returning person_id`,
    name,
    enabled,
  );
  const personId = row?.person_id ?? '';
  for (const [set, tenant] of grants)
    await rows('insert into access_grant (person_id, permission_set_id, tenant_id) values ($1, $2, $3)', personId, set, tenant);
  return personId;
}

async function why(query: Record<string, string>, caller: TestCaller = holder([tenantId]), id = ruth) {
  const { status, body } = await world.call(caller, 'GET', `/v1/people/${id}/why?${new URLSearchParams(query)}`);
  return { status, ...(body as unknown as ExplainedAccess), error: body['error'] };
}

describe('a question about a person', () => {
  it('names the grants that give a permission, by the person and by a group', async () => {
    await rows(
      `insert into access_grant (claim, permission_set_id, tenant_id) values ('night-Ruth', $1, $2)`,
      shippedSets.serviceDesk.id,
      tenantId,
    );
    const answer = await why({ permission: permission('Devices', 'view'), tenantId });
    expect(answer).toMatchObject({
      isAllowed: true,
      tenantName: 'Harbour',
      permissions: [
        {
          permission: 'CloudFit.CFS.Devices:view',
          grants: [
            { permissionSet: 'Reader', claim: null, tenantName: 'Harbour' },
            { permissionSet: 'Service Desk', claim: 'night-Ruth', tenantName: 'Harbour' },
          ],
        },
      ],
      askedPeople: [],
    });
    await rows(`delete from access_grant where claim = 'night-Ruth'`);
  });

  it('names what is missing, the sets that have it, and enabled people who may give it, those of the tenant first', async () => {
    const answer = await why({ permission: permission('Devices', 'edit'), tenantId });
    expect([answer.isAllowed, answer.permissions]).toEqual([false, [{ permission: 'CloudFit.CFS.Devices:edit', grants: [] }]]);
    expect(answer.sets).toEqual(['Operator', 'Administrator']);
    expect(answer.askedPeople.map(({ name }) => name)).toEqual(['Ada', 'Root']);
  });

  it('is put as a call too, of an entity and of an action', async () => {
    expect(await why({ call: 'PUT /v1/devices', tenantId })).toMatchObject({
      isAllowed: false,
      permissions: [{ permission: 'CloudFit.CFS.Devices:create' }],
    });
    expect(await why({ call: 'GET /api/v1/workUnits(5)?$top=1', tenantId })).toMatchObject({ isAllowed: true });
    expect(await why({ call: `PUT /v1/people/${ruth}/sessions/end`, tenantId })).toMatchObject({
      isAllowed: false,
      permissions: [{ permission: 'CloudFit.CFS.People:edit' }],
    });
    expect(await why({ call: 'GET /v1/currentUser' })).toMatchObject({ isAllowed: true, permissions: [] });
    for (const call of ['GET /v1/nothing', 'PUT', 'BREW /v1/devices', 'GET /v1/devices/1/2/3'])
      expect([call, (await why({ call })).status]).toEqual([call, 400]);
  });

  it('is put about a row, which is tried in the name of the person', async () => {
    const [unit] = await rows<{ id: number }>(
      `insert into work_unit (tenant_id, title, work_unit_type_id, created_by, modified_by) values ($1, 'A request', 3, 'somebody@example.com', 'test') returning work_unit_id as id`,
      tenantId,
    );
    const key = String(unit?.id);
    expect(await why({ entity: 'workUnits', key })).toMatchObject({ isAllowed: true, subject: 'view Work Unit A request' });
    expect(await why({ entity: 'workUnits', key, verb: 'edit' })).toMatchObject({ isAllowed: false, tenantName: 'Harbour' });
    const [entry] = await rows<{ id: number }>(
      `insert into audit (tenant_id, actor_kind, actor_name, verb, entity, entity_id, correlation_id) values ($1, 'system', 'test', 'create', 'tokens', 'x', uuidv7()) returning audit_id as id`,
      tenantId,
    );
    expect(await why({ entity: 'audit', key: String(entry?.id) })).toMatchObject({
      isAllowed: false,
      obstacle: expect.stringContaining('hides this one'),
    });
    expect((await why({ entity: 'workUnits', key: '999999999' })).status).toBe(404);
    expect((await why({ entity: 'nothing', key })).status).toBe(400);
  });

  it('says that the account or the tenant is disabled', async () => {
    const left = await person('Left', [[shippedSets.administrator.id, tenantId]], false);
    expect(await why({ permission: permission('Devices', 'view'), tenantId }, holder('all'), left)).toMatchObject({
      isAllowed: false,
      obstacle: 'The account is disabled.',
    });
    const closed = await world.tenant('Closed');
    const there = await person('There', [[shippedSets.administrator.id, closed.tenantId]]);
    await rows('update tenant set enabled = false where tenant_id = $1', closed.tenantId);
    expect(await why({ permission: permission('Devices', 'view'), tenantId: closed.tenantId }, holder('all'), there)).toMatchObject({
      isAllowed: false,
      obstacle: 'The tenant Closed is disabled.',
    });
  });

  it('tells nothing of tenants whose people the caller may not view', async () => {
    const anywhere = await why({ permission: permission('Devices', 'edit') });
    expect([anywhere.isAllowed, anywhere.permissions[0]?.grants]).toEqual([false, []]);
    expect((await why({ permission: permission('Devices', 'edit') }, holder('all'))).isAllowed).toBe(true);
    expect((await why({ permission: permission('Devices', 'edit'), tenantId: otherId })).status).toBe(404);
    const blind: TestCaller = {
      tenants: [tenantId, otherId],
      permissions: new Map([
        [tenantId, new Set([permission('People', 'view')])],
        [otherId, new Set([permission('Devices', 'view')])],
      ]),
    };
    expect((await why({ permission: permission('Devices', 'edit'), tenantId: otherId }, blind)).status).toBe(403);
    expect((await why({ permission: 'x' })).status).toBe(400);
    expect((await why({})).status).toBe(400);
  });
});

it('says to callers what they miss themselves and whom to ask; those without any access learn no names', async () => {
  const actor = { kind: 'person' as const, id: ruth, name: 'Ruth', userName: 'ruth' };
  const ask = async (caller: TestCaller, query: Record<string, string>) =>
    (await world.call(caller, 'GET', `/v1/currentUser/why?${new URLSearchParams(query)}`)).body as unknown as ExplainedAccess;
  const mine = await ask(
    { ...holder([tenantId], shippedSets.reader.permissions), actor },
    { permission: permission('Rules', 'edit'), tenantId },
  );
  expect([mine.isAllowed, mine.askedPeople.map(({ name }) => name)]).toEqual([false, ['Ada', 'Root']]);
  const nobody = await person('New', []);
  const none = await ask({ ...holder([]), actor: { ...actor, id: nobody } }, { permission: permission('Rules', 'view') });
  expect(none).toMatchObject({ isAllowed: false, askedPeople: [], sets: [], person: { name: 'New' } });
});
