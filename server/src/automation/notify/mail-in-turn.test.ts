/** A storm of mails to one person: the first is sent at once, the others as one mail at the next turn, and none is lost. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { builtInAction, resultStatus } from '@cloudfit/contract/enums.ts';
import { executionId } from '../../executions/execution-id.ts';
import { maxAttempts } from '../../jobs/lease.ts';
import { attemptOf } from '../../testing/attempt.ts';
import { until } from '../../rules/testing/flow.ts';
import { startAutomation, type Automation } from '../../testing/automation.ts';
import { personIn } from '../../testing/samples.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../testing/world.ts';
import { NotDue } from '../../jobs/job.ts';
import { openOutboundHttp } from '../../outbound/http.ts';
import { uuidV5 } from '../../platform/uuid-v5.ts';
import { loadExecution } from '../action-context.ts';
import { queueActions } from '../queue-actions.ts';
import type { Channels } from '../run-action.job.ts';
import { openTry } from '../tries.ts';
import { sendEmailInTurn } from './mail-in-turn.ts';
import { releaseHeld } from './release-held.ts';

/** The pause between two messages to a person: longer than the test, which simulates its end. */
const pauseMs = 600_000;
let world: TestWorld;
let workers: Automation[];
let home: { tenantId: string; subscriptionId: string };
let me: TestCaller;

beforeAll(async () => {
  world = await createWorld();
  home = await world.tenant();
  me = holder([home.tenantId]);
  workers = await Promise.all([1, 2, 3].map(() => startAutomation(world, pauseMs)));
});
afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
  await world.close();
});

const rows = <T = object>(text: string, ...values: unknown[]) => world.system.db.query<T>({ text, values });
/** Sorted by subject, because mails of several workers have no fixed order. */
const mails = () => workers.flatMap((worker) => worker.mails).toSorted((a, b) => (a.subject < b.subject ? -1 : 1));
const email = (To: string) => ({
  ActionDefinitionId: builtInAction.email,
  Parameters: { To, Template: 'None', Subject: '{Label}', Body: 'Text of {Label}' },
});

/** Stores a match and queues its mail; returns the id of the execution. */
async function match(label: string, to: string, workUnitId: number | null = null, more: object = {}): Promise<string> {
  const [one] = await rows<{ id: string }>(
    `insert into rule_match (tenant_id, rule_id, subject_id, label, expires, first_match, last_match, correlation_id, work_unit_id)
     values ($1, gen_random_uuid(), gen_random_uuid(), $2, now() + interval '1 hour', now(), now(), gen_random_uuid(), $3::bigint) returning rule_match_id as id`,
    home.tenantId,
    label,
    workUnitId,
  );
  const ruleMatchId = one?.id ?? '';
  const color = { ActionDefinitionId: builtInAction.setColor, Parameters: { Color: 'red' } };
  const { tenantId } = home;
  const mail = { ...email(to), Parameters: { ...email(to).Parameters, ...more } };
  await queueActions(world.system.db, [
    { ruleMatchId, tenantId, correlationId: crypto.randomUUID(), phase: 'match', calls: [mail, color] },
  ]);
  // The action after a waiting mail does not wait for that mail.
  await workers[0]?.outcome(executionId(ruleMatchId, 'match', 1));
  return executionId(ruleMatchId, 'match', 0);
}

/** Simulates that the pause has passed. */
async function pass(): Promise<void> {
  await rows('update message_turn set taken = taken - make_interval(secs => $1)', pauseMs / 1_000);
  await rows("update job set run_at = now() - make_interval(secs => 1) where name = 'run-action' and dead_at is null and run_at > now()");
  await rows("select pg_notify('jobs', '')");
}

/** The same, once each of these executions waits for its turn. */
async function passFor(ids: readonly string[]): Promise<void> {
  const waiting = 'select 1 from job where once_key = any($1) and leased_by is null and run_at > now()';
  await until(async () => (await rows(waiting, ids)).length === ids.length);
  await pass();
}

it('tells a person at once of the first match, and of all others in one mail, once', async () => {
  const to = 'Ann.Call@example.com';
  const first = await match('First', to);
  await workers[0]?.outcome(first);
  const later = [];
  for (let n = 0; n < 12; n += 1) later.push(await match(`Later ${n}`, n % 2 === 0 ? to : 'ann.call@example.com'));
  expect(mails().map(({ subject }) => subject)).toEqual(['First']);
  await pass();
  for (const id of later) expect(await workers[0]?.outcome(id)).toMatchObject({ result_status_id: resultStatus.success });
  const [, digest, ...more] = mails();
  expect(more).toEqual([]);
  // The rule of these matches is not there any more, so the subject of a mail stands for its name.
  expect(digest).toMatchObject({ subject: expect.stringMatching(/^Later \d+, .+ and 11 more$/) as string });
  expect(digest?.text).toMatch(/^12 matches: 12 rules\.\n/);
  for (let n = 0; n < 12; n += 1) expect(digest?.text).toContain(`Text of Later ${n}`);
  const [counts] = await rows<{ merged: number }>(
    "select count(*)::int as merged from action_history where result_detail ->> 'reason' = 'merged'",
  );
  expect(counts).toEqual({ merged: 11 });
  expect(await rows('select 1 from waiting_mail')).toEqual([]);
});

interface PostponedMail {
  attempts: number;
  minutes: number;
  nextTry: string | null;
  detail: Record<string, unknown> | null;
}

it('does not count waiting for a turn as a try, however often it waits', async () => {
  const to = 'patient@example.com';
  await workers[0]?.outcome(await match('Before', to));
  const id = await match('Patient', to);
  const waiting = () =>
    until(async () => {
      const [row] = await rows<PostponedMail>(
        `select j.attempts, extract(epoch from j.run_at - now()) / 60 as minutes, h.next_try as "nextTry", h.result_detail as detail
         from job j join action_history h on h.message_id::text = j.once_key where h.message_id = $1 and j.leased_by is null and j.run_at > now()`,
        id,
      );
      return row;
    });
  for (let n = 0; n <= maxAttempts; n += 1) {
    const { attempts, minutes, nextTry, detail } = await waiting();
    expect({ attempts, attempt: detail?.['attempt'], error: detail?.['error'] }).toEqual({
      attempts: 0,
      attempt: undefined,
      error: 'Its recipient got another message shortly before.',
    });
    expect(minutes).toBeGreaterThan(5);
    expect(nextTry).not.toBeNull();
    await rows('update job set run_at = now() - make_interval(secs => 1) where once_key = $1::uuid::text', id);
    await rows("select pg_notify('jobs', '')");
  }
  await pass();
  expect(await workers[0]?.outcome(id)).toMatchObject({ result_status_id: resultStatus.success });
});

it('leaves nothing behind when two workers ran one mail and the slower one found that its turn had passed', async () => {
  const to = 'twice@example.com';
  await workers[0]?.outcome(await match('Earlier', to));
  const id = await match('Twice', to);
  const { ackLinks, secrets, hopCounts, pushKey } = world;
  const http = openOutboundHttp({ allow: [] });
  const channels: Channels = {
    http,
    mail: { send: () => Promise.reject(new Error('It is sent once already.')), close: () => undefined },
    secrets,
    hopCounts,
    ackLinks,
    publicUrl: 'http://localhost',
    personPauseMs: pauseMs,
    push: { key: pushKey },
  };
  const slow = await loadExecution(world.system.db, id, channels);
  await pass();
  expect(await workers[0]?.outcome(id)).toMatchObject({ result_status_id: resultStatus.success });
  await pass();
  await workers[0]?.outcome(await match('Takes the turn', to));
  expect(slow?.statusId).toBe(resultStatus.enqueueSuccess);
  const attempt = openTry(world.system.db, id, attemptOf());
  if (slow) await expect(sendEmailInTurn(channels, world.system.db, slow, attempt)).rejects.toThrow(NotDue);
  expect(await rows('select 1 from waiting_mail')).toEqual([]);
  await http.close();
});

it('sends a mail to several people at once to those who may be told, and to the others in their turn', async () => {
  await workers[0]?.outcome(await match('To one', 'one@example.com'));
  await workers[0]?.outcome(await match('To all', 'one@example.com, two@example.com'));
  const sent = () =>
    mails()
      .filter(({ subject }) => subject.startsWith('To '))
      .map(({ subject, to }) => `${subject} > ${to}`)
      .toSorted();
  expect(sent()).toEqual(['To all > two@example.com', 'To one > one@example.com']);
  await pass();
  await until(() => sent().length === 3);
  expect(sent()[0]).toBe('To all > one@example.com');
});

it('sends a mail that names a secret by itself, so that the secret is in no other mail', async () => {
  const to = 'secretive@example.com';
  await workers[0]?.outcome(await match('First of it', to));
  const plain = [await match('Plain 1', to), await match('Plain 2', to)];
  const named = await match('Named', to, null, { Body: 'Key {Secret:api}' });
  const sent = async (ids: readonly string[]) =>
    (await rows('select 1 from action_history where message_id = any($1::uuid[]) and result_status_id = $2', ids, resultStatus.success))
      .length;
  // Which of them has the first turn is open; the others have the next one.
  await passFor([named, ...plain]);
  await until(async () => (await sent([named])) === 1 || (await sent(plain)) === 2);
  await passFor((await sent([named])) === 1 ? plain : [named]);
  await until(async () => (await sent([named, ...plain])) === 3);
  const mailsOf = (...texts: readonly string[]) => mails().filter((mail) => texts.every((text) => mail.text.includes(text)));
  expect([mailsOf('Plain 1').length, mailsOf('Plain 2').length, mailsOf('Plain 1', 'Plain 2').length]).toEqual([1, 1, 1]);
  expect(mailsOf('Key ')).toMatchObject([{ subject: 'Named' }]);
});

it('reminds each of several people in their turn, also of a unit to which the match was added, until somebody works on it', async () => {
  const { tenantId } = home;
  const unit = { title: 'Nobody looks', severityId: 'Sev2', workUnitTypeId: 1, tenantId };
  const remind = async (name: string, isRepeat: boolean) => {
    await workers[0]?.outcome(await match(`Before ${name}`, `${name}@example.com`));
    const workUnitId = Number((await world.call(me, 'PUT', '/v1/workunits', unit)).body['workUnitId']);
    const [row] = await rows<{ ruleMatchId: string }>(
      `insert into rule_match (tenant_id, rule_id, subject_id, label, expires, first_match, last_match, correlation_id, work_unit_id, is_repeat)
       values ($1, gen_random_uuid(), gen_random_uuid(), $2, now() + interval '1 hour', now(), now(), gen_random_uuid(), $3::bigint, $4) returning rule_match_id as "ruleMatchId"`,
      tenantId,
      name,
      workUnitId,
      isRepeat,
    );
    const ruleMatchId = row?.ruleMatchId ?? '';
    const calls = [email(`${name}@example.com, with-${name}@example.com`)];
    await queueActions(world.system.db, [
      { ruleMatchId, tenantId, correlationId: crypto.randomUUID(), phase: 'match', calls, isReminder: true, again: 'nobody:1' },
    ]);
    const whole = executionId(ruleMatchId, 'match', 0, 'nobody:1');
    expect(await workers[0]?.outcome(whole)).toMatchObject({ result_detail: { later: `${name}@example.com` } });
    return { workUnitId, later: uuidV5(whole, `to:${name}@example.com`) };
  };
  const [added, acknowledged] = [await remind('added', true), await remind('acknowledged', false)];
  await world.call(me, 'POST', `/v1/workunits/${acknowledged.workUnitId}`, { stateId: 'Acknowledged' });
  await passFor([added.later, acknowledged.later]);
  expect(await workers[0]?.outcome(added.later)).toMatchObject({ result_status_id: resultStatus.success });
  expect(await workers[0]?.outcome(acknowledged.later)).toMatchObject({
    result_status_id: resultStatus.suppressed,
    result_detail: { reason: 'ended', why: 'the work unit is Acknowledged' },
  });
});

/** A person of the tenant, who may only view units, or edit them too; a link acknowledges for the latter. */
async function staff(name: string, mayEdit: boolean): Promise<{ personId: string; email: string }> {
  const personId = await personIn(world, home.tenantId, name);
  const rights = mayEdit ? ['CloudFit.CFS.WorkUnits:view', 'CloudFit.CFS.WorkUnits:edit'] : ['CloudFit.CFS.WorkUnits:view'];
  await rows('update permission_set set permissions = $2 where name = $1', name, JSON.stringify(rights));
  const [row] = await rows<{ email: string | null }>('select email from person where person_id = $1', personId);
  return { personId, email: row?.email ?? '' };
}

it('tells in one mail of what goes on before what is over, with links that acknowledge for a person who may alone', async () => {
  const [lea, rita] = [await staff('Lea Link', true), await staff('Rita Reads', false)];
  const unitOf = async (title: string, severityId: string) => {
    const unit = { title, severityId, workUnitTypeId: 1, tenantId: home.tenantId };
    return Number((await world.call(me, 'PUT', '/v1/workunits', unit)).body['workUnitId']);
  };
  for (const to of [lea.email, rita.email, 'customer@example.org']) {
    await workers[0]?.outcome(await match('Came first', to));
    const over = await match('Was worse', to, await unitOf('Was worse', 'Sev2'));
    const [ended] = await rows<{ id: string }>(
      'update rule_match set closed = now() where rule_match_id = (select reference_id::uuid from action_history where message_id = $1) returning rule_match_id as id',
      over,
    );
    const clear = { ActionDefinitionId: builtInAction.email, Parameters: { To: to, Template: 'AllClear' } };
    const { tenantId } = home;
    const ruleMatchId = ended?.id ?? '';
    await queueActions(world.system.db, [
      { ruleMatchId, tenantId, correlationId: crypto.randomUUID(), phase: 'expiration', calls: [clear] },
    ]);
    const waits = await match('Goes on', to, await unitOf('Goes on', 'Sev3'));
    await until(async () => (await rows('select 1 from waiting_mail where recipient = lower($1)', to)).length === 3);
    await pass();
    for (const id of [over, waits, executionId(ruleMatchId, 'expiration', 0)]) await workers[0]?.outcome(id);
    const [, sent, ...more] = mails().filter((mail) => mail.to === to);
    expect(more).toEqual([]);
    expect(sent?.subject).toMatch(/^Sev3: Goes on, .+ and 1 more$/);
    expect(sent?.text).toMatch(
      /^2 matches: 2 rules; 1 has ended\.\n\nGOES ON\n\nGoes on\n\nText of Goes on[^]*ENDED\n\nWas worse\n\nEnded: /,
    );
    expect(sent?.text.match(/Acknowledge: http:\/\/localhost\/ack\//g) ?? []).toHaveLength(to === lea.email ? 2 : 0);
  }
});

/** A person whom a protocol notifies of new units. */
async function pager(name: string, mayEdit = true) {
  const { personId, email } = await staff(name, mayEdit);
  const { body: protocol } = await world.call(me, 'PUT', '/v1/protocols', { name, tenantId: home.tenantId });
  await world.call(me, 'PUT', '/v1/protocolActions', {
    protocolId: protocol['protocolId'],
    sequence: 0,
    actionDefinitionId: builtInAction.notify,
    workUnitEventTypeId: 1,
    runAutomatically: true,
    parameters: JSON.stringify({ Whom: 'Person', PersonId: personId }),
  });
  const open = async (title: string, severityId: string): Promise<number> => {
    const unit = { title, severityId, workUnitTypeId: 1, tenantId: home.tenantId, protocolId: protocol['protocolId'] };
    const { status, body } = await world.call(me, 'PUT', '/v1/workunits', unit);
    expect(status).toBe(201);
    return Number(body['workUnitId']);
  };
  return { personId, email, open };
}
const outcomesOf = (personId: string) =>
  rows<{ outcome: string }>('select outcome from notification_outcome where person_id = $1 order by outcome', personId);

it('tells whoever a protocol notifies of one unit at once, and of the others in one summary', async () => {
  const { personId, open } = await pager('Pat Pager');
  for (let n = 0; n < 6; n += 1) await open(`Unit ${n}`, 'Sev2');
  const toldOutcomes = () => outcomesOf(personId);
  await until(
    async () => (await toldOutcomes()).length === 6 && (await toldOutcomes()).filter(({ outcome }) => outcome === 'Sent').length === 1,
  );
  expect((await toldOutcomes()).map(({ outcome }) => outcome)).toEqual(['Held', 'Held', 'Held', 'Held', 'Held', 'Sent']);
  await rows('update message_turn set taken = taken - make_interval(secs => $1)', pauseMs / 1_000);
  await rows(
    'update notification set held_until = now() - make_interval(secs => 1) where person_id = $1 and held_until is not null',
    personId,
  );
  await Promise.all([1, 2].map(() => releaseHeld(world.system.db, 'http://localhost', pauseMs)));
  await until(async () => (await toldOutcomes()).every(({ outcome }) => outcome === 'Sent'));
  // Which of the six was first is open, and with it whether its subject sorts before that of the summary.
  const units = mails()
    .filter(({ text }) => text.includes('Unit '))
    .toSorted((a, b) => a.text.split('Acknowledge: ').length - b.text.split('Acknowledge: ').length);
  expect(units.map(({ subject }) => subject)).toEqual([
    expect.stringMatching(/^Sev2: Unit \d \(.+\)$/),
    expect.stringMatching(/^Sev2: Unit \d, .+ and 4 more$/),
  ]);
  expect(units[1]?.text).toMatch(/^5 work units, 5 not acknowledged\./);
  expect(units[1]?.text.match(/Acknowledge: http:\/\/localhost\/ack\//g)).toHaveLength(5);
});

it('counts the mail of a match and the message about a unit as one turn, however the address is written', async () => {
  const { personId, open } = await pager('Mia Mixed');
  await rows("update person set email = 'Mia.Mixed@Example.com' where person_id = $1", personId);
  await workers[0]?.outcome(await match('Mailed', 'mia.mixed@example.COM'));
  await open('Waits', 'Sev2');
  await until(async () => (await outcomesOf(personId)).length === 1);
  expect(await outcomesOf(personId)).toEqual([{ outcome: 'Held' }]);
});

it('offers no link that acknowledges to a person who may only view the units', async () => {
  const { personId, email, open } = await pager('Rea Reader', false);
  for (const title of ['Seen at once', 'Seen later', 'Seen last']) await open(title, 'Sev2');
  await until(
    async () => (await outcomesOf(personId)).length === 3 && (await outcomesOf(personId)).some(({ outcome }) => outcome === 'Sent'),
  );
  await rows('update message_turn set taken = taken - make_interval(secs => $1)', pauseMs / 1_000);
  await rows(
    'update notification set held_until = now() - make_interval(secs => 1) where person_id = $1 and held_until is not null',
    personId,
  );
  await releaseHeld(world.system.db, 'http://localhost', pauseMs);
  await until(async () => (await outcomesOf(personId)).every(({ outcome }) => outcome === 'Sent'));
  const messages = mails().filter(({ to }) => to === email);
  expect(messages.map(({ text }) => [/Acknowledge|\/ack\//.test(text), text.includes('Open: http://localhost/')])).toEqual([
    [false, true],
    [false, true],
  ]);
});

it('wakes a person at once for a unit of Sev0, whatever they were told a moment ago', async () => {
  const { personId, open } = await pager('Uma Urgent');
  await open('First', 'Sev2');
  await until(async () => (await outcomesOf(personId)).length === 1);
  const raisedId = await open('Rises later', 'Sev2');
  await until(async () => (await outcomesOf(personId)).some(({ outcome }) => outcome === 'Held'));
  const titles = (severityId: string) =>
    mails().flatMap(({ subject }) => (subject.startsWith(`${severityId}: `) ? [subject.slice(6).replace(/ \(.*/, '')] : []));
  const subjects = () => titles('Sev0');
  await open('Fire', 'Sev0');
  await until(() => subjects().join() === 'Fire');
  await world.call(me, 'POST', `/v1/workunits/${raisedId}`, { severityId: 'Sev0' });
  await Promise.all([1, 2].map(() => releaseHeld(world.system.db, 'http://localhost', pauseMs)));
  await until(() => subjects().join() === 'Fire,Rises later');
  // A storm of units of Sev1 does not cause a storm of messages, and delays none of Sev0.
  const heldCount = async () => (await outcomesOf(personId)).filter(({ outcome }) => outcome === 'Held').length;
  for (let n = 0; n < 5; n += 1) await open(`Smoke ${n}`, 'Sev1');
  await until(async () => (await heldCount()) === 2);
  await until(() => titles('Sev1').length === 3);
  for (let n = 0; n < 6; n += 1) await open(`Fire ${n}`, 'Sev0');
  await until(async () => (await heldCount()) === 3);
  await until(() => subjects().length === 7);
  expect(new Set(subjects()).size).toBe(7);
});

it('sends a message that was heldCount alone as itself, and one about a unit that is over as ended', async () => {
  const { personId, open } = await pager('Sam Single');
  await open('First', 'Sev3');
  await until(async () => (await outcomesOf(personId)).length === 1);
  const wait = async (title: string) => {
    const id = await open(title, 'Sev3');
    await until(async () => (await outcomesOf(personId)).some(({ outcome }) => outcome === 'Held'));
    return id;
  };
  const release = async () => {
    await rows('update message_turn set taken = taken - make_interval(secs => $1)', pauseMs / 1_000);
    await rows('update notification set held_until = now() where person_id = $1 and held_until is not null and released is null', personId);
    await rows('update tenant set enabled = false where tenant_id = $1', home.tenantId);
    expect(await releaseHeld(world.system.db, 'http://localhost', pauseMs)).toBe(0);
    await rows('update tenant set enabled = true where tenant_id = $1', home.tenantId);
    await Promise.all([1, 2].map(() => releaseHeld(world.system.db, 'http://localhost', pauseMs)));
    await until(async () => (await outcomesOf(personId)).every(({ outcome }) => outcome === 'Sent'));
  };
  await wait('Waits alone');
  await release();
  const about = (title: string) => mails().filter(({ subject }) => subject.includes(title));
  expect(about('Waits alone')).toMatchObject([
    { subject: expect.stringMatching(/^Sev3: Waits alone \(.+\)$/), text: expect.stringMatching(/\nCustomer: [^]*\nAcknowledge: http/) },
  ]);
  const over = await wait('Over by then');
  for (const stateId of ['Acknowledged', 'InProgress', 'Resolved'])
    await world.call(me, 'POST', `/v1/workunits/${over}`, { stateId, assignedTo: 'sam', resolution: 'Done' });
  await release();
  expect(about('Over by then')).toMatchObject([{ subject: expect.stringMatching(/^Ended: Sev3: Over by then, /) }]);
  expect(about('Over by then')[0]?.text).not.toContain('/ack/');
});

it.each(['Sev0', 'Sev1'])('sends a mail of a match whose unit is %s at once', async (severityId) => {
  const to = `night-${severityId}@example.com`;
  await workers[0]?.outcome(await match('Before the fire', to));
  const { body: unit } = await world.call(me, 'PUT', '/v1/workunits', {
    title: 'Fire',
    severityId,
    workUnitTypeId: 1,
    tenantId: home.tenantId,
  });
  await workers[0]?.outcome(await match('The fire', to, Number(unit['workUnitId'])));
  expect(mails().filter((mail) => mail.to === to)).toHaveLength(2);
});

it('releases the messages of others although those of one person cannot be written', async () => {
  const [ill, ...others] = [await pager('Ina Ill'), await pager('Wim Well'), await pager('Wes Well')];
  const outcomes = async ({ personId }: { personId: string }) => (await outcomesOf(personId)).map(({ outcome }) => outcome).join();
  for (const each of [ill, ...others]) {
    await each.open('First', 'Sev3');
    await until(async () => (await outcomes(each)) === 'Sent');
    await each.open('Second', 'Sev3');
    await until(async () => (await outcomes(each)) === 'Held,Sent');
  }
  const parameters = (change: string) =>
    rows(
      `update action_history set input_parameters = ${change} where message_id in (select step_message_id from notification where person_id = $1)`,
      ill.personId,
    );
  await parameters("'{' || input_parameters");
  await rows('update message_turn set taken = taken - make_interval(secs => $1)', pauseMs / 1_000);
  await rows('update notification set held_until = now() where held_until is not null and released is null');
  const release = () => releaseHeld(world.system.db, 'http://localhost', pauseMs);
  await expect(release()).rejects.toThrow(/JSON/);
  for (const each of others) await until(async () => (await outcomes(each)) === 'Sent,Sent');
  expect(await outcomes(ill)).toBe('Held,Sent');
  await parameters('substr(input_parameters, 2)');
  await release();
  await until(async () => (await outcomes(ill)) === 'Sent,Sent');
});
