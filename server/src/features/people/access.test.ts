/** The grants of a person: which ones the caller may end, and giving and changing them within the caller's own permissions. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { permission } from '@cloudfit/contract/permissions.ts';
import { ensureShippedSets, shippedSets } from '../../auth/shipped.ts';
import { createWorld, holder, type TestWorld } from '../../testing/world.ts';

let world: TestWorld;
let tenantId: string;
let otherId: string;

beforeAll(async () => {
  world = await createWorld();
  await ensureShippedSets(world.system.db);
  ({ tenantId } = await world.tenant('Harbour'));
  ({ tenantId: otherId } = await world.tenant('Quarry'));
});
afterAll(() => world.close());

const rows = <T>(text: string, ...values: unknown[]) => world.system.db.query<T>({ text, values });

/** Inserts a person with grants: [set, tenant or null, group or null]. */
async function person(grants: [string, string | null, string | null][]): Promise<string> {
  const groups = grants.flatMap(([, , claim]) => claim ?? []);
  const [row] = await rows<{ person_id: string }>(
    `insert into person (name, user_name, claims) values ('Ruth', gen_random_uuid()::text, $1) returning person_id`,
    groups,
  );
  const personId = row?.person_id ?? '';
  for (const [set, tenant, claim] of grants)
    await rows(
      `insert into access_grant (person_id, claim, permission_set_id, tenant_id) values ($1, $2, $3, $4) on conflict do nothing`,
      claim ? null : personId,
      claim,
      set,
      tenant,
    );
  return personId;
}

const access = async (caller: Parameters<TestWorld['call']>[0], personId: string) =>
  (await world.call(caller, 'GET', `/v1/people/${personId}/access`)).body as unknown as {
    grants: { grantId: string; claim: string | null; tenantName: string | null; permissionSet: string; problem: string | null }[];
    groups: string[];
  };

it('lists own grants and those of groups, in the tenants that the caller may see, with why one cannot be ended', async () => {
  const group = `ops-${crypto.randomUUID()}`;
  const personId = await person([
    [shippedSets.reader.id, tenantId, null],
    [shippedSets.serviceDesk.id, tenantId, group],
    [shippedSets.administrator.id, otherId, null],
  ]);
  const all = await access(holder('all'), personId);
  expect(all.grants.map((grant) => [grant.tenantName, grant.permissionSet, grant.claim, grant.problem])).toEqual([
    ['Harbour', 'Reader', null, null],
    ['Harbour', 'Service Desk', group, null],
    ['Quarry', 'Administrator', null, null],
  ]);
  expect(all.groups).toEqual([group]);
  const few = await access(holder([tenantId], [...shippedSets.reader.permissions, permission('People', 'delete')]), personId);
  expect(few.grants.map((grant) => [grant.permissionSet, grant.problem])).toEqual([
    ['Reader', null],
    ['Service Desk', expect.stringContaining('You cannot take away permissions that you do not hold: CloudFit.CFS.Articles:create')],
  ]);
  const viewer = await access(holder([tenantId], [permission('People', 'view')]), personId);
  expect(viewer.grants[0]?.problem).toBe('You do not have the permission CloudFit.CFS.People:delete there.');
  expect((await world.call(holder([(await world.tenant()).tenantId]), 'GET', `/v1/people/${personId}/access`)).status).toBe(404);
});

it('says of each permission set whether the caller may give it in a tenant, and why not', async () => {
  const choices = async (caller: Parameters<TestWorld['call']>[0], tenant: string | null) => {
    const { text } = await world.call(caller, 'GET', `/v1/permissionSets/choices${tenant ? `?tenantId=${tenant}` : ''}`);
    return new Map((JSON.parse(text) as { name: string; problem: string | null }[]).map((named) => [named.name, named.problem]));
  };
  const desk = holder([tenantId], [...shippedSets.serviceDesk.permissions, permission('People', 'create')]);
  const inTenant = await choices(desk, tenantId);
  expect([inTenant.get('Service Desk'), inTenant.get('Reader')]).toEqual([null, expect.stringContaining('CloudFit.CFS.Settings:view')]);
  expect((await choices(desk, null)).get('Service Desk')).toBe('You do not have the permission CloudFit.CFS.People:create there.');
  expect((await choices(holder('all'), null)).get('Administrator')).toBeNull();
  expect((await world.call(desk, 'GET', `/v1/permissionSets/choices?tenantId=${otherId}`)).status).toBe(404);
});

it('changes the set of a grant in one step, within what the caller holds', async () => {
  const personId = await person([[shippedSets.reader.id, tenantId, null]]);
  const [grant] = (await access(holder('all'), personId)).grants;
  const change = (caller: Parameters<TestWorld['call']>[0], permissionSetId: string, id = grant?.grantId) =>
    world.call(caller, 'PUT', `/v1/grants/${id}/permissionSet`, { permissionSetId });
  const reader = holder([tenantId], [...shippedSets.reader.permissions, permission('People', 'create'), permission('People', 'delete')]);
  expect((await change(reader, shippedSets.operator.id)).status).toBe(400);
  expect((await access(holder('all'), personId)).grants.map((grant) => grant.permissionSet)).toEqual(['Reader']);
  const changed = await change(holder([tenantId]), shippedSets.operator.id);
  expect(changed.status).toBe(200);
  expect((await access(holder('all'), personId)).grants.map((grant) => grant.permissionSet)).toEqual(['Operator']);
  const audited = await rows<{ verb: string }>(
    `select verb from audit where entity = 'grants' and coalesce(after, before)->>'personId' = $1 order by audit_id`,
    personId,
  );
  expect(audited.map(({ verb }) => verb)).toEqual(['create', 'delete']);
  expect((await change(holder([tenantId]), shippedSets.operator.id, String(changed.body['grantId']))).status).toBe(400);
});

it('keeps the last administrator when their set is changed', async () => {
  const alone = await world.tenant();
  const personId = await person([[shippedSets.administrator.id, alone.tenantId, null]]);
  const [grant] = (await access(holder('all'), personId)).grants;
  const answer = await world.call(holder([alone.tenantId]), 'PUT', `/v1/grants/${grant?.grantId}/permissionSet`, {
    permissionSetId: shippedSets.reader.id,
  });
  expect(answer.status).toBe(409);
  expect((await access(holder('all'), personId)).grants.map((grant) => grant.permissionSet)).toEqual(['Administrator']);
});

it('counts who has a set, in the tenants whose people the caller may view', async () => {
  const group = `ops-${crypto.randomUUID()}`;
  const [set] = await rows<{ id: string }>(
    `insert into permission_set (name, permissions) values ($1, '[]') returning permission_set_id as id`,
    crypto.randomUUID(),
  );
  const id = set?.id ?? '';
  await person([[id, tenantId, null]]);
  await person([[id, tenantId, group]]);
  await person([[id, otherId, null]]);
  const disabled = await person([[id, tenantId, null]]);
  await rows('update person set enabled = false where person_id = $1', disabled);
  const holders = async (caller: Parameters<TestWorld['call']>[0]) =>
    (await world.call(caller, 'GET', `/v1/permissionSets/${id}/holders`)).body;
  expect(await holders(holder('all'))).toMatchObject({ people: 3, groups: 1, tokens: 0, names: ['Ruth', 'Ruth', 'Ruth'] });
  expect(await holders(holder([tenantId]))).toEqual({ people: 2, groups: 1, tokens: 0, names: ['Ruth'] });
  expect(await holders(holder([otherId]))).toMatchObject({ people: 1, groups: 0 });
});
