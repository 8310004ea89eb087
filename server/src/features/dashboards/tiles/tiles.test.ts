/** Tiles of several customers: what each scope shows to whom, and the state of all customers. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Customer, TileAnswer } from '@cloudfit/contract/walls/calls.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../../testing/world.ts';
import { stateOf, trendOf } from './customers.ts';

let world: TestWorld;
let north: { tenantId: string; subscriptionId: string };
let south: { tenantId: string; subscriptionId: string };
let far: { tenantId: string; subscriptionId: string };
let provider: TestCaller;
let ofNorth: TestCaller;
let groupId: string;
let selectionId: string;
let locationId: string;
const place = { title: '', x: 0, y: 0, w: 3, h: 2 };

async function row(text: string, ...values: unknown[]): Promise<string> {
  const [created] = await world.system.db.query<{ key: string }>({ text, values });
  return String(created?.key);
}
const unitOf = (tenantId: string, severity: string, more: { due?: string; snoozed?: boolean; state?: string } = {}) =>
  row(
    `insert into work_unit (tenant_id, title, work_unit_type_id, severity_id, state_id, created_by, modified_by, clock_warn, clock_due, snoozed_until)
     values ($1, 'Unit of ' || $2, 1, $2, $3, 'test', 'test', $4::timestamptz, $4::timestamptz, case when $5 then now() + interval '1 hour' end) returning work_unit_id::text as key`,
    tenantId,
    severity,
    more.state ?? 'New',
    more.due ?? null,
    more.snoozed ?? false,
  );
async function deviceOf(
  home: typeof north,
  name: string,
  ageSeconds: number | null,
  more: { tags?: string; location?: string } = {},
): Promise<string> {
  const id = await row(
    'insert into device (tenant_id, subscription_id, name, tags, location_id) values ($1, $2, $3, $4, $5) returning device_id as key',
    home.tenantId,
    home.subscriptionId,
    name,
    more.tags ?? null,
    more.location ?? null,
  );
  if (ageSeconds !== null)
    await row(
      `insert into latest_packet (entity_id, tenant_id, timestamp, received_timestamp, packet_id, message)
       values ($1, $2, now() - make_interval(secs => $3), now(), uuidv7(), '{"Metrics":{"Cpu":3}}') returning entity_id as key`,
      id,
      home.tenantId,
      ageSeconds,
    );
  return id;
}

beforeAll(async () => {
  world = await createWorld();
  [north, south, far] = [await world.tenant('Northwind'), await world.tenant('Southwind'), await world.tenant('Farwind')];
  provider = holder([north.tenantId, south.tenantId]);
  ofNorth = holder([north.tenantId]);
  locationId = await row("insert into location (tenant_id, name) values ($1, 'Plant') returning location_id as key", north.tenantId);
  const fresh = await deviceOf(north, 'web-1', 5, { tags: 'db, Prod ,x', location: locationId });
  await deviceOf(north, 'web-2', 3_600, { tags: 'production' });
  await deviceOf(south, 'pump', null);
  await deviceOf(far, 'hidden', 5);
  selectionId = await row(
    "insert into device_selection (tenant_id, name, filter, created_by, modified_by) values ($1, 'Web', 'enabled eq true', 't', 't') returning device_selection_id as key",
    north.tenantId,
  );
  await row(
    'insert into selection_member (tenant_id, device_selection_id, device_id) values ($1, $2, $3) returning device_id as key',
    north.tenantId,
    selectionId,
    fresh,
  );
  groupId = await row(
    "insert into tenant_group (name, tenant_ids) values ('Both', $1::jsonb) returning tenant_group_id as key",
    JSON.stringify([north.tenantId, south.tenantId]),
  );
  const about = await unitOf(north.tenantId, 'Sev1');
  await row(
    "insert into rule_match (tenant_id, rule_id, subject_id, label, expires, first_match, last_match, correlation_id, work_unit_id) values ($1, uuidv7(), $2, 'Hot', now(), now(), now(), uuidv7(), $3::text::bigint) returning rule_match_id as key",
    north.tenantId,
    fresh,
    about,
  );
  await unitOf(north.tenantId, 'Sev3', { due: '2020-01-01T00:00:00Z' });
  await unitOf(north.tenantId, 'Sev0', { snoozed: true });
  await unitOf(north.tenantId, 'Sev0', { state: 'Resolved' });
  await unitOf(south.tenantId, 'Sev2');
  await unitOf(far.tenantId, 'Sev0');
});
afterAll(() => world.close());

async function readTile(caller: TestCaller, tile: object, variables: object = {}): Promise<TileAnswer> {
  const { status, body } = await world.call(caller, 'POST', '/v1/dashboards/readTiles', {
    tenantId: north.tenantId,
    tiles: [{ ...place, id: 't', ...tile }],
    variables,
  });
  expect([status, body['error']]).toEqual([200, undefined]);
  return (body['tiles'] as TileAnswer[])[0] as TileAnswer;
}
const countOf = async (caller: TestCaller, tile: object, variables: object = {}) => {
  const answer = await readTile(caller, tile, variables);
  const [part] = answer.parts;
  return answer.state === 'Shown' ? (part?.shown as { count: number } | undefined)?.count : answer.state;
};

describe('a tile shows', () => {
  it('its tenant without a scope, and with an empty one all tenants of the reader and no others', async () => {
    expect(await countOf(provider, { kind: 'units' })).toBe(3);
    expect(await countOf(provider, { kind: 'units', scope: {} })).toBe(4);
    expect(await countOf(ofNorth, { kind: 'units', scope: {} })).toBe(3);
    expect((await readTile(provider, { kind: 'units', scope: {} })).parts[0]?.shown).toMatchObject({
      bySeverity: { Sev0: 1, Sev1: 1, Sev2: 1, Sev3: 1, Sev4: 0 },
      rows: expect.arrayContaining([expect.objectContaining({ tenantId: south.tenantId, title: 'Unit of Sev2' })]),
    });
  });

  it('what a selection, a location and a tag limit: devices, their matches and their units', async () => {
    for (const scope of [{ selection: selectionId }, { location: locationId }, { tag: 'PROD' }]) {
      expect((await readTile(provider, { kind: 'devices', scope })).parts[0]?.shown).toMatchObject({
        reporting: 1,
        silent: 0,
        disabled: 0,
      });
      expect(await countOf(provider, { kind: 'units', scope })).toBe(1);
      expect(await countOf(provider, { kind: 'matches', scope })).toBe(1);
    }
    expect(await countOf(provider, { kind: 'matches', scope: { tag: 'none such' } })).toBe(0);
  });

  it('what the variables of its scope name, and their names', async () => {
    const scope = { tenant: '{tenant}', tag: '{tag}' };
    expect(await countOf(provider, { kind: 'units', scope }, { tenant: south.tenantId })).toBe(1);
    expect(await countOf(provider, { kind: 'units', scope })).toBe(4);
    const { scope: names } = await readTile(provider, { kind: 'devices', scope }, { tenant: north.tenantId, tag: 'prod' });
    expect(names).toEqual([
      { kind: 'tenant', name: 'Northwind' },
      { kind: 'tag', name: 'prod' },
    ]);
  });

  it('a part for each customer, also for those without rows', async () => {
    const { parts, tenants } = await readTile(provider, { kind: 'matches', scope: { group: groupId }, repeat: true });
    expect(tenants).toBe(2);
    expect(parts.map(({ name, shown }) => [name, (shown as { count: number }).count])).toEqual([
      ['Northwind', 1],
      ['Southwind', 0],
    ]);
    const devices = await readTile(provider, { kind: 'devices', scope: {}, repeat: true });
    expect(devices.parts.map(({ shown }) => shown)).toMatchObject([
      { reporting: 1, silent: 1 },
      { reporting: 0, silent: 1 },
    ]);
  });

  it('that it is refused, never nothing, when the reader may not see what limits it', async () => {
    expect(await countOf(ofNorth, { kind: 'units', scope: { tenant: south.tenantId } })).toBe('Denied');
    expect(await countOf(ofNorth, { kind: 'units', scope: { group: groupId } })).toBe('Denied');
    expect(await countOf(holder([south.tenantId]), { kind: 'units', scope: { selection: selectionId } })).toBe('Denied');
    expect(await countOf(holder([north.tenantId], ['CloudFit.CFS.Visualizations:view']), { kind: 'units' })).toBe('Denied');
    const withoutDevices = holder([north.tenantId], ['CloudFit.CFS.Visualizations:view', 'CloudFit.CFS.WorkUnits:view']);
    expect(await countOf(withoutDevices, { kind: 'units' })).toBe(3);
    expect(await countOf(withoutDevices, { kind: 'units', scope: { tag: 'prod' } })).toBe('Denied');
  });
});

it('refuses scopes that mean nothing, by name', async () => {
  const refusal = async (tile: object, variables: object = {}) => {
    const { status, text } = await world.call(provider, 'POST', '/v1/dashboards/readTiles', {
      tenantId: north.tenantId,
      tiles: [{ ...place, id: 't', ...tile }],
      variables,
    });
    expect(status).toBe(400);
    return text;
  };
  expect(await refusal({ kind: 'units', scope: { tenant: '{group}' } })).toContain('tenant of a scope is an id, or {tenant}');
  expect(await refusal({ kind: 'compliance', scope: { tag: 'prod' } })).toContain('Only tiles about devices');
  expect(await refusal({ kind: 'chart', series: [], hours: 6 })).toContain('A chart has at least one series, or a metric');
  expect(await refusal({ kind: 'units', scope: { tag: 'a,b' } })).toContain('one tag, without a comma');
  expect(await refusal({ kind: 'units' }, { tenant: 'all' })).toContain('valid GUID');
});

it('a chart shows a metric of the devices of its scope', async () => {
  const packet = (id: string) =>
    world.system.db.query({
      text: `insert into packet (packet_id, entity_id, tenant_id, timestamp, received_timestamp, message) values (uuidv7(), $1, $2, now() - interval '1 minute', now(), '{"Metrics":{"Cpu":41}}')`,
      values: [id, north.tenantId],
    });
  const [device] = await world.system.db.query<{ id: string }>({ text: "select device_id as id from device where name = 'web-1'" });
  await packet(device?.id ?? '');
  const { parts } = await readTile(provider, { kind: 'chart', series: [], metric: 'Cpu', hours: 6, scope: { tag: 'prod' } });
  expect(parts[0]?.shown).toMatchObject({ lines: [{ label: 'web-1', metric: 'Cpu', buckets: [[expect.any(Number), 41, 41, 41, 41, 1]] }] });
});

it('all customers come with the worst first, and what is hidden is never quiet', async () => {
  await row(
    `with p as (insert into person (name, user_name) values ('Ada Moreno', 'ada@example.com') returning person_id)
     insert into on_call_schedule (tenant_id, name, time_zone, layers) select $1, 'Duty', 'UTC',
       jsonb_build_array(jsonb_build_object('name', 'All', 'people', jsonb_build_array(person_id), 'start', '2026-01-01T09:00', 'unit', 'Weeks', 'every', 1, 'restrictions', '[]'::jsonb, 'holidays', 'Same'))
     from p returning on_call_schedule_id as key`,
    north.tenantId,
  );
  const customers = async (caller: TestCaller, query = '') =>
    (await world.call(caller, 'GET', `/v1/customers${query}`)).body.value as unknown as Customer[];
  // Whoever has no rights in the tenant, or is disabled, is reached by no page, so nobody is on call.
  const ada = (text: string, ...more: unknown[]) =>
    world.system.db.query({ text: `${text} person where user_name = 'ada@example.com'`, values: more });
  const onCall = async () => (await customers(provider)).find(({ tenantId }) => tenantId === north.tenantId)?.onCall;
  expect(await onCall()).toEqual([]);
  await ada(
    `with s as (insert into permission_set (name, permissions) values ('Duty', '[]') returning permission_set_id)
    insert into access_grant (person_id, permission_set_id, tenant_id) select person_id, (select permission_set_id from s), $1::uuid from`,
    north.tenantId,
  );
  expect(await onCall()).toEqual(['Ada Moreno']);
  await world.system.db.query({ text: "update person set enabled = false where user_name = 'ada@example.com'" });
  expect(await onCall()).toEqual([]);
  await world.system.db.query({ text: "update person set enabled = true where user_name = 'ada@example.com'" });
  const visible = await customers(provider);
  expect(visible.map(({ name, state }) => [name, state])).toEqual([
    ['Southwind', 'Down'],
    ['Northwind', 'Impaired'],
  ]);
  expect(visible[1]).toMatchObject({
    open: { Sev0: 0, Sev1: 1, Sev2: 0, Sev3: 1, Sev4: 0 },
    breached: 1,
    warned: 0,
    devices: 2,
    silent: 1,
    onCall: ['Ada Moreno'],
  });
  expect((await customers(provider, `?tenantGroupId=${groupId}`)).length).toBe(2);
  expect((await world.call(ofNorth, 'GET', `/v1/customers?tenantGroupId=${groupId}`)).status).toBe(404);
  const desk = holder([north.tenantId], ['CloudFit.CFS.Visualizations:view', 'CloudFit.CFS.WorkUnits:view']);
  expect(await customers(desk)).toMatchObject([{ name: 'Northwind', devices: null, silent: null, onCall: null }]);
  expect((await world.call(null, 'GET', '/v1/customers')).status).toBe(401);
  expect((await world.call(holder([north.tenantId], ['CloudFit.CFS.WorkUnits:view']), 'GET', '/v1/customers')).status).toBe(403);
});

it('a customer has a trend of its open units, and the change that began last', async () => {
  const ofDay = await world.tenant('Daywind');
  const seer = holder([ofDay.tenantId, north.tenantId]);
  // Opened 5 h ago; opened 50 h ago and closed 2 h ago; opened 3 h ago and resolved 1 h ago; snoozed ones and changes do not count twice.
  const unit = (state: string, hours: number, isSnoozed = false) =>
    row(
      `insert into work_unit (tenant_id, title, work_unit_type_id, severity_id, state_id, created_by, modified_by, created, snoozed_until)
       values ($1, 'Unit', 1, 'Sev3', $2, 'test', 'test', now() - make_interval(hours => $3) + interval '1 minute', case when $4 then now() + interval '1 hour' end) returning work_unit_id::text as key`,
      ofDay.tenantId,
      state,
      hours,
      isSnoozed,
    );
  const changed = (id: string, from: string, to: string, hours: number) =>
    row(
      `insert into work_unit_note (tenant_id, work_unit_id, detail, created_by, correlation_id, field, old_value, new_value, created)
       values ($1, $2::text::bigint, '', 'test', uuidv7(), 'stateId', $3, $4, now() - make_interval(hours => $5) + interval '1 minute') returning work_unit_note_id::text as key`,
      ofDay.tenantId,
      id,
      from,
      to,
      hours,
    );
  await unit('New', 5);
  await changed(await unit('Closed', 50), 'InProgress', 'Closed', 2);
  const resolved = await unit('Resolved', 3);
  await changed(resolved, 'New', 'Acknowledged', 2);
  await changed(resolved, 'Acknowledged', 'Resolved', 1);
  await unit('New', 4, true);
  const plan = (title: string, state: string, startHours: number) =>
    row(
      `insert into work_unit (tenant_id, title, work_unit_type_id, severity_id, state_id, created_by, modified_by, created, planned_start_time, planned_finish_time)
       values ($1, $2, 2, 'Sev3', $3, 'test', 'test', now() - interval '9 days', now() + make_interval(hours => $4), now() + make_interval(hours => $4 + 2)) returning work_unit_id::text as key`,
      ofDay.tenantId,
      title,
      state,
      startHours,
    );
  await plan('Older', 'Closed', -90);
  await plan('Router swap', 'Closed', -30);
  await plan('Never begun', 'Canceled', -3);
  await plan('Not approved', 'New', -2);
  await plan('Tomorrow', 'Acknowledged', 20);
  const value = (await world.call(seer, 'GET', '/v1/customers')).body.value as unknown as Customer[];
  const daywind = value.find(({ name }) => name === 'Daywind');
  // Two plans are open all the time: that of tomorrow and the one that is not approved.
  expect(daywind?.trend).toEqual([...Array.from({ length: 20 }, () => 3), 4, 4, 5, 4, 3]);
  expect(daywind?.lastChange).toEqual({ title: 'Router swap', at: expect.any(String) });
  expect(value.find(({ name }) => name === 'Northwind')?.lastChange).toBeNull();
  const blind = holder([ofDay.tenantId], ['CloudFit.CFS.Visualizations:view', 'CloudFit.CFS.Devices:view', 'CloudFit.CFS.Packets:view']);
  expect((await world.call(blind, 'GET', '/v1/customers')).body.value).toMatchObject([{ trend: null, lastChange: null }]);
});

it('a trend ends with what is open now', () => {
  const trend = trendOf(
    4,
    new Map([
      [0, 1],
      [2, -2],
    ]),
  );
  expect([trend.length, trend.slice(-4)]).toEqual([25, [5, 3, 3, 4]]);
});

it('the state of a customer follows from its figures', () => {
  const none = { Sev0: 0, Sev1: 0, Sev2: 0, Sev3: 0, Sev4: 0 };
  const fine = { open: none, breached: 0, warned: 0, devices: 2, silent: 0 };
  expect(stateOf(fine)).toBe('Quiet');
  expect(stateOf({ ...fine, open: { ...none, Sev2: 4 } })).toBe('Quiet');
  expect(stateOf({ ...fine, warned: 1 })).toBe('AtRisk');
  expect(stateOf({ ...fine, silent: 1 })).toBe('AtRisk');
  expect(stateOf({ ...fine, silent: 2 })).toBe('Down');
  expect(stateOf({ ...fine, devices: 0 })).toBe('Quiet');
  expect(stateOf({ ...fine, open: { ...none, Sev1: 1 }, breached: 1 })).toBe('Impaired');
  expect(stateOf({ ...fine, open: null, breached: null, warned: null })).toBe('Unseen');
});
