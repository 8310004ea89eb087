/** Nobody extends their own permissions or sees people of other tenants. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ensureShippedSets, shippedSets } from '../../auth/shipped.ts';
import { createWorld, holder, type TestWorld } from '../../testing/world.ts';

let world: TestWorld;
let tenantId: string;

beforeAll(async () => {
  world = await createWorld();
  await ensureShippedSets(world.system.db);
  ({ tenantId } = await world.tenant());
});
afterAll(() => world.close());

const limited = ['CloudFit.CFS.People:create', 'CloudFit.CFS.People:view', 'CloudFit.CFS.People:edit', 'CloudFit.CFS.Devices:view'];

async function set(permissions: readonly string[]): Promise<string> {
  const answer = await world.call(holder('all'), 'PUT', '/v1/permissionSets', {
    name: `Set ${crypto.randomUUID()}`,
    tenantId,
    permissions,
  });
  expect(answer.status).toBe(201);
  return String(answer.body['permissionSetId']);
}

it('refuses a permission set with permissions that its maker does not hold', async () => {
  const give = (permissions: string[]) =>
    world.call(holder([tenantId], limited), 'PUT', '/v1/permissionSets', { name: `Mine ${crypto.randomUUID()}`, tenantId, permissions });
  expect((await give(['CloudFit.CFS.Devices:view'])).status).toBe(201);
  const refused = await give(['CloudFit.CFS.Devices:view', 'CloudFit.CFS.Tokens:create']);
  expect(refused.status).toBe(400);
  expect(JSON.stringify(refused.body)).toContain('CloudFit.CFS.Tokens:create');
});

it('refuses a grant of a set beyond the rights of its giver, and one for all tenants', async () => {
  const [small, large] = [await set(['CloudFit.CFS.Devices:view']), await set(['CloudFit.CFS.Tenants:edit'])];
  const grant = (permissionSetId: string, tenant: string | null) =>
    world.call(holder([tenantId], limited), 'PUT', '/v1/grants', { claim: `g-${crypto.randomUUID()}`, permissionSetId, tenantId: tenant });
  expect((await grant(small, tenantId)).status).toBe(201);
  expect((await grant(large, tenantId)).status).toBe(400);
  expect((await grant(small, null)).status).toBeGreaterThanOrEqual(400);
});

it('refuses an unknown permission by its name', async () => {
  const answer = await world.call(holder('all'), 'PUT', '/v1/permissionSets', {
    name: 'Odd',
    tenantId,
    permissions: ['CloudFit.CFS.Moon:view'],
  });
  expect(answer.status).toBe(400);
  expect(JSON.stringify(answer.body)).toContain('CloudFit.CFS.Moon:view');
});

it('shows people of the own tenants and oneself only', async () => {
  const other = await world.tenant();
  const person = async (tenant: string): Promise<string> => {
    const created = await world.call(holder('all'), 'PUT', '/v1/people', {
      name: `P ${crypto.randomUUID()}`,
      userName: `${crypto.randomUUID()}@example.com`,
    });
    const id = String(created.body['personId']);
    await world.call(holder('all'), 'PUT', '/v1/grants', {
      personId: id,
      permissionSetId: await set(['CloudFit.CFS.Devices:view']),
      tenantId: tenant === tenantId ? tenantId : null,
    });
    return id;
  };
  const [colleague, ofOtherTenant] = [await person(tenantId), await person(other.tenantId)];
  const rows = (await world.call(holder([tenantId]), 'GET', '/v1/people?$top=1000&$expand=grants')).body.value ?? [];
  expect(rows.map((r) => r['personId'])).toContain(colleague);
  expect(rows.map((r) => r['personId'])).not.toContain(ofOtherTenant);
});

it('shows people only of the tenants where the caller may view people', async () => {
  const other = await world.tenant();
  const created = await world.call(holder('all'), 'PUT', '/v1/people', {
    name: 'Elsewhere',
    userName: `${crypto.randomUUID()}@example.com`,
  });
  const personId = String(created.body['personId']);
  const [permissionSetId = ''] =
    (await world.call(holder('all'), 'GET', "/v1/permissionSets?$filter=name eq 'Reader'")).body.value?.map((row) =>
      String(row['permissionSetId']),
    ) ?? [];
  await world.call(holder('all'), 'PUT', '/v1/grants', { personId, permissionSetId, tenantId: other.tenantId });
  const mixed = {
    tenants: [tenantId, other.tenantId],
    permissions: new Map([
      [tenantId, new Set(limited)],
      [other.tenantId, new Set(['CloudFit.CFS.WorkUnits:view:mine'])],
    ]),
  };
  expect((await world.call(mixed, 'GET', `/v1/people?$filter=personId eq ${personId}&$count=true`)).body).toMatchObject({
    '@odata.count': 0,
  });
  expect((await world.call(mixed, 'GET', `/v1/people/${personId}`)).status).toBe(404);
});

it('grants nothing to people whom the giver does not see, which would show them', async () => {
  const created = await world.call(holder('all'), 'PUT', '/v1/people', {
    name: 'Stranger',
    userName: `${crypto.randomUUID()}@example.com`,
  });
  const permissionSetId = await set(['CloudFit.CFS.Devices:view']);
  const give = (personId: unknown) => world.call(holder([tenantId], limited), 'PUT', '/v1/grants', { personId, permissionSetId, tenantId });
  const [ofOtherTenant, nobody] = [await give(created.body['personId']), await give(crypto.randomUUID())];
  expect([ofOtherTenant.status, nobody.status]).toEqual([400, 400]);
  expect(ofOtherTenant.body['error']).toMatchObject({ details: [{ target: 'personId', message: 'Person was not found.' }] });
  expect(nobody.body['error']).toMatchObject({ details: [{ target: 'personId', message: 'Person was not found.' }] });
});

it('keeps a permission set in its tenant, whose grants hold by it', async () => {
  const other = await world.tenant();
  const permissionSetId = await set(['CloudFit.CFS.Devices:view']);
  const both = { tenants: [tenantId, other.tenantId], permissions: holder([tenantId, other.tenantId]).permissions };
  for (const to of [other.tenantId, null]) {
    const moved = await world.call(holder('all'), 'POST', `/v1/permissionSets/${permissionSetId}`, { tenantId: to });
    expect([moved.status, moved.body['error']]).toEqual([400, expect.objectContaining({ target: 'tenantId' })]);
  }
  expect(
    (
      await world.call(both, 'PATCH', `/v1/permissionSets(${permissionSetId})`, [
        { op: 'replace', path: '/tenantId', value: other.tenantId },
      ])
    ).status,
  ).toBe(400);
});

/** Creates a person with a grant of this permission set in a tenant; null: in all tenants. */
async function granted(permissionSetId: string, where: string | null): Promise<{ personId: string; grantId: string }> {
  const name = crypto.randomUUID();
  const { body } = await world.call(holder('all'), 'PUT', '/v1/people', { name, userName: `${name}@example.com` });
  const personId = String(body['personId']);
  const grant = await world.call(holder('all'), 'PUT', '/v1/grants', { personId, permissionSetId, tenantId: where });
  return { personId, grantId: String(grant.body['grantId']) };
}

const peopleRights = ['create', 'view', 'edit', 'delete'].map((verb) => `CloudFit.CFS.People:${verb}`);
const messageOf = (answer: { body: Record<string, unknown> }) => (answer.body['error'] as { message: string } | undefined)?.message;

it('lets nobody take away what they do not hold', async () => {
  const keeper = holder([tenantId], [...peopleRights, 'CloudFit.CFS.Devices:view']);
  const [large, small] = [await set(['CloudFit.CFS.Devices:view', 'CloudFit.CFS.Tokens:create']), await set(['CloudFit.CFS.Devices:view'])];
  const { grantId } = await granted(large, tenantId);
  const refused = 'You cannot take away permissions that you do not hold: CloudFit.CFS.Tokens:create.';
  const attempts = [
    await world.call(keeper, 'DELETE', `/v1/grants/${grantId}`),
    await world.call(keeper, 'PATCH', `/v1/permissionSets/${large}`, { permissions: [] }),
    await world.call(keeper, 'PATCH', `/v1/permissionSets/${large}`, { permissions: ['CloudFit.CFS.Devices:view'] }),
    await world.call(keeper, 'DELETE', `/v1/permissionSets/${await set(['CloudFit.CFS.Tokens:create'])}`),
  ];
  expect(attempts.map((answer) => [answer.status, messageOf(answer)])).toEqual(attempts.map(() => [400, refused]));
  const ofGroup = await world.call(holder('all'), 'PUT', '/v1/grants', { claim: 'night-shift', permissionSetId: large, tenantId });
  expect((await world.call(keeper, 'DELETE', `/v1/grants/${String(ofGroup.body['grantId'])}`)).status).toBe(400);

  expect((await world.call(keeper, 'DELETE', `/v1/grants/${(await granted(small, tenantId)).grantId}`)).status).toBe(204);
  expect((await world.call(keeper, 'PATCH', `/v1/permissionSets/${small}`, { permissions: [] })).status).toBe(200);
  expect((await world.call(holder('all'), 'DELETE', `/v1/grants/${grantId}`)).status).toBe(204);
});

it('lets nobody disable or rename whoever holds more', async () => {
  const keeper = holder('all', peopleRights);
  const { personId } = await granted(await set(['CloudFit.CFS.Tokens:create']), tenantId);
  for (const change of [{ enabled: false }, { userName: 'taken@example.com' }, { email: 'taken@example.com' }])
    expect((await world.call(keeper, 'PATCH', `/v1/people/${personId}`, change)).status).toBe(400);
  expect((await world.call(keeper, 'PATCH', `/v1/people/${personId}`, { name: 'New name' })).status).toBe(200);
  const equal = await granted(await set(['CloudFit.CFS.People:view']), tenantId);
  expect((await world.call(keeper, 'PATCH', `/v1/people/${equal.personId}`, { enabled: false })).status).toBe(200);
});

it('keeps the shipped permission sets as they are', async () => {
  for (const [method, body] of [
    ['PATCH', { permissions: [] }],
    ['DELETE', undefined],
  ] as const) {
    const answer = await world.call(holder('all'), method, `/v1/permissionSets/${shippedSets.administrator.id}`, body);
    expect([answer.status, messageOf(answer)]).toEqual([
      400,
      'Administrator comes with the product and stays as it is. Make a set of your own instead.',
    ]);
  }
});

it.each(['grants', 'people'])('keeps the last administrator, also when two are removed at once: %s', async (how) => {
  const { tenantId: home } = await world.tenant(`Westwind of ${how}`);
  for (const scope of [home, null]) {
    // Removes the administrators of other tests first.
    if (scope === null)
      await world.system.db.query({
        text: 'delete from access_grant where permission_set_id = $1 and tenant_id is null',
        values: [shippedSets.administrator.id],
      });
    const two = [await granted(shippedSets.administrator.id, scope), await granted(shippedSets.administrator.id, scope)];
    // The grant of a disabled person does not count.
    const third = await granted(shippedSets.administrator.id, scope);
    expect((await world.call(holder('all'), 'PATCH', `/v1/people/${third.personId}`, { enabled: false })).status).toBe(200);
    const takeAway = ({ personId, grantId }: { personId: string; grantId: string }) =>
      how === 'grants'
        ? world.call(holder('all'), 'DELETE', `/v1/grants/${grantId}`)
        : world.call(holder('all'), 'PATCH', `/v1/people/${personId}`, { enabled: false });
    const answers = await Promise.all(two.map(takeAway));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([how === 'grants' ? 204 : 200, 409]);
    const refused = answers.find(({ status }) => status === 409);
    expect(refused && messageOf(refused)).toContain(
      scope === null ? 'the installation without an administrator' : `Westwind of ${how} without`,
    );
    expect((await world.call(holder('all'), 'DELETE', `/v1/grants/${third.grantId}`)).status).toBe(204);
  }
});

it('refuses to disable the last two administrators with one call', async () => {
  const { tenantId: home } = await world.tenant();
  const two = [await granted(shippedSets.administrator.id, home), await granted(shippedSets.administrator.id, home)];
  const answer = await world.call(holder('all'), 'PATCH', '/v1/people', {
    newState: two.map(({ personId }) => ({ personId, enabled: false })),
  });
  expect(answer.status).toBe(409);
  const { value } = (
    await world.call(holder('all'), 'GET', `/v1/people?$filter=personId in (${two.map((person) => person.personId).join(',')})`)
  ).body;
  expect(value?.map((row) => row['enabled'])).toEqual([true, true]);
});

it('clears the mark of a verified address when the address changes', async () => {
  const { personId } = await granted(await set(['CloudFit.CFS.Devices:view']), tenantId);
  const verify = () =>
    world.system.db.query({
      text: "update person set email = 'old@example.com', email_verified = true where person_id = $1",
      values: [personId],
    });
  const change = async (body: object) => (await world.call(holder('all'), 'PATCH', `/v1/people/${personId}`, body)).body['emailVerified'];
  await verify();
  expect(await change({ name: 'Otto' })).toBe(true);
  expect(await change({ email: 'OLD@example.com' })).toBe(true);
  expect(await change({ email: 'boss@example.com' })).toBe(false);
  await verify();
  expect(await change({ email: null })).toBe(false);
  expect(await change({ emailVerified: true })).toBe(false);
});
