/** kill -9 of workers while groups and merged messages are handled: nobody is notified twice, and nobody is forgotten. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, expect, it, onTestFailed } from 'vitest';
import { builtInAction } from '@cloudfit/contract/enums.ts';
import { runs } from '@cloudfit/contract/testing/runs.ts';
import { anyMoment, startFaultWorkers, type FaultWorkers } from './workers.ts';

const pauseSeconds = 3;
const longest = 120_000;
let workers: FaultWorkers;
let receiver: Server;
let smtp: SMTPServer;
/** Path and idempotency key of each call, repeats included. */
const calls: { path: string; key: string }[] = [];
const mails: string[] = [];

const portOf = (server: { address(): unknown }): number => (server.address() as AddressInfo).port;

beforeAll(async () => {
  receiver = createServer((request, response) => {
    calls.push({ path: request.url ?? '', key: String(request.headers['idempotency-key']) });
    // Long enough that a kill can fall between the call and its outcome.
    setTimeout(() => response.end('noted'), 60);
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  smtp = new SMTPServer({
    hideSTARTTLS: true,
    authOptional: true,
    onData: (stream, _session, done) => {
      let source = '';
      stream.on('data', (part: Buffer) => (source += part.toString()));
      stream.on('end', () => {
        mails.push(source.replaceAll('=\r\n', ''));
        setTimeout(() => done(null, 'Taken'), 60);
      });
    },
  });
  smtp.on('error', () => undefined);
  await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve));
  workers = await startFaultWorkers({
    PERSON_PAUSE_SECONDS: String(pauseSeconds),
    SMTP_URL: `smtp://127.0.0.1:${portOf(smtp.server)}`,
    MAIL_FROM: 'CloudFit <ops@example.com>',
  });
});

afterAll(async () => {
  await (workers as FaultWorkers | undefined)?.close();
  receiver.closeAllConnections();
  await new Promise((resolve) => receiver.close(resolve));
  await new Promise<void>((resolve) => smtp.close(resolve));
});

async function rows<T extends object>(text: string, ...values: unknown[]): Promise<T[]> {
  return (await workers.client.query<T>(text, values)).rows;
}

async function until(is: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + longest; Date.now() < end; await sleep(100)) if (await is()) return;
}

async function devices(name: string, count: number): Promise<string[]> {
  const { site } = workers;
  const added = await rows<{ device_id: string }>(
    `insert into device (tenant_id, subscription_id, name) select tenant_id, subscription_id, $2 || ' ' || n from device, generate_series(1, $3::int) n where device_id = $1 returning device_id`,
    site.hotDevices[0],
    name,
    count,
  );
  return added.map((row) => row.device_id);
}

async function hook(path: string) {
  const { actionDefinitionId } = await workers.call('PUT', '/v1/actionDefinitions', {
    name: `Hook ${path}`,
    actionDefinitionTypeId: 4,
    tenantId: workers.site.tenantId,
    endpointUrl: `http://127.0.0.1:${portOf(receiver)}/${path}`,
    httpMethod: 'POST',
    body: '{"label": "{Label}"}',
  });
  return { ActionDefinitionId: String(actionDefinitionId), Parameters: {} };
}

async function rule(metric: string, fields: object): Promise<string> {
  const { subscription_id: subscriptionId } = (
    await rows<{ subscription_id: string }>('select subscription_id from device where device_id = $1', workers.site.hotDevices[0])
  )[0] ?? { subscription_id: '' };
  const { ruleId } = await workers.call('PUT', '/v1/rules', {
    name: metric,
    ruleTypeId: 1,
    tenantId: workers.site.tenantId,
    subscriptionId,
    conditions: [{ Type: 'And', LeftOperand: 62, LeftOperandFieldName: metric, Operator: 3, RightOperand: '90' }],
    matchLifetime: '01:00:00',
    ...fields,
  });
  return String(ruleId);
}

/** Sends packets until each device has a match: a new rule takes effect a moment after it is saved. */
async function match(ruleId: string, metric: string, ids: readonly string[]): Promise<void> {
  await until(async () => {
    const packets = ids.map((entityId) => ({ entityId, message: { Metrics: { [metric]: 95 } } }));
    await workers.call('POST', '/v1/packets', packets, 200);
    const [matched] = await rows<{ n: number }>(
      'select count(*)::int as n from rule_match where rule_id = $1 and subject_id = any($2::uuid[])',
      ruleId,
      ids,
    );
    return matched?.n === ids.length;
  });
}

async function killSometimes(times: number): Promise<void> {
  for (let n = 0; n < times; n++) {
    await anyMoment(350);
    await workers.kill();
  }
}

const keysOf = (path: string) => new Set(calls.filter((call) => call.path === `/${path}`).map(({ key }) => key)).size;

it(
  'opens one unit, lists each match, sums up once and ends once when workers are killed in each step of a group',
  { timeout: 240_000 },
  async () => {
    onTestFailed(() => console.error(workers.output()));
    const ids = await devices('Grouped', 12);
    const color = (Color: string) => ({ ActionDefinitionId: builtInAction.setColor, Parameters: { Color } });
    const ruleId = await rule('Heat', {
      groupBy: 'Rule',
      matchActions: [{ ActionDefinitionId: builtInAction.createWorkUnit, Parameters: {} }, color('red'), await hook('begin')],
      expirationActions: [{ ActionDefinitionId: builtInAction.resolveWorkUnit, Parameters: {} }, await hook('end'), color('green')],
    });
    const settled = () =>
      until(async () => {
        const left = await rows(
          `select 1 from match_group_member g join rule_match m using (rule_match_id)
          where m.rule_id = $1 and (g.match_group_id is null or m.completion_processed and g.ended is null)
        union all select 1 from action_history h join rule_match m on m.rule_match_id::text = h.reference_id where m.rule_id = $1 and h.result_status_id = 3
        union all select 1 from rule_match m where m.rule_id = $1 and m.closed is null and m.expires < now()
        union all select 1 from match_group where rule_id = $1 and summary_due <= now() and ended is null limit 1`,
          ruleId,
        );
        return left.length === 0;
      });
    // Five matches open a group with one work unit and one call; then seven more matches join the group.
    await match(ruleId, 'Heat', ids.slice(0, 5));
    await killSometimes(runs(1, 2));
    await match(ruleId, 'Heat', ids.slice(5));
    await killSometimes(1);
    await settled();
    const unitsNow = () =>
      rows<{ occurrences: number; state: string; devices: number }>(
        `select occurrences, state_id as state, (select count(*)::int from work_unit_relation r where r.work_unit_id = w.work_unit_id and r.reference_type = 'Device') as devices
        from work_unit w where rule_id = $1`,
        ruleId,
      );
    expect(await unitsNow()).toEqual([{ occurrences: 12, state: 'New', devices: 12 }]);
    expect(keysOf('begin')).toBe(1);
    // Makes the summary of the group due.
    await rows('update match_group set summary_due = now() where rule_id = $1', ruleId);
    await killSometimes(runs(1, 2));
    await settled();
    const [group] = await rows<{ summaries: number; joined: number }>(
      'select summaries, joined from match_group where rule_id = $1',
      ruleId,
    );
    expect([group, keysOf('begin')]).toEqual([{ summaries: 1, joined: 12 }, 2]);
    // Ends all matches.
    await rows("update rule_match set expires = now() - interval '1 second' where rule_id = $1", ruleId);
    await killSometimes(runs(1, 2));
    await settled();
    await until(async () => (await rows('select 1 from match_group where rule_id = $1 and ended is null', ruleId)).length === 0);
    await settled();
    expect(await unitsNow()).toEqual([{ occurrences: 12, state: 'Resolved', devices: 12 }]);
    expect([keysOf('begin'), keysOf('end')]).toEqual([2, 1]);
    const notes = await rows<{ detail: string }>(
      `select n.detail from work_unit_note n join work_unit w using (work_unit_id) where w.rule_id = $1 and (n.detail like 'All % have ended%' or n.detail like '%joined, % ended%')`,
      ruleId,
    );
    expect(notes).toHaveLength(2);
    const executions = await rows<{ phase: string; n: number; waiting: number }>(
      `select h.result_detail ->> 'phase' as phase, count(*)::int as n, count(*) filter (where h.result_status_id = 3)::int as waiting
      from action_history h join rule_match m on m.rule_match_id::text = h.reference_id where m.rule_id = $1 and h.result_detail ->> 'phase' in ('match', 'summary') group by 1 order by 1`,
      ruleId,
    );
    expect(executions).toEqual([
      { phase: 'match', n: 12 * 3, waiting: 0 },
      { phase: 'summary', n: 1, waiting: 0 },
    ]);
  },
);

it('says each match in one mail when workers are killed while mails go out together', { timeout: 240_000 }, async () => {
  onTestFailed(() => console.error(workers.output()));
  const ids = await devices('Mailed', 16);
  const ruleId = await rule('Cold', {
    matchActions: [
      {
        ActionDefinitionId: builtInAction.email,
        Parameters: { To: 'ann@example.com', Template: 'None', Subject: '{Label}', Body: 'Text of {SubjectId}.' },
      },
    ],
  });
  await match(ruleId, 'Cold', ids);
  const isDone = async () =>
    (
      await rows(
        `select 1 from action_history h join rule_match m on m.rule_match_id::text = h.reference_id where m.rule_id = $1 and h.result_status_id = 3 limit 1`,
        ruleId,
      )
    ).length === 0;
  // Kills one worker after the other while mails are sent; at most five times, so that no kill ends the sixth and last try.
  for (let n = 0; n < runs(2, 5) && !(await isDone()); n++) {
    await sleep(pauseSeconds * 250);
    await killSometimes(1);
  }
  await until(isDone);
  const outcomes = await rows<{ status: number; n: number }>(
    'select h.result_status_id as status, count(*)::int as n from action_history h join rule_match m on m.rule_match_id::text = h.reference_id where m.rule_id = $1 group by 1',
    ruleId,
  );
  expect(outcomes).toEqual([{ status: 1, n: 16 }]);
  // Mailboxes recognise a repeated mail by its id.
  const idOf = (mail: string) => /^Message-ID: (.+)$/im.exec(mail)?.[1]?.trim();
  const perMatch = ids.map((id) => new Set(mails.filter((mail) => mail.includes(`Text of ${id}.`)).map(idOf)).size);
  expect(perMatch).toEqual(ids.map(() => 1));
  expect(await rows('select 1 from waiting_mail')).toEqual([]);
});
