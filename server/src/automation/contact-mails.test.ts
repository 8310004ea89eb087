/** Mails of updates to contacts, at the socket of a mail server: previewed, sent once to each, recorded, and resent. */
import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import pino from 'pino';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { systemCtx } from '../auth/system-ctx.ts';
import { notifySubscribers } from '../features/status-pages/notify-subscribers.ts';
import { jobRegistry } from '../jobs/job.ts';
import { startWorker, type Worker } from '../jobs/worker.ts';
import { openMail, type Mail } from '../outbound/mail.ts';
import { until } from '../rules/testing/flow.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../testing/world.ts';
import { attemptOf } from '../testing/attempt.ts';
import { openEndedMails } from './notify/ended-mails.ts';
import { releaseOutboxMails } from './outbox-mail.ts';
import { sendMailJob } from './send-mail.job.ts';

let world: TestWorld;
let tenantId: string;
let otherId: string;
let me: TestCaller;
let other: TestCaller;
let server: SMTPServer;
let mail: Mail;
let workers: Worker[];
let withMail = true;
const refused = new Set<string>();
const received: { to: string; source: string }[] = [];
const log = pino({ level: 'silent' });

beforeAll(async () => {
  world = await createWorld();
  ({ tenantId } = await world.tenant('Northwind'));
  ({ tenantId: otherId } = await world.tenant('Southwind'));
  const actor = { kind: 'person', id: randomUUID(), name: 'Test Person', userName: 'person@example.com' } as const;
  me = { ...holder([tenantId]), actor };
  other = holder([otherId]);
  server = new SMTPServer({
    authOptional: true,
    hideSTARTTLS: true,
    onRcptTo: ({ address }, _session, done) =>
      done(refused.has(address) ? Object.assign(new Error('No such mailbox'), { responseCode: 550 }) : null),
    onData: (stream, session, done) => {
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.on('end', () => {
        const source = Buffer.concat(parts).toString();
        for (const { address } of session.envelope.rcptTo) received.push({ to: address, source });
        done();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  mail = openMail({ url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`, from: 'ops@example.com' });
  const job = {
    ...sendMailJob(undefined, 'http://localhost', openEndedMails(world.masterKey)),
    run: (...values: Parameters<ReturnType<typeof sendMailJob>['run']>) =>
      sendMailJob(withMail ? mail : undefined, 'http://localhost', openEndedMails(world.masterKey)).run(...values),
  };
  const worker = () =>
    startWorker({
      dataFolder: 'test',
      database: world.database,
      log,
      jobs: jobRegistry([job]),
      ctxFor: ({ correlationId }) => systemCtx({ database: world.database, log, name: 'Automation', correlationId }),
    });
  workers = [await worker(), await worker()];
});
afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
  mail.close();
  await new Promise<void>((resolve) => server.close(() => resolve()));
  await world.close();
});
beforeEach(async () => {
  withMail = true;
  refused.clear();
  await idle();
  received.length = 0;
  await world.system.db.query({ text: 'delete from communication_mail where tenant_id = $1', values: [tenantId] });
  await world.system.db.query({ text: 'delete from communication_contact where tenant_id = any($1)', values: [[tenantId, otherId]] });
});

const soon = (): string => new Date(Date.now() + 3_600_000).toISOString();
const contact = async (email: string, body: object = {}, caller = me, tenant = tenantId): Promise<string> =>
  String(
    (await world.call(caller, 'PUT', '/v1/communicationContacts', { name: email.split('@')[0], email, tenantId: tenant, ...body })).body[
      'communicationContactId'
    ],
  );
async function communication(body: object = {}): Promise<number> {
  const put = {
    title: 'Mail is down',
    tenantId,
    nextUpdate: soon(),
    details: 'Nobody can send.',
    impactedServices: 'Mail\nOrders',
    ...body,
  };
  return Number((await world.call(me, 'PUT', '/v1/workunitcommunications', put)).body['workUnitCommunicationId']);
}
async function link(id: number, workUnitTypeId: number, severityId: string): Promise<void> {
  const [unit] = await world.system.db.query<{ id: number }>({
    text: `insert into work_unit (tenant_id, title, work_unit_type_id, severity_id, created_by, modified_by)
      values ($1, 'Secret pump of Southwind', $2, $3, 'test', 'test') returning work_unit_id as id`,
    values: [tenantId, workUnitTypeId, severityId],
  });
  const linked = await world.call(me, 'POST', `/v1/workunitcommunications/${id}/workUnits`, { workunitIds: [unit?.id] });
  expect(linked.status).toBe(200);
}
const text = 'The queue was restarted.';
const post = (id: number, body: object = {}, caller: TestCaller | null = me, headers: Record<string, string> = {}) =>
  world.call(
    caller,
    'POST',
    `/v1/workunitcommunications/${id}/updates`,
    { text, status: 'ConfirmedImpact', nextUpdate: soon(), ...body },
    headers,
  );
const preview = (id: number, body: object = {}, caller = me) =>
  world.call(caller, 'POST', `/v1/workunitcommunications/${id}/updates/preview`, {
    text,
    status: 'ConfirmedImpact',
    nextUpdate: soon(),
    ...body,
  });
const updateId = (body: Record<string, unknown>) => String((body['update'] as Record<string, unknown>)['communicationUpdateId']);
const mails = async (caller = me) => (await world.call(caller, 'GET', '/v1/communicationMails?$orderby=email')).body.value ?? [];
const stateOf = (email: string, state: string) =>
  until(async () => (await mails()).find((row) => row['email'] === email && row['state'] === state));
const to = () => received.map((mail) => mail.to).toSorted();
/** Waits until no job is left. */
const idle = () =>
  until(async () => {
    const [row] = await world.system.db.query<{ n: number }>({ text: 'select count(*)::int as n from job where dead_at is null' });
    return row?.n === 0;
  });
const unfolded = (source: string) => source.replaceAll(/\r?\n[ \t]+/g, ' ');
/** The text of a part of a mail as it was before its transport. */
const plain = (source: string) =>
  Buffer.from(
    source.replaceAll(/=\r\n/g, '').replaceAll(/=([0-9A-F]{2})/g, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString();

it('writes to each in their language and time zone, one mail for those who share both', async () => {
  await contact('ann@example.com', { timeZone: 'Asia/Kolkata' });
  await contact('ben@example.com', { timeZone: 'Asia/Kolkata' });
  await contact('cat@example.com', { timeZone: 'America/New_York' });
  const [person] = await world.system.db.query<{ id: string }>({
    text: `insert into person (name, email, user_name, locale) values ('Dan', 'dan@example.com', 'dan@example.com', '{"timeZone": "Europe/Berlin"}') returning person_id as id`,
  });
  const id = await communication();
  const nextUpdate = '2099-05-01T09:00:00.000Z';
  const written = await preview(id, { nextUpdate });
  expect((written.body['mails'] as { recipients: number }[]).map((mail) => mail.recipients)).toEqual([2, 1]);
  await post(id, { nextUpdate, mail: true, digest: written.body['digest'] });
  await idle();
  const nextOf = (name: string) =>
    /Next update: (.*)/i.exec(plain(received.find((mail) => mail.to === `${name}@example.com`)?.source ?? ''))?.[1]?.trim();
  expect(nextOf('ann')).toBe('1/May/2099 14:30 GMT+5:30 (Asia/Kolkata)');
  expect(nextOf('ben')).toBe(nextOf('ann'));
  expect(nextOf('cat')).toBe('1/May/2099 05:00 EDT');
  // The person's time zone stands for a contact without one.
  await contact('dan@example.com', { language: 'de' });
  const { db } = world.system;
  await db.query({ text: `update communication_contact set person_id = $1 where email = 'dan@example.com'`, values: [person?.id] });
  await db.query({ text: `update communication_contact set active = false where email <> 'dan@example.com'` });
  const sets = await db.query<{ id: string }>({
    text: `insert into permission_set (tenant_id, name, permissions) values ($1, 'Own requests', '["CloudFit.CFS.WorkUnits:view:mine"]') returning permission_set_id as id`,
    values: [tenantId],
  });
  await db.query({
    text: 'insert into access_grant (tenant_id, person_id, permission_set_id) values ($1, $2, $3)',
    values: [tenantId, person?.id, sets[0]?.id],
  });
  expect((await preview(id, { nextUpdate })).body['mails']).toMatchObject([{ timeZone: 'Europe/Berlin', recipients: 1 }]);
  await contact('eve@example.com', { timeZone: 'Europe/Berlin', language: 'de' });
  expect((await preview(id, { nextUpdate })).body['mails']).toMatchObject([{ timeZone: 'Europe/Berlin', recipients: 2 }]);
});

it('previews exactly what is sent, and to whom not and why', async () => {
  await contact('ada@example.com');
  await contact('bo@example.com', { language: 'de', timeZone: 'Europe/Berlin' });
  await contact('cy@example.com', { active: false });
  await contact('di@example.com', { kinds: 'Maintenance' });
  await contact('ed@example.com', { minimumSeverity: 'Sev1' });
  await contact('fay@example.com', {}, other, otherId);
  const id = await communication({ internalBridge: 'https://meet.example.com/1', rootCause: 'A worn seal' });
  await link(id, 1, 'Sev2');
  await world.call(me, 'PUT', '/v1/workUnitCommunicationActivities', { workUnitCommunicationId: id, details: 'Call the plumber.' });
  const nextUpdate = '2099-05-01T09:00:00.000Z';
  const { status, body } = await preview(id, { nextUpdate });
  expect([status, body]).toEqual([
    200,
    {
      kind: 'Incidents',
      severity: 'Sev2',
      mailServerIsSet: true,
      digest: expect.any(String) as string,
      mails: [
        expect.objectContaining({ language: 'en', timeZone: 'UTC', recipients: 1 }),
        expect.objectContaining({ language: 'de', timeZone: 'Europe/Berlin', recipients: 1 }),
      ],
      recipients: [
        { name: 'ada', email: 'ada@example.com', language: 'en' },
        { name: 'bo', email: 'bo@example.com', language: 'de' },
      ],
      others: [
        { name: 'cy', email: 'cy@example.com', reason: 'Inactive' },
        { name: 'di', email: 'di@example.com', reason: 'OtherKind' },
        { name: 'ed', email: 'ed@example.com', reason: 'LessSevere' },
      ],
    },
  ]);
  const [english, german] = body['mails'] as { subject: string; text: string; html: string }[];
  expect(english?.subject).toMatch(/^WUCOMM #\d+: Mail is down - Impact confirmed$/);
  expect(german?.text).toContain('Nächste Mitteilung: 1. Mai 2099, 11:00 MESZ');
  expect(english?.text).toContain('1/May/2099 09:00 UTC');
  expect(english?.html).toContain('>Services affected</th>');
  expect([(await mails()).length, received.length]).toEqual([0, 0]);

  const sent = await post(id, { nextUpdate, mail: true, digest: body['digest'] });
  expect([sent.status, sent.body['queued']]).toEqual([200, 2]);
  await stateOf('bo@example.com', 'Sent');
  await idle();
  expect(to()).toEqual(['ada@example.com', 'bo@example.com']);
  const source = plain(received.find((mail) => mail.to === 'ada@example.com')?.source ?? '').replaceAll('\r\n', '\n');
  const [before = '', after = ''] = english?.text.split('(personal link)') ?? [];
  expect(source).toContain(before);
  expect(after).toBe('');
  const url = /To end these mails: (http:\S+)/.exec(source)?.[1] ?? '';
  expect(unfolded(source)).toContain(`List-Unsubscribe: <${url}>`);
  expect(source).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click');
  expect(source).toContain('Auto-Submitted: auto-generated');
  for (const secret of ['meet.example.com', 'worn seal', 'plumber', 'pump', 'Southwind', 'person@example.com', 'bo@example.com'])
    expect([secret, source.includes(secret), JSON.stringify(body['mails']).includes(secret)]).toEqual([secret, false, false]);
  expect(
    (
      await world.call(null, 'POST', new URL(url).pathname, 'List-Unsubscribe=One-Click', {
        'content-type': 'application/x-www-form-urlencoded',
      })
    ).status,
  ).toBe(200);
  expect((await preview(id)).body['others']).toContainEqual({ name: 'ada', email: 'ada@example.com', reason: 'Unsubscribed' });
});

it('counts a communication about changes alone as maintenance, and one without units as for all', async () => {
  await contact('di@example.com', { kinds: 'Maintenance', minimumSeverity: 'Sev0' });
  await contact('ed@example.com', { kinds: 'Incidents' });
  const id = await communication();
  expect((await preview(id)).body).toMatchObject({ kind: 'Incidents', severity: null, recipients: [{ name: 'ed' }] });
  await link(id, 2, 'Sev0');
  expect((await preview(id)).body).toMatchObject({ kind: 'Maintenance', severity: 'Sev0', recipients: [{ name: 'di' }] });
  await link(id, 1, 'Sev3');
  expect((await preview(id)).body).toMatchObject({ kind: 'Incidents', severity: 'Sev0', recipients: [{ name: 'ed' }] });
});

it('publishes an update: status, next update, a step for customers, and a record', async () => {
  const id = await communication();
  const nextUpdate = '2099-05-01T09:00:00.000Z';
  const { body } = await post(id, { nextUpdate });
  expect(body).toMatchObject({
    queued: 0,
    update: { detail: text, status: 'ConfirmedImpact', nextUpdate, createdBy: 'person@example.com' },
  });
  const row = (await world.call(me, 'GET', `/v1/workunitcommunications/${id}?$expand=workUnitCommunicationActivities`)).body;
  expect(row).toMatchObject({
    status: 'ConfirmedImpact',
    nextUpdate,
    workUnitCommunicationActivities: [{ details: text, isCustomerFacing: true, isComplete: true }],
  });
  const listed = await world.call(me, 'GET', `/v1/communicationUpdates?$filter=workUnitCommunicationId eq ${id}&$expand=mails`);
  expect(listed.body.value).toMatchObject([{ communicationUpdateId: updateId(body), mails: [] }]);
  const audits = await world.call(me, 'GET', `/v1/audit?$filter=entityId eq '${updateId(body)}'`);
  expect(audits.body.value).toMatchObject([{ verb: 'create', entity: 'communicationUpdates' }]);
  const faults = async (change: object) => {
    const answer = await post(id, change);
    return [answer.status, ((answer.body['error'] as { details?: { target: string }[] }).details ?? []).map(({ target }) => target)];
  };
  expect(await faults({ text: ' ' })).toEqual([400, ['text']]);
  expect(await faults({ status: 'Solved' })).toEqual([400, ['status']]);
  expect(await faults({ nextUpdate: null })).toEqual([400, ['nextUpdate']]);
  expect(await faults({ status: 'Resolved', nextUpdate: null })).toEqual([400, ['rootCause']]);
  const ended = { status: 'Resolved', nextUpdate: null, rootCause: 'A worn seal.' };
  await contact('ada@example.com');
  expect(JSON.stringify((await preview(id, ended)).body)).toContain('A worn seal.');
  expect((await post(id, ended)).body).toMatchObject({ update: { status: 'Resolved', nextUpdate: null } });
  expect((await world.call(me, 'GET', `/v1/workunitcommunications/${id}`)).body['rootCause']).toBe('A worn seal.');
  expect(
    (await world.call(me, 'GET', `/v1/communicationUpdates?$filter=workUnitCommunicationId eq ${id}&$count=true`)).body['@odata.count'],
  ).toBe(2);
});

it('sends once to each: a doubled click, calls at the same time, and a job that runs again', async () => {
  await contact('ada@example.com');
  await contact('bo@example.com');
  const id = await communication();
  const once = { 'idempotency-key': randomUUID() };
  const body = { nextUpdate: soon(), mail: true };
  const [first, second] = await Promise.all([post(id, body, me, once), post(id, body, me, once)]);
  const answered = [first, second].filter(({ status }) => status === 200);
  expect(new Set(answered.map((answer) => updateId(answer.body))).size).toBe(1);
  const update = updateId(answered[0]?.body ?? {});
  const again = () => world.call(me, 'POST', `/v1/communicationUpdates/mail/${update}`, {});
  const calls = await Promise.all([again(), again()]);
  expect(calls.map((call) => [call.status, call.body['queued']])).toEqual([
    [200, 0],
    [200, 0],
  ]);
  await stateOf('ada@example.com', 'Sent');
  await stateOf('bo@example.com', 'Sent');
  await idle();
  // A contact that is added later gets what was published before, the others nothing.
  await contact('cy@example.com');
  expect((await world.call(me, 'GET', `/v1/communicationUpdates/preview/${update}`)).body).toMatchObject({
    recipients: [{ name: 'cy' }],
    others: [
      { name: 'ada', reason: 'AlreadyMailed' },
      { name: 'bo', reason: 'AlreadyMailed' },
    ],
  });
  const both = await Promise.all([again(), again()]);
  expect(both.map((call) => call.body['queued']).toSorted()).toEqual([0, 1]);
  await stateOf('cy@example.com', 'Sent');
  await idle();
  expect(to()).toEqual(['ada@example.com', 'bo@example.com', 'cy@example.com']);
  // A worker that died after the mail was sent, and before the job was removed.
  const [row] = await world.system.db.query<{ message_id: string }>({
    text: "select message_id from communication_mail where communication_update_id = $1 and email = 'cy@example.com'",
    values: [update],
  });
  const payload = { messageId: row?.message_id, tenantId, to: 'cy@example.com', subject: 'Again', text: 'Again', workUnitIds: [] };
  await sendMailJob(mail, 'http://localhost', openEndedMails(world.masterKey)).run(world.system, payload, attemptOf());
  expect(received).toHaveLength(3);
});

it('refuses to send what the preview did not show', async () => {
  await contact('ada@example.com');
  const id = await communication();
  const nextUpdate = soon();
  const { digest } = (await preview(id, { nextUpdate })).body;
  await contact('bo@example.com');
  const late = await post(id, { nextUpdate, mail: true, digest });
  expect([late.status, (late.body['error'] as { message: string }).message]).toEqual([
    409,
    'The mail or its recipients have changed since the preview. Please look at the preview again.',
  ]);
  expect(
    (await world.call(me, 'GET', `/v1/communicationUpdates?$filter=workUnitCommunicationId eq ${id}&$count=true`)).body['@odata.count'],
  ).toBe(0);
});

it('records why a mail failed, and sends again only those that failed', async () => {
  await contact('ada@example.com');
  await contact('bo@example.com');
  await contact('gone@example.com');
  refused.add('bo@example.com').add('gone@example.com');
  const id = await communication();
  const update = updateId((await post(id, { mail: true })).body);
  expect(await stateOf('bo@example.com', 'Failed')).toMatchObject({
    reason: expect.stringContaining('No such mailbox') as string,
    sent: null,
  });
  await stateOf('gone@example.com', 'Failed');
  expect(await stateOf('ada@example.com', 'Sent')).toMatchObject({ reason: null, sent: expect.any(String) as string });
  refused.clear();
  const refusedContact = (await world.call(me, 'GET', "/v1/communicationContacts?$filter=email eq 'gone@example.com'")).body.value?.[0];
  await world.call(me, 'POST', `/v1/communicationContacts/${String(refusedContact?.['communicationContactId'])}`, { active: false });
  const resend = (caller: TestCaller | null = me) => world.call(caller, 'POST', `/v1/communicationUpdates/resend/${update}`);
  const calls = await Promise.all([resend(), resend()]);
  expect(calls.map((call) => call.body['queued']).toSorted()).toEqual([0, 1]);
  await stateOf('bo@example.com', 'Sent');
  await idle();
  expect(to()).toEqual(['ada@example.com', 'bo@example.com']);
  expect((await resend(null)).status).toBe(401);
  expect((await resend(holder([tenantId], ['CloudFit.CFS.WorkUnitCommunications:view']))).status).toBe(403);
  expect((await resend(other)).status).toBe(404);
});

it('says that a mail waits for a mail server, keeps its link, and does not send it to who has unsubscribed since', async () => {
  withMail = false;
  await contact('ada@example.com');
  const bo = await contact('bo@example.com');
  await post(await communication(), { mail: true });
  expect(await stateOf('ada@example.com', 'Kept')).toMatchObject({ reason: 'No mail server is set. The mail is sent once there is one.' });
  await stateOf('bo@example.com', 'Kept');
  await idle();
  await world.call(me, 'POST', `/v1/communicationContacts/${bo}`, { active: false });
  withMail = true;
  expect(await releaseOutboxMails(world.system.db)).toBe(2);
  await stateOf('ada@example.com', 'Sent');
  expect(await stateOf('bo@example.com', 'Failed')).toMatchObject({ reason: 'The contact gets no mails any more.' });
  await idle();
  expect(to()).toEqual(['ada@example.com']);
  expect(unfolded(received[0]?.source ?? '')).toContain('List-Unsubscribe: <http://localhost/status/end-mails/');
});

it('does not tell a subscriber of the status page twice of one update, whichever came first', async () => {
  const { subscriptionId } = await world.tenant();
  const subscription = (
    await world.system.db.query<{ id: string }>({
      text: "insert into subscription (tenant_id, name) values ($1, 'Mail') returning subscription_id as id",
      values: [tenantId],
    })
  )[0]?.id;
  expect(subscription).not.toBe(subscriptionId);
  const page = await world.call(me, 'PUT', '/v1/statusPages', {
    title: 'Northwind status',
    tenantId,
    enabled: true,
    components: [{ name: 'Mail', kind: 'Subscription', of: subscription }],
  });
  await world.system.db.query({
    text: "insert into status_subscriber (status_page_id, tenant_id, email) select $1, $2, e from unnest(array['ada@example.com', 'vera@example.com']) e",
    values: [page.body['statusPageId'], tenantId],
  });
  const tell = async () => {
    await notifySubscribers(world.system.db, world.subscriptionLinks, 'http://localhost');
    await world.system.db.query({ text: "update status_told set told = told - interval '10 minutes'" });
    await idle();
    return received
      .splice(0)
      .map((mail) => mail.to)
      .toSorted();
  };
  await contact('ada@example.com');
  const id = await communication({ isPublic: true });
  expect(await tell()).toEqual(['ada@example.com', 'vera@example.com']);
  await post(id, { mail: true });
  expect(await tell()).toEqual(['ada@example.com', 'vera@example.com']);
  const update = updateId((await post(id, { text: 'It runs again.', status: 'ServiceRestored' })).body);
  await world.system.db.query({ text: "update status_subscriber set created = created - interval '1 day'" });
  expect(await tell()).toEqual(['ada@example.com', 'vera@example.com']);
  await contact('zoe@example.com');
  const later = await world.call(me, 'POST', `/v1/communicationUpdates/mail/${update}`, {});
  expect(later.body['queued']).toBe(1);
  expect(await tell()).toEqual(['zoe@example.com']);

  // Mails that wait already are not sent to a subscriber who has unsubscribed since.
  withMail = false;
  await communication({ isPublic: true });
  expect(await tell()).toEqual([]);
  const subscribers = await world.system.db.query<{ id: string; email: string }>({
    text: 'select status_subscriber_id as id, email from status_subscriber where status_page_id = $1',
    values: [page.body['statusPageId']],
  });
  const vera = subscribers.find(({ email }) => email === 'vera@example.com');
  const { pathname } = new URL(world.subscriptionLinks.unsubscribe(tenantId, vera?.id ?? ''));
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  expect((await world.call(null, 'POST', pathname, 'List-Unsubscribe=One-Click', form)).status).toBe(200);
  withMail = true;
  expect(await releaseOutboxMails(world.system.db)).toBe(2);
  await idle();
  expect(to()).toEqual(['ada@example.com']);
});

it('sends a person who subscribed no mail after their rights in the tenant have ended', async () => {
  const personId = randomUUID();
  await world.system.db.query({
    text: `with p as (insert into person (person_id, name, user_name, email, email_verified) values ($2, 'Mara', 'mara', 'mara@example.com', true) returning person_id)
      insert into communication_contact (tenant_id, name, email, language, kinds, minimum_severity, active, created_by, person_id)
      select $1, 'Mara', 'mara@example.com', 'en', 'All', 'Sev4', true, 'mara', person_id from p`,
    values: [tenantId, personId],
  });
  const id = await communication();
  expect((await preview(id)).body).toMatchObject({ recipients: [], others: [{ name: 'Mara', reason: 'NoAccess' }] });
  const set = await world.system.db.query<{ id: string }>({
    text: `insert into permission_set (tenant_id, name, permissions) values ($1, 'Requests', '["CloudFit.CFS.WorkUnits:view:mine"]') returning permission_set_id as id`,
    values: [tenantId],
  });
  await world.system.db.query({
    text: 'insert into access_grant (tenant_id, person_id, permission_set_id) values ($1, $2, $3)',
    values: [tenantId, personId, set[0]?.id],
  });
  expect((await preview(id)).body).toMatchObject({ recipients: [{ name: 'Mara' }], others: [] });
});

it('is for people who may edit the communication: each call', async () => {
  const id = await communication();
  const update = updateId((await post(id)).body);
  const reader = holder([tenantId], ['CloudFit.CFS.WorkUnitCommunications:view']);
  for (const [caller, status] of [
    [null, 401],
    [reader, 403],
    [other, 404],
  ] as const) {
    const answers = [
      await world.call(caller, 'POST', `/v1/workunitcommunications/${id}/updates/preview`, {
        text,
        status: 'ConfirmedImpact',
        nextUpdate: soon(),
      }),
      await post(id, {}, caller),
      await world.call(caller, 'GET', `/v1/communicationUpdates/preview/${update}`),
      await world.call(caller, 'POST', `/v1/communicationUpdates/mail/${update}`, {}),
    ];
    expect(answers.map((answer) => answer.status)).toEqual([status, status, status, status]);
  }
  expect((await world.call(reader, 'GET', `/v1/communicationUpdates?$filter=workUnitCommunicationId eq ${id}`)).body.value).toHaveLength(1);
  expect((await world.call(reader, 'GET', '/v1/communicationMails')).status).toBe(403);
  expect(await mails(other)).toEqual([]);
});
