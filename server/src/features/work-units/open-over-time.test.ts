/** Open units at the end of past days, over HTTP. */
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { dayMs } from '@cloudfit/contract/durations.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../testing/world.ts';

let world: TestWorld;
let tenantId: string;
let otherTenant: string;
let me: TestCaller;
/** A connection of the tables' owner: the roles of the server may not change the times of history entries. */
let owner: pg.Client;
const ago = (days: number) => new Date(Date.now() - days * dayMs);
const date = (days: number) => ago(days).toISOString().slice(0, 10);

beforeAll(async () => {
  world = await createWorld();
  ({ tenantId } = await world.tenant('Northwind'));
  ({ tenantId: otherTenant } = await world.tenant('Southwind'));
  me = holder([tenantId]);
  owner = new pg.Client({ connectionString: world.url });
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await world.close();
});

async function open(severityId: string, created: Date, tenant = tenantId): Promise<number> {
  const { body } = await world.call(holder('all'), 'PUT', '/v1/workunits', {
    title: 'Pump',
    severityId,
    workUnitTypeId: 1,
    tenantId: tenant,
  });
  const id = body['workUnitId'] as number;
  await world.system.db.query({ text: 'update work_unit set created = $2 where work_unit_id = $1', values: [id, created] });
  return id;
}

/** Changes fields as a person does, and sets the time of the history entries. */
async function change(id: number, values: Record<string, unknown>, at: Date): Promise<void> {
  const from = new Date(Date.now() - 1);
  const operations = Object.entries(values).map(([name, value]) => ({ op: 'replace', path: `/${name}`, value }));
  expect((await world.call(me, 'PATCH', `/v1/workunits/${id}`, operations)).status).toBe(200);
  await owner.query('update work_unit_note set created = $2 where work_unit_id = $1 and created > $3', [id, at, from]);
}

async function counts(minutes = 0, caller = me): Promise<Record<string, number>> {
  const { body, status } = await world.call(caller, 'GET', `/v1/workunits/GetOpenOverTime(days=4,minutes=${minutes})?tenantId=${tenantId}`);
  expect(status).toBe(200);
  const rows = body.value as unknown as { day: string; severityId: string; stateId: string; n: number }[];
  return Object.fromEntries(rows.map((row) => [`${row.day} ${row.severityId} ${row.stateId}`, row.n]));
}

it('counts each unit under the severity and the state that it had, in the tenants of the caller', async () => {
  // A unit that has been open since before the first day, without a change.
  await open('Sev2', ago(30));
  await open('Sev2', ago(30), otherTenant);
  // A unit whose severity was lowered yesterday.
  const lowered = await open('Sev1', ago(10));
  await change(lowered, { stateId: 'Acknowledged' }, ago(9));
  await change(lowered, { severityId: 'Sev3' }, ago(1));
  // A unit that was resolved the day before yesterday and reopened today.
  const again = await open('Sev0', ago(3));
  await change(again, { stateId: 'Acknowledged' }, ago(3));
  await change(again, { stateId: 'Resolved' }, ago(2));
  await change(again, { stateId: 'InProgress' }, ago(0));
  const expected = {
    [`${date(3)} Sev0 Acknowledged`]: 1,
    [`${date(3)} Sev1 Acknowledged`]: 1,
    [`${date(3)} Sev2 New`]: 1,
    [`${date(2)} Sev1 Acknowledged`]: 1,
    [`${date(2)} Sev2 New`]: 1,
    [`${date(1)} Sev2 New`]: 1,
    [`${date(1)} Sev3 Acknowledged`]: 1,
    [`${date(0)} Sev0 InProgress`]: 1,
    [`${date(0)} Sev2 New`]: 1,
    [`${date(0)} Sev3 Acknowledged`]: 1,
  };
  expect(await counts()).toEqual(expected);
  // One tenant is asked for, of two that the caller has.
  expect(await counts(0, holder([tenantId, otherTenant]))).toEqual(expected);
});

it('begins days by the clock of the caller', async () => {
  const days = Object.keys(await counts(840)).map((key) => key.slice(0, 10));
  expect(days.at(-1)).toBe(new Date(Date.now() + 840 * 60_000).toISOString().slice(0, 10));
});
