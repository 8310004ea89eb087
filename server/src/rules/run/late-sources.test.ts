/** Sources that must report: when a work unit is opened because nothing came, and when it ends. */
import { permission } from '@cloudfit/contract/permissions.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../testing/world.ts';
import { watchSources } from './late-sources.ts';

let world: TestWorld;
let home: { tenantId: string; subscriptionId: string };
let me: TestCaller;

beforeAll(async () => {
  world = await createWorld({ takesSources: true });
  home = await world.tenant();
  me = holder([home.tenantId]);
});
afterAll(() => world.close());

const rows = (text: string, ...values: unknown[]) => world.system.db.query({ text, values });
const look = () => watchSources(world.database, world.system.log);

async function source(more: object = {}) {
  const body = { name: 'Backups', kind: 'Webhook', reportWithin: '00:10:00', lateSeverity: 'Sev1', ...home, ...more };
  const created = await world.call(me, 'PUT', '/v1/sources', body);
  expect(created.status, created.text).toBe(201);
  return { id: String(created.body['sourceId']), token: String(created.body['generatedToken']) };
}
const row = async (id: string) => (await world.call(me, 'GET', `/v1/sources/${id}`)).body;
const age = (id: string, minutes: number) =>
  rows(
    'update intake_source set report_watched_since = report_watched_since - make_interval(mins => $2), last_data = last_data - make_interval(mins => $2) where source_id = $1',
    id,
    minutes,
  );
const unitOf = async (id: string) => {
  const { lateWorkUnitId } = await row(id);
  return lateWorkUnitId === null ? undefined : (await world.call(me, 'GET', `/v1/workUnits/${String(lateWorkUnitId)}`)).body;
};
async function report({ id, token }: { id: string; token: string }) {
  const sent = await world.call(null, 'POST', `/v1/intake/${id}`, { device: 'web-1', load: 1 }, { authorization: `Bearer ${token}` });
  expect(sent.status).toBe(200);
  await world.intake?.counts.flush();
}

it('opens one work unit when a source is late, also one that has never sent, and ends it when data comes', async () => {
  const created = await source();
  await look();
  expect(await row(created.id)).toMatchObject({ lateSince: null, reportWatchedSince: expect.any(String) });
  await age(created.id, 11);
  await Promise.all([look(), look()]);
  await look();
  const unit = await unitOf(created.id);
  expect(unit).toMatchObject({ title: 'The source Backups sends no data', severityId: 'Sev1', stateId: 'New', tenantId: home.tenantId });
  expect(unit?.['description']).toContain('must report within 00:10:00, and has not. It has never sent any.');
  const units = await rows("select 1 from work_unit where tenant_id = $1 and title like 'The source Backups%'", home.tenantId);
  expect(units).toHaveLength(1);
  await report(created);
  await look();
  expect((await world.call(me, 'GET', `/v1/workUnits/${String(unit?.['workUnitId'])}`)).body).toMatchObject({
    stateId: 'Resolved',
    resolution: 'The source Backups sends data again.',
  });
  expect(await row(created.id)).toMatchObject({ lateSince: null, lateWorkUnitId: null });
  // The next delay is another work unit.
  await age(created.id, 11);
  await look();
  expect((await unitOf(created.id))?.['workUnitId']).not.toBe(unit?.['workUnitId']);
});

it('opens the work unit with its protocol, which is told of it, and with none that is of another tenant or gone', async () => {
  const protocol = async (tenantId: string) =>
    String((await world.call(holder('all'), 'PUT', '/v1/protocols', { name: `Wake ${crypto.randomUUID()}`, tenantId })).body['protocolId']);
  const lateProtocolId = await protocol(home.tenantId);
  const created = await source({ name: 'Feeder', lateProtocolId });
  const elsewhere = { lateProtocolId: await protocol((await world.tenant()).tenantId) };
  const refused = await world.call(holder('all'), 'POST', `/v1/sources/${created.id}`, elsewhere);
  expect(refused.body).toMatchObject({
    error: { details: [{ target: 'lateProtocolId' }] },
  });
  expect((await world.call(holder('all'), 'DELETE', `/v1/protocols/${lateProtocolId}`)).body).toMatchObject({
    error: { code: 'Conflict', message: expect.stringContaining('is used by the sources Feeder') },
  });
  await age(created.id, 60);
  await look();
  expect(await unitOf(created.id)).toMatchObject({ protocolId: lateProtocolId });
  const other = await source({ name: 'Sensor' });
  await rows('update intake_source set late_protocol_id = uuidv7() where source_id = $1', other.id);
  await age(other.id, 60);
  await look();
  expect(await unitOf(other.id)).toMatchObject({ title: 'The source Sensor sends no data', protocolId: null });
});

it('does not take what was refused for data, and says why it was', async () => {
  const created = await source({ name: 'Chiller' });
  await report(created);
  await age(created.id, 11);
  const { lastData } = await row(created.id);
  const authorization = `Bearer ${created.token}`;
  const send = async (body: object) => {
    const sent = await world.call(null, 'POST', `/v1/intake/${created.id}`, body, { authorization });
    await world.intake?.counts.flush();
    return sent.status;
  };
  expect(await send({ load: 1 })).toBe(400);
  expect(await row(created.id)).toMatchObject({ lastData, packetsRefused: 1 });
  await look();
  const unit = await unitOf(created.id);
  expect(unit?.['description']).toMatch(/Its last data came at .*Z\. What it has sent since was refused: .+/);
  // Some of it is enough.
  await send([{ load: 1 }, { device: 'web-2', load: 1 }]);
  await look();
  expect(await row(created.id)).toMatchObject({ lateSince: null, packetsStored: 2 });
});

it('leaves alone what a person has ended, and is quiet about it until data comes', async () => {
  const created = await source({ name: 'Meter' });
  await age(created.id, 60);
  await look();
  const unit = await unitOf(created.id);
  await world.call(me, 'POST', `/v1/workUnits/${String(unit?.['workUnitId'])}`, { stateId: 'Canceled' });
  await look();
  expect(await row(created.id)).toMatchObject({ lateWorkUnitId: unit?.['workUnitId'] });
  await report(created);
  await look();
  expect((await world.call(me, 'GET', `/v1/workUnits/${String(unit?.['workUnitId'])}`)).body).toMatchObject({ stateId: 'Canceled' });
  expect(await row(created.id)).toMatchObject({ lateSince: null });
});

it('ends the unit of a source that is disabled or need not report any more, and counts again when it is enabled', async () => {
  const created = await source({ name: 'Tape' });
  await age(created.id, 60);
  await look();
  const unit = await unitOf(created.id);
  await world.call(me, 'POST', `/v1/sources/${created.id}`, { enabled: false });
  await look();
  expect((await world.call(me, 'GET', `/v1/workUnits/${String(unit?.['workUnitId'])}`)).body).toMatchObject({
    stateId: 'Resolved',
    resolution: 'The source Tape no longer has to report, or has more time.',
  });
  await world.call(me, 'POST', `/v1/sources/${created.id}`, { enabled: true });
  await look();
  expect(await row(created.id)).toMatchObject({ lateSince: null });
});

it('opens nothing for the time in which no server took data', async () => {
  const created = await source({ name: 'Valve' });
  await age(created.id, 60);
  await rows(
    "insert into installation_gap (gap_start, gap_end, partial) values (now() - interval '50 minutes', now() - interval '5 minutes', false)",
  );
  await look();
  expect(await row(created.id)).toMatchObject({ lateSince: null });
  await rows("update installation_gap set gap_end = now() - interval '11 minutes'");
  await look();
  expect(await row(created.id)).toMatchObject({ lateSince: expect.any(String) });
});

const outage = (from: string, until: string) =>
  rows(
    'insert into installation_gap (gap_start, gap_end, partial) values (now() - $1::interval, now() - $2::interval, false) returning gap_id',
    from,
    until,
  );

it('leaves a source late when the installation restarts, because nothing has come', async () => {
  const created = await source({ name: 'Pump' });
  await age(created.id, 60);
  await rows('delete from installation_gap');
  await look();
  const unit = await unitOf(created.id);
  expect(unit).toMatchObject({ stateId: 'New' });
  await outage('10 seconds', '1 second');
  await look();
  expect(await unitOf(created.id)).toMatchObject({ workUnitId: unit?.['workUnitId'], stateId: 'New' });
  await report(created);
  await look();
  expect(await row(created.id)).toMatchObject({ lateSince: null });
});

it('notices a source that must report once a day where servers restart each night', async () => {
  const created = await source({ name: 'Nightly', reportWithin: '25:00:00' });
  await age(created.id, 26 * 60);
  await rows('delete from installation_gap');
  await outage('2 hours', '119 minutes');
  await outage('20 seconds', '1 second');
  await look();
  // The sender may be about to try again.
  expect(await row(created.id)).toMatchObject({ lateSince: null });
  await rows("update installation_gap set gap_start = gap_start - interval '11 minutes', gap_end = gap_end - interval '11 minutes'");
  await look();
  expect(await unitOf(created.id)).toMatchObject({ title: 'The source Nightly sends no data' });
});

it('refuses less than a minute, and whoever may not open work units', async () => {
  const refused = async (body: object, caller = me) =>
    (await world.call(caller, 'PUT', '/v1/sources', { name: 'X', kind: 'Webhook', unknownEntities: 'Refuse', ...home, ...body })).body;
  expect(await refused({ reportWithin: '00:00:30' })).toMatchObject({ error: { details: [{ target: 'reportWithin' }] } });
  const few = holder(
    [home.tenantId],
    ['CloudFit.CFS.Sources:view', 'CloudFit.CFS.Sources:create', 'CloudFit.CFS.Packets:create', 'CloudFit.CFS.Rules:create'],
  );
  expect(await refused({ reportWithin: '00:10:00' }, few)).toMatchObject({ error: { details: [{ target: 'reportWithin' }] } });
});

it('ends the unit of a source that is deleted, also by somebody who may not edit units, but no unit that a person has ended', async () => {
  const keeper = holder([home.tenantId], [permission('Sources', 'view'), permission('Sources', 'delete')]);
  const late = await source({ name: 'Gone' });
  const closed = await source({ name: 'Closed' });
  await age(late.id, 60);
  await age(closed.id, 60);
  await look();
  const [unit, ended] = [await unitOf(late.id), await unitOf(closed.id)];
  await world.call(me, 'POST', `/v1/workUnits/${String(ended?.['workUnitId'])}`, { stateId: 'Canceled' });
  for (const { id } of [late, closed]) expect((await world.call(keeper, 'DELETE', `/v1/sources/${id}`)).status).toBeLessThan(300);
  const stateOf = async (row: typeof unit) => (await world.call(me, 'GET', `/v1/workUnits/${String(row?.['workUnitId'])}`)).body;
  expect(await stateOf(unit)).toMatchObject({ stateId: 'Resolved', resolution: 'The source Gone was deleted.' });
  expect(await stateOf(ended)).toMatchObject({ stateId: 'Canceled' });
});
