/** Every kind of configuring row: an earlier version is restored, and a deleted row comes back as it was. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RestoreOutcome } from '@cloudfit/contract/configuration.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import type { audit } from '@cloudfit/contract/resources/audit.ts';
import { insertSample, type SubscriptionIds } from '../../testing/samples.ts';
import { createWorld, holder, type TestWorld } from '../../testing/world.ts';
import { isExported, portableFields, portableResources, type PortableResource } from './portable.ts';

let world: TestWorld;
let home: SubscriptionIds;
const all = holder('all');
beforeAll(async () => {
  world = await createWorld();
  home = await world.tenant('Northwind');
});
afterAll(() => world.close());

type Entry = Pick<Row<typeof audit>, 'auditId' | 'verb'>;

async function entriesOf(r: PortableResource, key: string): Promise<Entry[]> {
  const filter = `entity eq '${r.name}' and entityId eq '${key}'`;
  const { body } = await world.call(all, 'GET', `/v1/audit?$orderby=auditId&$filter=${encodeURIComponent(filter)}`);
  return (body.value ?? []) as unknown as Entry[];
}

async function restored(entry: Entry | undefined): Promise<RestoreOutcome> {
  const { body } = await world.call(all, 'POST', '/v1/configuration/restore', { auditId: entry?.auditId, note: 'It was right' });
  return body as unknown as RestoreOutcome;
}

const kinds = portableResources().filter((r) => isExported(r) && r.verbs.includes('create') && r.name !== 'tenants');

it.each(kinds.map((r) => [r.name, r] as const))('%s', async (_name, r) => {
  const { [r.key]: id } = await insertSample(world, r, home);
  const key = String(id);
  const at = `/v1/${r.name}/${key}`;
  const written = portableFields(r).map(([name]) => name);
  const read = async (address = at): Promise<Record<string, unknown> | undefined> => {
    const { status, body } = await world.call(all, 'GET', address);
    return status === 200 ? Object.fromEntries(written.map((name) => [name, body[name]])) : undefined;
  };
  const first = await read();
  expect(first).toBeDefined();
  const [created] = await entriesOf(r, key);
  if (r.fields[r.title]?.write === 'always') {
    expect((await world.call(all, 'POST', at, { [r.title]: 'A slip' })).status).toBe(200);
    expect(await restored(created)).toMatchObject({
      left: [],
      changes: [{ verb: 'change', fields: [{ field: r.title, before: 'A slip' }] }],
    });
    expect(await read()).toEqual(first);
  }
  if (!r.verbs.includes('delete')) return;
  expect((await world.call(all, 'DELETE', at)).status).toBe(204);
  const deletion = (await entriesOf(r, key)).find(({ verb }) => verb === 'delete');
  const { changes, left } = await restored(deletion);
  expect([changes, left]).toMatchObject([[{ resource: r.name, verb: 'add' }], []]);
  // A row that is only marked as deleted comes back as itself, too, so that its history goes on.
  expect(changes[0]?.key).toBe(key);
  expect(await read()).toEqual(first);
});

it('a deleted row that is only marked comes back by an import that names it, under the key that its history has', async () => {
  const policies = kinds.find(({ name }) => name === 'policies');
  if (!policies) throw new Error('There is no policy.');
  const { policyId, name, tenantId } = await insertSample(world, policies, home);
  const { body: before } = await world.call(all, 'GET', `/v1/policies/${String(policyId)}`);
  const written = Object.fromEntries(portableFields(policies).map(([field]) => [field, before[field]]));
  expect((await world.call(all, 'DELETE', `/v1/policies/${String(policyId)}`)).status).toBe(204);
  const row = { ...written, policyId: crypto.randomUUID(), name, tenantId };
  const document = { cloudfit: 'configuration', version: 1, rows: { policies: [row] } };
  const { body } = await world.call(all, 'POST', '/v1/configuration', document);
  expect(body).toMatchObject({ added: 1, changes: [{ verb: 'add', key: policyId }] });
  expect((await world.call(all, 'POST', '/v1/configuration', document)).body).toMatchObject({ added: 0, changed: 0, unchanged: 1 });
});
