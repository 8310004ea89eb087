/** Lists at paths of their own: a subset of rows with every query option of their resource. */
import { sql } from '../db/sql.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { defineList } from '@cloudfit/contract/action.ts';
import { implementList } from '../resources/action.ts';
import { get } from '../resources/get.ts';
import { servedTenants } from '../features/tenancy/tenants.served.ts';
import { createWorld, holder, type TestWorld } from '../testing/world.ts';

let world: TestWorld;
let tenantId: string;

const placesOf = implementList(
  defineList({
    name: 'GetPlaces',
    path: '/v1/locations/GetPlaces(tenantId={tenantId},start={start})',
    access: { area: 'Locations', verb: 'view' },
    of: 'locations',
    input: z.object({ tenantId: z.guid(), start: z.string(), end: z.string().default('') }),
  }),
  async (ctx, { tenantId, start, end }, t) => {
    await get(ctx, servedTenants, tenantId);
    const name = sql.ref(`${t}.name`);
    return sql<boolean>`(${sql.ref(`${t}.tenant_id`)} = ${tenantId} and starts_with(${name}, ${start}) and ${name} like ${`%${end}`})`;
  },
);

beforeAll(async () => {
  world = await createWorld({ actions: [placesOf] });
  ({ tenantId } = await world.tenant('Northwind'));
  const other = await world.tenant();
  for (const id of [tenantId, other.tenantId])
    await world.system.db.query({
      text: `insert into location (tenant_id, name) select $1, s || lpad(n::text, 4, '0') from generate_series(1, 120) n, unnest(array['Hall ', 'Roof ']) s`,
      values: [id],
    });
});
afterAll(() => world.close());

const path = (start: string) => `/v1/Locations/getplaces(tenantId=${tenantId},start='${start}')`;

it('answers the narrowed rows with filter, order, selection, expansion, count and custom parameters', async () => {
  const url = `${path('Hall')}?$filter=name ne 'Hall 0001'&$orderby=name desc&$top=2&$select=name&$expand=tenant($select=name)&$count=true`;
  expect((await world.call(holder([tenantId]), 'GET', url)).body).toMatchObject({
    '@odata.count': 119,
    value: [
      { name: 'Hall 0120', tenant: { name: 'Northwind' } },
      { name: 'Hall 0119', tenant: { name: 'Northwind' } },
    ],
  });
  const custom = await world.call(holder([tenantId]), 'GET', `${path('Roof')}?end=0007&$select=name`);
  expect(custom.body.value).toMatchObject([{ name: 'Roof 0007' }]);
});

it('says where the next page is', async () => {
  const first = await world.call(holder([tenantId]), 'GET', path('Hall 0'));
  expect(first.body.value).toHaveLength(100);
  const next = new URL(String(first.body['@odata.nextLink']));
  expect((await world.call(holder([tenantId]), 'GET', next.pathname + next.search)).body.value).toHaveLength(20);
});

it('asks for the permission, hides other tenants and names what is wrong', async () => {
  const none = holder([tenantId], ['CloudFit.CFS.Devices:view', 'CloudFit.CFS.Tenants:view']);
  expect((await world.call(none, 'GET', path('Hall'))).status).toBe(403);
  const otherTenant = await world.tenant();
  expect((await world.call(holder([otherTenant.tenantId]), 'GET', path('Hall'))).status).toBe(404);
  const wrong = await world.call(holder([tenantId]), 'GET', `/v1/locations/GetPlaces(tenantId=x,start='a')`);
  expect([wrong.status, (wrong.body['error'] as { target: string }).target]).toEqual([400, 'tenantId']);
  expect((await world.call(holder([tenantId]), 'GET', `${path('Hall')}?$filter=nothing eq 1`)).status).toBe(400);
  expect((await world.call(holder([tenantId]), 'POST', path('Hall'), {})).status).toBe(405);
});
