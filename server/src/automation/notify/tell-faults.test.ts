/** What has stopped working and tells nobody itself: who gets a mail, what the home page says, and how often. */
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { builtInAction, resultStatus } from '@cloudfit/contract/enums.ts';
import { mailDestination } from '@cloudfit/contract/resources/destinations.ts';
import { faults, type StandingFault } from '../../features/installation/faults.ts';
import { troublesOf, type Trouble } from '../../features/installation/troubles.ts';
import { noteVitals } from '../../features/installation/vitals.ts';
import { recordState } from '../../intake/mail/leases.ts';
import { openMail, type Mail } from '../../outbound/mail.ts';
import { recordBroken } from '../../rules/run/broken-rules.ts';
import { attemptOf } from '../../testing/attempt.ts';
import { createWorld, holder, type TestWorld } from '../../testing/world.ts';
import { requestStop } from '../campaigns/campaign.job.ts';
import { destinationBreaker } from '../destinations.ts';
import { sendMailJob } from '../send-mail.job.ts';
import { tellFaults } from './tell-faults.ts';

let world: TestWorld;
let server: SMTPServer;
let mail: Mail;
/** Recipient and subject of the mails that arrived. */
let arrived: string[] = [];

beforeAll(async () => {
  world = await createWorld();
  server = new SMTPServer({
    hideSTARTTLS: true,
    authOptional: true,
    onData: (stream, session, done) => {
      let source = '';
      stream.on('data', (part: Buffer) => (source += part.toString()));
      stream.on('end', () => {
        const to = session.envelope.rcptTo.map(({ address }) => address).join(',');
        arrived.push(`${to}: ${/^Subject: (.*(?:\r\n .*)*)/m.exec(source)?.[1]?.replaceAll(/\r\n /g, ' ') ?? ''}`);
        done();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  mail = openMail({ url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`, from: 'ops@example.com' });
  await person('root@example.com', null);
});
afterAll(async () => {
  mail.close();
  await new Promise<void>((resolve) => server.close(() => resolve()));
  await world.close();
});

const rows = <T = object>(text: string, ...values: unknown[]) => world.system.db.query<T>({ text, values });

/** A person with the right to edit settings, of one tenant or (null) of all. */
const person = (email: string, tenantId: string | null, permission = 'Settings:edit') =>
  rows(
    `with s as (insert into permission_set (name, permissions) values ($1::text || $3::text, jsonb_build_array('CloudFit.CFS.' || $3::text)) returning permission_set_id),
      p as (insert into person (name, user_name, email) values ($1, $1, $1) returning person_id)
    insert into access_grant (person_id, permission_set_id, tenant_id) select person_id, permission_set_id, $2::uuid from p, s`,
    email,
    tenantId,
    permission,
  );
async function tenant(): Promise<string> {
  const { tenantId } = await world.tenant();
  await person(`admin@${tenantId}.example.com`, tenantId);
  await person(`reader@${tenantId}.example.com`, tenantId, 'Settings:view');
  return tenantId;
}

/** Tells, and sends the queued mails; returns what arrived. */
async function mailed(): Promise<string[]> {
  arrived = [];
  await tellFaults(world.system.db, 'https://ops.example.com');
  const job = sendMailJob(mail, 'https://ops.example.com', () => Promise.resolve(false));
  for (const { payload } of await rows<{ payload: unknown }>(
    "delete from job where name = 'send-mail' and dead_at is null returning payload",
  ))
    await job.run(world.system, job.schema.parse(payload), attemptOf(1, mailDestination));
  return arrived.toSorted();
}
const noticed = async (tenantId: string, caller = holder([tenantId])) =>
  ((await world.call(caller, 'GET', `/v1/notices?tenantId=${tenantId}`)).body.value ?? []).filter(({ kind }) => kind === 'fault');

const failed = (tenantId: string, more: { workUnitId?: number; test?: boolean } = {}) =>
  rows(
    `insert into action_history (tenant_id, action_definition_id, result_status_id, result_detail, correlation_id, message_id, work_unit_id)
      values ($1, '${builtInAction.email}', ${resultStatus.failure}, jsonb_build_object('error', '550 no such user', 'label', 'Mail to kim', 'test', $3::boolean), uuidv7(), uuidv7(), $2)`,
    tenantId,
    more.workUnitId ?? null,
    more.test ?? false,
  );

it('tells once that a rule does not work, to those who may edit settings of its tenant', async () => {
  const tenantId = await tenant();
  const [rule] = await rows<{ id: string }>(
    `insert into rule (tenant_id, name, rule_type_id, enabled, conditions, match_lifetime) values ($1, 'Hot', 1, true, '[]', 300) returning rule_id as id`,
    tenantId,
  );
  await recordBroken(world.system.db, [{ ruleId: rule?.id ?? '', cause: 'Condition 1: the device is no longer there.' }]);
  expect(await mailed()).toEqual([`admin@${tenantId}.example.com: The rule Hot does not work as it is written`]);
  expect(await mailed()).toEqual([]);
  // Another cause at each packet is no mail at each packet.
  await recordBroken(world.system.db, [{ ruleId: rule?.id ?? '', cause: 'Condition 2: the device is no longer there.' }]);
  expect(await mailed()).toEqual([]);
  expect(await noticed(tenantId)).toMatchObject([{ of: 'rule', count: 1, name: 'Hot', problem: expect.stringContaining('Condition 2') }]);
  expect(await noticed(tenantId, holder([tenantId], ['CloudFit.CFS.Settings:view']))).toEqual([]);
  const [entry] = await rows("select after ->> 'recipients' as recipients from audit where verb = 'notify' and entity_id = $1", rule?.id);
  expect(entry).toEqual({ recipients: `admin@${tenantId}.example.com` });
  await rows('update rule set enabled = false where rule_id = $1', rule?.id);
  expect(await noticed(tenantId)).toEqual([]);
});

it('tells of a mailbox that stays unread, and not of one whose connection comes back', async () => {
  const tenantId = await tenant();
  await rows("update tenant set internal_notification_email_address = 'desk@example.com' where tenant_id = $1", tenantId);
  const [box] = await rows<{ id: string }>(
    `insert into mailbox (tenant_id, name, address, enabled, port, security, folder, work_unit_type_id, severity_id, unknown_senders, sender_limit, token_hash, token_hint)
      values ($1::uuid, 'Support', 'support@example.com', true, 993, 'Tls', 'INBOX', 1, 'Sev3', 'Take', 10, decode(md5('x'), 'hex'), 'x') returning mailbox_id as id`,
    tenantId,
  );
  const id = box?.id ?? '';
  const older = () => rows("update mailbox set problem_since = problem_since - interval '9 minutes' where mailbox_id = $1", id);
  await recordState(world.system.db, id, 'The password was refused.');
  await older();
  await recordState(world.system.db, id, null);
  await recordState(world.system.db, id, 'The password was refused.');
  await older();
  expect([await mailed(), await noticed(tenantId)]).toEqual([[], []]);
  // The same problem, and another one, since the same time.
  await recordState(world.system.db, id, 'The server does not answer.');
  await older();
  expect(await mailed()).toEqual(['desk@example.com: The mailbox Support cannot be read']);
  expect(await noticed(tenantId)).toMatchObject([{ of: 'mailbox', name: 'Support', problem: 'The server does not answer.' }]);
});

it('tells of a source of which everything is refused', async () => {
  const tenantId = await tenant();
  const { body } = await world.call(holder('all'), 'GET', `/v1/subscriptions?$filter=tenantId eq ${tenantId}`);
  const created = await world.call(holder('all'), 'PUT', '/v1/sources', {
    name: 'Alerts of the plant',
    kind: 'Webhook',
    tenantId,
    subscriptionId: body.value?.[0]?.['subscriptionId'],
  });
  const id = created.body['sourceId'];
  await rows("update intake_source set created = now() - interval '1 hour' where source_id = $1", id);
  const refused = (minutes: number) =>
    rows(
      `insert into source_refusal (source_id, tenant_id, code, message, sample, count, last)
        values ($1, $2, $3, 'The source has made 500 names.', '{}', 1, now() - make_interval(mins => $4))`,
      id,
      tenantId,
      `Cap${minutes}`,
      minutes,
    );
  await refused(61);
  expect(await noticed(tenantId)).toEqual([]);
  await refused(2);
  expect(await mailed()).toEqual([`admin@${tenantId}.example.com: All that Alerts of the plant sends is refused`]);
  expect(await noticed(tenantId)).toMatchObject([{ of: 'source', problem: 'The source has made 500 names.' }]);
  await rows("update intake_source set last_data = now() - interval '1 minute' where source_id = $1", id);
  expect(await noticed(tenantId)).toEqual([]);
});

it('tells of messages that failed for good while nobody has taken up their unit, of tests not at all', async () => {
  const tenantId = await tenant();
  const unit = async (state: string) =>
    (
      await rows<{ id: number }>(
        "insert into work_unit (tenant_id, title, work_unit_type_id, state_id, created_by, modified_by) values ($1, 'x', 1, $2, 't', 't') returning work_unit_id as id",
        tenantId,
        state,
      )
    )[0]?.id ?? 0;
  await failed(tenantId, { test: true });
  await failed(tenantId, { workUnitId: await unit('Acknowledged') });
  expect([await mailed(), await noticed(tenantId)]).toEqual([[], []]);
  const workUnitId = await unit('New');
  await failed(tenantId, { workUnitId });
  expect(await mailed()).toEqual([`admin@${tenantId}.example.com: Not delivered: Mail to kim`]);
  await failed(tenantId);
  expect(await mailed()).toEqual([]);
  expect(await noticed(tenantId)).toMatchObject([{ of: 'undelivered', count: 2, name: 'Mail to kim', problem: '550 no such user' }]);
  // A day later, another one.
  await rows("update action_history set action_processed = action_processed - interval '25 hours' where tenant_id = $1", tenantId);
  expect(await noticed(tenantId)).toEqual([]);
  // A mail that is no action: its job is all there is of it.
  await rows(
    `insert into job (name, payload, tenant_id, correlation_id, last_error, dead_at) values ('send-mail', '{"subject": "Please approve"}', $1, uuidv7(), '550 gone', now())`,
    tenantId,
  );
  expect(await noticed(tenantId)).toMatchObject([{ of: 'undelivered', count: 1, name: 'Please approve', problem: '550 gone' }]);
});

it('tells those of the installation of jobs that failed for good, and what a tenant without anybody else has', async () => {
  const { tenantId } = await world.tenant();
  await rows(
    `insert into job (name, payload, tenant_id, correlation_id, last_error, dead_at) values ('work-unit-event', '{}', $1, uuidv7(), 'deadlock', now())`,
    tenantId,
  );
  await failed(tenantId);
  expect(await mailed()).toEqual([
    'root@example.com: Not delivered: Mail to kim',
    'root@example.com: Work of the installation fails: work-unit-event',
  ]);
  expect(await noticed(tenantId)).toMatchObject([{ of: 'undelivered' }]);
  expect((await noticed(tenantId, holder('all'))).map(({ of }) => of)).toEqual(['jobs', 'undelivered']);
});

it('tells of periodic work that fails at each run, and not of one that failed once', async () => {
  await rows("delete from job where name = 'work-unit-event'");
  const since = (minutes: number, lastRun: number) =>
    rows(
      `insert into schedule (name, last_error, failed_since, last_run) values ('planned-steps', 'broken', now() - make_interval(mins => $1), now() - make_interval(mins => $2))
        on conflict (name) do update set last_error = 'broken', failed_since = excluded.failed_since, last_run = excluded.last_run`,
      minutes,
      lastRun,
    );
  const { tenantId } = await world.tenant();
  const jobs = async () => (await noticed(tenantId, holder('all'))).filter(({ of }) => of === 'jobs');
  await since(11, 12);
  expect(await jobs()).toEqual([]);
  await since(11, 0);
  expect(await jobs()).toMatchObject([{ count: 1, name: 'planned-steps', problem: 'broken' }]);
  await rows("update schedule set last_error = null where name = 'planned-steps'");
  expect(await jobs()).toEqual([]);
});

it('tells of units and approvals that only somebody can do who has left', async () => {
  const tenantId = await tenant();
  const anna = `anna@${tenantId}.example.com`;
  const ben = `ben@${tenantId}.example.com`;
  for (const name of [anna, ben]) await person(name, tenantId, 'WorkUnits:edit');
  const open = ({ assignedTo, approver = null, approvedBy = null, state = 'New' }: Record<string, string | null>) =>
    rows(
      `insert into work_unit (tenant_id, title, work_unit_type_id, created_by, modified_by, assigned_to, approver1, approved1_by, state_id)
        values ($1, 'x', 2, 't', 't', $2, $3, $4, $5)`,
      tenantId,
      assignedTo,
      approver,
      approvedBy,
      state,
    );
  await open({ assignedTo: anna });
  await open({ assignedTo: ben, approver: anna });
  await open({ assignedTo: ben, approver: anna, approvedBy: anna });
  await open({ assignedTo: 'the network team' });
  await open({ assignedTo: anna, state: 'Closed' });
  expect([await mailed(), await noticed(tenantId)]).toEqual([[], []]);
  await rows('delete from access_grant g using person p where g.person_id = p.person_id and p.user_name = $1', anna);
  expect(await mailed()).toEqual([`admin@${tenantId}.example.com: 1 open work unit waits for somebody who has left: ${anna}`]);
  expect(await mailed()).toEqual([]);
  expect(await noticed(tenantId)).toMatchObject([{ of: 'left', count: 1, name: anna }]);
  await rows('update person set enabled = false where user_name = $1', anna);
  expect(await noticed(tenantId)).toMatchObject([{ of: 'left', count: 2, name: anna }]);
  await rows('update work_unit set assigned_to = null, approver1 = $2 where tenant_id = $1', tenantId, ben);
  expect(await noticed(tenantId)).toEqual([]);
});

it('tells by browser that no mail arrives', async () => {
  const tenantId = await tenant();
  await rows(
    `insert into push_subscription (person_id, endpoint, p256dh, auth, browser) select person_id, 'https://push.example.com/' || person_id, 'k', 'a', 'Firefox'
      from person where user_name in ($1, $2)`,
    `admin@${tenantId}.example.com`,
    `reader@${tenantId}.example.com`,
  );
  await rows(
    "insert into destination (tenant_id, origin, last_error, paused_until, created) values ($1, $2, '421 too busy', now(), now() - interval '11 minutes')",
    tenantId,
    mailDestination,
  );
  expect([await mailed(), await mailed()]).toEqual([[], []]);
  const messages = await rows<{ label: string; title: string }>(
    "select result_detail ->> 'label' as label, input_parameters::jsonb ->> 'Subject' as title from action_history where tenant_id = $1",
    tenantId,
  );
  expect(messages).toEqual([
    { label: `Push to admin@${tenantId}.example.com (the mail server fails)`, title: 'No mail arrives: the mail server fails' },
  ]);
  expect(await noticed(tenantId)).toEqual([]);
});

it('tells of severe units that nobody has taken up, because nobody was told of them or nobody answered', async () => {
  const tenantId = await tenant();
  const open = async (title: string, severity: string, minutes: number, more = "'New', null") =>
    (
      await rows<{ id: number }>(
        `insert into work_unit (tenant_id, title, work_unit_type_id, severity_id, created, created_by, modified_by, state_id, assigned_to)
          values ($1, $2, 1, $3, now() - make_interval(mins => $4), 't', 't', ${more}) returning work_unit_id as id`,
        tenantId,
        title,
        severity,
        minutes,
      )
    )[0]?.id ?? 0;
  const sent = (workUnitId: number, action: string) =>
    rows(
      `insert into action_history (tenant_id, action_definition_id, result_status_id, correlation_id, message_id, work_unit_id) values ($1, $2, ${resultStatus.success}, uuidv7(), uuidv7(), $3)`,
      tenantId,
      action,
      workUnitId,
    );
  await open('Fresh', 'Sev0', 5);
  await open('Mild', 'Sev3', 30);
  await open('Taken', 'Sev0', 30, "'Acknowledged', null");
  await open('Given', 'Sev0', 30, "'New', 'the network team'");
  await sent(await open('Mailed', 'Sev1', 30), builtInAction.email);
  expect([await mailed(), await noticed(tenantId)]).toEqual([[], []]);
  // That a rule has opened it tells nobody.
  await sent(await open('Core switch is down', 'Sev1', 30), builtInAction.createWorkUnit);
  expect(await mailed()).toEqual([`admin@${tenantId}.example.com: Nobody has taken up: Core switch is down`]);
  expect(await mailed()).toEqual([]);
  expect(await noticed(tenantId)).toMatchObject([{ of: 'untold', count: 1, name: 'Core switch is down' }]);
  // Somebody was told of this one, and did not answer.
  await rows("update work_unit set unanswered_since = now() - interval '16 minutes' where tenant_id = $1 and title = 'Mailed'", tenantId);
  expect(await noticed(tenantId)).toMatchObject([{ of: 'untold', count: 2 }]);
  await rows('update tenant set enabled = false where tenant_id = $1', tenantId);
  expect(await noticed(tenantId)).toEqual([]);
});

it('mails administrators that a receiver fails, and later that calls to it are disabled, where the tenant has no address', async () => {
  const tenantId = await tenant();
  await rows(
    `insert into destination (tenant_id, origin, last_error, failures, created) values ($1, 'https://hook.example.com', 'x', 39, now() - interval '2 days')`,
    tenantId,
  );
  expect([await mailed(), await noticed(tenantId)]).toEqual([[], []]);
  await rows('update destination set paused_until = now() where tenant_id = $1', tenantId);
  expect(await mailed()).toEqual([`admin@${tenantId}.example.com: https://hook.example.com takes no calls`]);
  expect(await noticed(tenantId)).toMatchObject([{ of: 'failing', name: 'https://hook.example.com', problem: 'x' }]);
  await destinationBreaker(world.system.db).recordFailure('https://hook.example.com', tenantId, 'The receiver answered 503.', 'halfOpen');
  expect(await mailed()).toEqual([`admin@${tenantId}.example.com: Calls to https://hook.example.com are disabled`]);
  expect(await noticed(tenantId)).toMatchObject([{ of: 'destination', name: 'https://hook.example.com' }]);
});

it('tells of events that were given up or ended, and of mails that wait', async () => {
  const tenantId = await tenant();
  const created = await world.call(holder([tenantId]), 'PUT', '/v1/eventSubscriptions', {
    name: 'Data lake',
    tenantId,
    entity: 'workUnits',
    address: 'https://hooks.example.com/x',
  });
  const id = created.body['eventSubscriptionId'];
  const delivery = (deed: string, status: string, hours: number) =>
    rows(
      `insert into event_delivery (tenant_id, event_subscription_id, event_id, type, deed, subject, entity_id, status, last_attempt, error, correlation_id)
        values ($1, $2, uuidv7(), 'x', $3, 'workUnits/1', '1', $4, now() - make_interval(hours => $5), 'The receiver answered 422.', uuidv7())`,
      tenantId,
      id,
      deed,
      status,
      hours,
    );
  await delivery('state', 'Delivered', 1);
  await delivery('test', 'Failed', 1);
  await delivery('state', 'Failed', 25);
  expect([await mailed(), await noticed(tenantId)]).toEqual([[], []]);
  await delivery('state', 'Failed', 2);
  expect(await mailed()).toEqual([`admin@${tenantId}.example.com: Data lake has given up 1 event`]);
  await delivery('note', 'Failed', 1);
  expect(await mailed()).toEqual([]);
  expect(await noticed(tenantId)).toMatchObject([
    { of: 'eventsGivenUp', count: 2, name: 'Data lake', problem: 'The receiver answered 422.' },
  ]);
  // Ended by its receiver; a mail has said so.
  await rows(`update event_subscription set enabled = false, problem = 'The receiver answered 410.' where event_subscription_id = $1`, id);
  expect([await mailed(), await noticed(tenantId)]).toMatchObject([[], [{ of: 'eventsEnded', name: 'Data lake' }]]);
  await world.call(holder([tenantId]), 'POST', `/v1/eventSubscriptions/${String(id)}`, { enabled: true });
  await rows("update event_delivery set status = 'Delivered' where event_subscription_id = $1", id);
  const [box] = await rows<{ id: string }>(
    `insert into mailbox (tenant_id, name, address, enabled, port, security, folder, work_unit_type_id, severity_id, unknown_senders, sender_limit, token_hash, token_hint)
      values ($1::uuid, 'Support', 'support@example.com', true, 993, 'Tls', 'INBOX', 1, 'Sev3', 'Hold', 10, decode(md5('y'), 'hex'), 'y') returning mailbox_id as id`,
    tenantId,
  );
  const mailOf = (outcome: string, reason: string | null) =>
    rows(
      `insert into mailbox_mail (mailbox_id, tenant_id, mail_key, sender, sender_name, subject, sample, size, outcome, reason, message)
        values ($1, $2, uuid_send(uuidv7()), 'kim@example.com', 'Kim', 'Help', '', 1, $3, $4, 'The mail 7 could not be stored: disk full')`,
      box?.id,
      tenantId,
      outcome,
      reason,
    );
  await mailOf('Opened', null);
  await mailOf('Refused', 'AutoReply');
  expect([await mailed(), await noticed(tenantId)]).toEqual([[], []]);
  await mailOf('Refused', 'NotTaken');
  await mailOf('Held', 'UnknownSender');
  expect(await mailed()).toEqual([`admin@${tenantId}.example.com: 2 mails to Support wait for somebody`]);
  expect(await noticed(tenantId)).toMatchObject([
    { of: 'mails', count: 2, name: 'Support', problem: 'kim@example.com: The mail 7 could not be stored: disk full' },
  ]);
});

it('tells of a report whose owner has left', async () => {
  const tenantId = await tenant();
  const [row] = await rows<{ id: string }>(
    `insert into report_schedule (tenant_id, person_id, name, dimension, period, is_all_tenants, rhythm, day, hour, time_zone, receivers, is_enabled, next_run, last_run, last_result)
      select $1::uuid, person_id, 'Month of ' || email, 'severity', 'lastMonth', false, 'monthly', 1, 8, 'UTC', '{}', false, now(), now(), '[{"personId": "x", "outcome": "Sent"}]'
      from person where email = 'admin@' || $1::text || '.example.com' returning report_schedule_id as id`,
    tenantId,
  );
  expect([await mailed(), await noticed(tenantId)]).toEqual([[], []]);
  await rows(
    `update report_schedule set last_result = '[{"personId": "x", "outcome": "OwnerMayNot"}]' where report_schedule_id = $1`,
    row?.id,
  );
  const name = `Month of admin@${tenantId}.example.com`;
  expect(await mailed()).toEqual([`admin@${tenantId}.example.com: The report ${name} is no longer sent`]);
  expect(await mailed()).toEqual([]);
  expect(await noticed(tenantId)).toMatchObject([{ of: 'report', name }]);
});

it('tells of a campaign that has stopped by itself, and not of one that a person has stopped', async () => {
  const tenantId = await tenant();
  const campaign = async (title: string) => {
    const [row] = await rows<{ id: string }>(
      `insert into campaign (tenant_id, title, kind, total, waiting, created_by, owner_kind, correlation_id)
        values ($1, $2, 'InstallPackage', 1, 1, 'kim', 'person', uuidv7()) returning campaign_id as id`,
      tenantId,
      title,
    );
    return row?.id ?? '';
  };
  const [byItself, byPerson] = [await campaign('Agent 2'), await campaign('Agent 3')];
  await requestStop(world.system, byItself, '2 of 3 devices failed.');
  expect((await world.call(holder([tenantId]), 'POST', `/v1/campaigns/${byPerson}/stop`, {})).status).toBe(200);
  expect(await mailed()).toEqual([`admin@${tenantId}.example.com: The campaign Agent 2 has stopped by itself`]);
  expect(await mailed()).toEqual([]);
  expect(await noticed(tenantId)).toMatchObject([{ of: 'campaign', count: 1, name: 'Agent 2', problem: '2 of 3 devices failed.' }]);
});

it('tells of a disk that is nearly full at once, once for all processes of a machine, and of an archive that stays away', async () => {
  const free = { level: 'low' as const, freeBytes: 1_500_000_000, sizeBytes: 20_000_000_000, databaseBytes: null, walBytes: null };
  const away = { level: 'failing' as const, archivedAt: null, error: 'connect ECONNREFUSED' };
  const begun = new Date(Date.now() - 300_000);
  const first = troublesOf({ ...free, archive: away }, [], begun);
  const note = async (troubles: readonly Trouble[]) => {
    for (const id of ['aaaa', 'bbbb']) await noteVitals(world.system.db, { id, name: 'api' }, 0, troubles);
  };
  await note(first);
  expect(await mailed()).toEqual([`root@example.com: The disk of ${hostname()} is nearly full`]);
  // It is still the same trouble, ten minutes after it has begun.
  const later = troublesOf({ ...free, freeBytes: 1_000_000_000, archive: away }, first, new Date());
  expect(later.map(({ since }) => since)).toEqual([begun.toISOString(), begun.toISOString()]);
  await note(later.map((trouble) => ({ ...trouble, since: new Date(Date.now() - 660_000).toISOString() })));
  expect(await mailed()).toEqual(['root@example.com: The archive of the database is not kept']);
  expect(await mailed()).toEqual([]);
  const standing = async () => (await rows<StandingFault>(faults, null, true)).map(({ kind }) => kind).toSorted();
  expect(await standing()).toEqual(expect.arrayContaining(['archive', 'storage']));
  await rows("update server_process set at = now() - interval '2 minutes'");
  expect(await standing()).not.toEqual(expect.arrayContaining(['storage']));
});

it('tells of copies for the archive that fail', async () => {
  const fault = (since: string) =>
    rows(
      `insert into setting (name, value) values ('archiveFault', jsonb_build_object('since', now() - $1::interval, 'error', 'no space left'))
        on conflict (name) do update set value = excluded.value`,
      since,
    );
  await fault('9 minutes');
  expect(await mailed()).toEqual([]);
  await fault('11 minutes');
  expect(await mailed()).toEqual(['root@example.com: The archive of the database is not kept']);
  await rows("delete from setting where name = 'archiveFault'");
});
