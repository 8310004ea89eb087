/**
 * Messages to browsers, phones and mailboxes of people, in the order of channels and outside quiet hours, as the push service,
 * the SMS provider and the mail server get them.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtInAction, severities } from '@cloudfit/contract/enums.ts';
import type { Severity } from '@cloudfit/contract/on-call/preferences.ts';
import { loadPushKey } from '../../auth/push/key.ts';
import { endSession } from '../../auth/sessions.ts';
import { until } from '../../rules/testing/flow.ts';
import { startAutomation, type Automation } from '../../testing/automation.ts';
import { startPushService, type PushService, type TestBrowser } from '../../testing/push-service.ts';
import { personIn } from '../../testing/samples.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../testing/world.ts';
import { queueActions } from '../queue-actions.ts';
import { heldWork, releaseHeld } from './release-held.ts';

let world: TestWorld;
let workers: Automation[];
let tenantId: string;
let me: TestCaller;
let pushes: PushService;
let gateway: Server;
const texts: { to: string; text: string }[] = [];

beforeAll(async () => {
  world = await createWorld();
  workers = [await startAutomation(world), await startAutomation(world)];
  ({ tenantId } = await world.tenant('North plant'));
  me = holder([tenantId]);
  pushes = await startPushService();
  gateway = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      texts.push(JSON.parse(Buffer.concat(chunks).toString()) as (typeof texts)[number]);
      response.end('ok');
    });
  });
  await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve));
  const action = await world.call(me, 'PUT', '/v1/actionDefinitions', {
    name: 'Texts',
    actionDefinitionTypeId: 2,
    tenantId,
    endpointUrl: `http://127.0.0.1:${(gateway.address() as AddressInfo).port}/`,
    httpMethod: 'POST',
    inputParameters: 'To',
    body: '{"to":"{To}","text":"{Severity} {PublicWorkUnitId}: {Title} {AckUrl} {State} {Created}"}',
    sendsSms: true,
  });
  if (action.status !== 201) throw new Error(action.text);
});
afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
  await pushes.close();
  gateway.closeAllConnections();
  await new Promise((resolve) => gateway.close(resolve));
  await world.close();
});

const rows = <T>(text: string, ...values: unknown[]) => world.system.db.query<T>({ text, values });
const all = [...severities];

interface Person {
  personId: string;
  caller: TestCaller;
  email: string;
}

async function person(name: string, mayEdit = true): Promise<Person> {
  const personId = await personIn(world, tenantId, name);
  // A link acknowledges for those who may edit units.
  const rights = ['CloudFit.CFS.WorkUnits:view', ...(mayEdit ? ['CloudFit.CFS.WorkUnits:edit'] : [])];
  await rows('update permission_set set permissions = $2 where name = $1', name, JSON.stringify(rights));
  const [row] = await rows<{ user_name: string }>('select user_name from person where person_id = $1', personId);
  const userName = row?.user_name ?? '';
  return { personId, caller: { ...holder([tenantId], []), actor: { kind: 'person', id: personId, name, userName } }, email: userName };
}

const subscribe = ({ caller }: Person, { name, endpoint, keys }: TestBrowser) =>
  world.call(caller, 'POST', '/v1/currentUser/pushSubscriptions', { endpoint, keys, browser: name });

const preferences = (change: object = {}) => ({
  timeZone: 'UTC',
  phone: null,
  steps: [{ channel: 'Mail', afterMinutes: 0, severities: all }],
  quietHours: [],
  urgent: [],
  ...change,
});
async function choose({ caller }: Person, change: object): Promise<void> {
  const answer = await world.call(caller, 'PUT', '/v1/currentUser/notificationPreferences', preferences(change));
  expect(answer.body['error']).toBeUndefined();
}
/** Quiet hours around this moment that do not end during the test. */
function quietNow(): { days: number[]; from: string; to: string }[] {
  const clock = (at: number) => new Date(at).toISOString().slice(11, 16);
  const from = Date.now() - 3 * 3_600_000;
  const to = Date.now() + 6 * 3_600_000;
  return [{ days: [0, 1, 2, 3, 4, 5, 6], from: clock(from), to: clock(to) }];
}

async function open(people: readonly Person[], severityId: Severity, title = 'Pump is down'): Promise<number> {
  const created = await world.call(me, 'PUT', '/v1/protocols', { name: `Outage ${crypto.randomUUID()}`, tenantId });
  const { protocolId } = created.body;
  for (const [sequence, { personId }] of people.entries()) {
    const action = await world.call(me, 'PUT', '/v1/protocolActions', {
      protocolId,
      sequence,
      actionDefinitionId: builtInAction.notify,
      workUnitEventTypeId: 1,
      runAutomatically: true,
      parameters: JSON.stringify({ Whom: 'Person', PersonId: personId }),
    });
    expect(action.body['error']).toBeUndefined();
  }
  const unit = await world.call(me, 'PUT', '/v1/workunits', { title, severityId, workUnitTypeId: 1, tenantId, protocolId });
  expect(unit.body['error']).toBeUndefined();
  return Number(unit.body['workUnitId']);
}
const quiet = () =>
  until(async () => {
    const [left] = await rows<{ count: number }>(
      'select (select count(*)::int from job where dead_at is null and run_at <= now()) + (select count(*)::int from protocol_run) as count',
    );
    return left?.count === 0;
  });
const outcomesOf = async (id: number): Promise<string[]> => {
  await quiet();
  const messages = await rows<{ channel: string; outcome: string; turn: number }>(
    `select o.channel, o.outcome, n.turn from notification_outcome o join notification n using (notification_id) where o.work_unit_id = $1 order by n.turn, o.channel, o.address`,
    id,
  );
  return messages.map(({ channel, outcome }) => `${channel} ${outcome}`);
};
/** Simulates that this many minutes have passed for the channels that wait. */
const pass = (minutes: number) =>
  rows(`update job set run_at = run_at - make_interval(mins => $1::int) where run_at > now() and dead_at is null`, minutes);
const mailsTo = ({ email }: Person) => workers.flatMap(({ mails }) => mails).filter((mail) => mail.to === email);

describe('a push message', () => {
  it('arrives at each browser of the person, readable by it alone, says what is broken and acknowledges', async () => {
    const kim = await person('Kim Push');
    const [laptop, phone] = [pushes.browser('Firefox on Linux'), pushes.browser('Chrome on Android')];
    expect([(await subscribe(kim, laptop)).status, (await subscribe(kim, phone)).status]).toEqual([200, 200]);
    const id = await open([kim], 'Sev1');
    expect(await outcomesOf(id)).toEqual(['Push Sent', 'Push Sent', 'Mail Sent']);
    const got = pushes.received.filter(({ payload }) => payload['tag'] === `unit-${id}`);
    expect(got.map((item) => item.subscription).toSorted()).toEqual(['Chrome on Android', 'Firefox on Linux']);
    const [unit] = await rows<{ public_work_unit_id: number }>('select public_work_unit_id from work_unit where work_unit_id = $1', id);
    const [message] = got;
    expect(message?.payload).toMatchObject({
      title: 'Sev1: Pump is down',
      body: `Work unit ${unit?.public_work_unit_id}, New, North plant`,
      url: expect.stringMatching(`^http://localhost/${tenantId}/workunitsv2\\?workUnitId=${id}&message=[0-9a-f-]{36}$`) as string,
      since: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T/) as string,
    });
    expect(message?.headers).toMatchObject({ urgency: 'high', 'content-encoding': 'aes128gcm', key: world.pushKey.publicKey });
    const ack = new URL(String(message?.payload['ackUrl'])).pathname;
    expect((await world.call(null, 'POST', ack)).status).toBe(200);
    const [after] = await rows<{ state_id: string; assigned_to: string | null }>(
      'select state_id, assigned_to from work_unit where work_unit_id = $1',
      id,
    );
    expect(after).toEqual({ state_id: 'Acknowledged', assigned_to: kim.email });
    const tries = await rows<{ target: string; sent: string | null }>(
      `select t.target, t.sent from action_try t join action_history h using (action_history_id) where h.work_unit_id = $1 and t.target like 'POST%'`,
      id,
    );
    expect(tries.map((item) => item.target)).toEqual([`POST ${pushes.origin}/***`, `POST ${pushes.origin}/***`]);
    for (const { sent } of tries) expect(sent).toMatch(/"ackUrl":"http:\/\/localhost\/ack\/\*\*\*"/);
  });

  it('is in the language of the person, as are the mails of the same unit to each', async () => {
    const [greta, emma] = [await person('Greta German'), await person('Emma English')];
    await rows(`update person set locale = '{"language": "de", "timeZone": "Europe/Berlin"}' where person_id = $1`, greta.personId);
    await subscribe(greta, pushes.browser('Greta'));
    await subscribe(emma, pushes.browser('Emma'));
    const id = await open([greta, emma], 'Sev1');
    await outcomesOf(id);
    const [unit] = await rows<{ number: number }>('select public_work_unit_id as number from work_unit where work_unit_id = $1', id);
    const pushTo = (browser: string) => pushes.received.find(({ subscription }) => subscription === browser)?.payload;
    expect(pushTo('Greta')).toMatchObject({
      body: `Vorgang ${unit?.number}, Neu, North plant`,
      texts: { acknowledge: 'Bestätigen', acknowledged: 'Bestätigt', since: 'Seit' },
      since: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T/) as string,
    });
    expect(pushTo('Emma')).toMatchObject({
      body: `Work unit ${unit?.number}, New, North plant`,
      texts: { acknowledge: 'Acknowledge', acknowledged: 'Acknowledged', since: 'Since' },
    });
    const [german, english] = [mailsTo(greta), mailsTo(emma)].map(([mail]) => String(mail?.text));
    expect(german).toMatch(
      /^Vorgang \d+: Pump is down\nSchweregrad: Sev1\nZustand: Neu\nKunde: North plant\nEröffnet: \d\d\.\d\d\.\d{4}, \d\d:\d\d MES?Z\n\nBestätigen: http/,
    );
    expect(english).toMatch(
      /^Work unit \d+: Pump is down\nSeverity: Sev1\nState: New\nCustomer: North plant\nOpened: \d{4}-\d\d-\d\dT[\d:.]+Z\n\nAcknowledge: http/,
    );
  });

  it('has no link that acknowledges for a person who may only view the unit', async () => {
    const ray = await person('Ray Reads', false);
    await subscribe(ray, pushes.browser('Reads'));
    await open([ray], 'Sev1');
    await until(() => pushes.received.some(({ subscription }) => subscription === 'Reads'));
    const got = pushes.received.filter(({ subscription }) => subscription === 'Reads');
    expect(got.map(({ payload }) => [payload['ackUrl'], String(payload['url']).includes('/workunitsv2?')])).toEqual([[null, true]]);
  });

  it('ends the subscription that its service does not know any more, and the next channel goes out at once', async () => {
    const lee = await person('Lee Gone');
    await subscribe(lee, pushes.browser('Gone'));
    pushes.answers.set('Gone', 410);
    await choose(lee, {
      steps: [
        { channel: 'Push', afterMinutes: 0, severities: all },
        { channel: 'Mail', afterMinutes: 10, severities: all },
      ],
    });
    const id = await open([lee], 'Sev2');
    await until(async () => (await outcomesOf(id)).join() === 'Push Failed,Mail Sent');
    expect(await rows('select 1 from push_subscription where person_id = $1', lee.personId)).toEqual([]);
    const [audit] = await rows<{ after: object | null; actor_name: string }>(
      "select after, actor_name from audit where entity = 'pushSubscriptions' and verb = 'delete' and tenant_id = $1 and before->>'personId' = $2",
      tenantId,
      lee.personId,
    );
    expect(audit).toEqual({ after: { why: 'The push service does not know it any more.' }, actor_name: 'Automation' });
    const [execution] = await rows<{ error: string }>(
      "select result_detail->>'error' as error from action_history where work_unit_id = $1 and result_status_id = 2",
      id,
    );
    expect(execution?.error).toBe('The push service answered 410: Gone has ended its subscription.');
  });

  it('goes to no address that the installation does not call, nor with keys that are none', async () => {
    const max = await person('Max Wrong');
    const browser = pushes.browser('Wrong');
    const refusal = async (change: object) => {
      const { status, body } = await world.call(max.caller, 'POST', '/v1/currentUser/pushSubscriptions', {
        ...browser,
        browser: 'Wrong',
        ...change,
      });
      const { target, message } = body['error'] as { target: string; message: string };
      return [status, target, message];
    };
    for (const endpoint of [
      'http://push.example.com/x',
      'http://127.0.0.1:80@push.example.com/x',
      'http://localhost.example/x',
      'ftp://127.0.0.1/x',
    ])
      expect(await refusal({ endpoint })).toEqual([400, 'endpoint', 'endpoint must start with https://.']);
    expect(await refusal({ endpoint: 'https://169.254.169.254/latest' })).toEqual([
      400,
      'endpoint',
      'The push service of the browser cannot be called: The address 169.254.169.254 must never be reached.',
    ]);
    expect((await refusal({ endpoint: 'https://10.0.0.1/x' }))[2]).toContain('is not public');
    expect((await refusal({ keys: { ...browser.keys, p256dh: browser.keys.auth } }))[1]).toBe('keys.p256dh');
    expect((await refusal({ keys: { ...browser.keys, auth: 'AAAA' } }))[1]).toBe('keys.auth');
    // A private address that was stored without the check of the API is refused when the message is sent.
    await rows(
      "insert into push_subscription (person_id, endpoint, p256dh, auth, browser) values ($1, 'http://10.9.8.7/inside', $2, $3, 'Inside')",
      max.personId,
      browser.keys.p256dh,
      browser.keys.auth,
    );
    await choose(max, { steps: [{ channel: 'Push', afterMinutes: 0, severities: all }] });
    const id = await open([max], 'Sev2');
    expect(await outcomesOf(id)).toEqual(['Push Failed']);
  });

  it('stops when the person ends it, when their sign-in ends, and when they are disabled', async () => {
    const ada = await person('Ada Ends');
    const { body } = await subscribe(ada, pushes.browser('One'));
    const other = await person('Other');
    const path = `/v1/currentUser/pushSubscriptions/${String(body['pushSubscriptionId'])}`;
    expect((await world.call(other.caller, 'DELETE', path)).status).toBe(404);
    expect((await world.call(ada.caller, 'DELETE', path)).status).toBe(204);
    await subscribe(ada, pushes.browser('Two'));
    await rows("update push_subscription set session_id = 'session-of-ada' where person_id = $1", ada.personId);
    await subscribe(ada, pushes.browser('Three'));
    await endSession(world.system.db, 'session-of-ada');
    const left = () => rows<{ browser: string }>('select browser from push_subscription where person_id = $1', ada.personId);
    expect(await left()).toEqual([{ browser: 'Three' }]);
    const admin = holder('all');
    expect((await world.call(admin, 'POST', `/v1/people/${ada.personId}`, { enabled: false })).status).toBe(200);
    expect(await left()).toEqual([]);
    const audits = await rows<{ why: string }>(
      "select after->>'why' as why from audit where entity = 'pushSubscriptions' and verb = 'delete' and before->>'personId' = $1 order by at, audit_id",
      ada.personId,
    );
    expect(audits.map((audit) => audit.why)).toEqual(['The person ended it.', 'The sign-in has ended.', 'The person was disabled.']);
  });

  it('is signed by one key of the installation, whichever server made it', async () => {
    const db = world.system.db;
    expect(await loadPushKey(db, world.masterKey)).toEqual(world.pushKey);
    await rows("delete from setting where name = 'push.key'");
    const keys = await Promise.all([1, 2, 3].map(() => loadPushKey(db, world.masterKey)));
    expect(new Set(keys.map((key) => key.publicKey)).size).toBe(1);
    const [stored] = await rows<{ value: string }>("select value::text as value from setting where name = 'push.key'");
    expect(stored?.value).not.toContain(keys[0]?.privateKey);
  });
});

describe('the order of channels', () => {
  const order = [
    { channel: 'Push', afterMinutes: 0, severities: all },
    { channel: 'Sms', afterMinutes: 5, severities: ['Sev0', 'Sev1'] },
    { channel: 'Mail', afterMinutes: 10, severities: all },
  ];

  it('sends one after the other while nobody acknowledges, each once', async () => {
    const bo = await person('Bo Order');
    await subscribe(bo, pushes.browser('Bo'));
    await choose(bo, { phone: '+491701234567', steps: order });
    const id = await open([bo], 'Sev1', 'Order {TenantName}');
    expect(await outcomesOf(id)).toEqual(['Push Sent', 'SMS Waiting', 'Mail Waiting']);
    await pass(5);
    await until(async () => (await outcomesOf(id))[1] === 'SMS Sent');
    expect(await outcomesOf(id)).toEqual(['Push Sent', 'SMS Sent', 'Mail Waiting']);
    const sent = texts.filter((text) => text.to === '+491701234567');
    expect(sent.map((item) => item.text)).toEqual([expect.stringMatching(/^Sev1 \d+: Order \{TenantName\} http:\/\/localhost\/ack\//)]);
    await pass(5);
    await until(async () => (await outcomesOf(id))[2] === 'Mail Sent');
    expect(mailsTo(bo)).toHaveLength(1);
  });

  it('writes an SMS in the language and time zone of its reader, and to other systems as ever', async () => {
    const [greta, emma] = [await person('Greta Text'), await person('Emma Text')];
    await rows(`update person set locale = '{"language": "de", "timeZone": "Europe/Berlin"}' where person_id = $1`, greta.personId);
    const steps = [{ channel: 'Sms', afterMinutes: 0, severities: all }];
    await choose(greta, { phone: '+491701234570', steps });
    await choose(emma, { phone: '+491701234571', steps });
    const id = await open([greta, emma], 'Sev1');
    expect(await outcomesOf(id)).toEqual(['SMS Sent', 'SMS Sent']);
    const textTo = (phone: string) => texts.filter(({ to }) => to === phone).map(({ text }) => text);
    expect(textTo('+491701234570')).toEqual([expect.stringMatching(/ Neu \d\d\.\d\d\.\d{4}, \d\d:\d\d MES?Z$/)]);
    expect(textTo('+491701234571')).toEqual([expect.stringMatching(/ New \d{4}-\d\d-\d\dT[\d:.]+Z$/)]);
  });

  it('tells by each channel that the fault is over, when a rule says so at the end of its match', async () => {
    const ada = await person('Ada Clear');
    await subscribe(ada, pushes.browser('Ada Clear'));
    const steps = order.map((step) => ({ ...step, afterMinutes: 0 }));
    await choose(ada, { phone: '+491701234568', steps });
    const id = await open([ada], 'Sev1');
    expect(await outcomesOf(id)).toEqual(['Push Sent', 'SMS Sent', 'Mail Sent']);
    const normal = [{ ActionDefinitionId: builtInAction.backToNormal, Parameters: {} }];
    const rule = { name: 'Pump', ruleTypeId: 1, tenantId, matchActions: [], expirationActions: normal };
    const conditions = [{ Type: 'And', LeftOperand: 62, LeftOperandFieldName: 'Flow', Operator: 4, RightOperand: '1' }];
    const { body } = await world.call(me, 'PUT', '/v1/rules', { ...rule, conditions });
    const [match] = await rows<{ id: string }>(
      `insert into rule_match (tenant_id, rule_id, subject_id, label, expires, first_match, last_match, closed, work_unit_id, correlation_id)
values ($1, $2, uuidv7(), 'Pump: north', now(), now(), now(), now(), $3, uuidv7()) returning rule_match_id as id`,
      tenantId,
      body['ruleId'],
      id,
    );
    const ended = {
      ruleMatchId: match?.id ?? '',
      tenantId,
      correlationId: crypto.randomUUID(),
      phase: 'expiration' as const,
      calls: normal,
      hops: 0,
    };
    await queueActions(world.system.db, [ended]);
    await quiet();
    const received = () => texts.filter((text) => text.to === '+491701234568');
    await until(() => received().length === 2);
    expect(received()[1]?.text).toContain('All clear: Pump: north');
    await until(() => mailsTo(ada).length === 2);
    expect(mailsTo(ada).map(({ subject }) => subject)).toContain('All clear: Pump: north');
    const pushed = () => pushes.received.filter(({ subscription }) => subscription === 'Ada Clear');
    await until(() => pushed().length === 2);
    expect(pushed()[1]?.payload).toMatchObject({ title: 'All clear: Pump: north', body: 'Back to normal.' });
  });

  it('ends when somebody acknowledges, also when the event of that is handled later', async () => {
    const cem = await person('Cem Order');
    await subscribe(cem, pushes.browser('Cem'));
    await choose(cem, { steps: order });
    const first = await open([cem], 'Sev2');
    expect(await outcomesOf(first)).toEqual(['Push Sent', 'Mail Waiting']);
    await world.call(me, 'POST', `/v1/workunits/${first}`, { stateId: 'Acknowledged' });
    await until(async () => (await outcomesOf(first)).join() === 'Push Sent,Mail Stopped');
    const second = await open([cem], 'Sev2');
    expect(await outcomesOf(second)).toEqual(['Push Sent', 'Mail Waiting']);
    await rows("update work_unit set state_id = 'Acknowledged' where work_unit_id = $1", second);
    await pass(10);
    await until(async () => (await outcomesOf(second)).join() === 'Push Sent,Mail Stopped');
    expect(mailsTo(cem)).toEqual([]);
  });
});

describe('quiet hours', () => {
  const release = () => Promise.all([1, 2].map(() => releaseHeld(world.system.db, 'http://localhost')));

  it('hold what is not urgent, and one summary tells of it at their end', async () => {
    const eve = await person('Eve Quiet');
    await choose(eve, { quietHours: quietNow(), urgent: ['Sev2'] });
    const [urgent, third, fourth] = [
      await open([eve], 'Sev2'),
      await open([eve], 'Sev3', 'Disk {Secret:x} fills'),
      await open([eve], 'Sev4', 'Log is long'),
    ];
    expect([await outcomesOf(urgent), await outcomesOf(third), await outcomesOf(fourth)]).toEqual([
      ['Mail Sent'],
      ['Summary Held'],
      ['Summary Held'],
    ]);
    await release();
    expect(await outcomesOf(third)).toEqual(['Summary Held']);
    await world.call(me, 'POST', `/v1/workunits/${fourth}`, { stateId: 'Acknowledged' });
    // During quiet hours, a message that becomes due is held again.
    await rows(
      'update notification set held_until = now() - make_interval(secs => 1) where person_id = $1 and held_until is not null',
      eve.personId,
    );
    await release();
    expect(await outcomesOf(third)).toEqual(['Summary Held']);
    // Simulates that the quiet hours have ended.
    await rows("update notification_preference set quiet_hours = '[]' where person_id = $1", eve.personId);
    await rows(
      'update notification set held_until = now() - make_interval(secs => 1) where person_id = $1 and held_until is not null',
      eve.personId,
    );
    await release();
    expect([await outcomesOf(third), await outcomesOf(fourth)]).toEqual([['Mail Sent'], ['Mail Sent']]);
    await release();
    await quiet();
    const summaries = mailsTo(eve).filter((mail) => mail.subject.includes('quiet hours'));
    expect(summaries.map((mail) => mail.subject)).toEqual(['Sev3: Disk {Secret:x} fills, North plant and 1 more in your quiet hours']);
    expect(summaries[0]?.text).toMatch(
      /^2 work units, 1 not acknowledged\.\n\nSev3 \d+: Disk \{Secret:x\} fills\n\nNew, since .*\nAcknowledge: http:\/\/localhost\/ack\/\S+\nOpen: [^]*Sev4 \d+: Log is long\n\nAcknowledged, since .*\nOpen: /,
    );
    // The link acknowledges its unit in the name of the person, and is stored nowhere.
    const [, link = ''] = /Acknowledge: http:\/\/localhost(\S+)/.exec(summaries[0]?.text ?? '') ?? [];
    const pressed = await world.call(null, 'POST', link, 'ok=1', { 'content-type': 'application/x-www-form-urlencoded' });
    expect(pressed.text).toContain('is acknowledged.');
    expect((await world.call(me, 'GET', `/v1/workUnits(${third})`)).body).toMatchObject({ stateId: 'Acknowledged', assignedTo: eve.email });
    const stored = await rows<{ all: string }>(
      `select h::text || coalesce(t::text, '') as all from action_history h left join action_try t using (action_history_id)`,
    );
    expect(stored.filter((entry) => entry.all.includes(link))).toEqual([]);
  });

  it('do not hold a unit that becomes urgent, also when only changed units are looked at', async () => {
    const fay = await person('Fay Quiet');
    await choose(fay, { quietHours: quietNow() });
    const id = await open([fay], 'Sev3', 'Grows');
    await rows("update work_unit set created = now() - interval '1 day', modified = now() - interval '1 day' where work_unit_id = $1", id);
    expect(await outcomesOf(id)).toEqual(['Summary Held']);
    const work = heldWork('http://localhost', 0);
    await work.run(world.system.db);
    await work.run(world.system.db);
    expect(await outcomesOf(id)).toEqual(['Summary Held']);
    await world.call(me, 'POST', `/v1/workunits/${id}`, { severityId: 'Sev1' });
    await work.run(world.system.db);
    expect(await outcomesOf(id)).toEqual(['Mail Sent']);
    expect(mailsTo(fay).map((mail) => mail.subject)).toEqual(['Sev1: Grows (North plant)']);
  });

  it('that are taken away release what they hold', async () => {
    const gil = await person('Gil Quiet');
    await choose(gil, { quietHours: quietNow() });
    const id = await open([gil], 'Sev3');
    expect(await outcomesOf(id)).toEqual(['Summary Held']);
    await choose(gil, {});
    await release();
    expect(await outcomesOf(id)).toEqual(['Mail Sent']);
    // A single message goes out as it would have at once.
    expect(mailsTo(gil)).toMatchObject([
      { subject: 'Sev3: Pump is down (North plant)', text: expect.stringContaining('Acknowledge: http') },
    ]);
  });

  it('hold nothing about a unit of which a later message has gone out', async () => {
    const ivy = await person('Ivy Later');
    await choose(ivy, { quietHours: quietNow(), urgent: ['Sev0'] });
    const id = await open([ivy], 'Sev2');
    expect(await outcomesOf(id)).toEqual(['Summary Held']);
    const change = (fields: object) => world.call(me, 'POST', `/v1/workunits/${id}`, fields);
    await change({ stateId: 'Acknowledged' });
    await change({ stateId: 'New', severityId: 'Sev0' });
    await until(() => mailsTo(ivy).length === 1);
    await until(async () => (await outcomesOf(id)).join() === 'Mail Sent,Summary Sent');
    await releaseHeld(world.system.db, 'http://localhost');
    await outcomesOf(id);
    expect(mailsTo(ivy)).toHaveLength(1);
  });
});

describe('preferences', () => {
  it('are refused with what is wrong, audited, and those of others need the right to edit people', async () => {
    const hal = await person('Hal Prefers');
    const ownPath = '/v1/currentUser/notificationPreferences';
    const put = (change: object) => world.call(hal.caller, 'PUT', ownPath, preferences(change));
    const wrong = async (change: object) => (await put(change)).body['error'] as { target: string; message: string };
    expect(await wrong({ phone: '0170 123' })).toMatchObject({
      target: 'phone',
      message: 'A phone number is written like +4915112345678.',
    });
    expect(await wrong({ timeZone: 'Mars' })).toMatchObject({ target: 'timeZone', message: 'This time zone is not known.' });
    expect(await wrong({ steps: [{ channel: 'Mail', afterMinutes: 0, severities: ['Sev1'] }] })).toMatchObject({ target: 'steps' });
    expect((await put({ phone: '+491701112223' })).status).toBe(200);
    const of = `/v1/people/${hal.personId}/notificationPreferences`;
    expect((await world.call(holder([tenantId]), 'PUT', of, preferences())).status).toBe(403);
    const admin = holder('all');
    const shown = await world.call(admin, 'GET', `${of}?tenantId=${tenantId}`);
    expect(shown.body).toMatchObject({ phone: '+491701112223', isDefault: false, mayEdit: true });
    expect(shown.body['reach']).toEqual([
      { channel: 'Push', problem: 'No browser gets push messages.', hasAddress: false },
      { channel: 'Sms', problem: null, hasAddress: true },
      { channel: 'Mail', problem: expect.stringMatching(/^The address is not confirmed/), hasAddress: true },
    ]);
    const phone = await world.call(admin, 'PUT', of, preferences({ phone: '+491709999999' }));
    expect((phone.body['error'] as { message: string }).message).toBe('Only the person can change the phone number.');
    const { phone: _phone, ...others } = preferences({ timeZone: 'Europe/Berlin' });
    expect((await world.call(admin, 'PUT', of, others)).body).toMatchObject({ timeZone: 'Europe/Berlin', phone: '+491701112223' });
    const audits = await rows<{ verb: string; zone: string }>(
      "select verb, after->>'timeZone' as zone from audit where entity = 'notificationPreferences' and entity_id = $1 order by at, audit_id",
      hal.personId,
    );
    expect(audits).toEqual([
      { verb: 'update', zone: 'UTC' },
      { verb: 'update', zone: 'Europe/Berlin' },
    ]);
  });

  it('say why a channel would not reach the person now', async () => {
    const gus = await person('Gus Waits');
    const verify = (isVerified: boolean) => rows('update person set email_verified = $2 where person_id = $1', gus.personId, isVerified);
    await verify(true);
    await choose(gus, { phone: '+491701112224' });
    await subscribe(gus, pushes.browser('Works'));
    const path = `/v1/currentUser/notificationPreferences?tenantId=${tenantId}`;
    const problems = async () => {
      const { body } = await world.call(gus.caller, 'GET', path);
      const answers = body['reach'] as unknown as { channel: string; problem: string | null }[];
      return Object.fromEntries(answers.map(({ channel, problem }) => [channel, problem]));
    };
    expect(await problems()).toEqual({ Push: null, Sms: null, Mail: null });
    const origins = await rows<{ origin: string }>(
      `select substring(endpoint from '^[^:]+://[^/]+') as origin from push_subscription where person_id = $1`,
      gus.personId,
    );
    const fails = `insert into destination (tenant_id, origin, last_error, disabled) values ($1, $2, 'refused', $3)`;
    const sms = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`;
    await rows(fails, tenantId, 'the mail server', null);
    await rows(fails, tenantId, sms, new Date());
    await rows(fails, tenantId, origins[0]?.origin, null);
    try {
      expect(await problems()).toEqual({
        Push: expect.stringMatching(/^The last message could not be handed over/),
        Sms: expect.stringMatching(/^Calls to the receiver have failed for a day and are disabled/),
        Mail: expect.stringMatching(/^The last message could not be handed over/),
      });
    } finally {
      await rows('delete from destination where tenant_id = $1', tenantId);
    }
    await verify(false);
    expect(await problems()).toMatchObject({ Mail: expect.stringMatching(/^The address is not confirmed/) });
  });

  it('are tried by a test of each channel, whose outcome the person sees', async () => {
    const ida = await person('Ida Tests');
    const test = (channel: string) => world.call(ida.caller, 'POST', '/v1/currentUser/notificationPreferences/test', { channel, tenantId });
    expect(((await test('Push')).body['error'] as { message: string }).message).toBe('No browser gets push messages.');
    await subscribe(ida, pushes.browser('Works'));
    await subscribe(ida, pushes.browser('Refuses'));
    pushes.answers.set('Refuses', 403);
    const { messages } = (await test('Push')).body as unknown as { messages: { messageId: string; address: string }[] };
    const outcomes: Record<string, unknown> = {};
    for (const { messageId, address } of messages) {
      await workers[0]?.outcome(messageId);
      outcomes[address] = (await world.call(ida.caller, 'GET', `/v1/currentUser/notificationPreferences/test/${messageId}`)).body;
    }
    expect(outcomes).toEqual({
      Works: { outcome: 'Sent', error: null },
      Refuses: { outcome: 'Failed', error: 'The receiver answered 403.' },
    });
    const other = await person('Other Tests');
    const foreign = await world.call(other.caller, 'GET', `/v1/currentUser/notificationPreferences/test/${messages[0]?.messageId}`);
    expect(foreign.status).toBe(404);
    expect((await test('Mail')).status).toBe(200);
    await quiet();
    expect(mailsTo(ida).map((mail) => [mail.subject, mail.text])).toEqual([
      ['Test from CloudFit', 'This is a test that you asked for. Work units that need you arrive like this.'],
    ]);
    for (let n = 0; n < 8; n += 1) await test('Mail');
    expect((await test('Mail')).status).toBe(429);
  });
});
