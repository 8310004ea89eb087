/** The audit over HTTP: people of the tenant read the entries of entities that they may view; nobody changes any. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allPermissions } from '@cloudfit/contract/permissions.ts';
import { createWorld, holder, type TestWorld } from '../../testing/world.ts';

let world: TestWorld;
let tenantId: string;
let otherId: string;

beforeAll(async () => {
  world = await createWorld();
  ({ tenantId } = await world.tenant());
  ({ tenantId: otherId } = await world.tenant());
  for (const id of [tenantId, otherId]) {
    await world.call(holder([id]), 'PUT', '/v1/locations', { name: 'Depot', tenantId: id });
    await world.call(holder([id]), 'PUT', '/v1/tokens', { name: 'Probe', lifetimeYears: 1, tenantId: id });
  }
  await world.call(holder('all'), 'PUT', '/v1/permissionSets', { name: 'Watchers', permissions: ['CloudFit.CFS.Home:view'] });
});
afterAll(() => world.close());

const read = async (caller = holder([tenantId]), query = '') => (await world.call(caller, 'GET', `/v1/audit?$count=true${query}`)).body;

describe('the audit', () => {
  it('answers who did what with the row before and after, newest first, in the query language', async () => {
    const page = await read(undefined, `&$filter=entity eq 'locations' and actorName eq 'person@example.com'&$expand=tenant($select=name)`);
    expect(page).toMatchObject({
      '@odata.count': 1,
      value: [{ verb: 'create', entity: 'locations', tenantId, before: null, after: { name: 'Depot' }, tenant: { name: /^Tenant/ } }].map(
        (row) => ({ ...row, tenant: { name: expect.stringMatching(/^Tenant/) } }),
      ),
    });
    const numbers = ((await read()).value ?? []).map((row) => Number(row['auditId']));
    expect(numbers).toEqual(numbers.toSorted((a, b) => b - a));
  });

  it('needs the permission to view settings', async () => {
    const without = allPermissions.filter((p) => !p.startsWith('CloudFit.CFS.Settings:view'));
    expect((await world.call(holder([tenantId], without), 'GET', '/v1/audit')).status).toBe(403);
    for (const [method, path] of [
      ['PUT', '/v1/audit'],
      ['POST', '/v1/audit/1'],
      ['PATCH', '/v1/audit/1'],
      ['DELETE', '/v1/audit/1'],
    ] as const)
      expect((await world.call(holder('all'), method, path, method === 'DELETE' ? undefined : {})).status).toBe(405);
  });

  it('keeps other tenants, and rows of no tenant, from people of one', async () => {
    const tenants = new Set(((await read(undefined, '&$top=1000')).value ?? []).map((row) => row['tenantId']));
    expect([...tenants]).toEqual([tenantId]);
    const everywhere = new Set(((await read(holder('all'), '&$top=1000')).value ?? []).map((row) => row['tenantId']));
    expect(everywhere).toEqual(new Set([tenantId, otherId, null]));
  });

  it('hides entities that the reader may not view there', async () => {
    const entities = async (...permissions: string[]) =>
      new Set(((await read(holder([tenantId], ['CloudFit.CFS.Settings:view', ...permissions]))).value ?? []).map((row) => row['entity']));
    expect(await entities()).toEqual(new Set());
    expect(await entities('CloudFit.CFS.Locations:view')).toEqual(new Set(['locations']));
    expect(await entities('CloudFit.CFS.Locations:view', 'CloudFit.CFS.Tokens:view')).toEqual(new Set(['locations', 'tokens']));
    const mixed = {
      tenants: [tenantId, otherId],
      permissions: new Map([
        [tenantId, new Set(['CloudFit.CFS.Settings:view', 'CloudFit.CFS.Locations:view'])],
        [otherId, new Set(['CloudFit.CFS.Settings:view', 'CloudFit.CFS.Tokens:view'])],
      ]),
    };
    const visible = ((await read(mixed)).value ?? []).map((row) => `${String(row['tenantId'])} ${String(row['entity'])}`);
    expect(new Set(visible)).toEqual(new Set([`${tenantId} locations`, `${otherId} tokens`]));
  });

  it('is append-only for the server itself', async () => {
    for (const scope of ['all', [tenantId]] as const)
      for (const text of ["update audit set verb = 'nothing'", 'delete from audit', 'truncate audit'])
        await expect(world.database.scoped(scope).query({ text })).rejects.toThrow('You do not have access');
    expect((await read())['@odata.count']).toBeGreaterThan(0);
  });
});
