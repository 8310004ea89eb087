/** The handover of a shift: a note before it, one message at its time, and the recorded facts of the shift. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { minuteMs } from '@cloudfit/contract/durations.ts';
import { builtInAction, severities } from '@cloudfit/contract/enums.ts';
import type { Handover, HandoverFacts } from '@cloudfit/contract/on-call/handover.calls.ts';
import { silent, until } from '../../rules/testing/flow.ts';
import { startAutomation, type Automation } from '../../testing/automation.ts';
import { personIn } from '../../testing/samples.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../testing/world.ts';
import { followHandovers } from './handover.ts';
let world: TestWorld;
let worker: Automation;
let tenantId: string;
let otherId: string;
let me: TestCaller;

beforeAll(async () => {
  world = await createWorld();
  worker = await startAutomation(world);
  ({ tenantId } = await world.tenant('North plant'));
  ({ tenantId: otherId } = await world.tenant('Other'));
  me = holder([tenantId]);
});
afterAll(async () => {
  await worker.stop();
  await world.close();
});

const rows = <T = object>(text: string, ...values: unknown[]) => world.system.db.query<T>({ text, values });

interface Person {
  id: string;
  caller: TestCaller;
  email: string;
}
const view = ['CloudFit.CFS.OnCall:view', 'CloudFit.CFS.WorkUnits:view', 'CloudFit.CFS.Maintenance:view'] as const;
async function person(name: string): Promise<Person> {
  const id = await personIn(world, tenantId, name);
  const [row] = await rows<{ email: string | null }>('select email from person where person_id = $1', id);
  const actor = { kind: 'person' as const, id, name, userName: row?.email ?? '' };
  return { id, caller: { ...holder([tenantId], [...view]), actor }, email: row?.email ?? '' };
}

/** Creates a schedule whose first person goes off call at this time. */
async function schedule(people: readonly Person[], at: number): Promise<string> {
  const layer = {
    name: 'First line',
    people: people.map(({ id }) => id),
    start: new Date(at - 7 * 24 * 60 * minuteMs).toISOString().slice(0, 16),
    unit: 'Weeks',
    every: 1,
    restrictions: [],
    holidays: 'Same',
  };
  const name = `Plant ${crypto.randomUUID()}`;
  const { body } = await world.call(me, 'PUT', '/v1/onCallSchedules', { name, tenantId, timeZone: 'UTC', layers: [layer] });
  expect(body['error']).toBeUndefined();
  return String(body['onCallScheduleId']);
}
/** A full minute about half an hour ahead. */
const soon = (): number => Math.floor(Date.now() / minuteMs) * minuteMs + 30 * minuteMs;
/** Runs the background work on two servers at the same moment. */
const follow = (now: number) =>
  Promise.all([1, 2].map(() => followHandovers(world.system.db, { now, publicUrl: 'http://localhost', pauseMs: 0, log: silent })));
const handovers = async ({ caller }: Pick<Person, 'caller'>, id?: string): Promise<Handover[]> =>
  (await world.call(caller, 'GET', `/v1/onCallHandovers${id ? `?onCallScheduleId=${id}` : ''}`)).body['value'] as Handover[];
const write = (caller: TestCaller, { onCallHandoverId: id }: Handover, note: string) =>
  world.call(caller, 'POST', `/v1/onCallHandovers/${id}/note`, { note });
const mailsTo = ({ email }: Person) => worker.mails.filter((mail) => mail.to === email);

it('asks who goes for a note, tells who comes once with a link, and keeps what was known of the shift', async () => {
  const [kim, lee] = [await person('Kim Goes'), await person('Lee Comes')];
  const at = soon();
  const scheduleId = await schedule([kim, lee], at);
  const { body: protocol } = await world.call(me, 'PUT', '/v1/protocols', { name: 'Night', tenantId });
  await world.call(me, 'PUT', '/v1/protocolActions', {
    protocolId: protocol['protocolId'],
    sequence: 0,
    actionDefinitionId: builtInAction.notify,
    workUnitEventTypeId: 1,
    runAutomatically: true,
    parameters: JSON.stringify({ Whom: 'Schedule', ScheduleId: scheduleId }),
  });
  const unit = { title: 'Pump is down', severityId: 'Sev2', workUnitTypeId: 1, tenantId, protocolId: protocol['protocolId'] };
  const { body: opened } = await world.call(me, 'PUT', '/v1/workunits', unit);
  await until(() => mailsTo(kim).length === 1);
  await world.call(me, 'PUT', '/v1/workunits', { ...unit, title: 'Not of this schedule', protocolId: null });
  await world.call(me, 'PUT', '/v1/maintenanceWindows', {
    reason: 'New disk',
    endsAt: new Date(at + 60 * minuteMs).toISOString(),
    deviceIds: [(await world.call(me, 'PUT', '/v1/devices', { name: `web-${scheduleId}`, ...(await subscriptionOf()) })).body['deviceId']],
    tenantId,
  });

  expect(await handovers(kim)).toEqual([]);
  await follow(at - 59 * minuteMs);
  const [draft, ...more] = await handovers(kim);
  if (!draft) throw new Error('No draft.');
  expect(more).toEqual([]);
  expect(draft).toMatchObject({ mayWrite: true, completed: null, note: null, handedAt: new Date(at).toISOString(), fromName: 'Kim Goes' });
  expect(await handovers(lee)).toEqual([]);
  const factsOf = async ({ caller }: Pick<Person, 'caller'>) =>
    (await world.call(caller, 'GET', `/v1/onCallHandovers/${draft.onCallHandoverId}/facts`)).body as unknown as HandoverFacts;
  expect(await factsOf(kim)).toMatchObject({
    units: [{ title: 'Pump is down', opened: true, acknowledged: false, resolved: false, isOpen: true, stateId: 'New' }],
    messages: [{ name: 'Kim Goes', channel: 'Mail', title: 'Pump is down' }],
    maintenance: [{ reason: 'New disk' }],
  });

  // Also what is assigned to the address of the person, which need not be the sign-in name.
  const named = (email: string) =>
    world.system.db.query({
      text: 'update person set email = $2 where email = $1',
      values: [email === kim.email ? 'Kim@Mail.Example' : kim.email, email],
    });
  await named('Kim@Mail.Example');
  const { body: another } = await world.call(me, 'PUT', '/v1/workunits', {
    ...unit,
    title: 'Given',
    protocolId: null,
    assignedTo: 'kim@mail.example',
  });
  expect((await factsOf(kim)).units.map(({ title }) => title).toSorted()).toEqual(['Given', 'Pump is down']);
  await world.call(me, 'POST', `/v1/workunits/${String(another['workUnitId'])}`, { stateId: 'Canceled' });
  await named(kim.email);

  // The note cannot be written by the person who comes, nor by people without permissions or of another tenant.
  expect((await write(lee.caller, draft, 'Mine')).status).toBe(403);
  expect((await write(holder([otherId]), draft, 'Theirs')).status).toBe(404);
  expect((await world.call(null, 'POST', `/v1/onCallHandovers/${draft.onCallHandoverId}/note`, { note: 'x' })).status).toBe(401);
  expect((await write(holder([tenantId], ['CloudFit.CFS.WorkUnits:view']), draft, 'x')).status).toBe(403);
  expect((await write(kim.caller, draft, 'x'.repeat(10_001))).body).toMatchObject({ error: { details: [{ target: 'note' }] } });
  expect((await write(kim.caller, draft, 'Watch pump 4.')).status).toBe(200);
  expect(await handovers(kim)).toEqual([]);
  await world.call(me, 'POST', `/v1/workunits/${String(opened['workUnitId'])}`, { stateId: 'Acknowledged' });

  await follow(at);
  await follow(at + minuteMs);
  await until(() => mailsTo(lee).length > 0);
  expect(mailsTo(lee)).toHaveLength(1);
  const [mail] = mailsTo(lee);
  expect(mail?.subject).toMatch(/^You are on call: Plant .*\. Handover from Kim Goes$/);
  expect(mail?.text).toContain('Watch pump 4.');
  expect(mail?.text).toContain('1 work unit in the shift, 1 open. 1 message of the schedule.');
  expect(mail?.text).toContain(`http://localhost/${tenantId}/oncall?id=${scheduleId}&tab=handovers`);

  // What happens after the shift does not belong to its facts.
  await world.call(me, 'POST', `/v1/workunits/${String(opened['workUnitId'])}`, { stateId: 'Resolved', resolution: 'New seal.' });
  expect((await factsOf(lee)).units).toMatchObject([{ acknowledged: true, stateId: 'Acknowledged', isOpen: true }]);
  const blind = { caller: holder([tenantId], ['CloudFit.CFS.OnCall:view']) };
  expect(await factsOf(blind)).toEqual({ units: [], moreUnits: 0, messages: [], maintenance: [] });

  const read = ({ caller }: Pick<Person, 'caller'>) => world.call(caller, 'POST', `/v1/onCallHandovers/${draft.onCallHandoverId}/read`);
  expect(await handovers(lee)).toMatchObject([{ note: 'Watch pump 4.', isMine: true, mayWrite: false, toName: 'Lee Comes' }]);
  expect((await read(kim)).status).toBe(403);
  expect([(await read(lee)).status, (await read(lee)).status]).toEqual([200, 200]);
  expect(await handovers(lee)).toEqual([]);
  // A changed note counts as unread again.
  await write(kim.caller, draft, 'Watch pump 5.');
  expect(await handovers(lee)).toMatchObject([{ note: 'Watch pump 5.' }]);
  expect(await handovers(blind, scheduleId)).toMatchObject([{ note: 'Watch pump 5.', toName: 'Lee Comes', mayWrite: false }]);
  expect((await world.call(holder([otherId]), 'GET', `/v1/onCallHandovers?onCallScheduleId=${scheduleId}`)).status).toBe(404);
  const audit = await rows<{ verb: string; actor_name: string }>(
    "select verb, actor_name from audit where entity = 'onCallHandovers' and entity_id = $1 order by at, audit_id",
    draft.onCallHandoverId,
  );
  expect(audit.map(({ verb, actor_name }) => `${verb} ${actor_name}`)).toEqual([
    `update ${kim.email}`,
    'handover Automation',
    `read ${lee.email}`,
    `update ${kim.email}`,
  ]);
});

let subscriptionId: string | undefined;
async function subscriptionOf(): Promise<{ tenantId: string; subscriptionId: string }> {
  if (subscriptionId === undefined) {
    const [row] = await rows<{ id: string }>('select subscription_id as id from subscription where tenant_id = $1 limit 1', tenantId);
    subscriptionId = row?.id ?? '';
  }
  return { tenantId, subscriptionId };
}

it('follows overrides: a shift that goes on keeps its note, and one that ends early is handed over', async () => {
  const [kim, lee] = [await person('Kim Stays'), await person('Lee Takes')];
  const at = soon();
  const scheduleId = await schedule([kim, lee], at);
  await follow(at - 30 * minuteMs);
  const [draft] = await handovers(kim);
  if (!draft) throw new Error('No draft.');
  await write(kim.caller, draft, 'Still me.');
  const override = (personId: string, from: number, to: number) =>
    world.call(me, 'PUT', '/v1/onCallOverrides', {
      onCallScheduleId: scheduleId,
      personId,
      startsAt: new Date(from).toISOString(),
      endsAt: new Date(to).toISOString(),
    });
  await override(kim.id, at, at + 120 * minuteMs);
  await follow(at);
  expect(await handovers(kim, scheduleId)).toMatchObject([
    { completed: null, note: 'Still me.', handedAt: new Date(at + 120 * minuteMs).toISOString() },
  ]);
  // Lee takes over an hour earlier than planned.
  await override(lee.id, at + 60 * minuteMs, at + 120 * minuteMs);
  await follow(at + 60 * minuteMs);
  await until(() => mailsTo(lee).length > 0);
  expect(mailsTo(lee)).toHaveLength(1);
  expect(mailsTo(lee)[0]?.text).toContain('Still me.');
  await follow(at + 120 * minuteMs);
  const [first, ...others] = await handovers(kim, scheduleId);
  expect([first?.toName, first?.handedAt, others]).toEqual(['Lee Takes', new Date(at + 60 * minuteMs).toISOString(), []]);
});

it('reads only schedules that are due: an hour before a handover, ten minutes after the last time, and after a change', async () => {
  const [kim, lee] = [await person('Kim Due'), await person('Lee Due')];
  const at = Math.floor(Date.now() / minuteMs) * minuteMs + 3 * 24 * 60 * minuteMs;
  const scheduleId = await schedule([kim, lee], at);
  const rowVersion = async () => {
    const text = 'select xmin::text as version from on_call_schedule where on_call_schedule_id = $1';
    return (await rows<{ version: string }>(text, scheduleId))[0]?.version;
  };
  /**
   * Whether the background work reads the schedule at `now`: a read stores the time of the next read, which changes the row.
   */
  async function isRead(now: number): Promise<boolean> {
    const before = await rowVersion();
    await followHandovers(world.system.db, { now, publicUrl: 'http://localhost', pauseMs: 0, log: silent });
    return (await rowVersion()) !== before;
  }
  expect(await isRead(at - 67 * minuteMs)).toBe(true);
  expect(await isRead(at - 66 * minuteMs)).toBe(false);
  expect(await handovers(kim)).toEqual([]);
  // The draft is due seven minutes after the last read, so the schedule is read then, and not after ten minutes.
  expect(await isRead(at - 60 * minuteMs)).toBe(true);
  expect(await handovers(kim)).toHaveLength(1);
  expect(await isRead(at - 51 * minuteMs)).toBe(false);
  expect(await isRead(at - 50 * minuteMs)).toBe(true);
  const override = {
    onCallScheduleId: scheduleId,
    personId: lee.id,
    startsAt: new Date(at - 49 * minuteMs).toISOString(),
    endsAt: new Date(at).toISOString(),
  };
  const { body } = await world.call(me, 'PUT', '/v1/onCallOverrides', override);
  expect(await isRead(at - 50 * minuteMs)).toBe(true);
  expect(await isRead(at - 50 * minuteMs)).toBe(false);
  await world.call(me, 'DELETE', `/v1/onCallOverrides/${String(body['onCallOverrideId'])}`);
  expect(await isRead(at - 50 * minuteMs)).toBe(true);
  await world.call(me, 'POST', `/v1/onCallSchedules/${scheduleId}`, { timeZone: 'Europe/Lisbon' });
  expect(await isRead(at - 50 * minuteMs)).toBe(true);
  expect(await isRead(at - 50 * minuteMs)).toBe(false);
});

it('forgets a handover that was taken off the schedule, and waits for the end of quiet hours', async () => {
  const [kim, lee] = [await person('Kim Gone'), await person('Lee Sleeps')];
  const at = soon();
  const scheduleId = await schedule([kim, lee], at);
  await follow(at - 30 * minuteMs);
  const { body } = await world.call(me, 'GET', `/v1/onCallSchedules(${scheduleId})`);
  const [layer] = body['layers'] as { people: string[] }[];
  await world.call(me, 'POST', `/v1/onCallSchedules/${scheduleId}`, { layers: [{ ...layer, people: [kim.id] }] });
  await follow(at);
  expect(await handovers(kim, scheduleId)).toEqual([]);

  const clock = (time: number) => new Date(time).toISOString().slice(11, 16);
  const quiet = { days: [0, 1, 2, 3, 4, 5, 6], from: clock(at - 60 * minuteMs), to: clock(at + 60 * minuteMs) };
  await world.call(lee.caller, 'PUT', '/v1/currentUser/notificationPreferences', {
    timeZone: 'UTC',
    phone: null,
    steps: [{ channel: 'Mail', afterMinutes: 0, severities }],
    quietHours: [quiet],
    urgent: [],
  });
  const quietSchedule = await schedule([kim, lee], at);
  await follow(at);
  expect(await handovers(lee)).toMatchObject([{ onCallScheduleId: quietSchedule, note: null }]);
  expect(mailsTo(lee)).toEqual([]);
  await follow(at + 60 * minuteMs);
  await until(() => mailsTo(lee).length > 0);
  expect(mailsTo(lee)[0]?.text).toContain('Kim Gone has written no note yet.');
});

it('hands over nothing that was over before the schedule was made', async () => {
  const [kim, lee] = [await person('Kim Before'), await person('Lee Since')];
  const now = Date.now();
  const scheduleId = await schedule([kim, lee], Math.floor(now / minuteMs) * minuteMs - 30 * minuteMs);
  await follow(now);
  expect(await handovers({ caller: me }, scheduleId)).toEqual([]);
});

it('goes on with other schedules when one fails', async () => {
  const at = soon();
  const [ann, ben, cem, dov] = [await person('Ann'), await person('Ben'), await person('Cem'), await person('Dov')];
  const [broken, sound] = [await schedule([ann, ben], at), await schedule([cem, dov], at)];
  const { db } = world.system;
  const failing: typeof db = {
    ...db,
    query: (statement) =>
      statement.name === 'handover-add' && statement.values?.[1] === broken
        ? Promise.reject(new Error('The schedule cannot be read.'))
        : (Reflect.apply(db.query, db, [statement]) as Promise<never[]>),
  };
  await followHandovers(failing, { now: at - 30 * minuteMs, publicUrl: 'http://localhost', pauseMs: 0, log: silent });
  expect(await handovers(ann, broken)).toEqual([]);
  expect(await handovers(cem, sound)).toHaveLength(1);
});
