/** Reports of work units over HTTP, compared with sums of the units themselves. */
import pg from 'pg';
import pino from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { workUnitType } from '@cloudfit/contract/enums.ts';
import { dayMs, minuteMs } from '@cloudfit/contract/durations.ts';
import type { ReportFigures, ReportGroup } from '@cloudfit/contract/reports/calls.ts';
import { reportDimensions, type ReportDimension } from '@cloudfit/contract/reports/dimensions.ts';
import { starterRule } from '@cloudfit/contract/rules/starter.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../../testing/world.ts';
import { watchClocks } from '../service-levels/watch-clocks.ts';
import { countUnitDays } from './count-days.ts';

let world: TestWorld;
let tenantId: string;
let otherId: string;
let hiddenId: string;
/** A connection of the tables' owner: the roles of the server may not write past entries of a feed. */
let owner: pg.Client;
let all: TestCaller;

beforeAll(async () => {
  world = await createWorld();
  ({ tenantId } = await world.tenant('Northwind'));
  ({ tenantId: otherId } = await world.tenant('Southwind'));
  ({ tenantId: hiddenId } = await world.tenant('Eastwind'));
  all = holder([tenantId, otherId]);
  owner = new pg.Client({ connectionString: world.url });
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await world.close();
});

interface ReportBody {
  now: ReportFigures;
  before: ReportFigures;
  beforeFrom: string;
  beforeTo: string;
  days: { day: string; opened: number; before: number }[];
  groups: ReportGroup[];
  groupCount: number;
  pendingDays: number;
}

async function report(query: Record<string, string>, caller: TestCaller = all): Promise<ReportBody> {
  const { status, body } = await world.call(caller, 'GET', `/v1/workUnits/report?${new URLSearchParams(query).toString()}`);
  expect([status, body['error']]).toEqual([200, undefined]);
  return body as unknown as ReportBody;
}
const count = () => countUnitDays(world.system.db);

/** Random numbers from a seed, so that a failure can be repeated. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

interface RawUnit {
  tenant: string;
  day: string;
  category: string;
  rule: string;
  person: string;
  severity: string;
  type: string;
  /** Null: no change request. */
  change: string | null;
  state: string;
  declined: string | null;
  overridden: string | null;
  isSpam: boolean;
  created: string;
  resolved: string | null;
  acknowledged: string[];
  clocks: { kind: string; state: string; breached: string | null }[];
}

/** All units with what the slow model reads of them. */
async function rawUnits(): Promise<RawUnit[]> {
  const { rows } = await owner.query<
    Omit<RawUnit, 'change'>
  >(`select u.tenant_id as tenant, to_char(u.created at time zone 'UTC', 'YYYY-MM-DD') as day,
    coalesce(work_unit_category_id::text, '') as category, coalesce(rule_id::text, '') as rule, lower(coalesce(assigned_to, '')) as person, severity_id as severity,
    work_unit_type_id::text as type, state_id as state, declined1_by as declined, approval_overridden_by as overridden, is_spam_call as "isSpam", created, resolved,
    array(select to_json(n.created) #>> '{}' from work_unit_note n where n.work_unit_id = u.work_unit_id and field = 'stateId' and new_value = 'Acknowledged') as acknowledged,
    coalesce((select json_agg(json_build_object('kind', kind, 'state', state, 'breached', breached)) from work_unit_clock k where k.work_unit_id = u.work_unit_id), '[]') as clocks
    from work_unit u`);
  return rows.map((row) => ({ ...row, change: outcomeOf(row) }));
}

function outcomeOf({ type, state, declined, overridden }: Omit<RawUnit, 'change'>): string | null {
  if (type !== String(workUnitType.changeRequest)) return null;
  if (state === 'Canceled') return declined === null ? 'Canceled' : 'Declined';
  if (state !== 'Resolved' && state !== 'Closed') return 'Open';
  return overridden === null ? 'Done' : 'DoneByOverride';
}

function modelOf(units: readonly RawUnit[]): ReportFigures {
  const ended = ['Resolved', 'Closed', 'Canceled'];
  const seconds = (unit: RawUnit, at: number | undefined) =>
    at === undefined || unit.isSpam ? [] : [Math.max(0, Math.round((at - Date.parse(unit.created)) / 1_000))];
  const first = (unit: RawUnit) => (unit.acknowledged.length > 0 ? Math.min(...unit.acknowledged.map((at) => Date.parse(at))) : undefined);
  const times = (kind: string, values: number[]) => {
    const sorted = values.toSorted((a, b) => a - b);
    const isBreached = (unit: RawUnit) => unit.clocks.some((clock) => clock.kind === kind && clock.breached !== null);
    const isMet = (unit: RawUnit) => !isBreached(unit) && unit.clocks.some((clock) => clock.kind === kind && clock.state === 'Met');
    return {
      units: sorted.length,
      medianSeconds: sorted[Math.ceil(sorted.length * 0.5) - 1] ?? null,
      p90Seconds: sorted[Math.ceil(sorted.length * 0.9) - 1] ?? null,
      met: units.filter(isMet).length,
      breached: units.filter(isBreached).length,
    };
  };
  return {
    opened: units.length,
    open: units.filter((unit) => !ended.includes(unit.state)).length,
    unacknowledged: units.filter((unit) => ended.includes(unit.state) && !unit.isSpam && unit.acknowledged.length === 0).length,
    acknowledge: times(
      'Acknowledge',
      units.flatMap((unit) => seconds(unit, first(unit))),
    ),
    resolve: times(
      'Resolve',
      units
        .filter((unit) => unit.state !== 'Canceled')
        .flatMap((unit) => seconds(unit, unit.resolved === null ? undefined : Date.parse(unit.resolved))),
    ),
  };
}

const start = Date.parse('2026-06-01T00:00:00Z');
const dayOf = (n: number) => new Date(start + n * dayMs).toISOString().slice(0, 10);

async function expectAsModel(
  raw: readonly RawUnit[],
  by: ReportDimension,
  [from, to]: readonly [number, number],
  tenant: string | undefined,
  caller = all,
): Promise<void> {
  const answer = await report({ from: dayOf(from), to: dayOf(to), by, ...(tenant ? { tenantId: tenant } : {}) }, caller);
  const mayView = (id: string) => caller.tenants === 'all' || caller.tenants.includes(id);
  const units = raw.filter((unit) => unit[by] !== null && (tenant ? unit.tenant === tenant : mayView(unit.tenant)));
  const between = (a: number, b: number) => units.filter(({ day }) => day >= dayOf(a) && day <= dayOf(b));
  const days = to - from + 1;
  const [now, before] = [between(from, to), between(from - days, from - 1)];
  expect([answer.beforeFrom, answer.beforeTo]).toEqual([dayOf(from - days), dayOf(from - 1)]);
  expect(answer.now).toEqual(modelOf(now));
  expect(answer.before).toEqual(modelOf(before));
  expect(answer.days).toEqual(
    Array.from({ length: days }, (_, n) => ({
      day: dayOf(from + n),
      opened: now.filter(({ day }) => day === dayOf(from + n)).length,
      before: before.filter(({ day }) => day === dayOf(from + n - days)).length,
    })),
  );
  const keys = new Set([...now, ...before].map((unit) => unit[by]));
  expect(new Set(answer.groups.map(({ key }) => key))).toEqual(keys);
  expect(answer.groupCount).toBe(keys.size);
  for (const group of answer.groups) {
    const of = (list: RawUnit[]) => modelOf(list.filter((unit) => unit[by] === group.key));
    expect({ key: group.key, now: group.now, before: group.before }).toEqual({ key: group.key, now: of(now), before: of(before) });
  }
}

it('agrees with the units themselves after any history', async () => {
  const random = randomFrom(425);
  const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T;
  const states = ['New', 'Acknowledged', 'InProgress', 'OnHold', 'Resolved', 'Closed', 'Canceled'] as const;
  const tenants = [tenantId, otherId, hiddenId];
  const category = new Map<string, string>();
  for (const tenant of tenants) {
    const { body } = await world.call(holder('all'), 'PUT', '/v1/workUnitCategories', {
      name: 'Network',
      workUnitTypeId: 1,
      tenantId: tenant,
    });
    category.set(tenant, String(body['workUnitCategoryId']));
  }
  const moment = (created: string, minutes: number) => new Date(Date.parse(created) + random(minutes * minuteMs));
  const ids: number[] = [];
  const open = async (): Promise<void> => {
    const [tenant, created] = [pick(tenants), new Date(start + random(100 * dayMs))];
    const values = {
      person: pick([null, 'Ada@example.com', 'ada@example.com', 'ben@example.com']),
      category: pick([null, category.get(tenant)]),
    };
    const { rows } = await owner.query<{ id: number }>(
      `insert into work_unit (tenant_id, title, severity_id, work_unit_type_id, work_unit_category_id, assigned_to, is_spam_call, created, created_by, modified_by)
       values ($1, 'Pump', $2, $3, $4, $5, $6, $7, 'test', 'test') returning work_unit_id as id`,
      [tenant, pick(['Sev0', 'Sev3']), pick([1, workUnitType.changeRequest]), values.category, values.person, random(12) === 0, created],
    );
    ids.push(Number(rows[0]?.id));
  };
  const change = async (): Promise<void> => {
    const id = pick(ids);
    const { rows } = await owner.query<{ created: string; tenant: string }>(
      'select created, tenant_id as tenant from work_unit where work_unit_id = $1',
      [id],
    );
    const [row] = rows;
    if (!row) return;
    const state = pick(states);
    const resolved = ['Resolved', 'Closed', 'Canceled'].includes(state) ? moment(row.created, 9_000) : null;
    if (state === 'Acknowledged')
      await owner.query(
        `insert into work_unit_note (work_unit_id, tenant_id, detail, history_type, field, old_value, new_value, created, created_by, correlation_id)
         values ($1, $2, 'x', 'WorkUnitStateChange', 'stateId', 'New', 'Acknowledged', $3, 'test', uuidv7())`,
        [id, row.tenant, moment(row.created, 300)],
      );
    const [kind, clock] = [pick(['Acknowledge', 'Resolve', 'NextUpdate']), pick(['Running', 'Met', 'Breached'])];
    await owner.query(
      `insert into work_unit_clock (work_unit_id, tenant_id, kind, state, service_level_id, level_name, target_minutes, warn_percent, pauses_on_hold, started, ended, breached, periods)
       values ($1, $2, $3, $4, uuidv7(), 'Gold', 10, 75, true, now(), now(), $5, '[]')`,
      [id, row.tenant, kind, clock, clock === 'Breached' ? new Date() : null],
    );
    await owner.query(
      `update work_unit set state_id = $2, resolved = $3, clock_due = $4, assigned_to = $5, severity_id = $6, tenant_id = $7, work_unit_category_id = $8, declined1_by = $9, approval_overridden_by = $10 where work_unit_id = $1`,
      [
        id,
        state,
        resolved,
        moment(row.created, 100),
        pick([null, 'cleo@example.com']),
        pick(['Sev0', 'Sev1']),
        pick(tenants),
        null,
        pick([null, 'dora']),
        pick([null, 'emil']),
      ],
    );
  };
  for (let round = 0; round < 3; round += 1) {
    for (let n = 0; n < 80; n += 1) await (n % 2 === 0 ? open() : change());
    if (round === 2)
      await owner.query(`with gone as (select max(work_unit_id) as id from work_unit u where not exists (select from work_unit_note n where n.work_unit_id = u.work_unit_id)
        and not exists (select from work_unit_clock k where k.work_unit_id = u.work_unit_id)) delete from work_unit using gone where work_unit_id = gone.id`);
    // Two servers at once, and once more.
    await Promise.all([count(), count()]);
    await count();
    // Of all tenants, July is added up from round to round, and June in the first alone: what has changed since is not read from its total.
    if (round < 2) {
      const month = round === 0 ? '{2026-06-01,2026-07-01}' : '{2026-07-01}';
      await owner.query("update work_unit_month_total_due set since = since - interval '1 hour' where day = any($1::date[])", [month]);
      await count();
    }
    const raw = await rawUnits();
    for (const by of reportDimensions) {
      // From the first of July to the last of August, and any days, also within a month.
      await expectAsModel(raw, by, [30, 91], undefined);
      await expectAsModel(raw, by, [30, 91], undefined, holder('all'));
      const from = random(60);
      await expectAsModel(raw, by, [from, from + random(60)], pick([tenantId, otherId]));
    }
  }
});

it('follows what people and clocks do to a unit, also when it is opened again', async () => {
  const today = new Date().toISOString().slice(0, 10);
  await world.call(all, 'PUT', '/v1/serviceLevels', { name: 'Gold', tenantId, acknowledgeMinutes: 15, resolveMinutes: 240 });
  const { body } = await world.call(all, 'PUT', '/v1/workunits', { title: 'Pump 7', severityId: 'Sev1', workUnitTypeId: 1, tenantId });
  const id = String(body['workUnitId']);
  const now = async () => (await report({ from: today, to: today, tenantId })).now;
  const set = (values: object) => world.call(all, 'POST', `/v1/workunits/${id}`, values);
  expect((await report({ from: today, to: today, tenantId })).pendingDays).toBe(1);
  await count();
  expect(await now()).toMatchObject({ opened: 1, open: 1, acknowledge: { units: 0, medianSeconds: null, met: 0, breached: 0 } });
  expect((await report({ from: today, to: today, tenantId })).pendingDays).toBe(0);
  await set({ stateId: 'Acknowledged' });
  await count();
  expect(await now()).toMatchObject({ open: 1, unacknowledged: 0, acknowledge: { units: 1, met: 1, breached: 0 } });
  await set({ stateId: 'Resolved', resolution: 'Done' });
  await count();
  expect(await now()).toMatchObject({ open: 0, unacknowledged: 0, resolve: { units: 1, met: 1, breached: 0 } });
  await set({ stateId: 'InProgress' });
  await count();
  expect(await now()).toMatchObject({ open: 1, acknowledge: { units: 1 }, resolve: { units: 0, medianSeconds: null } });
  await watchClocks(world.database, pino({ level: 'silent' }), () => new Date(Date.now() + dayMs));
  await count();
  expect(await now()).toMatchObject({ resolve: { met: 0, breached: 1 } });
});

it('names the groups that the caller may see, and answers only tenants of their right', async () => {
  const days = { from: dayOf(0), to: dayOf(99) };
  const byTenant = await report({ ...days, by: 'tenant' });
  expect(byTenant.groups.map(({ name }) => name).toSorted()).toEqual(['Northwind', 'Southwind']);
  const one = holder([tenantId]);
  expect((await report({ ...days, by: 'tenant' }, one)).groups.map(({ key }) => key)).toEqual([tenantId]);
  expect((await report({ ...days, tenantId: hiddenId }, one)).now.opened).toBe(0);
  const { body: group } = await world.call(holder('all'), 'PUT', '/v1/tenantGroups', { name: 'South', tenantIds: [otherId] });
  const { body: wide } = await world.call(holder('all'), 'PUT', '/v1/tenantGroups', { name: 'Both', tenantIds: [tenantId, otherId] });
  const [south, both] = [String(group['tenantGroupId']), String(wide['tenantGroupId'])];
  expect(await report({ ...days, tenantGroupId: south })).toEqual(await report({ ...days, tenantId: otherId }));
  expect((await report({ ...days, tenantGroupId: both }, holder('all'))).now).toEqual(byTenant.now);
  const ask = async (caller: TestCaller, query: Record<string, string>) =>
    (await world.call(caller, 'GET', `/v1/workUnits/report?${new URLSearchParams({ ...days, ...query }).toString()}`)).status;
  // Who does not see all tenants of a group does not see the group.
  expect([await ask(one, { tenantGroupId: both }), await ask(all, { tenantGroupId: south, tenantId })]).toEqual([404, 400]);
  const half: TestCaller = {
    tenants: [tenantId, otherId],
    permissions: new Map([
      [tenantId, new Set([permission('WorkUnits', 'view')])],
      [otherId, new Set([permission('Devices', 'view')])],
    ]),
  };
  expect((await report({ ...days, by: 'tenant' }, half)).groups.map(({ key }) => key)).toEqual([tenantId]);
  expect((await report({ ...days, by: 'type' }, one)).groups.map(({ name }) => name)).toContain('Incident');

  const created = new Date(start - 100 * dayMs);
  const { body } = await world.call(holder('all'), 'PUT', '/v1/rules', { ...starterRule, name: 'Hot pump', tenantId });
  expect(body['error']).toBeUndefined();
  await owner.query(
    `insert into work_unit (tenant_id, title, work_unit_type_id, rule_id, created, created_by, modified_by) values ($1, 'Pump', 1, $2, $3, 'test', 'test')`,
    [tenantId, body['ruleId'], created],
  );
  await count();
  const day = created.toISOString().slice(0, 10);
  const rule = async (caller: TestCaller) => (await report({ from: day, to: day, by: 'rule' }, caller)).groups;
  expect(await rule(one)).toMatchObject([{ key: body['ruleId'], name: 'Hot pump', tenantName: 'Northwind' }]);
  expect(await rule(half)).toMatchObject([{ key: body['ruleId'], name: null }]);
});

it('counts the messages to each person, at night and at weekends by their time zone', async () => {
  const insertPerson = async (name: string, timeZone: string | null): Promise<string> => {
    const { rows } = await owner.query<{ id: string }>('insert into person (name, user_name) values ($1, $1) returning person_id as id', [
      name,
    ]);
    const id = rows[0]?.id ?? '';
    if (timeZone)
      await owner.query(
        `insert into notification_preference (person_id, time_zone, steps, quiet_hours, urgent, modified_by) values ($1, $2, '[]', '[]', '[]', 'test')`,
        [id, timeZone],
      );
    return id;
  };
  const [ada, ben] = [await insertPerson('Ada', 'America/New_York'), await insertPerson('Ben', null)];
  const unit = async (tenant: string) =>
    (
      await owner.query<{ id: number }>(
        `insert into work_unit (tenant_id, title, work_unit_type_id, created_by, modified_by) values ($1, 'Pump', 1, 'test', 'test') returning work_unit_id as id`,
        [tenant],
      )
    ).rows[0]?.id;
  const units = new Map([
    [tenantId, await unit(tenantId)],
    [hiddenId, await unit(hiddenId)],
  ]);
  /** One message of a step by each of the channels. */
  const tell = async (person: string, created: string, over: { channels?: string[]; heldUntil?: string; tenant?: string } = {}) => {
    const { channels = ['Push'], heldUntil = null, tenant = tenantId } = over;
    const step = crypto.randomUUID();
    for (const [turn, channel] of channels.entries())
      await owner.query(
        `insert into notification (tenant_id, work_unit_id, message_id, step_message_id, person_id, name, whom, channel, address, turn, created, held_until)
         values ($1, $2, uuidv7(), $3, $4, 'Their name', 'On call', $5, '', $6, $7, $8)`,
        [tenant, units.get(tenant), step, person, channel, turn, created, heldUntil],
      );
  };
  // Thursday, 9:00 and 23:30 in New York; a Friday night that is Saturday in UTC alone; a message that waited until the morning.
  await tell(ada, '2026-06-11T13:00:00Z', { channels: ['Push', 'Mail'] });
  await tell(ada, '2026-06-12T03:30:00Z');
  await tell(ada, '2026-06-13T01:00:00Z', { heldUntil: '2026-06-13T15:00:00Z' });
  await tell(ada, '2026-06-12T12:00:00Z', { channels: [''] });
  await tell(ada, '2026-06-12T12:00:00Z', { tenant: hiddenId });
  await tell(ben, '2026-06-12T03:30:00Z');
  await tell(ben, '2026-06-06T12:00:00Z');
  const load = async (caller: TestCaller | null, query: string) => {
    const { status, body } = await world.call(caller, 'GET', `/v1/workUnits/report/onCall?${query}`);
    return [status, body.value];
  };
  const query = 'from=2026-06-11&to=2026-06-14';
  expect(await load(all, query)).toEqual([
    200,
    [
      {
        personId: ada,
        name: 'Their name',
        timeZone: 'America/New_York',
        now: { pages: 3, nights: 1, weekends: 1, units: 1 },
        before: { pages: 0, nights: 0, weekends: 0, units: 0 },
      },
      {
        personId: ben,
        name: 'Their name',
        timeZone: 'UTC',
        now: { pages: 1, nights: 1, weekends: 0, units: 1 },
        before: { pages: 0, nights: 0, weekends: 0, units: 0 },
      },
    ],
  ]);
  expect((await load(all, 'from=2026-06-07&to=2026-06-10'))[1]).toMatchObject([{ personId: ben, before: { pages: 1, weekends: 1 } }]);
  expect(await load(holder([otherId]), query)).toEqual([200, []]);
  expect((await load(null, query))[0]).toBe(401);
  expect((await load(holder([tenantId], [permission('OnCall', 'view')]), query))[0]).toBe(403);
  expect((await load(all, 'from=2026-06-11&to=2026-06-10'))[0]).toBe(400);
});

it('needs a sign-in, the right to view work units, and a period', async () => {
  const get = async (query: string, caller: TestCaller | null = all) => {
    const { status, body } = await world.call(caller, 'GET', `/v1/workUnits/report?${query}`);
    return [status, (body['error'] as { details?: { target: string }[] } | undefined)?.details?.[0]?.target];
  };
  expect((await get('from=2026-06-01&to=2026-06-02', null))[0]).toBe(401);
  expect((await get('from=2026-06-01&to=2026-06-02', holder([tenantId], [permission('Devices', 'view')])))[0]).toBe(403);
  expect(await get('from=june&to=2026-06-02')).toEqual([400, 'from']);
  expect(await get('from=2026-06-01&to=2026-06-02&by=colour')).toEqual([400, 'by']);
  expect((await get('from=2026-06-03&to=2026-06-02'))[0]).toBe(400);
  expect((await get('from=2020-06-03&to=2026-06-02'))[0]).toBe(400);
  expect((await get('from=0001-01-01&to=0001-01-02'))[0]).toBe(400);
  expect((await get('from=9999-12-30&to=9999-12-31'))[0]).toBe(400);
  expect((await get('from=2000-01-01&to=2000-01-01'))[0]).toBe(200);
});

it('counts each day once in a run, though days become due again all the time', async () => {
  await count();
  const left = async () => (await owner.query<{ n: number }>('select count(*)::int as n from work_unit_day_due')).rows[0]?.n;
  await owner.query("insert into work_unit_day_due select $1::uuid, date '2024-01-01' + n from generate_series(0, 149) n", [hiddenId]);
  await owner.query(`create function due_again() returns trigger language plpgsql as $$
    begin insert into work_unit_day_due values (old.tenant_id, old.day); return null; end $$`);
  await owner.query('create trigger due_again after delete on work_unit_day_due for each row execute function due_again()');
  await count();
  expect(await left()).toBe(150);
  await owner.query('drop function due_again() cascade');
  await count();
  expect(await left()).toBe(0);
});
