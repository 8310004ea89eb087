/** How much work the rules of a tenant cause its people. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { permission } from '@cloudfit/contract/permissions.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../testing/world.ts';

let world: TestWorld;
let tenantId: string;
let me: TestCaller;
const rules: Record<string, string> = {};

const day = 86_400_000;
const ago = (ms: number) => new Date(Date.now() - ms).toISOString();

async function addRule(name: string): Promise<string> {
  const [row] = await world.system.db.query<{ id: string }>({
    text: "insert into rule (tenant_id, name, rule_type_id, match_lifetime, conditions) values ($1, $2, 1, 300, '[]') returning rule_id as id",
    values: [tenantId, name],
  });
  return (rules[name] = row?.id ?? '');
}

const addMatch = (rule: string, subjectId: string, from: number, to: number, count: number) =>
  world.system.db.query({
    text: `insert into rule_match (tenant_id, rule_id, subject_id, label, created, expires, closed, first_match, last_match, match_count, correlation_id)
      values ($1, $2, $3, 'x', $4, $5, $5, $4, $5, $6, gen_random_uuid())`,
    values: [tenantId, rules[rule], subjectId, ago(from), ago(to), count],
  });

async function addUnit(rule: string, occurrences = 1): Promise<number> {
  const [row] = await world.system.db.query<{ id: number }>({
    text: `insert into work_unit (tenant_id, title, work_unit_type_id, created_by, modified_by, rule_id, occurrences)
      values ($1, 'Hot', 1, 'Automation', 'Automation', $2, $3) returning work_unit_id as id`,
    values: [tenantId, rules[rule], occurrences],
  });
  return row?.id ?? 0;
}

async function move(id: number, ...states: string[]): Promise<void> {
  for (const stateId of states)
    expect((await world.call(me, 'POST', `/v1/workunits/${id}`, { stateId, resolution: 'It is done.' })).status).toBe(200);
}

beforeAll(async () => {
  world = await createWorld();
  ({ tenantId } = await world.tenant());
  me = { ...holder([tenantId]), actor: { kind: 'person', id: crypto.randomUUID(), name: 'Ada', userName: 'ada@example.com' } };
  for (const name of ['Hot', 'Full', 'Quiet', 'Old']) await addRule(name);
});
afterAll(() => world.close());

const read = async (query = '', caller = me) => world.call(caller, 'GET', `/v1/rules/noise?tenantId=${tenantId}${query}`);

it('counts matches, their units and what people did with them, the rule without use first', async () => {
  const [one, two] = [crypto.randomUUID(), crypto.randomUUID()];
  // The second match begins a minute after the end of the first, the third two days later.
  await addMatch('Hot', one, 3 * day, 3 * day - 600_000, 1);
  await addMatch('Hot', one, 3 * day - 660_000, 3 * day - 900_000, 4);
  await addMatch('Hot', one, day, day - 600_000, 1);
  await addMatch('Full', two, day, day - 600_000, 2);
  await addMatch('Old', two, 60 * day, 60 * day - 600_000, 1);

  await move(await addUnit('Hot', 3), 'Acknowledged', 'Resolved');
  const worked = await addUnit('Full');
  await move(worked, 'Acknowledged', 'InProgress', 'Resolved');
  const written = await addUnit('Full');
  expect((await world.call(me, 'PUT', '/v1/workUnitNotes', { workUnitId: written, detail: 'The disk was replaced.' })).status).toBe(201);
  await move(written, 'Acknowledged', 'Resolved');
  await addUnit('Full');
  await world.system.db.query({
    text: `insert into work_unit_note (work_unit_id, tenant_id, detail, history_type, field, new_value, created_by, created, correlation_id)
      values ($1, $2, 'x', 'WorkUnitStateChange', 'stateId', 'Acknowledged', 'Ada', now() - interval '90 minutes', gen_random_uuid())`,
    values: [worked, tenantId],
  });

  const { status, body } = await read();
  expect(status).toBe(200);
  const counts = { enabled: true, subjects: 1, flapping: 0, changesPerHour: 0, timeMatching: 0, clearMinutes: 0 };
  expect(body.value).toEqual([
    {
      ...counts,
      ruleId: rules['Hot'],
      name: 'Hot',
      matches: 3,
      clearMatches: 3,
      single: 2,
      returning: 1,
      units: 1,
      repeats: 2,
      ended: 1,
      idle: 1,
      minutes: 0,
    },
    {
      ...counts,
      ruleId: rules['Full'],
      name: 'Full',
      matches: 1,
      clearMatches: 1,
      single: 0,
      returning: 0,
      units: 3,
      repeats: 0,
      ended: 2,
      idle: 0,
      minutes: 90,
    },
  ]);
  expect((await read('&days=90')).body.value?.map(({ name }) => name)).toEqual(['Hot', 'Full', 'Old']);
});

it('finds what flaps, and how many matches would remain after a time without a hit', async () => {
  await addRule('Flaps');
  const [often, seldom] = [crypto.randomUUID(), crypto.randomUUID()];
  const minutes = (n: number) => n * 60_000;
  // Seven matches of one subject, each a minute long, a little more than five minutes after the one before; and two of another, an hour apart.
  for (let i = 0; i < 7; i += 1) await addMatch('Flaps', often, minutes(100 - 6.1 * i), minutes(99 - 6.1 * i), 3);
  for (const at of [200, 130]) await addMatch('Flaps', seldom, minutes(at), minutes(at - 1), 3);
  const [flaps] = ((await read('&days=1')).body.value ?? []).filter(({ name }) => name === 'Flaps');
  expect(flaps).toMatchObject({ matches: 9, subjects: 2, flapping: 1, changesPerHour: 14, clearMinutes: 6, clearMatches: 3 });
  expect(flaps?.['timeMatching']).toBeCloseTo(7 / 37, 2);
});

it('counts as returning what comes back within the lifetime of the match before, which an exception may have changed', async () => {
  await addRule('Own');
  const [asRule, lasting] = [crypto.randomUUID(), crypto.randomUUID()];
  const seconds = (n: number) => n * 1_000;
  // Each is ended early, and comes back 20 minutes later; an exception gives the second subject a lifetime of an hour.
  for (const [subject, lifetime] of [
    [asRule, 300],
    [lasting, 3_600],
  ] as const) {
    for (const from of [4_000, 2_740]) await addMatch('Own', subject, seconds(from), seconds(from - 60), 1);
    await world.system.db.query({
      text: 'update rule_match set expires = first_match + make_interval(secs => $2) where subject_id = $1',
      values: [subject, lifetime],
    });
  }
  const [row] = ((await read('&days=1')).body.value ?? []).filter(({ name }) => name === 'Own');
  expect(row).toMatchObject({ matches: 4, returning: 1 });
});

it('is for those who may read the rules and the work units of the tenant', async () => {
  expect((await read('', holder([tenantId], [permission('Rules', 'view')]))).status).toBe(403);
  const elsewhere = await world.tenant();
  expect((await read('', holder([elsewhere.tenantId]))).status).toBe(404);
  expect((await read('&days=91')).status).toBe(400);
});
