import { randomBytes } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtInAction, resultStatus } from '@cloudfit/contract/enums.ts';
import type { ActionCall } from '@cloudfit/contract/rules/schema.ts';
import { masterKeyOf } from '../auth/master-key.ts';
import { openAckLinks } from '../platform/ack-links.ts';
import { openHopCounts } from '../context/hop-count.ts';
import { openTenantSecrets } from '../auth/tenant-secrets.ts';
import { systemCtx } from '../auth/system-ctx.ts';
import type { Ingest } from '../ingest/accept.ts';
import { attemptOf } from '../testing/attempt.ts';
import { cpu, cpuOver90, createFlow, createUnit, send, silent, until, type Flow } from '../rules/testing/flow.ts';
import { subjectOfWorkUnit } from '../features/work-units/subject.ts';
import { jobRegistry } from '../jobs/job.ts';
import { startWorker, type Worker } from '../jobs/worker.ts';
import { openOutboundHttp } from '../outbound/http.ts';
import type { MailMessage } from '../outbound/mail.ts';
import { rulePlaceholders } from '@cloudfit/contract/rules/placeholders.ts';
import { loadExecution } from './action-context.ts';
import { queueActions } from './queue-actions.ts';
import { runActionJob } from './run-action.job.ts';

let flow: Flow;
let ingest: Ingest;
let worker: Worker;
let receiver: http.Server;
let base: string;
let answers: number[] = [];
const calls: { url: string; headers: http.IncomingHttpHeaders; body: string }[] = [];
const mails: MailMessage[] = [];
const requests = () => calls.map((call) => call.url);
let smtp = false;
const masterKey = masterKeyOf([randomBytes(32).toString('base64')]);
const secrets = openTenantSecrets(masterKey);
const outbound = openOutboundHttp({ allow: ['127.0.0.1'] });

beforeAll(async () => {
  flow = await createFlow();
  ingest = await flow.openIngest();
  receiver = http.createServer((request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    request.on('end', () => {
      calls.push({ url: request.url ?? '', headers: request.headers, body });
      response.writeHead(answers.shift() ?? 200).end('noted');
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  const mail = {
    send: async (message: MailMessage) => {
      mails.push(message);
      return '250 OK';
    },
    close: () => undefined,
  };
  const job = runActionJob({
    http: outbound,
    publicUrl: 'https://ops.example.com',
    get mail() {
      return smtp ? mail : undefined;
    },
    secrets,
    hopCounts: openHopCounts(masterKey),
    ackLinks: openAckLinks(masterKey, 'https://ops.example.com'),
    push: { key: { publicKey: '', privateKey: '' } },
  });
  worker = await startWorker({
    dataFolder: 'test',
    database: flow.database,
    log: silent,
    jobs: jobRegistry([job]),
    ctxFor: ({ correlationId }) => systemCtx({ database: flow.database, log: silent, name: 'Automation', correlationId }),
  });
});
afterAll(async () => {
  await worker.stop();
  await outbound.close();
  receiver.closeAllConnections();
  await new Promise((resolve) => receiver.close(resolve));
  await flow.close();
});

interface History {
  result_status_id: number;
  result_detail: Record<string, unknown> | null;
  message_id: string;
  correlation_id: string;
  kept_since: string | null;
}
const histories = (ruleId: string) =>
  flow.rows<History>(
    'select h.result_status_id, h.result_detail, h.message_id, h.correlation_id, h.kept_since from action_history h join rule_match m on m.rule_match_id::text = h.reference_id where m.rule_id = $1 order by action_history_id',
    ruleId,
  );

/** Sends a packet over the limit of a rule with these actions. */
const trigger = (...matchActions: ActionCall[]) => triggerOf('Hot', ...matchActions);
async function triggerOf(name: string, ...matchActions: ActionCall[]): Promise<{ rule: string; device: string }> {
  const device = await flow.device({ name: 'mail "1"' });
  const rule = await flow.rule({
    name,
    matchActions,
    conditions: [{ Type: 'And', LeftOperand: 30, Operator: 1, RightOperand: device }, cpuOver90],
  });
  await until(() => ingest.rules.ingestion().get(rule));
  await send(ingest, flow.ctx, cpu(device, 95.5));
  return { rule, device };
}

async function ended(rule: string): Promise<History[]> {
  return until(async () => {
    const rows = await histories(rule);
    return rows.every((row) => row.result_status_id !== resultStatus.enqueueSuccess || row.kept_since) && rows;
  });
}

async function definition(fields: {
  url: string;
  headers?: string;
  body?: string;
  method?: string;
  tenantId?: string | null;
}): Promise<ActionCall> {
  const [row] = await flow.rows<{ action_definition_id: string }>(
    'insert into action_definition (tenant_id, name, action_definition_type_id, endpoint_url, http_method, headers, body) values ($1, $2, 3, $3, $4, $5, $6) returning action_definition_id',
    fields.tenantId === undefined ? flow.tenantId : fields.tenantId,
    'Hook',
    fields.url,
    fields.method ?? 'POST',
    fields.headers ?? null,
    fields.body ?? null,
  );
  return { ActionDefinitionId: row?.action_definition_id ?? '', Parameters: { Team: 'Ops & Co' } };
}

/** Placeholders for which a new unit of a rule has no value. */
const fieldsOfUnits = ['AssignedTo', 'AssignedToName', 'AssignmentGroup', 'Resolution', 'ReferenceId', 'ReferenceUrl'].concat(
  ['FullName', 'EmailAddress', 'PhoneNumber'].map((name) => `StakeHolder${name}`),
);

describe('placeholders of rules', () => {
  it('[RULE-023] are a list of their own, and each of it is filled', async () => {
    const { rule, device } = await trigger(createUnit);
    await flow.rows("update device set description = 'In the cellar', tags = 'mail' where device_id = $1", device);
    const [history] = await ended(rule);
    const execution = await loadExecution(flow.db, history?.message_id ?? '', {
      publicUrl: 'https://ops.example.com',
      ackLinks: openAckLinks(masterKey, 'https://ops.example.com'),
    });
    const always = rulePlaceholders.filter(({ id, reach: availability }) => availability !== 'part' && !fieldsOfUnits.includes(id));
    expect(always.filter(({ id }) => [undefined, null, ''].includes(execution?.values[id] as string))).toEqual([]);
    expect(fieldsOfUnits.filter((id) => execution?.values[id] === undefined)).toEqual([]);
    expect(execution?.values).toMatchObject({ RuleName: 'Hot', DeviceTags: 'mail', 'Metrics.Cpu': 95.5 });
  });
});

it('opens a unit in one transaction with the end of its try and its outcome', async () => {
  const { rule } = await trigger({ ActionDefinitionId: builtInAction.createWorkUnit, Parameters: {} });
  const [history] = await ended(rule);
  const written = () =>
    flow.rows<{ of: string; xmin: string }>(
      `select 'execution' as of, h.xmin::text from action_history h where h.message_id = $1
union all select 'try', t.xmin::text from action_try t join action_history h using (action_history_id) where h.message_id = $1
union all select 'unit', w.xmin::text from rule_match m join work_unit w using (work_unit_id) where m.rule_id = $2`,
      history?.message_id ?? '',
      rule,
    );
  await until(async () => (await flow.rows('select 1 from job where once_key = $1', history?.message_id ?? '')).length === 0);
  const rows = await written();
  expect(rows.map((row) => row.of)).toEqual(['execution', 'try', 'unit']);
  expect(new Set(rows.map((row) => row.xmin)).size).toBe(1);
});

describe('what fires says what is broken', () => {
  it('names device, operation, location, condition, value and links, in the unit, its relations and the mail', async () => {
    smtp = true;
    const device = await flow.device({ name: 'srv-db-07' });
    const [created] = await flow.rows<{ operation: string }>(
      `with l as (
         insert into location (tenant_id, name) values ($1, 'Hall 3') returning location_id
       ), d as (
         update device set location_id = (select location_id from l) where device_id = $2 returning device_id
       ), c as (
         insert into operation (tenant_id, name, frequency_definitions) values ($1, 'Disk space', '[]') returning operation_id
       )
       insert into device_operation (tenant_id, device_id, operation_id, label, enabled, frequency_type_id, operation_type, package_executable_type, package_name, package_type)
       select $1, device_id, operation_id, 'Disk /var', true, 1, 'x', 'x', 'x', 'x' from d, c returning device_operation_id as operation`,
      flow.tenantId,
      device,
    );
    const operation = created?.operation ?? '';
    const mail = { ActionDefinitionId: builtInAction.email, Parameters: { To: 'ops@example.com', Template: 'Rule' } };
    const rule = await flow.rule({
      name: 'Disk nearly full',
      matchActions: [{ ...createUnit, Parameters: {} }, mail],
      conditions: [
        { Type: 'And', LeftOperand: 10, Operator: 1, RightOperand: operation },
        { Type: 'And', LeftOperand: 62, LeftOperandFieldName: 'Disk', Operator: 3, RightOperand: '90' },
      ],
    });
    await until(() => ingest.rules.ingestion().get(rule));
    await send(ingest, flow.ctx, { entityId: operation, message: { Metrics: { Disk: 97 } } });
    const [opened] = await ended(rule);
    smtp = false;
    const [match] = await flow.rows<{ id: string; since: string }>(
      `select rule_match_id as id, to_char(first_match at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as since from rule_match where rule_id = $1`,
      rule,
    );
    const site = `https://ops.example.com/${flow.tenantId}`;
    const facts = [
      'Condition: Metric Disk > 90',
      'Seen: Disk 97',
      `Since: ${match?.since}`,
      'Device: srv-db-07',
      'Operation: Disk /var',
      'Location: Hall 3',
      'Subscription: Default',
      `Device page: ${site}/devices?id=${device}`,
      `Rule: ${site}/rules?id=${rule}&q=disabled`,
    ].join('\n');
    const unit = opened?.result_detail?.['workUnitId'];
    expect(await flow.rows('select title, description from work_unit where work_unit_id = $1', unit)).toEqual([
      { title: 'Disk nearly full: Disk /var on srv-db-07', description: facts },
    ]);
    const relations = await flow.rows<{ kind: string; id: string }>(
      'select reference_type as kind, reference_id as id from work_unit_relation where work_unit_id = $1 order by work_unit_relation_id',
      unit,
    );
    expect(relations).toEqual([
      { kind: 'RuleMatch', id: match?.id },
      { kind: 'DeviceOperation', id: operation },
      { kind: 'Device', id: device },
    ]);
    expect(mails.at(-1)).toMatchObject({ subject: 'Disk nearly full: Disk /var on srv-db-07', text: expect.stringContaining(facts) });
    expect(mails.at(-1)?.text).toContain(`Work unit: ${site}/workunitsv2?workUnitId=${String(unit)}`);
    expect(mails.at(-1)?.text).not.toMatch(/\{\w+\}/);
  });

  it('knows the fields of the work unit that a rule is about by the names of any other unit', async () => {
    const [unit] = await flow.rows<{ id: number; number: number }>(
      `insert into work_unit (tenant_id, title, severity_id, work_unit_type_id, created_by, modified_by) values ($1, 'Mail is down', 'Sev1', 1, 't', 't')
       returning work_unit_id as id, public_work_unit_id as number`,
      flow.tenantId,
    );
    const calls = [await definition({ url: `${base}/wurule/{PublicWorkUnitId}/{State}/{Severity}?title={Title}&url={WorkUnitUrl}` })];
    const rule = await flow.rule({ ruleTypeId: 4, matchActions: calls, conditions: [] });
    const [match] = await flow.rows<{ id: string }>(
      `insert into rule_match (tenant_id, rule_id, subject_id, label, expires, first_match, last_match, correlation_id)
       values ($1, $2, $3, 'About a unit', now() + interval '1 hour', now(), now(), gen_random_uuid()) returning rule_match_id as id`,
      flow.tenantId,
      rule,
      subjectOfWorkUnit(unit?.id ?? 0),
    );
    const correlationId = crypto.randomUUID();
    await queueActions(flow.db, [{ ruleMatchId: match?.id ?? '', tenantId: flow.tenantId, correlationId, phase: 'match', calls }]);
    await ended(rule);
    const address = encodeURIComponent(`https://ops.example.com/${flow.tenantId}/workunitsv2?workUnitId=${unit?.id}`);
    expect(requests()).toContain(`/wurule/${unit?.number}/New/Sev1?title=Mail%20is%20down&url=${address}`);
  });
});

describe('the action create work unit', () => {
  it('links the unit to what the match is about: a work unit by its number, a subscription, a block', async () => {
    const [linked] = await flow.rows<{ block: string; subscription: string; unit: number }>(
      `with b as (
         insert into block (block_id, tenant_id, subscription_id, name, block_type_id)
         select i, s.tenant_id, s.subscription_id, 'Tile', 1 from subscription s cross join gen_random_uuid() i where s.tenant_id = $1 returning block_id, subscription_id
       ), u as (
         insert into work_unit (tenant_id, title, work_unit_type_id, created_by, modified_by) values ($1, 'u', 1, 't', 't') returning work_unit_id
       ) select block_id as block, subscription_id as subscription, work_unit_id as unit from b, u`,
      flow.tenantId,
    );
    const { block = '', subscription = '', unit = 0 } = linked ?? {};
    const rule = await flow.rule({ ruleTypeId: 4, conditions: [{ Type: 'And', LeftOperand: 100, Operator: 5, RightOperand: 'nothing' }] });
    for (const [subject, relation] of [
      [subjectOfWorkUnit(unit), { referenceType: 'WorkUnit', referenceId: String(unit) }],
      [subscription, { referenceType: 'Subscription', referenceId: subscription }],
      [block, { referenceType: 'Block', referenceId: block }],
    ] as const) {
      const [match] = await flow.rows<{ id: string }>(
        `insert into rule_match (tenant_id, rule_id, subject_id, label, expires, first_match, last_match, correlation_id)
         values ($1, $2, $3, 'Linked', now() + interval '1 hour', now(), now(), gen_random_uuid()) returning rule_match_id as id`,
        flow.tenantId,
        rule,
        subject,
      );
      await queueActions(flow.db, [
        { ruleMatchId: match?.id ?? '', tenantId: flow.tenantId, correlationId: crypto.randomUUID(), phase: 'match', calls: [createUnit] },
      ]);
      await ended(rule);
      const relations = await flow.rows(
        `select r.reference_type as "referenceType", r.reference_id as "referenceId" from work_unit_relation r join work_unit u using (work_unit_id)
         where u.opened_by_rule_match_id = $1 order by work_unit_relation_id`,
        match?.id,
      );
      expect(relations).toEqual([{ referenceType: 'RuleMatch', referenceId: match?.id }, relation]);
    }
  });

  it('[ACT-034] opens one linked work unit with its history, audit and change', async () => {
    const { rule, device } = await trigger(createUnit, createUnit);
    const [first, second] = await ended(rule);
    expect(first).toMatchObject({ result_status_id: resultStatus.success, result_detail: { workUnitId: expect.any(Number) } });
    expect(second).toMatchObject({
      result_status_id: resultStatus.success,
      result_detail: { reason: 'This match has opened a work unit already.' },
    });
    const [match] = await flow.rows<{ rule_match_id: string; correlation_id: string }>(
      'select rule_match_id, correlation_id from rule_match where rule_id = $1',
      rule,
    );
    const units = await flow.rows('select * from work_unit where opened_by_rule_match_id = $1', match?.rule_match_id);
    expect(units).toMatchObject([
      {
        title: 'Hot: mail "1"',
        severity_id: 'Sev2',
        state_id: 'New',
        tenant_id: flow.tenantId,
        created_by: 'Rule Hot',
      },
    ]);
    const [unit] = units as { work_unit_id: number }[];
    expect(
      await flow.rows('select * from work_unit_relation where work_unit_id = $1 order by work_unit_relation_id', unit?.work_unit_id),
    ).toMatchObject([
      { reference_id: match?.rule_match_id, reference_type: 'RuleMatch' },
      { reference_id: device, reference_type: 'Device' },
    ]);
    const notes = await flow.rows<{ detail: string; correlation_id: string }>(
      'select detail, correlation_id from work_unit_note where work_unit_id = $1 order by work_unit_note_id',
      unit?.work_unit_id,
    );
    expect(notes.map((note) => note.detail)).toContain('Opened by the rule Hot.');
    expect(new Set(notes.map((note) => note.correlation_id))).toEqual(new Set([match?.correlation_id]));
    expect(
      await flow.rows(
        "select 1 from audit where entity = 'workUnits' and entity_id = $1 and correlation_id = $2",
        String(unit?.work_unit_id),
        match?.correlation_id,
      ),
    ).toHaveLength(1);
    expect(await flow.rows("select 1 from change where entity = 'workUnits' and entity_id = $1", String(unit?.work_unit_id))).toHaveLength(
      1,
    );
  });

  it('gives it the texts of its parameters, with their placeholders filled', async () => {
    const Parameters = {
      SeverityId: 'Sev1',
      Title: 'CPU of {DeviceName} is {Metrics.Cpu}',
      Description: 'Seen by {RuleName}',
      Category: 'Capacity',
      AssignedTo: 'sam@example.com',
    };
    const { rule } = await trigger({ ...createUnit, Parameters });
    const [history] = await ended(rule);
    const [unit] = await flow.rows(
      'select title, description, category, assigned_to, severity_id from work_unit where work_unit_id = $1',
      history?.result_detail?.['workUnitId'],
    );
    expect(unit).toEqual({
      title: 'CPU of mail "1" is 95.5',
      description: 'Seen by Hot',
      category: 'Capacity',
      assigned_to: 'sam@example.com',
      severity_id: 'Sev1',
    });
  });

  it('makes one line of its title, whatever a device reported', async () => {
    const Parameters = { SeverityId: 'Sev1', Title: 'Disk\r\nof \u202E{DeviceName}\tx', Description: 'a\nb' };
    const { rule } = await trigger({ ...createUnit, Parameters });
    const [history] = await ended(rule);
    const [unit] = await flow.rows<{ title: string; description: string | null }>(
      'select title, description from work_unit where work_unit_id = $1',
      history?.result_detail?.['workUnitId'],
    );
    expect(unit).toEqual({ title: expect.stringMatching(/^Disk of {2}mail "\d+" x$/), description: 'a\nb' });
  });

  it.each([
    ['', '\u{1F525}'.repeat(250)],
    ['x', `x${'\u{1F525}'.repeat(249)}\uFFFD`],
  ])('leaves no half of a character where it cuts a title of emoji after "%s"', async (before, title) => {
    // The name of the rule, which the unit and its audit entry have as that of their author, is cut too.
    const Parameters = { SeverityId: 'Sev1', Title: before + '\u{1F525}'.repeat(400) };
    const { rule } = await triggerOf('\u{1F525}'.repeat(100), { ...createUnit, Parameters });
    const [history] = await ended(rule);
    const [unit] = await flow.rows('select title from work_unit where work_unit_id = $1', history?.result_detail?.['workUnitId']);
    expect(unit).toEqual({ title });
  });

  it('runs nothing twice when its job is delivered again', async () => {
    const { rule } = await trigger(createUnit);
    const [history] = await ended(rule);
    const job = runActionJob({
      http: outbound,
      mail: undefined,
      publicUrl: 'https://ops.example.com',
      secrets,
      hopCounts: openHopCounts(masterKey),
      ackLinks: openAckLinks(masterKey, 'https://ops.example.com'),
      push: { key: { publicKey: '', privateKey: '' } },
    });
    const ctx = systemCtx({ database: flow.database, log: silent, name: 'Automation' });
    await flow.rows('update action_history set result_status_id = 3 where message_id = $1', history?.message_id);
    await job.run(ctx, { messageId: history?.message_id }, attemptOf(2));
    expect(
      await flow.rows(
        'select 1 from work_unit w join rule_match m on m.rule_match_id = w.opened_by_rule_match_id where m.rule_id = $1',
        rule,
      ),
    ).toHaveLength(1);
  });

  it('refuses another tenant and an unknown severity', async () => {
    const { rule } = await trigger(
      { ActionDefinitionId: builtInAction.createWorkUnit, Parameters: { TenantId: flow.otherTenantId } },
      { ActionDefinitionId: builtInAction.createWorkUnit, Parameters: { SeverityId: 'Worst' } },
    );
    expect((await ended(rule)).map((row) => row.result_detail?.['error'])).toEqual([
      'A rule opens work units only in its own tenant. Choose that tenant.',
      'Worst is not a severity.',
    ]);
  });
});

describe('a user-defined action', () => {
  it('calls its endpoint with everything filled in and keeps the answer', async () => {
    const { rule, device } = await trigger(
      await definition({
        url: `${base}/hook/{DeviceName}?team={Team}`,
        headers: 'X-Rule: {RuleName}\nX-Nobody: {Nobody}',
        body: '{"block": "{BlockName}", "place": "{LocationName|none}", "device": "{DeviceName}", "cpu": {Metrics.Cpu}, "id": "{DeviceId}"}',
      }),
    );
    const [history] = await ended(rule);
    expect(history).toMatchObject({
      result_status_id: resultStatus.success,
      result_detail: {
        status: 200,
        answer: 'noted',
        durationMs: expect.any(Number),
        unknownPlaceholders: ['Nobody'],
        emptyPlaceholders: ['BlockName'],
      },
    });
    const call = calls.at(-1);
    expect(call).toMatchObject({
      url: '/hook/mail%20%221%22?team=Ops%20%26%20Co',
      headers: { 'x-rule': 'Hot', 'x-nobody': '{Nobody}', 'idempotency-key': history?.message_id, 'content-type': 'application/json' },
    });
    expect(JSON.parse(call?.body ?? '')).toEqual({ block: '', place: 'none', device: 'mail "1"', cpu: 95.5, id: device });
  });

  /** Waits until the worker has put the job back for its next try. */
  const isBack = () =>
    until(
      async () =>
        (await flow.rows("select 1 from job where name = 'run-action' and leased_until is null and last_error is not null")).length > 0,
    );

  it('is tried again after 5xx with the same key, and fails at once on 4xx and refused addresses', async () => {
    answers = [503];
    const first = await trigger(await definition({ url: `${base}/again` }));
    await until(async () => (await histories(first.rule))[0]?.result_detail?.['error'] === 'The receiver answered 503.');
    await isBack();
    await flow.rows("update job set run_at = now() - make_interval(secs => 1) where name = 'run-action'");
    await ended(first.rule);
    const keys = calls.filter((call) => call.url === '/again').map((call) => call.headers['idempotency-key']);
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);

    answers = [404];
    const refused = await trigger(
      await definition({ url: `${base}/gone` }),
      await definition({ url: 'http://169.254.169.254/latest' }),
      await definition({ url: `${base}/x`, headers: 'Host: evil' }),
      await definition({ url: `${base}/other`, tenantId: flow.otherTenantId }),
    );
    expect((await ended(refused.rule)).map((row) => `${row.result_status_id} ${String(row.result_detail?.['error'])}`)).toEqual([
      '2 The receiver answered 404.',
      '2 The address 169.254.169.254 must never be reached.',
      '2 The header host cannot be set by an action.',
      '2 The action definition is no longer there.',
    ]);
    await until(async () => (await flow.rows("select 1 from job where name = 'run-action'")).length === 0);
  });

  it('ends as a failure when its last try fails', async () => {
    answers = [500, 500];
    const { rule } = await trigger(await definition({ url: `${base}/dead` }));
    await until(async () => (await histories(rule))[0]?.result_detail?.['attempt'] === 1);
    await isBack();
    await flow.rows("update job set attempts = 5, run_at = now() where name = 'run-action'");
    expect(await ended(rule)).toMatchObject([
      { result_status_id: resultStatus.failure, result_detail: { error: 'The receiver answered 500.' } },
    ]);
    await until(async () => (await flow.rows("select 1 from job where dead_at is not null and name = 'run-action'")).length === 1);
  });
});

describe('the action email', () => {
  const email = (parameters: ActionCall['Parameters']): ActionCall => ({ ActionDefinitionId: builtInAction.email, Parameters: parameters });

  it('[ACT-032] sends by SMTP, with template, importance and extra parameters', async () => {
    smtp = true;
    const { rule } = await trigger(
      email({
        To: 'ops@example.com',
        Template: 'GeneralAlert',
        IsImportant: true,
        Body: 'See {Runbook}',
        ExtraParameters: 'Runbook=page 7',
      }),
    );
    const [history] = await ended(rule);
    smtp = false;
    expect(history).toMatchObject({ result_status_id: resultStatus.success, result_detail: { answer: '250 OK' } });
    expect(mails.at(-1)).toMatchObject({
      to: 'ops@example.com',
      subject: 'Alert: Hot: mail "1"',
      important: true,
      messageId: history?.message_id,
    });
    expect(mails.at(-1)?.text).toContain('See page 7');
  });

  it('keeps the message in the outbox when no server is set, and says so', async () => {
    const { rule } = await trigger(email({ To: 'ops@example.com' }), email({}));
    const [outboxed, nobody] = await ended(rule);
    expect(outboxed).toMatchObject({
      result_status_id: resultStatus.enqueueSuccess,
      result_detail: { reason: 'Kept, not sent: no mail server is set.' },
    });
    expect(await flow.rows('select recipients, subject from outbox_message where message_id = $1', outboxed?.message_id)).toEqual([
      { recipients: 'ops@example.com', subject: 'Hot: mail "1"' },
    ]);
    expect(nobody).toMatchObject({ result_status_id: resultStatus.failure });
  });
});
