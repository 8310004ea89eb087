import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureShippedSets } from '../auth/shipped.ts';
import { followCampaigns } from '../automation/campaigns/follow.ts';
import { list } from '../resources/list.ts';
import { servedNamed } from '../resources/served.ts';
import { createWorld, holder, type TestWorld } from '../testing/world.ts';
import { makePackage } from '../testing/packages/rows.ts';
import { fillDemo } from './fill.ts';
import { demoId } from './live.ts';
import { demoPackages } from './software.ts';
import type { Size } from './sizes.ts';

const size: Size = { tenants: 3, people: 9, devices: 20, workUnits: 200, unitDays: 60, packetDays: 2, packetMinutes: 60 };
const at = new Date('2026-11-20T15:30:00Z');

let worlds: TestWorld[];

beforeAll(async () => {
  worlds = await Promise.all([createWorld(), createWorld()]);
  for (const { system } of worlds) await ensureShippedSets(system.db);
});
afterAll(() => Promise.all(worlds.map((world) => world.close())));

const tables = [
  'tenant',
  'location',
  'person',
  'access_grant',
  'device',
  'block',
  'rule',
  'rule_match',
  'work_unit',
  'latest_packet',
  'packet',
];

/** The contents of a table as one text, independent of the order of its rows. */
async function fingerprint(world: TestWorld, table: string): Promise<string> {
  // Ids of permission sets differ between databases.
  const text = table === 'access_grant' ? "(to_jsonb(t) - 'permission_set_id')::text" : 'to_jsonb(t)::text';
  const [row] = await world.system.db.query<{ sum: string }>({
    text: `select count(*) || ' ' || md5(string_agg(${text}, ' ' order by ${text})) as sum from ${table} t`,
  });
  return row?.sum ?? '';
}

describe('fillDemo', () => {
  it('makes the same world of the same seed, once', async () => {
    const counts = await Promise.all(worlds.map(({ system }) => fillDemo(system.db, { size, seed: 7, at })));
    expect(counts[0]).toMatchObject({
      tenants: 3,
      devices: 20,
      'work units': 200,
      packets: expect.toSatisfy((n: number) => n > 19 * 47 && n <= 20 * 48),
    });
    expect(counts[1]).toEqual(counts[0]);
    for (const table of tables)
      expect([table, await fingerprint(worlds[0] as TestWorld, table)]).toEqual([table, await fingerprint(worlds[1] as TestWorld, table)]);
    expect(await fillDemo((worlds[0] as TestWorld).system.db, { size, seed: 7, at })).toBeNull();
  });

  it('leaves a unit of each tenant to be taken, so that the list does not begin empty', async () => {
    const [world] = worlds as [TestWorld];
    const units = await world.system.db.query<{ tenants: number; assigned: number; changed: number }>({
      text: `select count(distinct u.tenant_id)::int as tenants, count(assigned_to)::int as assigned, count(n.work_unit_note_id)::int as changed
        from work_unit u left join work_unit_note n on n.work_unit_id = u.work_unit_id and n.field = 'stateId' where state_id = 'New'`,
    });
    expect(units).toEqual([{ tenants: 3, assigned: 0, changed: 0 }]);
  });

  it('makes another world of another seed beside it, and lists that were answered before are read again', async () => {
    const [world] = worlds as [TestWorld];
    const etag = String((await world.call(holder('all'), 'GET', '/v1/workUnits?$top=1')).headers['etag']);
    const poll = async () => (await world.call(holder('all'), 'GET', '/v1/workUnits?$top=1', undefined, { 'if-none-match': etag })).status;
    expect(await poll()).toBe(304);
    expect(await fillDemo(world.system.db, { size, seed: 8, at })).toMatchObject({ 'work units': 200 });
    expect(await poll()).toBe(200);
    expect(await world.system.db.query({ text: 'select count(distinct title)::int as n from work_unit' })).toEqual([
      { n: expect.toSatisfy((n: number) => n > 40) },
    ]);
  });

  it('makes the tenants that the live demonstration looks for', async () => {
    const [world] = worlds as [TestWorld];
    const rows = await world.system.db.query<{ id: string }>({ text: 'select tenant_id as id from tenant' });
    expect(rows.map(({ id }) => id)).toEqual(expect.arrayContaining([1, 2, 3].map((n) => demoId(7, 'tenant', n))));
  });

  it('explains every match by packets that are there', async () => {
    const [world] = worlds as [TestWorld];
    const matches = await world.system.db.query<{ id: string; first: string; last: string; count: number }>({
      text: `select rule_match_id as id, first_match as first, last_match as last, match_count as count from rule_match order by rule_match_id limit 30`,
    });
    expect(matches.length).toBe(30);
    for (const { id, first, last, count } of matches) {
      const { body } = await world.call(holder('all'), 'GET', `/v1/rulematches/${id}/explain`);
      expect(body, id).toMatchObject({ outcome: expect.stringMatching(/^(hit|repeated)$/), packet: { timestamp: expect.anything() } });
      expect(new Set((body['conditions'] as { satisfied: boolean }[]).map(({ satisfied }) => satisfied))).toEqual(new Set([true]));
      expect(1 + Math.round((Date.parse(last) - Date.parse(first)) / 60_000), id).toBe(count);
    }
    const [units] = await world.system.db.query<{ related: number; later: number }>({
      text: `select count(*)::int as related, count(*) filter (where u.created <> m.first_match or u.rule_id <> m.rule_id)::int as later
        from work_unit_relation r join work_unit u using (work_unit_id) join rule_match m on m.rule_match_id::text = r.reference_id
        where r.reference_type = 'RuleMatch'`,
    });
    expect(units).toEqual({ related: expect.toSatisfy((n: number) => n > 5), later: 0 });
  });

  it('lets only people work on a unit who may edit it, and another person approve', async () => {
    const [world] = worlds as [TestWorld];
    const rows = await world.system.db.query<{ what: string }>({
      text: `with worker as (select g.tenant_id, p.user_name from access_grant g join person p using (person_id) join permission_set s using (permission_set_id)
          where s.permissions ? 'CloudFit.CFS.WorkUnits:edit'),
        named as (select tenant_id, assigned_to as name, 'assignee' as what from work_unit union select tenant_id, approver1, 'approver' from work_unit
          union select w.tenant_id, n.created_by, 'author' from work_unit_note n join work_unit w using (work_unit_id) where n.created_by like '%@%'
          union select s.tenant_id, p.user_name, 'on call' from on_call_schedule s, jsonb_array_elements(s.layers) l, jsonb_array_elements_text(l -> 'people') one
            join person p on p.person_id = one::uuid)
        select distinct what from named n where name is not null and not exists (select from worker w where w.tenant_id = n.tenant_id and w.user_name = n.name)
        union all select 'approved by the assignee' from work_unit where approver1 = assigned_to limit 5`,
    });
    expect(rows).toEqual([]);
  });

  it('puts several versions of packages on devices, with operations that have results', async () => {
    const world = await createWorld();
    await ensureShippedSets(world.system.db);
    for (const { name, versions } of demoPackages)
      await makePackage(world, {
        tenantId: null,
        name,
        versions: versions.map((version, n) => ({ version, precedence: String(n), status: n === versions.length - 1 ? 1 : 2 })),
      });
    await fillDemo(world.system.db, { size, seed: 7, at });
    const { body } = await world.call(holder('all'), 'GET', '/v1/compliancereport?$count=true&$top=100');
    expect(new Set((body.value ?? []).map((row) => row['versionStatus']))).toEqual(new Set(['Current', 'Outdated']));
    const [operations] = await world.system.db.query<{ all: number; without: number; latest: boolean }>({
      text: `select count(*)::int as all, count(*) filter (where l.entity_id is null)::int as without, bool_and(l.timestamp <= $1) as latest
        from device_operation o left join latest_packet l on l.entity_id = o.device_operation_id`,
      values: [at],
    });
    expect(operations).toMatchObject({ all: expect.toSatisfy((n: number) => n > 10), without: 0, latest: true });
    // A rollout of a rule at its second ring, which the server continues, and a package version that was rolled back after its
    // first ring.
    await followCampaigns({ ...world.system, now: () => at });
    const { value: rollouts = [] } = (await world.call(holder('all'), 'GET', '/v1/campaigns?$orderby=kind')).body;
    expect(rollouts).toMatchObject([
      {
        kind: 'ChangeRule',
        state: 'Running',
        ring: 1,
        ringNote: expect.stringMatching(/matched so far, limit/),
        ringUntil: '2026-11-20T15:33:00.000Z',
      },
      { kind: 'InstallVersion', state: 'Stopped', ring: 0, stopReason: expect.stringMatching(/failed; 95 % must succeed\.$/) },
    ]);
    for (const one of rollouts) {
      const sum = ['waiting', 'running', 'done', 'failed', 'stopped', 'returned'].reduce((all, name) => all + Number(one[name]), 0);
      const inRings = (one['rings'] as { devices: number }[]).reduce((all, ring) => all + ring.devices, 0);
      expect([sum, inRings]).toEqual([one['total'], one['total']]);
    }
    await world.close();
  });

  it('makes rows that fit their declarations and lie in the past', async () => {
    const [world] = worlds as [TestWorld];
    const ctx = world.ctx(holder('all'));
    for (const name of [
      'tenants',
      'devices',
      'rules',
      'ruleMatches',
      'workUnits',
      'workUnitNotes',
      'locations',
      'people',
      'blocks',
      'protocolActions',
      'onCallSchedules',
    ]) {
      const served = servedNamed(name);
      const { value } = await list(ctx, served, '$top=1000');
      expect(value.length, name).toBeGreaterThan(2);
      for (const row of value) {
        for (const [field, { schema, kind }] of Object.entries(served.resource.fields)) {
          expect(schema().safeParse(row[field]).error?.issues, `${name}.${field}: ${String(row[field])}`).toBeUndefined();
          if (kind === 'timestamp' && ['created', 'modified', 'resolved'].includes(field) && row[field] !== null)
            expect(Date.parse(String(row[field])), `${name}.${field}`).toBeLessThanOrEqual(Date.now());
        }
      }
    }
  });
});
