/** Which rows the statements of the rules read: beside each row that is read there is another that differs in one respect. */
import { dayMs } from '@cloudfit/contract/durations.ts';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileRule } from '@cloudfit/contract/rules/compile.ts';
import type { Condition } from '@cloudfit/contract/rules/schema.ts';
import type { Outcomes } from '../backtest/outcomes.ts';
import { runOnPackets } from '../backtest/run-on-packets.ts';
import { reportersOf } from '../past/reporters.ts';
import type { IngestRule } from './ingest-rule.ts';
import { entitiesOf, readMatchFacts } from './correlate.job.ts';
import { counting, countSweepWork, storeParts, sumsAt, type CountPart } from './count-many.ts';
import { readEntities, readTenantDevices, type Entities } from './entities.ts';
import { gapsBetween, notePulse, recentGaps } from './pulse.ts';
import { createFlow, type Flow } from '../testing/flow.ts';
import { indexOf, ruleOf } from '../testing/hits.ts';

let flow: Flow;
beforeAll(async () => {
  flow = await createFlow();
});
afterAll(() => flow.close());

const time = (at: number) => new Date(at).toISOString();
const idOf = async (written: Promise<{ id: string }[]>): Promise<string> => (await written)[0]?.id ?? '';

interface SubscriptionIds {
  tenantId: string;
  subscriptionId: string;
}
async function tenant(enabled = true): Promise<SubscriptionIds> {
  const tenantId = await idOf(
    flow.rows<{ id: string }>('insert into tenant (name, enabled) values ($1, $2) returning tenant_id as id', randomUUID(), enabled),
  );
  const subscriptionId = await idOf(
    flow.rows<{ id: string }>('insert into subscription (tenant_id, name) values ($1, $2) returning subscription_id as id', tenantId, 'x'),
  );
  return { tenantId, subscriptionId };
}
const device = (
  { tenantId, subscriptionId }: SubscriptionIds,
  name: string,
  more: { isDeleted?: boolean; created?: number; values?: string } = {},
) =>
  idOf(
    flow.rows<{ id: string }>(
      'insert into device (tenant_id, subscription_id, name, is_deleted, created, rule_values) values ($1, $2, $3, $4, $5, $6) returning device_id as id',
      tenantId,
      subscriptionId,
      name,
      more.isDeleted ?? false,
      time(more.created ?? Date.now()),
      more.values ?? null,
    ),
  );
const block = ({ tenantId, subscriptionId }: SubscriptionIds, deviceId: string | null, created = Date.now()) =>
  idOf(
    flow.rows<{ id: string }>(
      "insert into block (tenant_id, subscription_id, name, block_type_id, device_id, created) values ($1, $2, 'block', 1, $3, $4) returning block_id as id",
      tenantId,
      subscriptionId,
      deviceId,
      time(created),
    ),
  );
const operation = ({ tenantId }: SubscriptionIds, deviceId: string, label: string, more: { isDeleted?: boolean; created?: number } = {}) =>
  idOf(
    flow.rows<{ id: string }>(
      `with o as (insert into operation (tenant_id, name, frequency_definitions) values ($1, 'Disk space', '[]') returning operation_id)
     insert into device_operation (tenant_id, device_id, operation_id, label, enabled, is_deleted, created, frequency_type_id, operation_type, package_executable_type, package_name, package_type)
     select $1, $2, operation_id, $3, true, $4, $5, 1, 'x', 'x', 'tools', 'x' from o returning device_operation_id as id`,
      tenantId,
      deviceId,
      label,
      more.isDeleted ?? false,
      time(more.created ?? Date.now()),
    ),
  );

describe('entities', () => {
  it('are devices, blocks without a device, and operations that are there', async () => {
    const [ownTenant, off] = [await tenant(), await tenant(false)];
    const [web, deletedDevice, bare] = [
      await device(ownTenant, 'web', { values: 'site = north' }),
      await device(ownTenant, 'gone', { isDeleted: true }),
      await device(off, 'bare'),
    ];
    const [heartbeat, free, freeOff] = [await block(ownTenant, web), await block(ownTenant, null), await block(off, null)];
    const [disk, over, ofGone] = [
      await operation(ownTenant, web, 'Disk'),
      await operation(ownTenant, web, 'Over', { isDeleted: true }),
      await operation(ownTenant, deletedDevice, 'Of gone'),
    ];
    const byId = new Map(
      (await readEntities(flow.db, [web, deletedDevice, bare, heartbeat, free, freeOff, disk, over, ofGone])).map((entity) => [
        entity.id,
        entity,
      ]),
    );
    expect([...byId].map(([id, { kind }]) => `${kind} ${id}`).toSorted()).toEqual(
      [`device ${web}`, `device ${bare}`, `block ${free}`, `block ${freeOff}`, `operation ${disk}`].toSorted(),
    );
    expect(byId.get(web)).toMatchObject({
      ...ownTenant,
      enabled: true,
      block: { id: heartbeat },
      device: { id: web, name: 'web', values: expect.anything() as object },
    });
    expect([byId.get(web)?.tenantDisabled, byId.get(bare)?.block, byId.get(bare)?.device?.values]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(byId.get(bare)).toMatchObject({ ...off, enabled: false, tenantDisabled: true });
    expect(byId.get(free)).toMatchObject({ ...ownTenant, enabled: true, block: { id: free } });
    expect(byId.get(freeOff)).toMatchObject({ ...off, enabled: false, tenantDisabled: true });
    expect(byId.get(disk)).toMatchObject({
      ...ownTenant,
      name: 'Disk',
      enabled: true,
      device: { id: web },
      operation: { name: 'Disk space', label: 'Disk', packageName: 'tools' },
    });
  });

  it('of a tenant are listed by name, with their operations where those are asked for', async () => {
    const [ownTenant, other] = [await tenant(), await tenant()];
    const [second, first] = [await device(ownTenant, 'b'), await device(ownTenant, 'a')];
    const deletedDevice = await device(ownTenant, 'c', { isDeleted: true });
    const foreign = await device(other, 'a');
    const disk = await operation(ownTenant, second, 'Disk');
    await operation(ownTenant, second, 'Over', { isDeleted: true });
    await operation(ownTenant, deletedDevice, 'Of gone');
    await operation(other, foreign, 'Foreign');
    await block(ownTenant, first);
    const ids = async (withOperations: boolean) =>
      (await readTenantDevices(flow.db, ownTenant.tenantId, withOperations)).map((tenantDevice) => tenantDevice.id);
    expect([await ids(false), await ids(true)]).toEqual([
      [first, second],
      [first, second, disk],
    ]);
  });
});

describe('outages', () => {
  const gaps = async () => (await flow.rows<{ n: number }>('select count(*)::int as n from installation_gap'))[0]?.n;
  const pulse = (secondsAgo: number) =>
    flow.rows(
      `insert into installation_pulse (at) values (now() - $1 * interval '1 second') on conflict (one) do update set at = excluded.at`,
      secondsAgo,
    );
  const gap = (from: number, until: number) =>
    flow.rows('insert into installation_gap (gap_start, gap_end) values ($1, $2)', time(from), time(until));

  const note = () => notePulse(flow.db, 'server', false);

  it('are what lies between two pulses that are far apart', async () => {
    await flow.rows('delete from installation_gap');
    await pulse(9);
    expect([await note(), await gaps()]).toEqual([undefined, 0]);
    await pulse(60);
    const ended = await note();
    expect(Math.round((Date.parse(ended?.gap_end ?? '') - Date.parse(ended?.gap_start ?? '')) / 1_000)).toBe(60);
    expect([await gaps(), await note()]).toEqual([1, undefined]);
    // A later pulse, of another process, stays.
    await pulse(-60);
    await note();
    expect(await flow.rows('select 1 from installation_pulse where at > now()')).toHaveLength(1);
  });

  it('are known for eight days, with the one that continues', async () => {
    await flow.rows('delete from installation_gap');
    const now = Date.now();
    await gap(now - 9 * dayMs, now - 8 * dayMs - 60_000);
    await gap(now - 3_600_000, now - 1_800_000);
    await gap(now - 9 * dayMs, now - 8 * dayMs + 60_000);
    await flow.rows('delete from server_pulse');
    await pulse(9);
    const ends = async () => (await recentGaps(flow.db)).map(({ until }) => Math.round((until - now) / 60_000));
    expect(await ends()).toEqual([-8 * 24 * 60 + 1, -30]);
    await pulse(600);
    expect((await ends()).slice(0, 2)).toEqual([-8 * 24 * 60 + 1, -30]);
    expect((await recentGaps(flow.db)).map(({ from }) => Math.round((from - now) / 60_000)).at(-1)).toBe(-10);
  });

  it('between two times are those that overlap them, or ended not long before', async () => {
    await flow.rows('delete from installation_gap');
    const [from, to] = [Date.parse('2026-03-10T00:00:00.000Z'), Date.parse('2026-03-11T00:00:00.000Z')];
    const oldest = from - 8 * dayMs;
    await gap(to - 1, to + 5);
    await gap(to, to + 5);
    await gap(oldest - 5, oldest);
    await gap(oldest - 5, oldest + 1);
    await gap(from, from + 1);
    expect((await gapsBetween(flow.db, from, to)).map((item) => [item.from, item.until])).toEqual([
      [oldest - 5, oldest + 1],
      [from, from + 1],
      [to - 1, to + 5],
    ]);
  });
});

describe('what rules of type Correlation read', () => {
  it('is the device and its operations that are there', async () => {
    const ownTenant = await tenant();
    const [web, db] = [await device(ownTenant, 'web'), await device(ownTenant, 'db')];
    const disk = await operation(ownTenant, web, 'Disk');
    await operation(ownTenant, web, 'Over', { isDeleted: true });
    await operation(ownTenant, db, 'Of another');
    expect(await entitiesOf(flow.db, [web])).toEqual([web, disk]);
  });

  it('is the matches of tenants that are open, or were hit since', async () => {
    const [ownTenant, other] = [await tenant(), await tenant()];
    const since = Date.parse('2026-11-20T00:00:00.000Z');
    const match = async (last: number, { of = ownTenant.tenantId, isOpen = false, expires = since } = {}) => {
      const subject = randomUUID();
      await flow.rows(
        `insert into rule_match (tenant_id, rule_id, subject_id, label, expires, first_match, last_match, closed, correlation_id)
         values ($1, gen_random_uuid(), $2, 'x', $3, $4, $4, $5, gen_random_uuid())`,
        of,
        subject,
        time(expires),
        time(last),
        isOpen ? null : time(since),
      );
      return subject;
    };
    const far = Date.now() + dayMs;
    const [recent, open, expired, closed] = [
      await match(since + 1),
      await match(since - 5, { isOpen: true, expires: far }),
      await match(since - 5, { isOpen: true }),
      await match(since + 2, { expires: far }),
    ];
    await match(since);
    await match(since + 1, { of: other.tenantId });
    const facts = async (subjects?: string[]) =>
      (await readMatchFacts(flow.db, { tenants: [ownTenant.tenantId], since, ...(subjects ? { subjects } : {}) }))
        .map((matchFact) => [matchFact.subject_id, matchFact.open])
        .toSorted();
    const all = [
      [recent, false],
      [open, true],
      [expired, false],
      [closed, false],
    ];
    expect(await facts()).toEqual(all.toSorted());
    expect(await facts([open, randomUUID()])).toEqual([[open, true]]);
    expect((await readMatchFacts(flow.db, { tenants: [ownTenant.tenantId], subjects: [recent], since }))[0]?.last_match).toBe(since + 1);
  });
});

describe('sums', () => {
  const cpu: Condition = { Type: 'And', LeftOperand: 72, LeftOperandFieldName: 'Cpu', Operator: 3, RightOperand: '1', WindowSeconds: 60 };
  const stored = async (ruleId: string) =>
    (
      await flow.rows<{ s: string }>(
        "select step || ' ' || key || ' ' || count || ' ' || merged as s from rule_count where rule_id = $1",
        ruleId,
      )
    )
      .map(({ s }) => s)
      .toSorted();

  it('are those in the windows of the rules, merged by step', async () => {
    const [ruleId, subject, { tenantId }] = [randomUUID(), randomUUID(), await tenant()];
    const rules = indexOf(ruleOf({ ruleId, ruleTypeId: 6, conditions: [cpu] }));
    const at = Date.parse('2026-11-20T12:00:00.000Z');
    const [{ first, key } = { first: 0, key: '' }] = counting(rules, at);
    const part = (step: number, value: number, extra: Partial<CountPart> = {}): CountPart => ({
      tenant_id: tenantId,
      rule_id: ruleId,
      subject_id: subject,
      key,
      step,
      count: 1,
      sum: value,
      min: value,
      max: value,
      ...extra,
    });
    const add = (...parts: CountPart[]) => flow.db.transaction((tx) => storeParts(tx, parts));
    const other = randomUUID();
    await add(
      part(first, 4),
      part(first, 2),
      part(first + 1, 9),
      part(first - 1, 100),
      part(first, 100, { key: 'other' }),
      part(first, 100, { rule_id: other }),
    );
    const sums = async (when = at) =>
      (await sumsAt(flow.db, rules, when)).map(({ count, sum, min, max, subject_id: of }) => [of, count, sum, min, max]);
    expect(await sums()).toEqual([[subject, 3, 15, 2, 9]]);
    expect(await stored(ruleId)).toEqual([`${first + 1} ${key} 1 true`, `${first} ${key} 2 true`].toSorted());
    expect(await stored(other)).toEqual([]);
    await add(part(first, 1), part(first, 20), part(first + 1, 5, { subject_id: tenantId }));
    expect((await sums()).toSorted((a, b) => Number(b[1]) - Number(a[1]))).toEqual([
      [subject, 5, 36, 1, 20],
      [tenantId, 1, 5, 5, 5],
    ]);
    // One step later, the first step is outside of the window and is removed.
    const later = at + 2_000;
    expect(counting(rules, later)[0]?.first).toBe(first + 1);
    expect((await sums(later)).map((sum) => sum[1])).toEqual([1, 1]);
    expect(await stored(ruleId)).toEqual([`${first + 1} ${key} 1 true`, `${first + 1} ${key} 1 true`]);
    expect(await sumsAt(flow.db, indexOf(), at)).toEqual([]);
  });

  it('of rules and conditions that are gone are deleted', async () => {
    const [present, deletedRule, { tenantId }] = [randomUUID(), randomUUID(), await tenant()];
    const rules = indexOf(ruleOf({ ruleId: present, ruleTypeId: 6, conditions: [cpu] }));
    const key = rules.get(present)?.conditions[0]?.key ?? '';
    const add = (rule_id: string, of: string) =>
      flow.db.transaction((tx) =>
        storeParts(tx, [{ tenant_id: tenantId, rule_id, subject_id: tenantId, key: of, step: 1, count: 1, sum: 1, min: 1, max: 1 }]),
      );
    for (const [rule, of] of [
      [present, key],
      [present, 'other'],
      [deletedRule, key],
    ] as const)
      await add(rule, of);
    await countSweepWork({ rules: { aggregation: () => rules } as never }).run(flow.db);
    expect([await stored(present), await stored(deletedRule)]).toEqual([[`1 ${key} 1 false`], []]);
  });
});

describe('the entities of a backtest', () => {
  const entities: Entities = {
    find: async (ids) => new Map((await readEntities(flow.db, [...ids])).map((entity) => [entity.id, entity])),
    onChange: () => undefined,
    stop: () => Promise.resolve(),
  };
  const isWeb: Condition = { Type: 'And', LeftOperand: 31, Operator: 9, RightOperand: 'web' };
  const silentFor60: Condition = { Type: 'And', LeftOperand: 70, Operator: 3, RightOperand: '60' };
  const latest = ({ tenantId }: SubscriptionIds, entity: string, at: number) =>
    flow.rows(
      `insert into latest_packet (entity_id, tenant_id, timestamp, received_timestamp, packet_id, message) values ($1, $2, $3, $3, gen_random_uuid(), '{}')`,
      entity,
      tenantId,
      time(at),
    );
  const backtest = (tenantId: string, rule: Partial<IngestRule>, start: number, entityIds?: string[]) => ({
    draft: compileRule(ruleOf({ ruleTypeId: 3, tenantId, ...rule })),
    inForce: undefined,
    maintenance: indexOf(),
    entities,
    entityIds,
    tenantId,
    period: { from: start, to: start + 120_000 },
    goOn: () => Promise.resolve(true),
  });

  const testedEntities = (tried: ReturnType<typeof backtest>, others: string[]) =>
    reportersOf({ ...tried, db: flow.db, rules: [tried.draft] }, others);

  it('are those of the tenant that reported and that the rule is about, by id', async () => {
    const [ownTenant, other] = [await tenant(), await tenant()];
    const [one, two, db, quiet, foreign] = [
      await device(ownTenant, 'web-1'),
      await device(ownTenant, 'web-2'),
      await device(ownTenant, 'db-1'),
      await device(ownTenant, 'web-3'),
      await device(other, 'web-4'),
    ];
    const now = Date.now();
    for (const id of [one, two, db]) await latest(ownTenant, id, now);
    await latest(other, foreign, now);
    const members = async (others: string[] = [], ids?: string[]) =>
      (await testedEntities(backtest(ownTenant.tenantId, { conditions: [isWeb] }, now, ids), others)).members.map(({ id }) => id);
    expect([await members(), await members([quiet, one, foreign]), await members([], [two, db, foreign])]).toEqual([
      [one, two].toSorted(),
      [one, two, quiet].toSorted(),
      [two],
    ]);
    const { notes } = await testedEntities(backtest(ownTenant.tenantId, { conditions: [isWeb] }, now), []);
    expect(notes).toEqual([]);
  });

  it('are silent since their creation where they had not reported, and the rule says so', async () => {
    const [ownTenant, other] = [await tenant(), await tenant()];
    const start = Math.floor((Date.now() - 3_600_000) / 60_000) * 60_000;
    const created = start - 600_000;
    const names = new Map<string, string>();
    const named = async (name: string, id: Promise<string>) => {
      names.set(await id, name);
      return id;
    };
    const never = await named('device', device(ownTenant, 'web', { created }));
    await named('operation', operation(ownTenant, never, 'Disk', { created }));
    await named('block', block(ownTenant, null, created));
    await named('deleted', device(ownTenant, 'web', { created, isDeleted: true }));
    await named('of another tenant', device(other, 'web', { created }));
    await named('too young', device(ownTenant, 'web', { created: start + 100_000 }));
    const before = await named('reported before', device(ownTenant, 'web', { created }));
    await latest(ownTenant, before, start - 1);
    const since = await named('reported since', device(ownTenant, 'web', { created }));
    await latest(ownTenant, since, start);
    const hits = async (rule: Partial<IngestRule>, ids?: string[]) => {
      const hitNames = new Set<string>();
      const outcomes = {
        take: (entity: { id: string }, { hits: all }: { hits: unknown[] }) => {
          if (all.length > 0) hitNames.add(names.get(entity.id) ?? entity.id);
        },
        dueAfter: () => Infinity,
        openMatches: () => [],
      } as unknown as Outcomes;
      const tried = backtest(ownTenant.tenantId, { conditions: [silentFor60], ...rule }, start, ids);
      expect(await runOnPackets(flow.db, tried, outcomes, start)).toHaveLength(1);
      return [...hitNames].toSorted();
    };
    expect(await hits({ neverReported: true })).toEqual(['block', 'device', 'operation', 'reported since']);
    expect(await hits({ neverReported: true }, [never, before])).toEqual(['device']);
    expect(await hits({})).toEqual([]);
  });
});
