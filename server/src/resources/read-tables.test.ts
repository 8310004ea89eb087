/** Which tables a statement reads. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld, holder, type TestWorld } from '../testing/world.ts';
import { planList } from './list.ts';
import { entitiesRead } from './read-tables.ts';
import { servedNamed } from './served.ts';

let world: TestWorld;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

const reads = (name: string, query = ''): readonly string[] | null =>
  entitiesRead(planList(world.ctx(holder('all')), servedNamed(name), query, { wire: true }).statement.text)?.toSorted() ?? null;

it('finds the entities of a list, of what it joins and of what it expands', () => {
  expect(reads('locations')).toEqual(['locations']);
  expect(reads('locations', '$expand=tenant')).toEqual(['locations', 'tenants']);
  expect(reads('locations', "$filter=tenant/name eq 'x'")).toEqual(['locations', 'tenants']);
});

it('does not trust the clock, packets or views', () => {
  expect(reads('locations', '$filter=created lt now()')).toBeNull();
  expect(reads('packets')).toBeNull();
  expect(entitiesRead('select 1')).toBeNull();
});
