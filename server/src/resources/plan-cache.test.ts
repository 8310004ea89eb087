/** Which list plans are cached and which are not: a cached plan must never serve other permissions or another page. */
import { sql } from '../db/sql.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { permission } from '@cloudfit/contract/permissions.ts';
import type { Ctx } from '../context/ctx.ts';
import { createWorld, holder, type TestWorld } from '../testing/world.ts';
import { list, planList, type ListReadOptions } from './list.ts';
import { servedNamed, type AnyServed } from './served.ts';

let world: TestWorld;
let me: Ctx;
let locations: AnyServed;
beforeAll(async () => {
  world = await createWorld();
  const { tenantId } = await world.tenant();
  me = world.ctx(holder([tenantId]));
  locations = servedNamed('locations');
  for (const name of ['A', 'B']) await world.call(holder([tenantId]), 'PUT', '/v1/locations', { name, tenantId });
});
afterAll(() => world.close());

const plansOnce = (ctx: Ctx, served: AnyServed, query: string, options: ListReadOptions = {}): boolean =>
  planList(ctx, served, query, options) === planList(ctx, served, query, options);

it('plans the first page of a list once', () => {
  expect(plansOnce(me, locations, '$filter=true')).toBe(true);
});

it('plans again for another query, page size, form or holder of permissions', () => {
  const plan = planList(me, locations, '$top=3');
  for (const other of [
    planList(me, locations, '$top=4'),
    planList(me, locations, '$top=3', { maxPageSize: 2 }),
    planList(me, locations, '$top=3', { wire: true }),
    planList({ ...me, permissions: new Map(me.permissions) }, locations, '$top=3'),
    planList(me, servedNamed('subscriptions'), '$top=3'),
  ])
    expect(other).not.toBe(plan);
});

it('plans narrowed lists and later pages each time', async () => {
  const page = await list(me, locations, '', { maxPageSize: 1 });
  expect(page.next).toBeDefined();
  expect(plansOnce(me, locations, `$skiptoken=${page.next?.skiptoken ?? ''}`)).toBe(false);
  expect(plansOnce(me, locations, '', { narrow: sql<boolean>`true` })).toBe(false);
});

it('plans each time what depends on more of the caller than the permissions', () => {
  expect([plansOnce(me, servedNamed('dashboards'), ''), plansOnce(me, servedNamed('audit'), '')]).toEqual([false, false]);
  const queries = ['', '$filter=externalNotes/any(n: n/workUnitId eq 1)', '$filter=externalNotes/$count gt 1', '$expand=externalNotes'];
  expect(queries.map((query) => plansOnce(me, servedNamed('workUnits'), query))).toEqual([true, false, false, false]);
});

it('keeps the 200 newest plans of a caller', () => {
  const ctx = { ...me, permissions: new Map(me.permissions) };
  const oldest = planList(ctx, locations, '$top=1');
  for (let top = 2; top <= 200; top++) planList(ctx, locations, `$top=${top}`);
  expect(planList(ctx, locations, '$top=1')).toBe(oldest);
  planList(ctx, locations, '$top=201');
  expect(planList(ctx, locations, '$top=1')).not.toBe(oldest);
});

it('expands by * only what the caller may view, and refuses what is named', () => {
  const tenants = [...me.permissions.keys()];
  const only = world.ctx({ tenants, permissions: new Map(tenants.map((id) => [id, new Set([permission('Locations', 'view')])])) });
  expect(planList(me, locations, '$expand=*').statement.text).toContain('"tenant"');
  expect(planList(only, locations, '$expand=*').statement.text).not.toContain('"tenant"');
  expect(() => planList(only, locations, '$expand=tenant')).toThrow(expect.objectContaining({ status: 403 }));
});
