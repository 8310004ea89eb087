/** A row that is sent back as it was read changes nothing, whatever its entity and however its JSON is written. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Resource } from '@cloudfit/contract/resource.ts';
import { requireResource, resources } from '@cloudfit/contract/resources/registry.ts';
import { insertSample, personIn } from '../testing/samples.ts';
import { createWorld, holder, type TestWorld } from '../testing/world.ts';
import { same } from './input.ts';

type Json = Record<string, unknown>;

let world: TestWorld;
let home: { tenantId: string; subscriptionId: string };

beforeAll(async () => {
  world = await createWorld();
  home = await world.tenant();
});
afterAll(() => world.close());

const me = holder('all');

/** The same value with the properties of each object in another order. */
function shuffled(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(shuffled);
  const entries = Object.entries(value).map(([name, inner]): [string, unknown] => [name, shuffled(inner)]);
  return Object.fromEntries(entries.toSorted(() => Math.random() - 0.5));
}

const traces = () =>
  world.system.db.query({
    text: 'select (select count(*)::int from audit) as audits, (select count(*)::int from change) as changes, (select count(*)::int from job) as jobs',
  });

/** Sends the row back whole and in parts, and expects that nothing has happened. */
async function expectUnchanged(resource: Resource, key: unknown): Promise<void> {
  const address = `/v1/${resource.name}(${String(key)})`;
  const read = await world.call(me, 'GET', address);
  expect([resource.name, read.status]).toEqual([resource.name, 200]);
  const before = await traces();
  const row = read.body as Json;
  const some = Object.fromEntries(Object.entries(row).filter(() => Math.random() < 0.5));
  const operations = Object.entries(row).flatMap(([name, value]) =>
    resource.fields[name]?.write === 'always' ? [{ op: 'replace', path: `/${name}`, value: shuffled(value) }] : [],
  );
  for (const [method, body, headers] of [
    ['POST', row, {}],
    ['PATCH', shuffled(row), { 'if-match': String(read.headers['etag'] ?? '*') }],
    ['POST', shuffled(some), {}],
    ['PATCH', operations, { 'content-type': 'application/json-patch+json' }],
  ] as const) {
    const answer = await world.call(me, method, address, body, headers);
    expect([resource.name, method, answer.status, answer.headers['etag'], answer.body['modified']]).toEqual([
      resource.name,
      method,
      200,
      read.headers['etag'],
      row['modified'],
    ]);
  }
  expect([resource.name, await traces()]).toEqual([resource.name, before]);
}

it.each(
  resources.filter(({ verbs }) => verbs.includes('list') && verbs.includes('update')).map((resource) => [resource.name, resource] as const),
)('holds for a row of %s', async (_name, resource) => {
  const row: Json = await insertSample(world, resource, home);
  await expectUnchanged(resource, row[resource.key]);
});

it('holds for schedules with layers, and for a rule that was stored before its schema had what it has now', async () => {
  const layer = {
    people: [await personIn(world, home.tenantId)],
    every: 1,
    unit: 'Weeks',
    start: '2026-01-05T09:00',
    name: 'First line',
    restrictions: [{ to: '18:00', from: '08:00', days: [1, 2] }],
    holidays: 'Same',
  };
  const schedule = await world.call(me, 'PUT', '/v1/onCallSchedules', {
    name: 'Plant',
    tenantId: home.tenantId,
    timeZone: 'UTC',
    layers: [layer],
  });
  expect(schedule.body['error']).toBeUndefined();
  await expectUnchanged(requireResource('onCallSchedules'), schedule.body['onCallScheduleId']);
  const rule: Json = await insertSample(world, requireResource('rules'), home);
  await world.system.db.query({
    text: `update rule set match_actions = jsonb_set(match_actions, '{0,Earlier}', '1'), conditions = jsonb_set(conditions, '{0,Earlier}', '1') where rule_id = $1`,
    values: [rule['ruleId']],
  });
  await expectUnchanged(requireResource('rules'), rule['ruleId']);
});

it('compares values without the order of their properties, and null inside them with null alone', () => {
  expect([same({ a: 1, b: [{ c: 2, d: undefined }] }, { b: [{ c: 2 }], a: 1 }), same(null, undefined), same([1, 2], [1, 2])]).toEqual([
    true,
    true,
    true,
  ]);
  for (const [a, b] of [
    [{ a: null }, {}],
    [{ a: 1 }, { a: 1, b: 2 }],
    [
      [1, 2],
      [2, 1],
    ],
    [[], {}],
    [{ a: {} }, { a: [] }],
    ['1', 1],
    [{ a: null }, { b: 1 }],
  ])
    expect(same(a, b)).toBe(false);
});
