/** Messages that wait: later channels in quiet hours that have begun since the first message, and those of people who leave meanwhile. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { builtInAction, severities } from '@cloudfit/contract/enums.ts';
import { until } from '../../rules/testing/flow.ts';
import { startAutomation, type Automation } from '../../testing/automation.ts';
import { startPushService, type PushService } from '../../testing/push-service.ts';
import { personIn } from '../../testing/samples.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../testing/world.ts';
import { releaseHeld } from './release-held.ts';

let world: TestWorld;
let worker: Automation;
let pushes: PushService;
let tenantId: string;
let personId: string;
let me: TestCaller;
beforeAll(async () => {
  world = await createWorld();
  worker = await startAutomation(world);
  pushes = await startPushService();
  ({ tenantId } = await world.tenant('North plant'));
  personId = await personIn(world, tenantId, 'Nia Night');
  const [row] = await rows<{ user_name: string }>('select user_name from person where person_id = $1', personId);
  me = { ...holder([tenantId]), actor: { kind: 'person', id: personId, name: 'Nia Night', userName: row?.user_name ?? '' } };
  const { endpoint, keys, name } = pushes.browser('Nia');
  await world.call(me, 'POST', '/v1/currentUser/pushSubscriptions', { endpoint, keys, browser: name });
});
afterAll(async () => {
  await worker.stop();
  await pushes.close();
  await world.close();
});

const rows = <T>(text: string, ...values: unknown[]) => world.system.db.query<T>({ text, values });
const clock = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16);

async function choose(quietHours: readonly object[]): Promise<void> {
  const steps = [
    { channel: 'Push', afterMinutes: 0, severities },
    { channel: 'Mail', afterMinutes: 10, severities },
  ];
  const chosen = { timeZone: 'UTC', phone: null, steps, quietHours, urgent: [] };
  expect((await world.call(me, 'PUT', '/v1/currentUser/notificationPreferences', chosen)).status).toBe(200);
}

/** Opens a unit of which the person is told. */
async function open(): Promise<number> {
  const { protocolId } = (await world.call(me, 'PUT', '/v1/protocols', { name: `Outage ${crypto.randomUUID()}`, tenantId })).body;
  await world.call(me, 'PUT', '/v1/protocolActions', {
    protocolId,
    sequence: 0,
    actionDefinitionId: builtInAction.notify,
    workUnitEventTypeId: 1,
    runAutomatically: true,
    parameters: JSON.stringify({ Whom: 'Person', PersonId: personId }),
  });
  const unit = await world.call(me, 'PUT', '/v1/workunits', { title: 'Pump', severityId: 'Sev3', workUnitTypeId: 1, tenantId, protocolId });
  return Number(unit.body['workUnitId']);
}

/** Opens a unit of which the person is told by push, and lets the quiet hours begin before the time of the mail has come. */
async function openAtDusk(): Promise<number> {
  await choose([]);
  const id = await open();
  await until(async () => (await outcomesOf(id)).join() === 'Push Sent,Mail Waiting');
  await choose(quietNow());
  await passTime();
  await until(async () => {
    const [waiting] = await rows<{ due: string | null }>('select due from notification where work_unit_id = $1 and turn = 1', id);
    return Date.parse(waiting?.due ?? '') > Date.now() + 3_600_000;
  });
  expect(await outcomesOf(id)).toEqual(['Push Sent', 'Mail Waiting']);
  return id;
}
const quietNow = () => [{ days: [0, 1, 2, 3, 4, 5, 6], from: clock(-3), to: clock(6) }];
const passTime = () => rows("update job set run_at = run_at - interval '10 minutes' where run_at > now() and dead_at is null");
const outcomesOf = async (id: number) =>
  (
    await rows<{ outcome: string }>(
      `select o.channel || ' ' || o.outcome as outcome from notification_outcome o join notification n using (notification_id) where o.work_unit_id = $1 order by n.turn`,
      id,
    )
  ).map(({ outcome }) => outcome);

it.each([
  ['until the quiet hours are over', () => choose([])],
  [
    'unless the unit becomes urgent',
    (id: number) => world.call(me, 'POST', `/v1/workunits/${id}`, { severityId: 'Sev1' }).then(({ status }) => expect(status).toBe(200)),
  ],
])('wait %s', async (_until, happens) => {
  const id = await openAtDusk();
  await happens(id);
  await passTime();
  await expect.poll(async () => (await outcomesOf(id)).join()).toBe('Push Sent,Mail Sent');
});

it('are left out when somebody has acknowledged in the quiet hours', async () => {
  const id = await openAtDusk();
  await world.call(me, 'POST', `/v1/workunits/${id}`, { stateId: 'Acknowledged' });
  await choose([]);
  await passTime();
  await expect.poll(async () => (await outcomesOf(id)).join()).toBe('Push Sent,Mail Stopped');
});

const endQuietHours = () =>
  rows("update notification set held_until = now() - interval '1 second' where person_id = $1 and released is null", personId);

const setEnabled = (enabled: boolean) => rows('update person set enabled = $2 where person_id = $1', personId, enabled);
const moveGrants = (to: string) => rows('update access_grant set tenant_id = $2 where person_id = $1', personId, to);

describe.each([
  ['is disabled', () => setEnabled(false)],
  ['works for another tenant alone', async () => moveGrants((await world.tenant(`South plant ${crypto.randomUUID()}`)).tenantId)],
])('a person who %s meanwhile', (_since, leave) => {
  afterEach(async () => {
    await setEnabled(true);
    await moveGrants(tenantId);
  });

  it('gets nothing by a later channel', async () => {
    await choose([]);
    const id = await open();
    await until(async () => (await outcomesOf(id)).join() === 'Push Sent,Mail Waiting');
    await leave();
    await passTime();
    await expect.poll(async () => (await outcomesOf(id)).join()).toBe('Push Sent,Mail Stopped');
  });

  it('gets no message that was held, and the unit says so', async () => {
    await choose(quietNow());
    const ids = [await open(), await open()];
    for (const id of ids) await expect.poll(() => outcomesOf(id)).toEqual(['Summary Held']);
    await leave();
    await endQuietHours();
    await releaseHeld(world.system.db, 'http://localhost');
    for (const id of ids) {
      const [message] = await rows<{ problem: string | null; told_by: string | null }>(
        'select problem, told_by from notification where work_unit_id = $1',
        id,
      );
      expect(message).toEqual({
        problem: 'Nia Night cannot be reached: disabled, or has no rights in this tenant any more.',
        told_by: null,
      });
    }
  });
});

// The last one, because the person has no browser afterwards.
it('are summed up by the next channel, if the browser takes no message any more', async () => {
  await choose(quietNow());
  const ids = [await open(), await open()];
  for (const id of ids) await expect.poll(() => outcomesOf(id)).toEqual(['Summary Held']);
  await choose([]);
  await endQuietHours();
  pushes.answers.set('Nia', 410);
  await releaseHeld(world.system.db, 'http://localhost');
  for (const id of ids)
    await expect
      .poll(async () => {
        await releaseHeld(world.system.db, 'http://localhost');
        return outcomesOf(id);
      })
      .toEqual(['Mail Sent']);
  await expect.poll(() => worker.mails.filter(({ subject }) => subject.includes('in your quiet hours'))).toHaveLength(1);
});
