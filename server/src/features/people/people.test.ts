/** Nobody raises their own rights or sees people of other tenants. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld, holder, type TestWorld } from '../../testing/world.ts';

let world: TestWorld;
let tenantId: string;

beforeAll(async () => {
  world = await createWorld();
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
