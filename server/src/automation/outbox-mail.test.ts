/** Mails without a mail server: how they are reported, and that they are sent once there is one. */
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import pino from 'pino';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { builtInAction, resultStatus } from '@cloudfit/contract/enums.ts';
import { systemCtx } from '../auth/system-ctx.ts';
import { runActionName, writeExecutions } from '../executions/executions.ts';
import { enqueue } from '../jobs/queue.ts';
import { jobRegistry, type Job } from '../jobs/job.ts';
import { startWorker, type Worker } from '../jobs/worker.ts';
import { openOutboundHttp } from '../outbound/http.ts';
import { openMail, type Mail } from '../outbound/mail.ts';
import { until } from '../rules/testing/flow.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../testing/world.ts';
import { giveUpOldMails, releaseOutboxMails } from './outbox-mail.ts';
import { runActionJob } from './run-action.job.ts';
import { sendMailJob, sendMailName } from './send-mail.job.ts';

let world: TestWorld;
let home: { tenantId: string };
let me: TestCaller;
let server: SMTPServer;
let mail: Mail;
let worker: Worker;
let withMail = false;
let refuses = false;
const received: string[] = [];
const log = pino({ level: 'silent' });
const http = openOutboundHttp();

/** Makes the job again at each run, so that a run sees whether there is a mail server. */
function lateBound(name: string, make: () => Job): Job {
  return { ...make(), name, run: (ctx, payload, attempt) => make().run(ctx, payload, attempt) };
}

beforeAll(async () => {
  world = await createWorld({ mailServerIsSet: false });
  home = await world.tenant();
  me = holder([home.tenantId]);
  await world.call(me, 'POST', `/v1/tenants/${home.tenantId}`, { internalNotificationEmailAddress: 'desk@example.com' });
  server = new SMTPServer({
    authOptional: true,
    hideSTARTTLS: true,
    onRcptTo: (_address, _session, done) => done(refuses ? Object.assign(new Error('No such mailbox'), { responseCode: 550 }) : null),
    onData: (stream, _session, done) => {
      let source = '';
      stream.on('data', (part: Buffer) => (source += part.toString()));
      stream.on('end', () => {
        received.push(source);
        done();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  mail = openMail({ url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`, from: 'ops@example.com' });
  const channels = () => ({
    http,
    secrets: world.secrets,
    hopCounts: world.hopCounts,
    ackLinks: world.ackLinks,
    push: { key: world.pushKey },
    publicUrl: 'https://ops.example.com',
    mail: withMail ? mail : undefined,
  });
  worker = await startWorker({
    dataFolder: 'test',
    database: world.database,
    log,
    jobs: jobRegistry([
      lateBound(runActionName, () => runActionJob(channels())),
      lateBound(sendMailName, () => sendMailJob(withMail ? mail : undefined, 'http://localhost', () => Promise.resolve(false))),
    ]),
    ctxFor: ({ correlationId }) => systemCtx({ database: world.database, log, name: 'Automation', correlationId }),
  });
});
afterAll(async () => {
  await worker.stop();
  mail.close();
  await http.close();
  await new Promise<void>((resolve) => server.close(() => resolve()));
  await world.close();
});

it('an invitation is not sent without a mail server, and that is said before', async () => {
  const problem = expect.stringContaining('No mail server is set (SMTP_URL), so no invitation can be sent.') as unknown;
  expect((await world.call(me, 'GET', '/v1/invitations/state')).body).toEqual({ problem, byLink: false });
  const invited = { email: 'ida@example.com', name: 'Ida', permissionSetId: crypto.randomUUID(), tenantId: home.tenantId };
  expect(await world.call(me, 'POST', '/v1/people/invite', invited)).toMatchObject({ status: 409, body: { error: { message: problem } } });
});
beforeEach(() => {
  withMail = false;
  refuses = false;
  received.length = 0;
});

async function unit(): Promise<number> {
  const body = { title: 'Pump 4', severityId: 'Sev1', workUnitTypeId: 1, tenantId: home.tenantId, stakeHolderPhoneNumber: '1' };
  return Number((await world.call(me, 'PUT', '/v1/workunits', body)).body['workUnitId']);
}

async function queue(workUnitId: number): Promise<string> {
  const messageId = crypto.randomUUID();
  await writeExecutions(world.system.db, [
    {
      tenantId: home.tenantId,
      actionDefinitionId: builtInAction.email,
      messageId,
      correlationId: crypto.randomUUID(),
      referenceId: String(workUnitId),
      parameters: { To: 'customer@example.com', Template: 'None', Subject: 'Solved', Body: 'It runs.' },
      suppressed: false,
      detail: {},
      workUnitId,
    },
  ]);
  return messageId;
}

interface FeedEntry {
  detail: string;
  isWarning: boolean;
  historyType: string | null;
}

async function feed(id: number): Promise<FeedEntry[]> {
  const { body } = await world.call(me, 'GET', `/v1/workunits/GetWorkUnitHistoryRecords(workUnitId=${id})`);
  return body.value as unknown as FeedEntry[];
}
const entry = (id: number, pattern: RegExp) => until(async () => (await feed(id)).find(({ detail }) => pattern.test(detail)));

async function history(messageId: string): Promise<Record<string, unknown> | undefined> {
  return (await world.call(me, 'GET', `/v1/actionHistories?$filter=messageId eq ${messageId}`)).body.value?.[0];
}
const historyWith = (messageId: string, is: (row: Record<string, unknown>) => boolean) =>
  until(async () => {
    const row = await history(messageId);
    return row && is(row) ? row : undefined;
  });

/** Runs until the worker has no jobs, so that no job delays the next step of the test. */
const idle = () =>
  until(async () => {
    const [row] = await world.system.db.query<{ n: number }>({ text: 'select count(*)::int as n from job where dead_at is null' });
    return row?.n === 0;
  });

it('keeps the mail of an action as queued, says so in the feed, and sends it once there is a server', async () => {
  const id = await unit();
  const messageId = await queue(id);
  const waiting = await historyWith(messageId, (row) => row['keptSince'] !== null);
  expect(waiting).toMatchObject({
    resultStatusId: resultStatus.enqueueSuccess,
    resultDetail: { reason: 'Kept, not sent: no mail server is set.', recipients: 'customer@example.com' },
  });
  expect(await entry(id, /kept, not sent/)).toMatchObject({ isWarning: true, historyType: 'ProtocolActionActivity' });
  expect((await feed(id)).some(({ detail }) => /succeeded/.test(detail))).toBe(false);
  const replay = await world.call(me, 'POST', `/v1/actionHistories/${String(waiting['actionHistoryId'])}/replay`);
  expect([replay.status, (replay.body['error'] as { message: string }).message]).toEqual([
    409,
    'This mail waits in the outbox, because no mail server is set. It is sent when one is set.',
  ]);
  await idle();

  withMail = true;
  expect((await Promise.all([releaseOutboxMails(world.system.db), releaseOutboxMails(world.system.db)])).toSorted()).toEqual([0, 1]);
  const sent = await historyWith(messageId, (row) => row['resultStatusId'] === resultStatus.success);
  expect(sent).toMatchObject({ keptSince: null, resultDetail: { keptSince: expect.stringMatching(/^\d{4}-.* UTC$/) } });
  expect(sent['resultDetail']).not.toHaveProperty('reason');
  expect(received).toHaveLength(1);
  expect(received[0]).toContain('It runs.');
  expect((await entry(id, /succeeded \(kept since/)).isWarning).toBe(false);
  expect((await world.call(me, 'GET', '/v1/outboxMessages')).body.value).toEqual([]);
});

it('fails a kept mail that the server then refuses for good, and those that were kept for a week', async () => {
  const id = await unit();
  const [refused, ...old] = [await queue(id), await queue(id), await queue(id)];
  for (const messageId of [refused, ...old]) await historyWith(messageId, (row) => row['keptSince'] !== null);
  await idle();
  await world.system.db.query({
    text: "with old as (delete from outbox_message where message_id = any($1::uuid[]) returning tenant_id, message_id, recipients, subject, body, correlation_id)\n      insert into outbox_message (tenant_id, message_id, recipients, subject, body, correlation_id, created) select tenant_id, message_id, recipients, subject, body, correlation_id, now() - interval '8 days' from old",
    values: [old],
  });
  await giveUpOldMails(world.system);
  for (const messageId of old)
    expect(await history(messageId)).toMatchObject({
      resultStatusId: resultStatus.failure,
      keptSince: null,
      resultDetail: { error: 'It was kept for 7 days, and no mail server was set.' },
    });
  withMail = true;
  refuses = true;
  expect(await releaseOutboxMails(world.system.db)).toBe(1);
  const failed = await historyWith(refused, (row) => row['resultStatusId'] === resultStatus.failure);
  expect(JSON.stringify(failed['resultDetail'])).toContain('No such mailbox');
  expect(await entry(id, /failed: .*No such mailbox/)).toMatchObject({ historyType: 'ProtocolActionFailure' });
  expect(received).toEqual([]);
});

it('promises no call that nobody is told of, and says in the feed what became of the mail', async () => {
  const id = await unit();
  const answer = await world.call(me, 'POST', `/v1/workunitnotes/callme/${id}`);
  expect(answer.body).toEqual({
    message: 'Your call back request has been received, but nobody could be notified by mail. A call may take longer than 15 minutes.',
    notified: false,
  });
  expect(await entry(id, /^The mail "Call back requested: .*" to desk@example.com was kept, not sent/)).toMatchObject({ isWarning: true });
  await idle();
  withMail = true;
  expect(await releaseOutboxMails(world.system.db)).toBe(1);
  expect(await entry(id, /was sent; it had been kept since/)).toMatchObject({ isWarning: false });
  expect(received).toHaveLength(1);
});

it('says of an internal notification that it is kept, and lets it be asked for again when it failed for good', async () => {
  const body = { title: 'Mail is down', tenantId: home.tenantId, nextUpdate: new Date(Date.now() + 3_600_000).toISOString() };
  const created = await world.call(me, 'PUT', '/v1/workunitcommunications', body);
  expect(created.body['error']).toBeUndefined();
  const at = `/v1/workunitcommunications/${String(created.body['workUnitCommunicationId'])}`;
  const id = await unit();
  await world.call(me, 'POST', `${at}/workUnits`, { workunitIds: [id] });
  const answer = { message: 'Internal Notification kept, not sent: no mail server is set.', to: 'desk@example.com', isKept: true };
  expect((await world.call(me, 'GET', `${at}/sendInternalNotification`)).body).toEqual({ ...answer, repeated: false });
  await entry(id, /kept, not sent/);
  expect((await world.call(me, 'GET', `${at}/sendInternalNotification`)).body).toEqual({ ...answer, repeated: true });
  await idle();
  withMail = true;
  refuses = true;
  await releaseOutboxMails(world.system.db);
  await until(async () => {
    const [job] = await world.system.db.query<{ last_error: string | null }>({
      text: `select last_error from job where name = $1 and last_error is not null`,
      values: [sendMailName],
    });
    return job;
  });
  await world.system.db.query({ text: 'update job set attempts = 5, run_at = now() where name = $1', values: [sendMailName] });
  expect(await entry(id, /could not be sent: .*No such mailbox/)).toMatchObject({ isWarning: true });
  expect((await world.call(me, 'GET', `${at}/sendInternalNotification`)).body['repeated']).toBe(false);
});

it('keeps a mail of the installation, and sends it once there is a server', async () => {
  const messageId = crypto.randomUUID();
  const payload = { messageId, tenantId: null, to: 'ada@example.com', subject: 'A new sign-in', text: 'From: 192.0.2.1' };
  await enqueue(world.system.db, { name: sendMailName, payload, tenantId: null, correlationId: messageId });
  const waiting = () =>
    world.system.db.query<{ tenant_id: string | null }>({
      text: 'select tenant_id from outbox_message where message_id = $1',
      values: [messageId],
    });
  await until(async () => ((await waiting()).length > 0 ? true : undefined));
  expect(await waiting()).toEqual([{ tenant_id: null }]);
  await idle();
  withMail = true;
  await releaseOutboxMails(world.system.db);
  await until(() => Promise.resolve(received.find((source) => source.includes('A new sign-in') && source.includes('ada@example.com'))));
  expect(await waiting()).toEqual([]);
});

it('sends younger mails while the keys of a hundred older ones are still queued', async () => {
  await idle();
  // Otherwise the job of the released mail would keep it again.
  withMail = true;
  await world.system.db.query({ text: 'delete from outbox_message' });
  const correlationId = crypto.randomUUID();
  const keep = (count: number, age: string) =>
    world.system.db.query<{ message_id: string }>({
      text: `insert into outbox_message (tenant_id, message_id, recipients, subject, body, is_important, correlation_id, work_unit_ids, created)
        select $1, gen_random_uuid(), 'x@example.com', 'Kept', 'Text', false, $2, '{}', now() - $4::interval from generate_series(1, $3::int) returning message_id`,
      values: [home.tenantId, correlationId, count, age],
    });
  const older = await keep(101, '2 hours');
  const [younger] = await keep(1, '1 hour');
  await world.system.db.query({
    text: `insert into job (name, payload, tenant_id, correlation_id, run_at, once_key)
      select 'none', '{}', $1, $2, now() + interval '1 day', key from unnest($3::text[]) key`,
    values: [home.tenantId, correlationId, older.map((mail) => mail.message_id)],
  });
  expect(await releaseOutboxMails(world.system.db)).toBe(1);
  const remaining = await world.system.db.query<{ message_id: string }>({
    text: 'select message_id from outbox_message where correlation_id = $1',
    values: [correlationId],
  });
  expect(remaining.map((mail) => mail.message_id).toSorted()).toEqual(older.map((mail) => mail.message_id).toSorted());
  expect(remaining).not.toContainEqual(younger);
  await world.system.db.query({
    text: 'with gone as (delete from job where correlation_id = $1) delete from outbox_message where correlation_id = $1',
    values: [correlationId],
  });
});

it('a status page takes no subscribers without a mail server, and its preview says so', async () => {
  const { tenantId, subscriptionId } = await world.tenant();
  const caller = holder([tenantId]);
  const components = [{ name: 'Orders', kind: 'Subscription', of: subscriptionId }];
  const page = (await world.call(caller, 'PUT', '/v1/statusPages', { title: 'Fjord status', tenantId, components })).body;
  const preview = (await world.call(caller, 'GET', `/v1/statusPages/preview/${String(page['statusPageId'])}`)).body;
  expect(preview['html']).toContain('Orders');
  expect(preview['html']).not.toContain('<form');
  expect(preview['takesSubscribers']).toBe(false);
});
