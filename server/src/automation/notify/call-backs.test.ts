/** The queue of call backs: who is told when, once, by mail at the socket; taken by one, closed with an outcome; what the customer sees. */
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { minuteMs } from '@cloudfit/contract/durations.ts';
import { viewMine } from '@cloudfit/contract/permissions.ts';
import { openMail, type Mail } from '../../outbound/mail.ts';
import { silent, until } from '../../rules/testing/flow.ts';
import { startAutomation, type Automation } from '../../testing/automation.ts';
import { personIn } from '../../testing/samples.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../testing/world.ts';
import { destinationBreaker } from '../destinations.ts';
import { followCallBacks } from './call-backs.ts';

let world: TestWorld;
let worker: Automation;
let server: SMTPServer;
let mail: Mail;
let tenantId: string;
let me: TestCaller;
let customer: TestCaller;
const received: { to: string[]; source: string }[] = [];

beforeAll(async () => {
  world = await createWorld();
  server = new SMTPServer({
    disabledCommands: ['STARTTLS', 'AUTH'],
    onData: (stream, { envelope }, done) => {
      let source = '';
      stream.on('data', (part: Buffer) => (source += part.toString()));
      stream.on('end', () => {
        // A long line of a mail is folded.
        received.push({ to: envelope.rcptTo.map(({ address }) => address), source: source.replaceAll(/=?\r\n ?/g, ' ') });
        done();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  const breaker = destinationBreaker(world.system.db);
  mail = openMail({ url: `smtp://127.0.0.1:${port}`, from: 'CloudFit <ops@example.com>', breaker });
  worker = await startAutomation(world, 0, mail);
  ({ tenantId } = await world.tenant('North plant'));
  me = holder([tenantId]);
  customer = await callerOf('Mara', [viewMine]);
});
afterAll(async () => {
  await worker.stop();
  mail.close();
  await new Promise<void>((resolve) => server.close(() => resolve()));
  await world.close();
});

const rows = <T = object>(text: string, ...values: unknown[]) => world.system.db.query<T>({ text, values });

interface Person {
  id: string;
  email: string;
}
async function person(name: string): Promise<Person> {
  const id = await personIn(world, tenantId, name);
  const [row] = await rows<{ email: string | null }>('select email from person where person_id = $1', id);
  return { id, email: row?.email ?? '' };
}
async function callerOf(name: string, permissions?: readonly string[]): Promise<TestCaller> {
  const { id, email } = await person(name);
  await rows('update person set email_verified = true where person_id = $1', id);
  return { ...holder([tenantId], permissions), actor: { kind: 'person', id, name, userName: email } };
}

/** Makes a schedule of the tenant that takes call backs: the people take turns of a week, the first one now. */
async function schedule(people: readonly Person[]): Promise<void> {
  const layer = {
    name: 'First line',
    people: people.map(({ id }) => id),
    start: new Date(Date.now() - 60 * minuteMs).toISOString().slice(0, 16),
    unit: 'Weeks',
    every: 1,
    restrictions: [],
    holidays: 'Same',
  };
  const body = { name: `Desk ${crypto.randomUUID()}`, tenantId, timeZone: 'UTC', layers: [layer], takesCallBacks: true };
  expect((await world.call(me, 'PUT', '/v1/onCallSchedules', body)).status).toBe(201);
}

const request = async (): Promise<number> => {
  const body = { title: 'Printer smokes', description: 'In room 4.', stakeHolderPhoneNumber: '+49 {Secret:x} 30', tenantId };
  return Number((await world.call(customer, 'PUT', '/v1/rc/workunits', body)).body['workUnitId']);
};
const callMe = (id: number, by = customer) => world.call(by, 'POST', `/v1/workunitnotes/callme/${id}`);
const open = async (id: number) =>
  (await world.call(me, 'GET', `/v1/callBacks?$filter=workUnitId eq ${id} and closedAt eq null`)).body.value ?? [];
const openId = async (id: number): Promise<string> => String((await open(id))[0]?.['callBackId']);
const take = (id: string, by = me) => world.call(by, 'POST', `/v1/callBacks/${id}/take`);
const close = (id: string, body: object, by = me) => world.call(by, 'POST', `/v1/callBacks/${id}/close`, body);
/** Runs the background work of two servers at the same moment, so many minutes from now. */
const follow = (minutes = 0) =>
  Promise.all([1, 2].map(() => followCallBacks(world.database, silent, 0, () => new Date(Date.now() + minutes * minuteMs + 1_000))));
const mailsTo = ({ email }: Person) => received.filter(({ to }) => to.includes(email));
const requestOf = async (id: number) =>
  (await world.call(customer, 'GET', `/v1/workunits/rc?$filter=workUnitId eq ${id}`)).body.value?.[0] ?? {};
const notes = async (id: number) =>
  ((await world.call(me, 'GET', `/v1/workUnitNotes?$filter=workUnitId eq ${id}&$orderby=workUnitNoteId`)).body.value ?? []).map((note) =>
    String(note['detail']),
  );

it('tells who is on call once, then the next too when the time is over, and whoever has taken it alone', async () => {
  const [kim, lee] = [await person('Kim First'), await person('Lee Second')];
  await schedule([kim, lee]);
  const id = await request();
  expect(await requestOf(id)).toMatchObject({ callDue: null, callTaken: null });
  expect((await callMe(id)).status).toBe(200);
  // Asked again: one call back, one note.
  expect((await callMe(id)).body['message']).toEqual(expect.any(String));
  expect((await notes(id)).filter((detail) => detail.includes('asks to be called back'))).toHaveLength(1);
  const [row, ...more] = await open(id);
  expect(more).toEqual([]);
  const minutes = (Date.parse(String(row?.['due'])) - Date.parse(String(row?.['created']))) / minuteMs;
  expect([minutes, row?.['takenBy']]).toEqual([15, null]);
  expect((await requestOf(id))['callDue']).toBe(row?.['due']);
  expect((await world.call(me, 'GET', '/v1/callBacks/count')).body).toEqual({ open: 1, due: row?.['due'] });

  await rows('update tenant set enabled = false where tenant_id = $1', tenantId);
  await follow();
  await rows('update tenant set enabled = true where tenant_id = $1', tenantId);
  expect((await open(id))[0]?.['toldTimes']).toBe(0);
  await follow();
  expect((await open(id))[0]?.['toldTimes']).toBe(1);
  await follow(1);
  expect((await open(id))[0]?.['toldTimes']).toBe(1);
  await until(() => mailsTo(kim).length > 0);
  expect([mailsTo(kim).length, mailsTo(lee).length]).toEqual([1, 0]);
  // The number is sent as it was typed, and nothing in it is filled.
  expect(mailsTo(kim)[0]?.source).toMatch(/The customer asks at \+49 \{Secret:x\} 30 to be called back/);
  expect(mailsTo(kim)[0]?.source).toContain('Subject: Call back: Printer smokes (North plant)');

  await follow(15);
  await follow(16);
  await until(() => mailsTo(kim).length > 1 && mailsTo(lee).length > 0);
  expect([mailsTo(kim).length, mailsTo(lee).length]).toEqual([2, 1]);
  expect(mailsTo(lee)[0]?.source).toContain('Subject: Call back overdue: Printer smokes (North plant)');
  expect(await notes(id)).toContain('The time of the call back is over: nobody has taken it. Kim First, Lee Second are told.');
  // The news of the same call take the place of what nobody has read yet.
  const unread = await world.system.db.query<{ details: string[] }>({
    text: "select array_agg(detail) as details from inbox_item where work_unit_id = $1 and kind = 'CallMe' and read_at is null group by person_id",
    values: [id],
  });
  expect(unread.length).toBeGreaterThan(0);
  for (const { details } of unread) expect(details).toEqual(['The time of the call back is over: nobody has taken it.']);

  // Lee takes it: now only Lee is told, and the rounds end.
  const asLee: TestCaller = { ...holder([tenantId]), actor: { kind: 'person', id: lee.id, name: 'Lee Second', userName: lee.email } };
  expect((await take(await openId(id), asLee)).body).toMatchObject({ takenBy: lee.email });
  await follow(32);
  await until(() => mailsTo(lee).length > 1);
  await follow(48);
  await until(() => mailsTo(lee).length > 2);
  await follow(64);
  expect((await open(id))[0]?.['toldTimes']).toBe(4);
  expect(mailsTo(kim)).toHaveLength(2);
  expect(
    (await rows("select 1 from audit where entity = 'callBacks' and actor_name = 'Automation' and entity_id = $1", await openId(id)))
      .length,
  ).toBe(4);
});

it('tells those on call again when whoever has taken it has left', async () => {
  const kim = await person('Kim Again');
  await rows('update on_call_schedule set takes_call_backs = false where tenant_id = $1', tenantId);
  await schedule([kim]);
  const leaver = await callerOf('Leaver');
  const id = await request();
  await callMe(id);
  expect((await take(await openId(id), leaver)).status).toBe(200);
  await rows('update person set enabled = false where person_id = $1', leaver.actor?.id);
  await follow(16);
  await until(() => mailsTo(kim).length > 0);
  expect(mailsTo(kim)[0]?.source).toContain('Subject: Call back overdue: Printer smokes (North plant)');
  expect((await notes(id)).filter((detail) => detail.endsWith('Kim Again is told.'))).toHaveLength(1);
  await close(await openId(id), { outcome: 'NotNeeded' });
});

it('is taken by one of two who press at once, and closed with an outcome that is a note', async () => {
  const id = await request();
  await callMe(id);
  const callBack = await openId(id);
  const [ann, ben] = [await callerOf('Ann'), await callerOf('Ben')];
  const answers = await Promise.all([take(callBack, ann), take(callBack, ben)]);
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
  expect((await requestOf(id))['callTaken']).toEqual(expect.any(String));
  const [winner, loser] = answers[0]?.status === 200 ? [ann, ben] : [ben, ann];
  expect((await take(callBack, winner)).status).toBe(200);
  expect((await notes(id)).filter((detail) => detail.startsWith('Takes the call back'))).toHaveLength(1);

  // Not reached: the customer reads that we tried, and a new call back waits.
  expect((await close(callBack, { outcome: 'NotReached', note: 'Mailbox.' }, loser)).body).toMatchObject({ outcome: 'NotReached' });
  expect((await close(callBack, { outcome: 'Reached' })).status).toBe(409);
  expect((await take(callBack)).status).toBe(409);
  const external = (await world.call(customer, 'GET', `/v1/workunits/${id}/externalNotes`)).body.value ?? [];
  expect(external.map((note) => [note['isFromCustomer'], note['detail']])).toEqual([
    [false, 'We called you back at +49 {Secret:x} 30 and did not reach you. We will call again.'],
    [true, 'Mara asks to be called back at +49 {Secret:x} 30.'],
  ]);
  const again = await openId(id);
  expect(again).not.toBe(callBack);
  expect(await requestOf(id)).toMatchObject({ callTaken: null, callDue: expect.any(String) });
  expect((await close(again, { outcome: 'Reached', note: 'Will send a technician.' }, ben)).body).toMatchObject({ outcome: 'Reached' });
  expect(await notes(id)).toContain('Called the customer back at +49 {Secret:x} 30.\n\nWill send a technician.');
  expect([await open(id), (await requestOf(id))['callDue']]).toEqual([[], null]);
});

it('is refused to whom it does not concern', async () => {
  const id = await request();
  await callMe(id);
  const callBack = await openId(id);
  const { tenantId: otherId } = await world.tenant('Other');
  const body = { outcome: 'Reached' };
  const by = (caller: TestCaller | null) =>
    Promise.all(
      [
        world.call(caller, 'POST', `/v1/callBacks/${callBack}/take`),
        world.call(caller, 'POST', `/v1/callBacks/${callBack}/close`, body),
        world.call(caller, 'GET', '/v1/callBacks/count'),
      ].map(async (answer) => (await answer).status),
    );
  expect(await by(null)).toEqual([401, 401, 401]);
  expect(await by(holder([tenantId], ['CloudFit.CFS.WorkUnits:view']))).toEqual([403, 403, 403]);
  expect(await by(customer)).toEqual([403, 403, 403]);
  expect(await by(holder([otherId]))).toEqual([404, 404, 200]);
  expect((await world.call(holder([otherId]), 'GET', '/v1/callBacks/count')).body).toEqual({ open: 0, due: null });
  expect((await close(callBack, { outcome: 'Perhaps' })).body).toMatchObject({ error: { details: [{ target: 'outcome' }] } });
  expect((await close(callBack, { outcome: 'Reached', note: 'x'.repeat(2_001) })).body).toMatchObject({
    error: { details: [{ target: 'note' }] },
  });
  await rows('update call_back set closed_at = now() where call_back_id = $1', callBack);
});

it('leaves out later messages once somebody has taken it', async () => {
  const id = await request();
  const kim = await person('Kim Late');
  await rows('update on_call_schedule set takes_call_backs = false where tenant_id = $1', tenantId);
  await schedule([kim]);
  await rows(
    `insert into notification_preference (person_id, phone, time_zone, steps, quiet_hours, urgent, modified_by)
     values ($1, null, 'UTC', $2, '[]', '[]', 'test')`,
    kim.id,
    JSON.stringify([0, 5].map((afterMinutes) => ({ channel: 'Mail', afterMinutes, severities: ['Sev0', 'Sev1', 'Sev2', 'Sev3', 'Sev4'] }))),
  );
  await callMe(id);
  await follow();
  const [waiting] = await until(async () => {
    const all = await rows<{ message_id: string }>('select message_id from notification where person_id = $1 and due > now()', kim.id);
    return all.length > 0 && mailsTo(kim).length > 0 && all;
  });
  expect((await take(await openId(id))).status).toBe(200);
  await rows('update job set run_at = now() where once_key = $1', waiting?.message_id);
  const outcome = await worker.outcome(waiting?.message_id);
  expect(JSON.stringify(outcome.result_detail)).toContain('has taken the call back');
  expect(mailsTo(kim)).toHaveLength(1);
});
