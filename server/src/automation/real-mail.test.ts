/** Mail with a real SMTP server: delivery, temporary and permanent refusals, and secrets that appear only on the wire. */
import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { builtInAction, resultStatus } from '@cloudfit/contract/enums.ts';
import { masterKeyOf } from '../auth/master-key.ts';
import { systemCtx } from '../auth/system-ctx.ts';
import { openAckLinks } from '../platform/ack-links.ts';
import { openHopCounts } from '../context/hop-count.ts';
import { openTenantSecrets } from '../auth/tenant-secrets.ts';
import { cpuOver90, createFlow, silent, until, type Flow } from '../rules/testing/flow.ts';
import { writeExecutions } from '../executions/executions.ts';
import { jobRegistry, PermanentFailure } from '../jobs/job.ts';
import { startWorker, type Worker } from '../jobs/worker.ts';
import { openOutboundHttp } from '../outbound/http.ts';
import { openMail, type Mail } from '../outbound/mail.ts';
import { mailDestination } from '@cloudfit/contract/resources/destinations.ts';
import { uuidV5 } from '../platform/uuid-v5.ts';
import { attemptOf } from '../testing/attempt.ts';
import { destinationBreaker } from './destinations.ts';
import { runActionJob } from './run-action.job.ts';
import { sendMailJob } from './send-mail.job.ts';

let flow: Flow;
let worker: Worker;
let server: SMTPServer;
let mail: Mail;
/** `only`: the one recipient that is refused; by default all. */
let refuse: { at: 'rcpt' | 'data'; code: number; only?: string } | undefined;
let withMail = true;
const received: { from: string; to: string[]; user: unknown; source: string }[] = [];
const masterKey = masterKeyOf([randomBytes(32).toString('base64')]);
const secrets = openTenantSecrets(masterKey);
const http = openOutboundHttp();

function refusal(at: 'rcpt' | 'data', recipient?: string): Error | undefined {
  if (refuse?.at !== at || (refuse.only !== undefined && refuse.only !== recipient)) return undefined;
  return Object.assign(new Error('Not now, or not ever'), { responseCode: refuse.code });
}

beforeAll(async () => {
  flow = await createFlow();
  server = new SMTPServer({
    hideSTARTTLS: true,
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, done) =>
      password === 'p:w' ? done(null, { user: username }) : done(new Error('Wrong password')),
    onRcptTo: ({ address }, _session, done) => done(refusal('rcpt', address)),
    onData: (stream, session, done) => {
      let source = '';
      stream.on('data', (part: Buffer) => (source += part.toString()));
      stream.on('end', () => {
        const refused = refusal('data');
        if (refused) return done(refused);
        const { mailFrom, rcptTo } = session.envelope;
        received.push({ from: mailFrom ? mailFrom.address : '', to: rcptTo.map((item) => item.address), user: session.user, source });
        return done(null, 'Taken as 4711');
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  mail = openMail({ url: `smtp://desk:p%3Aw@127.0.0.1:${port}`, from: 'CloudFit <ops@example.com>', breaker: destinationBreaker(flow.db) });
  const channels = {
    http,
    secrets,
    hopCounts: openHopCounts(masterKey),
    ackLinks: openAckLinks(masterKey, 'https://ops.example.com'),
    push: { key: { publicKey: '', privateKey: '' } },
    publicUrl: 'https://ops.example.com',
    get mail() {
      return withMail ? mail : undefined;
    },
  };
  worker = await startWorker({
    dataFolder: 'test',
    database: flow.database,
    log: silent,
    jobs: jobRegistry([runActionJob(channels)]),
    ctxFor: ({ correlationId }) => systemCtx({ database: flow.database, log: silent, name: 'Automation', correlationId }),
  });
  const [row] = await flow.rows<{ id: string }>(
    "insert into tenant_secret (tenant_id, name, latest_version) values ($1, 'api', 1) returning id",
    flow.tenantId,
  );
  await secrets.write(flow.db, { tenantId: flow.tenantId, secretId: row?.id ?? '', version: 1 }, 'open-sesame', 'test');
});
afterAll(async () => {
  await worker.stop();
  mail.close();
  await http.close();
  await new Promise<void>((resolve) => server.close(() => resolve()));
  await flow.close();
});
beforeEach(() => {
  refuse = undefined;
  withMail = true;
  received.length = 0;
});

async function queue(parameters: Record<string, string | boolean>, workUnitId?: number): Promise<string> {
  const messageId = crypto.randomUUID();
  await writeExecutions(flow.db, [
    {
      tenantId: flow.tenantId,
      actionDefinitionId: builtInAction.email,
      messageId,
      correlationId: crypto.randomUUID(),
      referenceId: null,
      parameters,
      suppressed: false,
      detail: {},
      ...(workUnitId === undefined ? {} : { workUnitId }),
    },
  ]);
  return messageId;
}

interface History {
  result_status_id: number;
  result_detail: Record<string, unknown> | null;
  kept_since: string | null;
}
const history = async (messageId: string) =>
  (await flow.rows<History>('select result_status_id, result_detail, kept_since from action_history where message_id = $1', messageId))[0];
const outcome = (messageId: string) =>
  until(async () => {
    const row = await history(messageId);
    return row && (row.result_status_id !== resultStatus.enqueueSuccess || row.kept_since) ? row : undefined;
  });

it('arrives with its recipients, its importance and an id that tells a repeat', async () => {
  const messageId = await queue({
    To: 'desk@example.com, kim@example.com',
    Cc: 'boss@example.com',
    Bcc: 'audit@example.com',
    Subject: 'Grüße\r\nBcc: evil@example.com',
    Body: 'Hot {TenantName}',
    Template: 'None',
    IsImportant: true,
  });
  expect(await outcome(messageId)).toMatchObject({
    result_status_id: resultStatus.success,
    result_detail: { answer: expect.stringContaining('Taken as 4711') },
  });
  const [one] = received;
  expect(one).toMatchObject({ from: 'ops@example.com', user: 'desk' });
  expect(one?.to.toSorted()).toEqual(['audit@example.com', 'boss@example.com', 'desk@example.com', 'kim@example.com']);
  expect(one?.source).toContain(`Message-ID: <${messageId}@example.com>`);
  expect(one?.source).toMatch(/^X-Priority: 1/m);
  expect(one?.source).toMatch(/^Content-Type: multipart\/alternative/m);
  expect(one?.source).toMatch(/^Content-Type: text\/html/m);
  expect(one?.source).toMatch(/^Hot Tenant /m);
  expect(one?.source).not.toMatch(/^Bcc:/m);
});

it('names people by their display names, and addresses them by their sign-in names', async () => {
  await flow.rows(
    `with p as (insert into person (name, user_name) values ('Ruth Adeyemi', 'u48213@example.com') returning person_id),
      s as (insert into permission_set (name, permissions) values ('Desk', '[]') returning permission_set_id)
      insert into access_grant (person_id, permission_set_id, tenant_id) select person_id, permission_set_id, $1 from p, s`,
    flow.tenantId,
  );
  const [unit] = await flow.rows<{ id: number }>(
    `insert into work_unit (tenant_id, title, work_unit_type_id, assigned_to, created_by, modified_by)
      values ($1, 'Mail is down', 1, 'u48213@example.com', 'left.long.ago@example.com', 't') returning work_unit_id as id`,
    flow.tenantId,
  );
  const parameters = {
    To: '{AssignedTo}',
    Template: 'Simple',
    Subject: 'For {AssignedTo}',
    Body: 'Opened by {CreatedBy}, now {AssignedToName}.',
  };
  expect(await outcome(await queue(parameters, unit?.id))).toMatchObject({ result_status_id: resultStatus.success });
  const [one] = received;
  expect(one?.to).toEqual(['u48213@example.com']);
  expect(one?.source).toMatch(/^Subject: For Ruth Adeyemi/m);
  expect(one?.source).toMatch(/^Opened by left\.long\.ago@example\.com, now Ruth Adeyemi\./m);
  expect(one?.source).toMatch(/^Assigned to: Ruth Adeyemi/m);
});

/** The text of a mail, as a mail program shows it. */
const read = (source = '') =>
  Buffer.from(
    source.replaceAll(/=\r\n/g, '').replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
    'latin1',
  ).toString('utf8');

it('gives each of two people the mail in their own language, with times of their own zone', async () => {
  const locales = { 'greta@example.com': { language: 'de', timeZone: 'Europe/Berlin' }, 'emma@example.com': { language: 'en' } };
  for (const [email, locale] of Object.entries(locales))
    await flow.rows(
      'insert into person (name, user_name, email, email_verified, locale) values ($1, $1, $1, true, $2::jsonb)',
      email,
      JSON.stringify(locale),
    );
  const [unit] = await flow.rows<{ id: number }>(
    `insert into work_unit (tenant_id, title, work_unit_type_id, state_id, created, created_by, modified_by)
      values ($1, 'Mail is down', 1, 'InProgress', '2026-07-01T12:00:00Z', 't', 't') returning work_unit_id as id`,
    flow.tenantId,
  );
  const parameters = { Template: 'Simple', Body: 'Written by {TenantName}, {Created}.' };
  for (const To of Object.keys(locales)) await outcome(await queue({ ...parameters, To }, unit?.id));
  await outcome(await queue({ ...parameters, To: 'greta@example.com, emma@example.com' }, unit?.id));
  const [german, english, both] = received.map(({ source }) => read(source));
  expect(german).toMatch(/^Subject: Vorgang \d+: Mail is down/m);
  expect(german).toMatch(/^Written by Tenant [^,]+, 01\.07\.2026, 14:00 MESZ\./m);
  expect(german).toMatch(/^Zustand: In Arbeit/m);
  for (const text of [english, both]) {
    expect(text).toMatch(/^Subject: Work unit \d+: Mail is down/m);
    expect(text).toMatch(/^Written by Tenant [^,]+, 2026-07-01T12:00:00\.000Z\./m);
    expect(text).toMatch(/^State: InProgress/m);
  }
});

it('says why the rule matched in the words of the one person who gets it', async () => {
  const locales = { 'gerd@example.com': { language: 'de' }, 'eve@example.com': { language: 'en' } };
  for (const [email, locale] of Object.entries(locales))
    await flow.rows(
      'insert into person (name, user_name, email, email_verified, locale) values ($1, $1, $1, true, $2::jsonb)',
      email,
      JSON.stringify(locale),
    );
  const ruleId = await flow.rule({ conditions: [{ ...cpuOver90, OccurrencePattern: { Kind: 'TimesInRow', Times: 3 } }] });
  const [article] = await flow.rows<{ id: string | null }>(
    `with a as (insert into knowledge_article (tenant_id, title, body, audience, state, created_by, modified_by)
      values ($1, 'Cool it', 'Open a window.', 'Internal', 'Published', 't', 't') returning knowledge_article_id)
      update rule set runbook_id = a.knowledge_article_id from a where rule_id = $2 returning runbook_id as id`,
    flow.tenantId,
    ruleId,
  );
  const [match] = await flow.rows<{ id: string }>(
    `insert into rule_match (tenant_id, rule_id, subject_id, label, expires, first_match, last_match, rule_packet, correlation_id)
      values ($1, $2, $3, 'Hot', now() + interval '1 hour', now(), now(), '{"Metrics": {"Cpu": 97}}', gen_random_uuid()) returning rule_match_id as id`,
    flow.tenantId,
    ruleId,
    await flow.device(),
  );
  const [unit] = await flow.rows<{ id: number }>(
    `insert into work_unit (tenant_id, title, description, work_unit_type_id, opened_by_rule_match_id, created_by, modified_by)
      values ($1, 'Hot', E'Condition: Metric Cpu > 90, 3 times in a row\nCondition: mine', 1, $2, 't', 't') returning work_unit_id as id`,
    flow.tenantId,
    match?.id,
  );
  const parameters = { Template: 'Detailed', Body: 'Because {Condition}.' };
  for (const To of [...Object.keys(locales), 'gerd@example.com, eve@example.com'])
    await outcome(await queue({ ...parameters, To }, unit?.id));
  const [german, english, both] = received.map(({ source }) => read(source));
  expect(german).toMatch(/^Because Metrik Cpu > 90, 3-mal in Folge\./m);
  expect(german).toMatch(/^Bedingung: Metrik Cpu > 90, 3-mal in Folge\s*$/m);
  const runbook = `https://ops.example.com/${flow.tenantId}/knowledge/${article?.id}`;
  expect(german).toContain(`\nAnleitung: ${runbook}`);
  expect(english).toContain(`\nRunbook: ${runbook}`);
  // A person wrote this line.
  expect(german).toMatch(/^Condition: mine/m);
  for (const text of [english, both]) {
    expect(text).toMatch(/^Because Metric Cpu > 90, 3 times in a row\./m);
    expect(text).toMatch(/^Condition: Metric Cpu > 90, 3 times in a row\s*$/m);
  }
});

it('is refused for good by a 5xx answer to a recipient, and tried again after a 4xx one', async () => {
  refuse = { at: 'rcpt', code: 550 };
  const rejected = await outcome(await queue({ To: 'nobody@example.com', Template: 'None', Subject: 'x', Body: 'x' }));
  expect(rejected).toMatchObject({ result_status_id: resultStatus.failure, result_detail: { recipients: 'nobody@example.com' } });
  refuse = { at: 'data', code: 451 };
  const later = await queue({ To: 'desk@example.com', Template: 'None', Subject: 'Later', Body: 'x' });
  const [job] = await until(async () => {
    const rows = await flow.rows<{ attempts: number; last_error: string }>(
      'select attempts, last_error from job where once_key = $1 and last_error is not null',
      later,
    );
    return rows.length > 0 && rows;
  });
  expect(job?.attempts).toBe(1);
  expect(await history(later)).toMatchObject({ result_status_id: resultStatus.enqueueSuccess, result_detail: { attempt: 1 } });
  refuse = undefined;
  await flow.rows('update job set run_at = now() - make_interval(secs => 1) where once_key = $1', later);
  expect(await outcome(later)).toMatchObject({ result_status_id: resultStatus.success });
  expect(received).toHaveLength(1);
});

it.each([
  [550, resultStatus.failure],
  [451, resultStatus.enqueueSuccess],
])('does not count a recipient whom the server refuses by %i among those who have the mail', async (code, status) => {
  refuse = { at: 'rcpt', code, only: 'kim@example.com' };
  const messageId = await queue({ To: 'desk@example.com, Kim <kim@example.com>', Template: 'None', Subject: 'Both', Body: 'x' });
  expect(await outcome(messageId)).toMatchObject({ result_status_id: resultStatus.success, result_detail: { later: 'kim@example.com' } });
  expect(received.map(({ to }) => to)).toEqual([['desk@example.com']]);
  const separate = uuidV5(messageId, 'to:kim@example.com');
  await until(async () => (await history(separate))?.result_detail?.['error'] !== undefined);
  expect(await history(separate)).toMatchObject({ result_status_id: status, result_detail: { label: 'Mail to kim@example.com' } });
  refuse = undefined;
  await flow.rows('update job set run_at = now() - make_interval(secs => 1) where once_key = $1', separate);
  if (code === 550) return;
  expect(await outcome(separate)).toMatchObject({ result_status_id: resultStatus.success });
  expect(received.map(({ to }) => to)).toEqual([['desk@example.com'], ['kim@example.com']]);
});

it('sends a mail that is no action again to the recipient whom the server refused, and says when that fails', async () => {
  const [unit] = await flow.rows<{ id: number }>(
    `insert into work_unit (tenant_id, title, work_unit_type_id, created_by, modified_by) values ($1, 'Update', 1, 't', 't') returning work_unit_id as id`,
    flow.tenantId,
  );
  const job = sendMailJob(mail, 'https://ops.example.com', () => Promise.resolve(false));
  const system = systemCtx({ database: flow.database, log: silent, name: 'Automation' });
  const payload = {
    messageId: crypto.randomUUID(),
    tenantId: flow.tenantId,
    to: 'desk@example.com, kim@example.com',
    subject: 's',
    text: 't',
  };
  refuse = { at: 'rcpt', code: 550, only: 'kim@example.com' };
  await job.run(system, job.schema.parse({ ...payload, workUnitIds: [unit?.id] }), attemptOf(1, mailDestination));
  const [again] = await flow.rows<{ payload: unknown }>("delete from job where name = 'send-mail' returning payload");
  expect(again?.payload).toMatchObject({ to: 'kim@example.com', subject: 's' });
  await expect(job.run(system, job.schema.parse(again?.payload), attemptOf(1, mailDestination))).rejects.toThrow(PermanentFailure);
  await job.onDeadLetter?.(system, job.schema.parse(again?.payload), 'refused');
  const notes = await flow.rows('select detail from work_unit_note where work_unit_id = $1', unit?.id);
  expect(notes).toEqual([{ detail: 'The mail "s" to kim@example.com could not be sent: refused' }]);
});

it('opens the circuit of a mail server that accepts nothing, per tenant, and names it without an address', async () => {
  const failures = () =>
    flow.rows<{ origin: string; failures: number }>('select origin, failures from destination where tenant_id = $1', flow.tenantId);
  const send = () =>
    mail.send({ to: 'a@example.com', subject: 's', text: 't', important: false, messageId: crypto.randomUUID(), owner: flow.tenantId });
  // A refused recipient is an answer of a working server.
  refuse = { at: 'rcpt', code: 550 };
  await expect(send()).rejects.toThrow('550');
  expect(await failures()).toEqual([]);
  refuse = { at: 'data', code: 421 };
  for (let i = 0; i < 4; i += 1) await expect(send()).rejects.toThrow('421');
  expect(await failures()).toEqual([{ origin: 'the mail server', failures: 4 }]);
  refuse = undefined;
  await expect(send()).rejects.toMatchObject({ retryAfterMs: expect.any(Number) });
  // The action and its job wait until the server answers again, without using up tries.
  const waiting = await queue({ To: 'desk@example.com', Template: 'None', Subject: 'Waiting', Body: 'x' });
  const [job] = await until(async () => {
    const rows = await flow.rows<{ attempts: number }>(
      "select attempts from job where once_key = $1 and destination = 'the mail server' and leased_until is null",
      waiting,
    );
    return rows.length > 0 && rows;
  });
  expect(job?.attempts).toBe(0);
  expect(received).toHaveLength(0);
  await flow.rows("update destination set paused_until = now() - interval '1 second'");
  expect(await outcome(waiting)).toMatchObject({ result_status_id: resultStatus.success });
  expect(await failures()).toEqual([]);
});

it('carries a secret on the wire alone: neither history nor outbox knows it', async () => {
  const parameters = { To: 'desk@example.com', Subject: 'Key', Body: 'It is {Secret:api}, not {Secret:none}', Template: 'None' };
  const sent = await outcome(await queue(parameters));
  expect(received[0]?.source).toContain('It is open-sesame, not {Secret:none}');
  expect(sent.result_detail).toMatchObject({ unknownPlaceholders: ['Secret:none'] });
  withMail = false;
  const messageId = await queue(parameters);
  await outcome(messageId);
  const [message] = await flow.rows<{ body: string }>('select body from outbox_message where message_id = $1', messageId);
  expect(message?.body).toBe('It is ***, not {Secret:none}');
  const [leak] = await flow.rows(
    "select 1 from action_history where result_detail::text like '%sesame%' or input_parameters like '%sesame%'",
  );
  expect(leak).toBeUndefined();
});

it('puts in nothing that a value only looks like', async () => {
  await outcome(
    await queue({ To: 'desk@example.com', Subject: '{What}', Body: '{What}', Template: 'None', ExtraParameters: 'What={Secret:api}' }),
  );
  expect(received[0]?.source).toContain('{Secret:api}');
  expect(received[0]?.source).not.toContain('open-sesame');
});
