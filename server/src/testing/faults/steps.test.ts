/** kill -9 of workers in the middle of steps, timers, notifications and campaigns: each happens once, and none is lost. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, onTestFailed } from 'vitest';
import { operandId } from '@cloudfit/contract/rules/operands.ts';
import { operatorId } from '@cloudfit/contract/rules/operators.ts';
import { runs } from '@cloudfit/contract/testing/runs.ts';
import { startPushService } from '../push-service.ts';
import { anyMoment, startFaultWorkers, type FaultWorkers } from './workers.ts';

const units = 12;
const steps = 5;
const kills = runs(1, 5);

let workers: FaultWorkers;
let client: FaultWorkers['client'];
let site: FaultWorkers['site'];
let call: FaultWorkers['call'];
let receiver: Server;
/** Received idempotency keys in order, including repeats. */
const calls: string[] = [];

beforeAll(async () => {
  receiver = createServer((request, response) => {
    calls.push(String(request.headers['idempotency-key']));
    // Long enough that a kill can fall between the call and its outcome.
    setTimeout(() => response.end('noted'), 60);
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  // Each message is sent separately; merged messages have a test of their own.
  workers = await startFaultWorkers({ PERSON_PAUSE_SECONDS: '0' });
  ({ client, site, call } = workers);
});

afterAll(async () => {
  await (workers as FaultWorkers | undefined)?.close();
  receiver.closeAllConnections();
  await new Promise((resolve) => receiver.close(resolve));
});

/**
 * Kills workers at random moments, with `step` before each kill, then repeats `step` until it returns true, for at most 120 s.
 * The kills do not count: on a busy machine they take minutes, because each of them waits for the start of a process.
 */
async function killAndSettle(step: () => Promise<boolean>): Promise<void> {
  for (let kill = 0; kill < kills; kill++) {
    await step();
    await anyMoment(450);
    await workers.kill();
  }
  for (const end = Date.now() + 120_000; Date.now() < end; await sleep(100)) if (await step()) return;
}

interface Row {
  work_unit_id: number;
  event: string;
  step: number;
  status: number;
  message_id: string;
  protocol_event_id: string | null;
}

it('loses no step and doubles none when workers are killed in the middle', { timeout: 150_000 }, async () => {
  onTestFailed(() => console.error(workers.output()));
  const { port } = receiver.address() as AddressInfo;
  const { actionDefinitionId } = await call('PUT', '/v1/actionDefinitions', {
    name: 'Hook',
    actionDefinitionTypeId: 2,
    tenantId: site.tenantId,
    endpointUrl: `http://127.0.0.1:${port}/`,
  });
  const { protocolId } = await call('PUT', '/v1/protocols', { name: 'Steps', tenantId: site.tenantId });
  for (const [workUnitEventTypeId, count] of [
    [1, steps],
    [7, 2],
  ] as const)
    for (let sequence = 1; sequence <= count; sequence++)
      await call('PUT', '/v1/protocolActions', { protocolId, actionDefinitionId, workUnitEventTypeId, sequence, runAutomatically: true });
  const opened: number[] = [];
  for (let n = 0; n < units; n++) {
    const unit = await call('PUT', '/v1/workunits', { title: `Unit ${n}`, workUnitTypeId: 1, tenantId: site.tenantId, protocolId });
    opened.push(Number(unit['workUnitId']));
  }
  await client.query("update work_unit_timer set due = now() - interval '1 second'");
  for (let n = 0; n < kills; n++) {
    await anyMoment(450);
    await workers.kill();
  }
  for (const end = Date.now() + 60_000; Date.now() < end; await sleep(100)) {
    const { rows } = await client.query('select 1 from job where dead_at is null union all select 1 from protocol_run limit 1');
    if (rows.length === 0) break;
  }
  const { rows } = await client.query<Row>(
    `select work_unit_id::int, result_detail->>'event' as event, (result_detail->>'step')::int as step, result_status_id as status, message_id, protocol_event_id
      from action_history order by action_history_id`,
  );
  for (const id of opened) {
    const of = (event: string) => rows.filter((row) => row.work_unit_id === id && row.event === event);
    expect([id, of('OnNew').map((row) => [row.step, row.status])]).toEqual([id, Array.from({ length: steps }, (_, n) => [n + 1, 1])]);
    expect([id, of('OnTimer').map((row) => [row.step, row.status])]).toEqual([
      id,
      [
        [1, 1],
        [2, 1],
      ],
    ]);
  }
  expect(rows).toHaveLength(units * (steps + 2));
  // A receiver that ignores repeated keys gets each step once, and never before the previous step.
  const first = new Map<string, number>();
  for (const [index, key] of calls.entries()) if (!first.has(key)) first.set(key, index);
  expect(new Set(calls)).toEqual(new Set(rows.map((row) => row.message_id)));
  for (const row of rows) {
    const next = rows.find((candidate) => candidate.protocol_event_id === row.protocol_event_id && candidate.step === row.step + 1);
    if (next) expect(first.get(next.message_id)).toBeGreaterThan(first.get(row.message_id) ?? Infinity);
  }
  const { rows: left } = await client.query('select 1 from job union all select 1 from protocol_run');
  expect(left).toEqual([]);
});

it('tells each person once and runs each waiting step once when workers are killed at their times', { timeout: 150_000 }, async () => {
  onTestFailed(() => console.error(workers.output()));
  calls.length = 0;
  await client.query('delete from work_unit_timer');
  const { port } = receiver.address() as AddressInfo;
  const { actionDefinitionId } = await call('PUT', '/v1/actionDefinitions', {
    name: 'Waiting hook',
    actionDefinitionTypeId: 2,
    tenantId: site.tenantId,
    endpointUrl: `http://127.0.0.1:${port}/`,
  });
  const { rows: people } = await client.query<{ person_id: string | null }>(
    `with p as (insert into person (name, user_name, email) values ('Kim', 'kim@example.com', 'kim@example.com') returning person_id)
      insert into access_grant (person_id, permission_set_id, tenant_id)
      select person_id, (select permission_set_id from permission_set limit 1), $1 from p returning person_id`,
    [site.tenantId],
  );
  const { protocolId } = await call('PUT', '/v1/protocols', { name: 'Escalation', tenantId: site.tenantId });
  const step = { protocolId, workUnitEventTypeId: 1, runAutomatically: true };
  const parameters = JSON.stringify({ Whom: 'Person', PersonId: people[0]?.person_id });
  const notify = '0197f000-0000-7000-8000-000000000004';
  await call('PUT', '/v1/protocolActions', { ...step, actionDefinitionId: notify, parameters, sequence: 1 });
  for (const [sequence, wait] of ['00:00:00', '00:00:01', '00:00:01', '00:00:02'].entries())
    await call('PUT', '/v1/protocolActions', { ...step, actionDefinitionId, wait, sequence });
  await call('PUT', '/v1/protocolActions', { ...step, actionDefinitionId: notify, parameters, wait: '00:00:02', sequence: 9 });
  const opened: number[] = [];
  for (let n = 0; n < units; n++) {
    const unit = await call('PUT', '/v1/workunits', { title: `Unit ${n}`, workUnitTypeId: 1, tenantId: site.tenantId, protocolId });
    opened.push(Number(unit['workUnitId']));
  }
  for (let n = 0; n < kills; n++) {
    await anyMoment(450);
    await workers.kill();
  }
  for (const end = Date.now() + 90_000; Date.now() < end; await sleep(100)) {
    const { rows } = await client.query(
      `select 1 from job where dead_at is null union all select 1 from protocol_run union all select 1 from planned_step where ended is null limit 1`,
    );
    if (rows.length === 0) break;
  }
  // No mail server is set: the messages wait in the outbox, each once.
  const { rows: notified } = await client.query<{
    work_unit_id: number;
    notified: number;
    stored: number;
    steps: number;
    hooks: number;
    runs: number;
  }>(
    `select w.work_unit_id::int, (select count(*)::int from notification n where n.work_unit_id = w.work_unit_id) as notified,
      (select count(*)::int from outbox_message o join notification n using (message_id) where n.work_unit_id = w.work_unit_id) as stored,
      (select count(*)::int from action_history h where h.work_unit_id = w.work_unit_id and h.action_definition_id = $2 and h.result_status_id = 1) as steps,
      (select count(*)::int from action_history h where h.work_unit_id = w.work_unit_id and h.action_definition_id = $3 and h.result_status_id = 1) as hooks,
      (select sum(runs)::int from planned_step p where p.work_unit_id = w.work_unit_id) as runs
    from work_unit w where w.work_unit_id = any($1::bigint[]) order by 1`,
    [opened, notify, actionDefinitionId],
  );
  expect(notified).toEqual(opened.map((work_unit_id) => ({ work_unit_id, notified: 2, stored: 2, steps: 2, hooks: 4, runs: 5 })));
  // A receiver that ignores repeated keys gets each step once.
  expect(new Set(calls).size).toBe(units * 4);
});

it('sends each channel of each person once, and one summary, when workers are killed between them', { timeout: 150_000 }, async () => {
  onTestFailed(() => console.error(workers.output()));
  const pushes = await startPushService();
  const { port } = receiver.address() as AddressInfo;
  await call('PUT', '/v1/actionDefinitions', {
    name: 'Texts',
    actionDefinitionTypeId: 2,
    tenantId: site.tenantId,
    endpointUrl: `http://127.0.0.1:${port}/`,
    inputParameters: 'To',
    sendsSms: true,
  });
  const { rows: people } = await client.query<{ person_id: string | null }>(
    `with p as (insert into person (name, user_name, email) values ('Awake', 'awake@example.com', 'awake@example.com'), ('Asleep', 'asleep@example.com', 'asleep@example.com') returning person_id, name)
      insert into access_grant (person_id, permission_set_id, tenant_id)
      select person_id, (select permission_set_id from permission_set limit 1), $1 from p order by name desc returning person_id`,
    [site.tenantId],
  );
  const [awake, asleep] = people.map((person) => person.person_id);
  const browser = pushes.browser('Awake');
  await client.query("insert into push_subscription (person_id, endpoint, p256dh, auth, browser) values ($1, $2, $3, $4, 'Awake')", [
    awake,
    browser.endpoint,
    browser.keys.p256dh,
    browser.keys.auth,
  ]);
  const all = ['Sev0', 'Sev1', 'Sev2', 'Sev3', 'Sev4'];
  const order = JSON.stringify(['Push', 'Sms', 'Mail'].map((channel, at) => ({ channel, afterMinutes: at * 60, severities: all })));
  const night = JSON.stringify([{ days: [0, 1, 2, 3, 4, 5, 6], from: '00:00', to: '24:00' }]);
  await client.query(
    `insert into notification_preference (person_id, phone, time_zone, steps, quiet_hours, urgent, modified_by)
      values ($1, '+491700000001', 'UTC', $3, '[]', '[]', 'test'), ($2, null, 'UTC', $3, $4, '[]', 'test')`,
    [awake, asleep, order, night],
  );
  const { protocolId } = await call('PUT', '/v1/protocols', { name: 'Channels', tenantId: site.tenantId });
  for (const [sequence, personId] of [awake, asleep].entries())
    await call('PUT', '/v1/protocolActions', {
      protocolId,
      sequence,
      workUnitEventTypeId: 1,
      runAutomatically: true,
      actionDefinitionId: '0197f000-0000-7000-8000-000000000004',
      parameters: JSON.stringify({ Whom: 'Person', PersonId: personId }),
    });
  calls.length = 0;
  const opened: number[] = [];
  for (let n = 0; n < units; n++) {
    const unit = await call('PUT', '/v1/workunits', {
      title: `Unit ${n}`,
      severityId: 'Sev3',
      workUnitTypeId: 1,
      tenantId: site.tenantId,
      protocolId,
    });
    opened.push(Number(unit['workUnitId']));
  }
  const kill = async (): Promise<void> => {
    await anyMoment(350);
    await workers.kill();
  };
  const settle = async (): Promise<void> => {
    for (const end = Date.now() + 60_000; Date.now() < end; await sleep(100)) {
      const { rows } = await client.query(
        'select 1 from job where dead_at is null and run_at <= now() union all select 1 from protocol_run limit 1',
      );
      if (rows.length === 0) return;
    }
  };
  for (let n = 0; n < runs(1, 3); n++) await kill();
  await settle();
  // Simulates that two hours pass, so that the channels that wait are due; then that the quiet hours end.
  for (let hour = 0; hour < 2; hour++) {
    await client.query("update job set run_at = run_at - interval '1 hour' where run_at > now()");
    await kill();
    await settle();
  }
  await client.query("update notification_preference set quiet_hours = '[]' where person_id = $1", [asleep]);
  await client.query('update notification set held_until = now() where person_id = $1', [asleep]);
  for (let n = 0; n < runs(1, 2); n++) await kill();
  for (const end = Date.now() + 60_000; Date.now() < end; await sleep(100)) {
    const { rows } = await client.query('select 1 from notification where held_until is not null and released is null limit 1');
    if (rows.length === 0) break;
  }
  await settle();
  const { rows: sent } = await client.query<{ name: string; channel: string; messages: number; told_by: number }>(
    `select name, channel, count(*)::int as messages, count(distinct coalesce(told_by, message_id))::int as told_by from notification
      where work_unit_id = any($1::bigint[]) group by 1, 2 order by 1, 2`,
    [opened],
  );
  expect(sent).toEqual([
    { name: 'Asleep', channel: 'Mail', messages: units, told_by: 1 },
    { name: 'Awake', channel: 'Mail', messages: units, told_by: units },
    { name: 'Awake', channel: 'Push', messages: units, told_by: units },
    { name: 'Awake', channel: 'SMS', messages: units, told_by: units },
  ]);
  // Receivers recognise a repeat by its key: the topic of a push message, the idempotency key of an SMS.
  expect(new Set(pushes.received.map(({ headers }) => headers['topic'])).size).toBe(units);
  expect(new Set(calls).size).toBe(units);
  const { rows: mails } = await client.query<{ recipients: string; count: number }>(
    "select recipients, count(*)::int as count from outbox_message where recipients in ('awake@example.com', 'asleep@example.com') group by 1 order by 1",
  );
  expect(mails).toEqual([
    { recipients: 'asleep@example.com', count: 1 },
    { recipients: 'awake@example.com', count: units },
  ]);
  await pushes.close();
});

it('begins each device of a campaign once, ring by ring, and forgets none when workers are killed', { timeout: 300_000 }, async () => {
  onTestFailed(() => console.error(workers.output()));
  const { rows: fleet } = await client.query<{ device_id: string }>(
    `insert into device (tenant_id, subscription_id, name) select tenant_id, subscription_id, 'Ring ' || n
      from device, generate_series(1, 200) n where device_id = $1 returning device_id`,
    [site.hotDevices[0]],
  );
  const deviceIds = fleet.map((row) => row.device_id);
  const rings = [{ share: 5 }, { share: 25 }];
  const { campaignId } = await call(
    'POST',
    '/v1/campaigns/start',
    { tenantId: site.tenantId, kind: 'RestartAgent', deviceIds, rings },
    200,
  );
  const outcomes = async () =>
    (
      await client.query<{ outcome: string; n: number }>(
        'select outcome, count(*)::int as n from campaign_device where campaign_id = $1 group by 1 order by 1',
        [campaignId],
      )
    ).rows;
  await killAndSettle(async () => {
    // Simulates that the agents have restarted as requested.
    await client.query('update device set restart_agent_flag = false where restart_agent_flag and device_id = any($1)', [deviceIds]);
    const [first, ...others] = await outcomes();
    return first?.outcome === 'Done' && others.length === 0;
  });
  expect(await outcomes()).toEqual([{ outcome: 'Done', n: deviceIds.length }]);
  const { rows: requests } = await client.query<{ times: number; devices: number }>(
    `select times, count(*)::int as devices from (select device_id, count(*)::int as times from device_log
      where device_id = any($1) and detail = 'A restart of the agent was requested.' group by 1) l group by 1`,
    [deviceIds],
  );
  expect(requests).toEqual([{ times: 1, devices: deviceIds.length }]);
});

it('brings a policy into force ring by ring, and takes it back, once when workers are killed', { timeout: 300_000 }, async () => {
  onTestFailed(() => console.error(workers.output()));
  const rollOut = async (name: string, minutes: number) => {
    await client.query(
      `insert into device (tenant_id, subscription_id, name, tags) select tenant_id, subscription_id, $2 || ' ' || n, $2 from device, generate_series(1, 40) n where device_id = $1`,
      [site.hotDevices[0], name],
    );
    const place = { tenantId: site.tenantId };
    const { deviceSelectionId } = await call('PUT', '/v1/deviceSelections', { name, ...place, filter: `tags eq '${name}'` });
    const { policyId } = await call('PUT', '/v1/policies', { name, ...place, deviceSelectionId, heartbeatInterval: 70 });
    const body = { policyId, policy: { heartbeatInterval: 20 }, rings: [{ share: 10 }, { share: 50 }], pauseMinutes: minutes };
    const { campaignId } = await call('POST', '/v1/policies/rollOut', body, 200);
    return { policyId: String(policyId), campaignId: String(campaignId), name };
  };
  const [good, bad] = [await rollOut('goes-out', 0), await rollOut('comes-back', 60)];
  const stateOf = async ({ campaignId }: { campaignId: string }) =>
    (
      await client.query<{ state: string; ring: number; ring_passed: string | null }>(
        'select state, ring, ring_passed from campaign where campaign_id = $1',
        [campaignId],
      )
    ).rows[0];
  const heartbeats = async ({ name }: { name: string }) =>
    (await client.query('select heartbeat_interval as seconds, count(*)::int as n from device where tags = $1 group by 1', [name])).rows;
  let isAsked = false;
  await killAndSettle(async () => {
    if (!isAsked && (await stateOf(bad))?.ring_passed) {
      isAsked = true;
      await call('POST', `/v1/campaigns/${bad.campaignId}/stop`, {}, 200);
    }
    const { rows: waiting } = await client.query('select 1 from policy_check');
    return (await stateOf(good))?.state === 'Done' && (await stateOf(bad))?.state === 'Stopped' && waiting.length === 0;
  });
  expect([await stateOf(good), await stateOf(bad)]).toMatchObject([
    { state: 'Done', ring: 2 },
    { state: 'Stopped', ring: 0 },
  ]);
  expect([await heartbeats(good), await heartbeats(bad)]).toEqual([[{ seconds: 20, n: 40 }], [{ seconds: 70, n: 40 }]]);
  const { rows } = await client.query(
    `select name, heartbeat_interval as seconds, (select count(*)::int from audit a where a.entity = 'policies' and a.entity_id = p.policy_id::text and a.verb = 'update') as edits
      from device_policy p where policy_id = any($1) order by name`,
    [[good.policyId, bad.policyId]],
  );
  expect(rows).toEqual([
    { name: 'comes-back', seconds: 70, edits: 0 },
    { name: 'goes-out', seconds: 20, edits: 1 },
  ]);
});

it('brings a rule into force ring by ring, and takes it back, once when workers are killed', { timeout: 300_000 }, async () => {
  onTestFailed(() => console.error(workers.output()));
  const { rows: fleet } = await client.query<{ device_id: string }>(
    `insert into device (tenant_id, subscription_id, name) select tenant_id, subscription_id, 'Judged ' || n
      from device, generate_series(1, 60) n where device_id = $1 returning device_id`,
    [site.hotDevices[0]],
  );
  const deviceIds = fleet.map((row) => row.device_id);
  const condition = (limit: string) => [
    { Type: 'And', LeftOperand: operandId.metric, LeftOperandFieldName: 'Cpu', Operator: operatorId.greaterThan, RightOperand: limit },
  ];
  const rollOut = async (name: string, heartbeat: boolean) => {
    const { ruleId } = await call('PUT', '/v1/rules', { name, tenantId: site.tenantId, ruleTypeId: 1, conditions: condition('90') });
    const { campaignId } = await call(
      'POST',
      '/v1/campaigns/start',
      {
        tenantId: site.tenantId,
        kind: 'ChangeRule',
        deviceIds,
        ruleId,
        rule: { conditions: condition('95') },
        // No device reports. If the gate requires a heartbeat, the first ring therefore runs until a match fails it.
        gate: { heartbeat },
        rings: [{ share: 10 }, { share: 50 }],
      },
      200,
    );
    return { ruleId: String(ruleId), campaignId: String(campaignId) };
  };
  const [good, bad] = [await rollOut('Goes through', false), await rollOut('Is taken back', true)];
  const campaignOf = async ({ campaignId }: { campaignId: string }) =>
    (await client.query<{ state: string; ring: number }>('select state, ring from campaign where campaign_id = $1', [campaignId])).rows[0];
  let matches = 0;
  await killAndSettle(async () => {
    // Simulates that the new version of the bad rule matches on each device of its first ring.
    if (matches === 0)
      matches =
        (
          await client.query(
            `insert into rule_match (tenant_id, rule_id, subject_id, label, expires, first_match, last_match, correlation_id)
              select d.tenant_id, c.rule_id, d.device_id, 'Cpu', now() + interval '1 hour', now(), now(), uuidv7()
              from campaign_device d join campaign c using (campaign_id) where campaign_id = $1 and d.ring = 0 and d.begun is not null`,
            [bad.campaignId],
          )
        ).rowCount ?? 0;
    return (await campaignOf(good))?.state === 'Done' && (await campaignOf(bad))?.state === 'Stopped';
  });
  expect([await campaignOf(good), await campaignOf(bad), matches]).toEqual([{ state: 'Done', ring: 2 }, { state: 'Stopped', ring: 0 }, 6]);
  const { rows } = await client.query(
    `select r.rule_id, r.conditions -> 0 ->> 'RightOperand' as limit, o.ended is not null as over,
        (select count(*)::int from audit a where a.entity = 'rules' and a.entity_id = r.rule_id::text and a.verb = 'update') as edits,
        (select count(*)::int from campaign_device d where d.campaign_id = o.campaign_id and d.ended is null) as open,
        (select count(*)::int from campaign_device d where d.campaign_id = o.campaign_id and d.outcome = 'Done') as done
      from rule r join rule_rollout o using (rule_id) where rule_id = any($1)`,
    [[good.ruleId, bad.ruleId]],
  );
  expect(rows).toHaveLength(2);
  expect(rows).toEqual(
    expect.arrayContaining([
      { rule_id: good.ruleId, limit: '95', over: true, edits: 1, open: 0, done: deviceIds.length },
      { rule_id: bad.ruleId, limit: '90', over: true, edits: 0, open: 0, done: 0 },
    ]),
  );
});
