/** Matches that share a key: one unit, one call, one summary per interval, and one end. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtInAction, resultStatus } from '@cloudfit/contract/enums.ts';
import { runs } from '@cloudfit/contract/testing/runs.ts';
import { openIngest, type Ingest } from '../../ingest/accept.ts';
import { maintenanceWork } from '../../rules/run/maintenance/maintenance-work.ts';
import { silent, until } from '../../rules/testing/flow.ts';
import { unitsFromScratch, type ScratchUnit, type UnitRule, type UnitStep } from '../../rules/testing/units-from-scratch.ts';
import { startAutomation, type Automation } from '../../testing/automation.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../testing/world.ts';
import { expireMatches } from '../expire-matches.ts';
import { groupsWork } from './follow-groups.job.ts';

let world: TestWorld;
let workers: Automation[] = [];
let ingests: Ingest[] = [];
let receiver: http.Server;
let home: { tenantId: string; subscriptionId: string };
let me: TestCaller;
let token: ReturnType<TestWorld['ctx']>;
const calls: { path: string; body: string }[] = [];

beforeAll(async () => {
  world = await createWorld();
  home = await world.tenant();
  me = holder([home.tenantId]);
  token = world.ctx({ ...me, actor: { kind: 'token', id: crypto.randomUUID(), name: 'agents', scopes: ['ingest'] } });
  receiver = http.createServer((request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    request.on('end', () => {
      calls.push({ path: request.url ?? '', body });
      response.end('noted');
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  workers = [await startAutomation(world), await startAutomation(world), await startAutomation(world)];
  ingests = [await openIngest({ database: world.database, log: silent }), await openIngest({ database: world.database, log: silent })];
});
afterAll(async () => {
  for (const ingest of ingests) await ingest.stop();
  for (const worker of workers) await worker.stop();
  receiver.closeAllConnections();
  receiver.close();
  await world.close();
});

const rows = <T = object>(text: string, ...values: unknown[]) => world.system.db.query<T>({ text, values });

async function put(set: string, fields: object): Promise<Record<string, unknown>> {
  const { status, body } = await world.call(me, 'PUT', `/v1/${set}`, fields);
  expect([status, body['error']]).toEqual([201, undefined]);
  return body;
}

const locationOf = async (name: string) => String((await put('locations', { name, tenantId: home.tenantId }))['locationId']);
const deviceOf = async (name: string, fields: object = {}) => String((await put('devices', { name, ...home, ...fields }))['deviceId']);

/** Creates a rule that calls, opens a unit and sets a colour at the start of a match, and calls at its end. */
async function ruleOf(name: string, fields: object = {}): Promise<string> {
  const { port } = receiver.address() as AddressInfo;
  const hook = async (path: string) => {
    const definition = {
      name: `Hook ${crypto.randomUUID()}`,
      actionDefinitionTypeId: 4,
      tenantId: home.tenantId,
      endpointUrl: `http://127.0.0.1:${port}/${name}/${path}`,
      httpMethod: 'POST',
      body: '{"label": "{Label}", "text": "{Facts}", "group": "{GroupName}: {GroupCount}, {GroupOpen} open"}',
    };
    return { ActionDefinitionId: String((await put('actionDefinitions', definition))['actionDefinitionId']), Parameters: {} };
  };
  const color = (Color: string) => ({ ActionDefinitionId: builtInAction.setColor, Parameters: { Color } });
  const rule = await put('rules', {
    name,
    ruleTypeId: 1,
    ...home,
    conditions: [{ Type: 'And', LeftOperand: 62, LeftOperandFieldName: name, Operator: 3, RightOperand: '90' }],
    matchActions: [{ ActionDefinitionId: builtInAction.createWorkUnit, Parameters: {} }, color('red'), await hook('begin')],
    expirationActions: [await hook('end'), color('green')],
    ...fields,
  });
  const ruleId = String(rule['ruleId']);
  for (const { rules } of ingests) await until(() => rules.ingestion().get(ruleId));
  return ruleId;
}

async function send(metric: string, deviceIds: readonly string[], value = 95, ingest = ingests[0]): Promise<void> {
  const packets = deviceIds.map((entityId) => ({ entityId, message: { Metrics: { [metric]: value } } }));
  const answer = await ingest?.ingestBody(token, packets, 'application/json');
  expect(answer?.value.map((item) => item.status)).toEqual(deviceIds.map(() => 'stored'));
}

const count = async (read: Promise<object[]>) => (await read).length;
const callsOf = (name: string, path: string) => calls.filter((call) => call.path === `/${name}/${path}`);

/** Waits until each match has a group, and each execution an outcome. */
const settle = (ruleId: string) =>
  until(async () => {
    const waiting = await count(
      rows(
        `select 1 from rule_match m left join match_group_member g using (rule_match_id)
       where m.rule_id = $1 and (g.rule_match_id is not null and g.match_group_id is null or m.completion_processed and g.match_group_id is not null and g.ended is null)`,
        ruleId,
      ),
    );
    const running = await count(
      rows(
        `select 1 from action_history h join rule_match m on m.rule_match_id::text = h.reference_id where m.rule_id = $1 and h.result_status_id = ${resultStatus.enqueueSuccess}`,
        ruleId,
      ),
    );
    return waiting === 0 && running === 0;
  });

interface Unit {
  id: number;
  title: string;
  occurrences: number;
  state: string;
}
const unitsOf = (ruleId: string) =>
  rows<Unit>('select work_unit_id as id, title, occurrences, state_id as state from work_unit where rule_id = $1 order by 1', ruleId);

async function expire(ruleId: string, deviceIds: readonly string[]): Promise<void> {
  await rows(
    `update rule_match set expires = now() - interval '1 second' where rule_id = $1 and closed is null and subject_id = any($2::uuid[])`,
    ruleId,
    deviceIds,
  );
  await Promise.all([expireMatches(world.system.db), expireMatches(world.system.db)]);
  await settle(ruleId);
}

const work = () => Promise.all([1, 2].map(() => groupsWork(world.database, silent).run(world.system.db)));

async function site(name: string, devices: number) {
  const locationId = await locationOf(`Site ${name}`);
  const ids = await Promise.all(Array.from({ length: devices }, (_, n) => deviceOf(`${name}-${n}`, { locationId })));
  return { locationId, ids };
}

it('opens one unit that lists them, calls once, sums up once per interval, and ends once', async () => {
  const { ids } = await site('berlin', 4);
  const ruleId = await ruleOf('Disk', { groupBy: 'Location', groupSummary: '00:10:00' });
  await send('Disk', ids.slice(0, 2));
  await settle(ruleId);
  const [unit] = await unitsOf(ruleId);
  expect(unit).toMatchObject({ title: 'Disk: location Site berlin', occurrences: 2 });
  expect(callsOf('Disk', 'begin')).toHaveLength(1);
  await send('Disk', ids.slice(2), 95, ingests[1]);
  await settle(ruleId);
  expect(await unitsOf(ruleId)).toMatchObject([{ id: unit?.id, occurrences: 4 }]);
  expect(callsOf('Disk', 'begin')).toHaveLength(1);
  expect(await count(rows("select 1 from block where device_id = any($1::uuid[]) and entity_color ->> 'color' = 'red'", ids))).toBe(4);
  expect(await count(rows("select 1 from work_unit_relation where work_unit_id = $1 and reference_type = 'Device'", unit?.id))).toBe(4);

  const reasonsOf = async (deviceId: string | undefined) => {
    const [one] = await rows<{ id: string }>(
      'select rule_match_id as id from rule_match where rule_id = $1 and subject_id = $2',
      ruleId,
      deviceId,
    );
    const { body } = await world.call(me, 'GET', `/v1/rulematches/${one?.id}/explain`);
    return { reasons: body['reasons'], workUnits: body['workUnits'] };
  };
  const usual = [{ metric: 'Disk', value: 95, mean: 40, deviation: 5, readings: 16, weeks: 4 }];
  await rows('update rule_match set usual = $2 where rule_id = $1', ruleId, JSON.stringify(usual));
  const place = 'the group "location Site berlin" (4 matches, 4 open) in work unit';
  expect(await reasonsOf(ids[3])).toMatchObject({
    reasons: [expect.stringMatching(`^It joined ${place.replaceAll(/[()]/g, String.raw`\$&`)}.*, not again for this one.$`)],
    workUnits: [{ workUnitId: unit?.id }],
  });
  const { body: listed } = await world.call(
    me,
    'GET',
    `/v1/unitMatches?$filter=workUnitId eq ${unit?.id}&$orderby=state desc,joined&$count=true`,
  );
  expect(listed).toMatchObject({ '@odata.count': 4 });
  expect((listed['value'] as object[])[0]).toMatchObject({
    state: 'Open',
    kind: 'Location',
    shared: 'location Site berlin',
    isFirst: true,
    usual,
  });

  await expire(ruleId, ids.slice(0, 1));
  expect(await count(rows("select 1 from block where device_id = any($1::uuid[]) and entity_color ->> 'color' = 'green'", ids))).toBe(1);
  expect(callsOf('Disk', 'end')).toHaveLength(0);
  await work();
  expect(callsOf('Disk', 'begin')).toHaveLength(1);
  await rows(`update match_group set summary_due = now() - make_interval(secs => 1) where rule_id = $1`, ruleId);
  await work();
  await settle(ruleId);
  const [, summary] = callsOf('Disk', 'begin');
  expect(JSON.parse(summary?.body ?? '{}')).toMatchObject({
    label: 'Disk, location Site berlin: 3 joined, 1 ended, 3 open',
    text: expect.stringMatching(/^3 joined:\n- Disk: berlin-\d\n.*1 ended:\n- Disk: berlin-0\n3 open$/s),
    group: 'location Site berlin: 4, 3 open',
  });
  await work();
  await settle(ruleId);
  expect(callsOf('Disk', 'begin')).toHaveLength(2);
  // The next interval has a summary of its own.
  await expire(ruleId, ids.slice(0, 2));
  await rows(`update match_group set summary_due = now() - make_interval(secs => 1) where rule_id = $1`, ruleId);
  await work();
  await settle(ruleId);
  expect(callsOf('Disk', 'begin').map(({ body }) => (JSON.parse(body) as { label: string }).label)).toContain(
    'Disk, location Site berlin: 0 joined, 1 ended, 2 open',
  );

  await expire(ruleId, ids);
  expect(callsOf('Disk', 'end')).toHaveLength(1);
  expect(
    await count(
      rows(`select 1 from work_unit_note where work_unit_id = $1 and detail = 'All 4 matches have ended: location Site berlin.'`, unit?.id),
    ),
  ).toBe(1);
  expect(await count(rows('select 1 from match_group where rule_id = $1 and ended is not null', ruleId))).toBe(1);
});

it('has one open group and unit for each key when two servers and three workers race', async () => {
  const sites = await Promise.all([site('north', 12), site('south', 12)]);
  const ruleId = await ruleOf('Race', { groupBy: 'Location' });
  const [one = [], two = []] = sites.map(({ ids }) => ids);
  await Promise.all(
    one.flatMap((id, n) => [send('Race', [id], 95, ingests[n % 2]), send('Race', [two[n] ?? ''], 95, ingests[(n + 1) % 2])]),
  );
  await settle(ruleId);
  expect((await unitsOf(ruleId)).map(({ occurrences }) => occurrences)).toEqual([12, 12]);
  expect(callsOf('Race', 'begin')).toHaveLength(2);
  expect(
    await count(
      rows(
        `select 1 from action_history h join rule_match m on m.rule_match_id::text = h.reference_id
    where m.rule_id = $1 and h.result_detail ->> 'reason' = 'grouped' and h.result_detail ->> 'phase' = 'match'`,
        ruleId,
      ),
    ),
  ).toBe(22 * 2);
});

it('follows what the rule says of a fault that comes back: added, opened again, or another unit', async () => {
  const { ids } = await site('ulm', 2);
  const ruleId = await ruleOf('Back', { groupBy: 'Location', expirationActions: [] });
  await send('Back', ids);
  await settle(ruleId);
  await expire(ruleId, ids);
  await send('Back', ids);
  await settle(ruleId);
  expect(await unitsOf(ruleId)).toMatchObject([{ occurrences: 4 }]);
  expect(callsOf('Back', 'begin')).toHaveLength(1);
  expect(await count(rows('select 1 from match_group where rule_id = $1', ruleId))).toBe(2);

  const [unit] = await unitsOf(ruleId);
  await world.call(me, 'POST', `/v1/workunits/${unit?.id}`, { stateId: 'Acknowledged' });
  const resolved = await world.call(me, 'POST', `/v1/workunits/${unit?.id}`, { stateId: 'Resolved', resolution: 'New disk.' });
  expect(resolved.body).toMatchObject({ stateId: 'Resolved' });
  const third = await deviceOf('ulm-3', {
    locationId: (await rows<{ id: string }>("select location_id as id from location where name = 'Site ulm'"))[0]?.id,
  });
  await send('Back', [third]);
  await settle(ruleId);
  expect((await unitsOf(ruleId)).map(({ state }) => state)).toEqual(['Resolved', 'New']);
  expect(callsOf('Back', 'begin')).toHaveLength(2);
});

it('opens another unit for further matches when its unit was moved to another tenant', async () => {
  const { locationId, ids } = await site('jena', 2);
  const ruleId = await ruleOf('Moved', { groupBy: 'Location' });
  await send('Moved', ids);
  await settle(ruleId);
  const [unit] = await unitsOf(ruleId);
  const { tenantId } = await world.tenant();
  const moved = await world.call(holder([home.tenantId, tenantId]), 'POST', `/v1/workunits/${unit?.id}`, { tenantId });
  expect(moved.body).toMatchObject({ tenantId });
  await send('Moved', [await deviceOf('jena-2', { locationId })]);
  await settle(ruleId);
  expect((await unitsOf(ruleId)).map(({ occurrences }) => occurrences)).toEqual([2, 1]);
  expect(callsOf('Moved', 'begin')).toHaveLength(2);
});

it('takes no match later than its window, and leaves one without the key by itself', async () => {
  const { ids } = await site('bonn', 2);
  const ruleId = await ruleOf('Late', { groupBy: 'Location', groupWindow: '00:01:00', recurrence: 'New' });
  await send('Late', ids.slice(0, 1));
  await settle(ruleId);
  await rows(`update match_group set last_joined = now() - interval '61 seconds' where rule_id = $1`, ruleId);
  await send('Late', ids.slice(1));
  const nowhere = [await deviceOf('nowhere-1'), await deviceOf('nowhere-2')];
  await send('Late', nowhere);
  await settle(ruleId);
  expect((await unitsOf(ruleId)).map(({ title }) => title).toSorted()).toEqual([
    'Late: location Site bonn',
    'Late: location Site bonn',
    'Late: nowhere-1',
    'Late: nowhere-2',
  ]);
});

it('groups what a maintenance held when it is over', async () => {
  const { locationId, ids } = await site('trier', 3);
  const ruleId = await ruleOf('Held', { groupBy: 'Location' });
  const maintenance = await put('rules', {
    name: 'Maintenance of Trier',
    ruleTypeId: 5,
    ...home,
    conditions: [{ Type: 'And', LeftOperand: 35, Operator: 1, RightOperand: locationId }],
    timeConditions: { DaysOfWeek: [0, 1, 2, 3, 4, 5, 6], TimeZoneId: 'UTC' },
  });
  const maintenanceId = String(maintenance['ruleId']);
  for (const { rules } of ingests) await until(() => rules.maintenance().get(maintenanceId));
  await send('Held', ids);
  await settle(ruleId);
  expect(callsOf('Held', 'begin')).toHaveLength(0);
  await world.call(me, 'POST', `/v1/rules/${maintenanceId}`, { enabled: false });
  for (const { rules } of ingests) await until(() => !rules.maintenance().get(maintenanceId));
  await maintenanceWork(ingests[0] as Ingest).run(world.system.db);
  await settle(ruleId);
  expect(callsOf('Held', 'begin')).toHaveLength(1);
  expect(await unitsOf(ruleId)).toMatchObject([{ occurrences: 3, title: 'Held: location Site trier' }]);
});

it('is resolved only when all its matches have ended', async () => {
  const { ids } = await site('jena', 2);
  const ruleId = await ruleOf('Resolve', {
    groupBy: 'Location',
    expirationActions: [{ ActionDefinitionId: builtInAction.resolveWorkUnit, Parameters: {} }],
  });
  await send('Resolve', ids);
  await settle(ruleId);
  await expire(ruleId, ids.slice(0, 1));
  expect(await unitsOf(ruleId)).toMatchObject([{ state: 'New' }]);
  await expire(ruleId, ids);
  expect(await unitsOf(ruleId)).toMatchObject([{ state: 'Resolved' }]);
});

it('ends each of the groups whose last matches end at one moment', async () => {
  const sites = [await site('rome', 1), await site('oslo', 1)];
  const ruleId = await ruleOf('AtOnce', { groupBy: 'Location' });
  const ids = sites.flatMap((each) => each.ids);
  await send('AtOnce', ids);
  await settle(ruleId);
  expect(await unitsOf(ruleId)).toHaveLength(2);
  await expire(ruleId, ids);
  const ended = callsOf('AtOnce', 'end').map(({ body }) => (JSON.parse(body) as { group: string }).group);
  expect(ended.toSorted()).toEqual(['location Site oslo: 1, 0 open', 'location Site rome: 1, 0 open']);
});

it('makes no packet wait for the lock of a group, of a unit or of another match', async () => {
  const { ids } = await site('kiel', 2);
  const ruleId = await ruleOf('Lock', { groupBy: 'Location' });
  await send('Lock', ids.slice(0, 1));
  await settle(ruleId);
  await world.system.db.transaction(async (db) => {
    await db.query({ text: 'select 1 from match_group where rule_id = $1 for update', values: [ruleId] });
    await db.query({ text: 'select 1 from match_group_member for update' });
    await db.query({ text: 'select 1 from work_unit where rule_id = $1 for update', values: [ruleId] });
    await db.query({ text: 'select 1 from rule_unit for update' });
    // Both requests are answered while these locks are held.
    await send('Lock', ids.slice(1));
    await send('Lock', ids);
  });
  await work();
  await settle(ruleId);
  expect(await unitsOf(ruleId)).toMatchObject([{ occurrences: 2 }]);
});

it('brakes a storm: above the limit of its rule, further matches are one unit that lists them, and none is lost', async () => {
  const ids = await Promise.all(Array.from({ length: 12 }, (_, n) => deviceOf(`storm-${n}`)));
  const ruleId = await ruleOf('Storm', { stormLimit: 5 });
  await send('Storm', ids.slice(0, 8));
  await send('Storm', ids.slice(8));
  await settle(ruleId);
  const units = await unitsOf(ruleId);
  expect(units).toHaveLength(6);
  const storm = units.find(({ title }) => title === 'Storm: many matches in a minute');
  expect(storm?.occurrences).toBe(7);
  expect(callsOf('Storm', 'begin')).toHaveLength(6);
  const { body } = await world.call(me, 'GET', `/v1/unitMatches?$filter=workUnitId eq ${storm?.id}&$count=true&$top=1`);
  expect(body).toMatchObject({ '@odata.count': 7, value: [{ kind: 'Storm' }] });
  const [last] = body['value'] as { ruleMatchId: string }[];
  const { body: why } = await world.call(me, 'GET', `/v1/rulematches/${last?.ruleMatchId}/explain`);
  expect(why['reasons']).toEqual(expect.arrayContaining([expect.stringContaining('More than 5 matches of this rule')]));
  // Every match has its executions on record, including those that were not run.
  expect(
    await count(
      rows(
        'select 1 from rule_match m where m.rule_id = $1 and (select count(*) from action_history h where h.reference_id = m.rule_match_id::text) = 3',
        ruleId,
      ),
    ),
  ).toBe(12);
});

describe('random histories', () => {
  const devices = 6;
  const some = fc.uniqueArray(fc.nat(devices - 1), { minLength: 1, maxLength: devices });
  const stepOf = (kind: 'hit' | 'old' | 'recover' | 'resolve') => some.map((ids): UnitStep => ({ kind, devices: ids }));
  const hits = stepOf('hit');
  const steps = fc.array(
    fc.oneof(
      hits,
      hits,
      hits,
      stepOf('old'),
      stepOf('recover'),
      stepOf('recover'),
      stepOf('resolve'),
      fc.constant<UnitStep>({ kind: 'pause' }),
    ),
    {
      minLength: 2,
      maxLength: 7,
    },
  );
  /** The server that gets each packet, and whether a new request begins with it. */
  const cuts = fc.array(fc.record({ server: fc.nat(1), cut: fc.boolean() }), { minLength: 1, maxLength: 8 });
  const below = { Type: 'And', Operator: 4, LeftOperand: 62, RightOperand: '50' };

  /** Sends one packet of each device, in the requests of `by`. */
  async function sendInCuts(
    metric: string,
    entityIds: readonly string[],
    value: number,
    by: readonly { server: number; cut: boolean }[],
    agoMs = 0,
  ) {
    const requests: { server: number; packets: object[] }[] = [];
    for (const [n, entityId] of entityIds.entries()) {
      const { server, cut } = by[n % by.length] ?? { server: 0, cut: true };
      const packet = { entityId, message: { Metrics: { [metric]: value } }, timestamp: new Date(Date.now() - agoMs).toISOString() };
      const last = requests.at(-1);
      if (last && !cut) last.packets.push(packet);
      else requests.push({ server, packets: [packet] });
    }
    // Both servers get requests at the same time, each server one request after another.
    await Promise.all(
      ingests.map(async (ingest, at) => {
        for (const { server, packets } of requests) if (server === at) await ingest.ingestBody(token, packets, 'application/json');
      }),
    );
  }

  async function play(
    ruleId: string,
    metric: string,
    ids: readonly string[],
    step: UnitStep,
    by: readonly { server: number; cut: boolean }[],
  ) {
    const of = 'devices' in step ? step.devices.map((n) => ids[n] ?? '') : [];
    if (step.kind === 'hit') await sendInCuts(metric, of, 95, by);
    if (step.kind === 'old') await sendInCuts(metric, of, 95, by, 3 * 3_600_000);
    if (step.kind === 'recover') {
      await sendInCuts(metric, of, 5, by);
      await Promise.all([expireMatches(world.system.db), expireMatches(world.system.db)]);
    }
    if (step.kind === 'pause')
      await rows("update match_group set last_joined = last_joined - interval '1 hour' where rule_id = $1", ruleId);
    if (step.kind === 'resolve')
      for (const { id } of await rows<{ id: number }>(
        "select distinct u.work_unit_id as id from unit_match u join work_unit w using (work_unit_id) where u.rule_id = $1 and u.subject_id = any($2::uuid[]) and w.state_id = 'New'",
        ruleId,
        of,
      )) {
        await world.call(me, 'POST', `/v1/workunits/${id}`, { stateId: 'Acknowledged' });
        await world.call(me, 'POST', `/v1/workunits/${id}`, { stateId: 'Resolved', resolution: 'Mended.' });
      }
    await settle(ruleId);
  }

  const byText = (units: readonly ScratchUnit[]) =>
    units
      .map(
        ({ state, occurrences, matches }) =>
          `${state} ${occurrences}: ${matches
            .map((match) => `${match.device}${match.isOpen ? '+' : '-'}`)
            .toSorted()
            .join(' ')}`,
      )
      .toSorted();

  async function stored(ruleId: string, ids: readonly string[]): Promise<string[]> {
    const units = [];
    for (const { id, state, occurrences } of await unitsOf(ruleId)) {
      const { body } = await world.call(me, 'GET', `/v1/unitMatches?$filter=workUnitId eq ${id}`);
      const matches = (body['value'] as { subjectId: string; state: string }[]).map((match) => ({
        device: ids.indexOf(match.subjectId),
        isOpen: match.state === 'Open',
      }));
      units.push({ state: state as 'New', occurrences, matches });
    }
    return byText(units);
  }

  let histories = 0;
  async function follow(
    history: readonly UnitStep[],
    by: readonly { server: number; cut: boolean }[],
    rule: UnitRule,
    fields: object,
    ids: readonly string[],
  ) {
    const name = `Model${(histories += 1)}`;
    const recoveryConditions = [{ ...below, LeftOperandFieldName: name }];
    const ruleId = await ruleOf(name, {
      recoveryConditions,
      matchLifetime: '01:00:00',
      recurrence: rule.recurrence,
      expirationActions: [],
      ...fields,
    });
    const started = Date.now();
    for (const [n, step] of history.entries()) {
      await play(ruleId, name, ids, step, by);
      // A storm is counted by the minute; on a slow machine, a second storm would begin here.
      if (rule.stormLimit && Date.now() - started > 50_000) return;
      const expected = unitsFromScratch(history.slice(0, n + 1), rule);
      expect(await stored(ruleId, ids)).toEqual(byText(expected.units));
      expect(callsOf(name, 'begin')).toHaveLength(expected.calls);
    }
  }

  it('give the units of a slow model, by the key of their group, in random cuts to two servers', async () => {
    const [one, two] = [await site('model-1', 2), await site('model-2', 2)];
    const ids = [...one.ids, ...two.ids, await deviceOf('model-5'), await deviceOf('model-6')];
    const keyOf = (device: number) => ['one', 'one', 'two', 'two'][device];
    await fc.assert(
      fc.asyncProperty(steps, cuts, fc.constantFrom('Append', 'Reopen', 'New'), (history, by, recurrence) =>
        follow(history, by, { recurrence, keyOf }, { groupBy: 'Location' }, ids),
      ),
      {
        numRuns: runs(5, 10),
        examples: [
          [[{ kind: 'hit', devices: [0] }, { kind: 'pause' }, { kind: 'hit', devices: [1] }], [{ server: 1, cut: true }], 'New'],
          [
            [
              { kind: 'hit', devices: [0, 2] },
              { kind: 'resolve', devices: [0] },
              { kind: 'hit', devices: [1, 2] },
            ],
            [{ server: 0, cut: true }],
            'Reopen',
          ],
        ],
      },
    );
  });

  it('give at most one unit above the limit of a storm, and lose no match', async () => {
    const ids = await Promise.all(Array.from({ length: devices }, (_, n) => deviceOf(`model-storm-${n}`)));
    const alone = () => undefined;
    // Each server counts the matches of a storm by itself, so one server gets all packets here.
    const ofOne = cuts.map((by) => by.map(({ cut }) => ({ server: 0, cut })));
    await fc.assert(
      fc.asyncProperty(
        steps,
        ofOne,
        fc.integer({ min: 1, max: 4 }),
        fc.constantFrom('Append', 'Reopen'),
        (history, by, stormLimit, recurrence) => follow(history, by, { recurrence, keyOf: alone, stormLimit }, { stormLimit }, ids),
      ),
      { numRuns: runs(3, 8) },
    );
  });
});
