/**
 * Random histories of faults that come and go, told to real receivers that are slow and fail now and then, by three workers: what each
 * receiver is told last is the state of the fault.
 */
import { randomBytes } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { builtInAction, resultStatus } from '@cloudfit/contract/enums.ts';
import type { ActionCall } from '@cloudfit/contract/rules/schema.ts';
import { runs } from '@cloudfit/contract/testing/runs.ts';
import { masterKeyOf } from '../auth/master-key.ts';
import { systemCtx } from '../auth/system-ctx.ts';
import { openTenantSecrets } from '../auth/tenant-secrets.ts';
import { openHopCounts } from '../context/hop-count.ts';
import type { Ingest } from '../ingest/accept.ts';
import { jobRegistry } from '../jobs/job.ts';
import { startWorker, type Worker } from '../jobs/worker.ts';
import { openOutboundHttp } from '../outbound/http.ts';
import { openMail, type Mail } from '../outbound/mail.ts';
import { openAckLinks } from '../platform/ack-links.ts';
import { loadPushKey } from '../auth/push/key.ts';
import { ago, createFlow, send, silent, until, type Flow } from '../rules/testing/flow.ts';
import { startPushService, type PushService } from '../testing/push-service.ts';
import { expireMatches } from './expire-matches.ts';
import { startProtocolSteps } from './protocols/protocol-run.ts';
import { protocolStepsJob } from './protocols/protocol-steps.job.ts';
import { runActionJob } from './run-action.job.ts';
import { workUnitEventJob } from './work-unit-event.job.ts';

const histories = runs(60, 1_000);
const variants = ['Unit', 'Plain', 'AllClear', 'Resolved', 'Protocol'] as const;
type Variant = (typeof variants)[number];
type Word = 'DOWN' | 'UP';
/** `notified`: the mails of Notify. */
const receivers = ['call', 'mail', 'notified', 'push', 'sms'] as const;
type Receiver = (typeof receivers)[number];
/** Who is told by a rule of the variant. */
const receiversOf: Record<Variant, readonly Receiver[]> = {
  Unit: ['call', 'mail'],
  Plain: ['call', 'mail'],
  AllClear: ['mail'],
  Resolved: ['call', 'mail'],
  Protocol: receivers,
};

let flow: Flow;
let ingests: Ingest[];
let mail: Mail;
let smtp: SMTPServer;
let receiver: http.Server;
let pushes: PushService;
const workers: Worker[] = [];
let sweeps: Promise<void>;
let isOver = false;
const outbound = openOutboundHttp({ allow: ['127.0.0.1'] });
/** What each receiver was told, by device. */
const messages = new Map<string, Word[]>();
const messagesTo = (by: Receiver, device: string): Word[] => messages.get(`${by} ${device}`) ?? [];
const tell = (by: Receiver, device: string, word: Word) => messages.set(`${by} ${device}`, [...messagesTo(by, device), word]);
const wordOf = (text: string): Word => (/DOWN|New/.test(text) ? 'DOWN' : 'UP');
/** How receivers behave: `slow` is how often they take their time, `fails` how often they fail. */
let manners = { slow: 0, fails: 0 };
const takesMs = () => (Math.random() < manners.slow ? 700 * Math.random() : 0);

beforeAll(async () => {
  flow = await createFlow();
  ingests = [await flow.openIngest(), await flow.openIngest()];
  receiver = http.createServer((request, response) => {
    const [, word = '', device = '', by = 'call'] = (request.url ?? '').split('/');
    request.resume();
    void sleep(takesMs()).then(() => {
      const fails = Math.random() < manners.fails;
      if (!fails) tell(by as Receiver, device, wordOf(word));
      response.writeHead(fails ? 500 : 200).end();
    });
  });
  smtp = new SMTPServer({
    hideSTARTTLS: true,
    authOptional: true,
    onData: (stream, _session, done) => {
      let source = '';
      stream.on('data', (part: Buffer) => (source += part.toString()));
      stream.on('end', () => {
        const fails = Math.random() < manners.fails;
        const [, what = '', device = ''] = /^Subject: (DOWN|UP|All clear).*?(h-\d+)/m.exec(source) ?? [];
        if (!fails) tell(/^To: .*person@/m.test(source) ? 'notified' : 'mail', device, wordOf(what));
        setTimeout(() => (fails ? done(Object.assign(new Error('Not now'), { responseCode: 451 })) : done(null, 'Taken')), takesMs());
      });
    },
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve));
  mail = openMail({ url: `smtp://127.0.0.1:${(smtp.server.address() as AddressInfo).port}`, from: 'CloudFit <ops@example.com>' });
  pushes = await startPushService();
  const masterKey = masterKeyOf([randomBytes(32).toString('base64')]);
  const job = runActionJob({
    http: outbound,
    mail,
    secrets: openTenantSecrets(masterKey),
    hopCounts: openHopCounts(masterKey),
    ackLinks: openAckLinks(masterKey, 'http://localhost'),
    push: { key: await loadPushKey(flow.db, masterKey) },
    publicUrl: 'http://localhost',
  });
  for (const name of ['a', 'b', 'c'])
    workers.push(
      await startWorker({
        dataFolder: `test-${name}`,
        database: flow.database,
        log: silent,
        jobs: jobRegistry([job, workUnitEventJob([startProtocolSteps]), protocolStepsJob()]),
        ctxFor: ({ correlationId }) => systemCtx({ database: flow.database, log: silent, name: 'Automation', correlationId }),
      }),
    );
  sweeps = (async () => {
    for (let turn = 0; !isOver; turn += 1) {
      await sleep(100);
      // Retries come after at most a second, instead of after 10 s to an hour.
      await flow.rows('update job set run_at = now() where attempts > 0 and leased_until is null and run_at > now()');
      if (turn % 10 === 0) await expireMatches(flow.db);
      pushes.answers.set('browser', Math.random() < manners.fails ? 503 : 201);
    }
  })();
});
afterAll(async () => {
  isOver = true;
  await sweeps;
  await Promise.all(workers.map((worker) => worker.stop()));
  mail.close();
  await outbound.close();
  smtp.close();
  receiver.closeAllConnections();
  receiver.close();
  await pushes.close();
  await flow.close();
});

async function endpoint(path: string, sendsSms = false): Promise<ActionCall> {
  const { port } = receiver.address() as AddressInfo;
  const [row] = await flow.rows<{ id: string }>(
    `insert into action_definition (tenant_id, name, action_definition_type_id, endpoint_url, http_method, input_parameters, sends_sms)
     values ($1, $2, 3, $3, 'POST', 'To', $4) returning action_definition_id as id`,
    flow.tenantId,
    `Call ${crypto.randomUUID()}`,
    `http://127.0.0.1:${port}/${path}`,
    sendsSms,
  );
  return { ActionDefinitionId: row?.id ?? '', Parameters: {} };
}

const mailThat = (word: Word, about = '{DeviceName}'): ActionCall => ({
  ActionDefinitionId: builtInAction.email,
  Parameters: { To: 'desk@example.com', Subject: `${word} ${about}`, Body: 'x' },
});
const color = (Color: string): ActionCall => ({ ActionDefinitionId: builtInAction.setColor, Parameters: { Color } });
const does = (id: string): ActionCall => ({ ActionDefinitionId: id, Parameters: {} });
const unit = does(builtInAction.createWorkUnit);

/** Writes a person who is notified by push, SMS and mail at once. */
async function person(): Promise<string> {
  const [row] = await flow.rows<{ id: string }>(
    `with p as (insert into person (name, user_name, email) values ('Kim', 'person@example.com', 'person@example.com') returning person_id),
  s as (insert into permission_set (name, tenant_id, permissions) values ('Staff', $1, '["CloudFit.CFS.WorkUnits:view"]') returning permission_set_id),
  g as (insert into access_grant (person_id, permission_set_id, tenant_id) select person_id, permission_set_id, $1 from p, s),
  n as (insert into notification_preference (person_id, phone, time_zone, steps, quiet_hours, urgent, modified_by)
    select person_id, '+4912345678', 'UTC', $2::jsonb, '[]', '[]', 't' from p),
  b as (insert into push_subscription (person_id, endpoint, p256dh, auth, browser) select person_id, $3, $4, $5, 'browser' from p)
select person_id as id from p`,
    flow.tenantId,
    JSON.stringify(
      ['Push', 'Sms', 'Mail'].map((channel) => ({ channel, afterMinutes: 0, severities: ['Sev0', 'Sev1', 'Sev2', 'Sev3', 'Sev4'] })),
    ),
    ...(({ endpoint: at, keys }) => [at, keys.p256dh, keys.auth])(pushes.browser('browser')),
  );
  await endpoint('{State}/{Title}/sms', true);
  return row?.id ?? '';
}

/** Writes a protocol that tells everybody what a unit says when it opens and when it is resolved, in different orders. */
async function protocol(): Promise<string> {
  const [row] = await flow.rows<{ id: string }>(
    `insert into protocol (tenant_id, name, modified_by) values ($1, 'Tells', 't') returning protocol_id as id`,
    flow.tenantId,
  );
  const personId = await person();
  const notify = (word: Word): ActionCall => ({
    ActionDefinitionId: builtInAction.notify,
    Parameters: { Whom: 'Person', PersonId: personId, Subject: `${word} {Title}` },
  });
  const steps = [
    [1, await endpoint('DOWN/{Title}')],
    [1, notify('DOWN')],
    [1, mailThat('DOWN', '{Title}')],
    [4, mailThat('UP', '{Title}')],
    [4, notify('UP')],
    [4, await endpoint('UP/{Title}')],
  ] as const;
  for (const [sequence, [event, call]] of steps.entries())
    await flow.rows(
      `insert into protocol_action (tenant_id, protocol_id, action_definition_id, parameters, sequence, run_automatically, work_unit_event_type_id, created_by, modified_by)
       values ($1, $2, $3, $4, $5, true, $6, 't', 't')`,
      flow.tenantId,
      row?.id,
      call.ActionDefinitionId,
      JSON.stringify(call.Parameters),
      sequence,
      event,
    );
  return row?.id ?? '';
}

/** Writes the rule of a variant, which reads a metric of that name. */
async function ruleOf(variant: Variant): Promise<void> {
  const [down, up] = [await endpoint('DOWN/{DeviceName}'), await endpoint('UP/{DeviceName}')];
  const unitWithProtocol = variant === 'Protocol' ? { Title: '{DeviceName}', ProtocolId: await protocol() } : {};
  const actions: Record<Variant, [ActionCall[], ActionCall[]]> = {
    Unit: [
      [down, unit, mailThat('DOWN'), color('red')],
      [up, mailThat('UP'), color('green')],
    ],
    Plain: [
      [color('red'), mailThat('DOWN'), down],
      [mailThat('UP'), color('green'), up],
    ],
    AllClear: [
      [unit, mailThat('DOWN'), color('red')],
      [does(builtInAction.backToNormal), color('green')],
    ],
    Resolved: [
      [unit, down, mailThat('DOWN'), color('red')],
      [does(builtInAction.resolveWorkUnit), up, mailThat('UP'), color('green')],
    ],
    Protocol: [
      [{ ...unit, Parameters: unitWithProtocol }, color('red')],
      [does(builtInAction.resolveWorkUnit), color('green')],
    ],
  };
  const [matchActions, expirationActions] = actions[variant];
  const reads = { Type: 'And' as const, LeftOperand: 62, LeftOperandFieldName: variant };
  await flow.rule({
    name: variant,
    conditions: [{ ...reads, Operator: 3, RightOperand: '90' }],
    recoveryConditions: [{ ...reads, Operator: 4, RightOperand: '80' }],
    lifetimeSeconds: 3_600,
    matchActions,
    expirationActions,
  });
}

interface History {
  device: string;
  deviceId: string;
  variant: Variant;
  state: Word;
  blockId: string;
}

let nth = 0;

/** Sends the readings of one device, with up to `gapMs` between them; some arrive in one request, as after a time offline. */
async function play(variant: Variant, gapMs: number): Promise<History> {
  nth += 1;
  const device = `h-${nth}`;
  const deviceId = await flow.device({ name: device });
  const [block] = await flow.rows<{ id: string }>(
    `insert into block (tenant_id, subscription_id, name, block_type_id, device_id) select tenant_id, subscription_id, $2, 1, device_id
     from device where device_id = $1 returning block_id as id`,
    deviceId,
    device,
  );
  let state: Word = 'UP';
  let stored: unknown[] = [];
  const count = 3 + Math.floor(Math.random() * 5);
  for (let i = 0; i < count; i += 1) {
    state = state === 'UP' ? 'DOWN' : 'UP';
    stored.push({ entityId: deviceId, message: { Metrics: { [variant]: state === 'DOWN' ? 95 : 70 } }, timestamp: ago(0) });
    if (i < count - 1 && Math.random() < 0.25) {
      await sleep(2);
      continue;
    }
    const ingest = ingests[Math.floor(Math.random() * ingests.length)] as Ingest;
    const answers = await send(ingest, flow.ctx, ...stored);
    expect(answers.filter((answer) => answer.status !== 'stored')).toEqual([]);
    stored = [];
    await sleep(Math.random() < 0.4 ? 0 : gapMs * Math.random() ** 2);
  }
  return { device, deviceId, variant, state, blockId: block?.id ?? '' };
}

const pending = `select 'message' as what, action_history_id::text as id from action_history where result_status_id = ${resultStatus.enqueueSuccess}
union all select 'end', rule_match_id::text from rule_match where closed is not null and not completion_processed
union all select 'run', event_id::text from protocol_run union all select 'event', job_id::text from job where name = 'work-unit-event' order by 1, 2`;

/** Waits until everything has been told. Fails when nothing has gone on for a minute. */
async function settled(): Promise<void> {
  let before = '';
  for (let since = Date.now(); ; await sleep(50)) {
    const left = await flow.rows(pending);
    if (left.length === 0) return;
    const now = JSON.stringify(left);
    if (now !== before) [before, since] = [now, Date.now()];
    else if (Date.now() - since > 60_000) throw new Error(`Nothing goes on: ${now.slice(0, 2_000)}`);
  }
}

/** The last word that each receiver has, against the state. A receiver that was told nothing believes that nothing is down. */
async function lies({ device, deviceId, variant, state, blockId }: History): Promise<object[]> {
  const [shown] = await flow.rows<{ color: string | null; units: number }>(
    `select (select entity_color ->> 'color' from block where block_id = $1) as color,
     (select count(distinct w.work_unit_id)::int from rule_match m join work_unit w using (work_unit_id) where m.subject_id = $2 and w.state_id = 'New') as units`,
    blockId,
    deviceId,
  );
  const words = receiversOf[variant].map((by) => [by, messagesTo(by, device)] as const);
  const isDown = state === 'DOWN';
  const isTrue =
    words.every(([, sent]) => (sent.at(-1) ?? 'UP') === state) &&
    (isDown ? shown?.color === 'red' : shown?.color !== 'red') &&
    (!['Resolved', 'Protocol'].includes(variant) || shown?.units === (isDown ? 1 : 0));
  return isTrue ? [] : [{ device, variant, state, ...Object.fromEntries(words.map(([by, sent]) => [by, sent.join(' ')])), ...shown }];
}

it(
  'ends with the state as the last word of each receiver, unit and colour, whatever is slow or tried again',
  { timeout: 420_000 + 2_000 * histories },
  async () => {
    for (const variant of variants) await ruleOf(variant);
    await until(() => ingests.every(({ rules }) => rules.ingestion().size >= variants.length));
    manners = { slow: 0.3, fails: 0.1 };
    const atOnce = 45;
    const wrong: object[] = [];
    for (let done = 0; done < histories; done += atOnce) {
      const gapMs = done % (2 * atOnce) === 0 ? 5_000 : 600;
      const played = await Promise.all(
        Array.from({ length: Math.min(atOnce, histories - done) }, (_, i) => play(variants[i % variants.length] ?? 'Unit', gapMs)),
      );
      await settled();
      for (const { payload } of pushes.received.splice(0)) {
        const [, word = '', device = ''] = /(DOWN|UP) (h-\d+)/.exec(String(payload['title'])) ?? [];
        tell('push', device, wordOf(word));
      }
      for (const history of played) wrong.push(...(await lies(history)));
    }
    expect(wrong).toEqual([]);
  },
);
