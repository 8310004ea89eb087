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
import { ago, createFlow, send, silent, until, type Flow } from '../rules/testing/flow.ts';
import { expireMatches } from './expire-matches.ts';
import { runActionJob } from './run-action.job.ts';

const histories = runs(45, 90);
const variants = ['Unit', 'Plain', 'AllClear', 'Resolved'] as const;
type Variant = (typeof variants)[number];
type Word = 'DOWN' | 'UP';

let flow: Flow;
let ingests: Ingest[];
let mail: Mail;
let smtp: SMTPServer;
let receiver: http.Server;
const workers: Worker[] = [];
let sweeps: Promise<void>;
let isOver = false;
const outbound = openOutboundHttp({ allow: ['127.0.0.1'] });
/** What each receiver was told, by device. */
const messages: Record<'call' | 'mail', Map<string, Word[]>> = { call: new Map(), mail: new Map() };
const tell = (by: 'call' | 'mail', device: string, word: Word) => messages[by].set(device, [...(messages[by].get(device) ?? []), word]);
/** How receivers behave: `slow` is how often they take their time, `fails` how often they fail. */
let manners = { slow: 0, fails: 0 };
const takesMs = () => (Math.random() < manners.slow ? 700 * Math.random() : 0);

beforeAll(async () => {
  flow = await createFlow();
  ingests = [await flow.openIngest(), await flow.openIngest()];
  receiver = http.createServer((request, response) => {
    const [, word = '', device = ''] = (request.url ?? '').split('/');
    request.resume();
    void sleep(takesMs()).then(() => {
      const fails = Math.random() < manners.fails;
      if (!fails) tell('call', device, word as Word);
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
        if (!fails) tell('mail', device, what === 'DOWN' ? 'DOWN' : 'UP');
        setTimeout(() => (fails ? done(Object.assign(new Error('Not now'), { responseCode: 451 })) : done(null, 'Taken')), takesMs());
      });
    },
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve));
  mail = openMail({ url: `smtp://127.0.0.1:${(smtp.server.address() as AddressInfo).port}`, from: 'CloudFit <ops@example.com>' });
  const masterKey = masterKeyOf([randomBytes(32).toString('base64')]);
  const job = runActionJob({
    http: outbound,
    mail,
    secrets: openTenantSecrets(masterKey),
    hopCounts: openHopCounts(masterKey),
    ackLinks: openAckLinks(masterKey, 'http://localhost'),
    push: { key: { publicKey: '', privateKey: '' } },
    publicUrl: 'http://localhost',
  });
  for (const name of ['a', 'b', 'c'])
    workers.push(
      await startWorker({
        dataFolder: `test-${name}`,
        database: flow.database,
        log: silent,
        jobs: jobRegistry([job]),
        ctxFor: ({ correlationId }) => systemCtx({ database: flow.database, log: silent, name: 'Automation', correlationId }),
      }),
    );
  sweeps = (async () => {
    for (let turn = 0; !isOver; turn += 1) {
      await sleep(100);
      // Retries come after at most a second, instead of after 10 s to an hour.
      await flow.rows('update job set run_at = now() where attempts > 0 and leased_until is null and run_at > now()');
      if (turn % 10 === 0) await expireMatches(flow.db);
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
  await flow.close();
});

async function endpoint(word: Word | '{MatchState}'): Promise<ActionCall> {
  const { port } = receiver.address() as AddressInfo;
  const [row] = await flow.rows<{ id: string }>(
    `insert into action_definition (tenant_id, name, action_definition_type_id, endpoint_url, http_method) values ($1, $2, 3, $3, 'POST')
     returning action_definition_id as id`,
    flow.tenantId,
    `Call ${crypto.randomUUID()}`,
    `http://127.0.0.1:${port}/${word}/{DeviceName}`,
  );
  return { ActionDefinitionId: row?.id ?? '', Parameters: {} };
}

const mailThat = (word: Word): ActionCall => ({
  ActionDefinitionId: builtInAction.email,
  Parameters: { To: 'desk@example.com', Subject: `${word} {DeviceName}`, Body: 'x' },
});
const color = (Color: string): ActionCall => ({ ActionDefinitionId: builtInAction.setColor, Parameters: { Color } });
const does = (id: string): ActionCall => ({ ActionDefinitionId: id, Parameters: {} });
const unit = does(builtInAction.createWorkUnit);

/** Writes the rule of a variant, which reads a metric of that name. */
async function ruleOf(variant: Variant): Promise<void> {
  const [down, up] = [await endpoint('DOWN'), await endpoint('UP')];
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
    expect(answers.filter((one) => one.status !== 'stored')).toEqual([]);
    stored = [];
    await sleep(Math.random() < 0.4 ? 0 : gapMs * Math.random() ** 2);
  }
  return { device, deviceId, variant, state, blockId: block?.id ?? '' };
}

const pending = `select 1 from action_history where result_status_id = ${resultStatus.enqueueSuccess}
union all select 1 from rule_match where closed is not null and not completion_processed limit 1`;

/** The last word that each receiver has, against the state. */
async function lies({ device, deviceId, variant, state, blockId }: History): Promise<object[]> {
  const [shown] = await flow.rows<{ color: string | null; units: number }>(
    `select (select entity_color ->> 'color' from block where block_id = $1) as color,
     (select count(distinct w.work_unit_id)::int from rule_match m join work_unit w using (work_unit_id) where m.subject_id = $2 and w.state_id = 'New') as units`,
    blockId,
    deviceId,
  );
  const calls = messages.call.get(device) ?? [];
  const mails = messages.mail.get(device) ?? [];
  const isDown = state === 'DOWN';
  // Everything arrived in one request, when all was over.
  if (!isDown && mails.length + calls.length === 0 && shown?.color === 'grey') return [];
  const lie = { device, variant, state, calls: calls.join(' '), mails: mails.join(' '), ...shown };
  const isTrue =
    mails.at(-1) === state &&
    (variant === 'AllClear' || calls.at(-1) === state) &&
    shown?.color === (isDown ? 'red' : 'green') &&
    (variant !== 'Resolved' || shown.units === (isDown ? 1 : 0));
  return isTrue ? [] : [lie];
}

it(
  'ends with the state as the last word of each receiver, unit and colour, whatever is slow or tried again',
  { timeout: 600_000 },
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
      await until(async () => (await flow.rows(pending)).length === 0);
      for (const history of played) wrong.push(...(await lies(history)));
    }
    expect(wrong).toEqual([]);
  },
);
