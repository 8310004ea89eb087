/** A declaration that does not match its table or other declarations stops the start, with all errors listed. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { f, many, one, type Resource } from '@cloudfit/contract/resource.ts';
import { locations } from '@cloudfit/contract/resources/locations.ts';
import { served } from '../app/served.ts';
import { openDatabase, type Database } from '../db/connection.ts';
import { testDatabase } from '../testing/database.ts';
import { registerServed, servedNamed, servedOf, type AnyServed } from './served.ts';

let database: Database;
let closeDatabase: () => Promise<void>;
beforeAll(async () => {
  const test = await testDatabase();
  database = openDatabase({ url: test.url, max: 2, onError: () => undefined });
  closeDatabase = test.close;
});
afterAll(async () => {
  await database.close();
  await closeDatabase();
});

/** All declarations, with the one of locations changed. */
const changed = (resource: Partial<Resource>, table = 'location'): AnyServed[] =>
  served.map((each) => (each.resource.name === 'locations' ? { ...each, table, resource: { ...each.resource, ...resource } } : each));

async function faults(all: readonly AnyServed[]): Promise<string[]> {
  const error = await registerServed(database, all).then(
    () => undefined,
    (cause: unknown) => cause as Error,
  );
  return error?.message.split('\n').slice(1) ?? [];
}

it('takes those that fit, and finds each by its name and its declaration', async () => {
  expect(await faults(served)).toEqual([]);
  expect(servedNamed('locations')).toBe(served.find((each) => each.resource.name === 'locations'));
  expect(servedOf(locations).table).toBe('location');
  expect(() => servedNamed('nothing')).toThrow('Resource nothing is not served.');
  expect(() => servedOf({ ...locations })).toThrow('Resource locations is declared twice.');
});

it('names a table, columns and resources that do not exist', async () => {
  expect(await faults(changed({}, 'nowhere'))).toEqual(['locations: table nowhere does not exist']);
  const fields = { ...locations.fields, flag: f.boolean('Flag'), ownerId: f.ref('Owner', 'owners') };
  expect(await faults(changed({ fields }))).toEqual([
    'locations: table location has no column flag for field flag',
    'locations: table location has no column owner_id for field ownerId',
    'locations: field ownerId names the unknown resource owners',
  ]);
  expect(await faults(changed({ scope: { kind: 'tenant', field: 'holderId' } }))).toEqual([
    'locations: table location has no column for the tenant',
  ]);
});

it('names relations that lead nowhere or hide a field', async () => {
  const relations = {
    owner: { ...one('owners', 'tenantId'), on: 'tenantId' },
    parts: { ...many('tenants', 'tenantId'), on: 'partId' },
    other: { ...one('tenants', 'otherId'), on: 'tenantId' },
    name: { ...one('tenants', 'tenantId'), on: 'tenantId' },
    tenant: { ...one('tenants', 'tenantId'), on: 'tenantId' },
  };
  expect(await faults(changed({ relations }))).toEqual([
    'locations: relation owner names the unknown resource owners',
    'locations: relation parts: tenants has no field partId',
    'locations: relation other: no field otherId',
    'locations: relation name has the name of a field',
  ]);
});

it('names what is served twice or not at all', async () => {
  expect(await faults([...served, ...served.slice(0, 1)])).toEqual(['a resource is served twice']);
  expect(await faults(served.filter((each) => each.resource.name !== 'locations'))).toEqual(['locations: declared but not served']);
});
