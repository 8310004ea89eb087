/**
 * A new version of a rule in rings: packets through two servers, the gate on the version's matches, its application to all
 * devices, and its withdrawal.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allPermissions } from '@cloudfit/contract/permissions.ts';
import { operandId } from '@cloudfit/contract/rules/operands.ts';
import type { Ctx } from '../../context/ctx.ts';
import { openIngest, type Ingest } from '../../ingest/accept.ts';
import { attemptOf } from '../../testing/attempt.ts';
import { cpu, cpuOver90, send, until } from '../../rules/testing/flow.ts';
import { beginCampaignJob, stopCampaignJob } from './campaign.job.ts';
import { followCampaigns } from './follow.ts';
import { workCampaigns } from '../../testing/work-campaigns.ts';
import { createWorld, holder, type TestCaller, type TestWorld, type WorldReply } from '../../testing/world.ts';

let world: TestWorld;
let home: { tenantId: string; subscriptionId: string };
let me: TestCaller;
/** The ingests of two servers. */
let ingests: Ingest[];
let agents: Ctx;

beforeAll(async () => {
  world = await createWorld();
  home = await world.tenant();
  const [row] = await world.system.db.query<{ id: string }>({
    text: `with s as (insert into permission_set (name, permissions) values ('All', $1) returning permission_set_id),
      p as (insert into person (name, user_name) values ('Ada', 'ada@example.com') returning person_id),
      g as (insert into access_grant (person_id, permission_set_id, tenant_id) select person_id, permission_set_id, $2 from p, s)
      select person_id as id from p`,
    values: [JSON.stringify(allPermissions), home.tenantId],
  });
  me = { ...holder([home.tenantId]), actor: { kind: 'person', id: row?.id ?? '', name: 'Ada', userName: 'ada@example.com' } };
  ingests = [
    await openIngest({ database: world.database, log: world.system.log }),
    await openIngest({ database: world.database, log: world.system.log }),
  ];
  agents = { ...world.system, actor: { kind: 'token', id: randomUUID(), name: 'agents', scopes: ['ingest'] } };
});
afterAll(async () => {
  for (const ingest of ingests) await ingest.stop();
  await world.close();
});

async function fleet(count: number): Promise<string[]> {
  const rows = await world.system.db.query<{ id: string }>({
    text: `insert into device (tenant_id, subscription_id, name) select $1, $2, $3 || n from generate_series(1, $4::int) n returning device_id as id`,
    values: [home.tenantId, home.subscriptionId, `${randomUUID()} `, count],
  });
  return rows.map(({ id }) => id);
}

const over = (limit: number) => ({ ...cpuOver90, RightOperand: String(limit) });
const body = (name: string) => ({ name, tenantId: home.tenantId, ruleTypeId: 1, conditions: [over(90)], matchLifetime: '00:05:00' });
async function rule(name: string): Promise<string> {
  const answer = await world.call(me, 'PUT', '/v1/rules', body(name));
  expect([answer.status, answer.body['error']]).toEqual([201, undefined]);
  const id = String(answer.body['ruleId']);
  for (const { rules } of ingests) await until(() => rules.ingestion().get(id));
  return id;
}

const start = (deviceIds: readonly string[], more: object) =>
  world.call(me, 'POST', '/v1/campaigns/start', {
    tenantId: home.tenantId,
    kind: 'ChangeRule',
    deviceIds,
    rings: [{ share: 25 }],
    ...more,
  });
async function started(deviceIds: readonly string[], more: object): Promise<string> {
  const answer = await start(deviceIds, more);
  expect([answer.status, answer.body['error']]).toEqual([200, undefined]);
  await workCampaigns(world.system);
  return String(answer.body['campaignId']);
}
const campaign = async (id: string) => (await world.call(me, 'GET', `/v1/campaigns(${id})`)).body;
const stored = async (id: string) => (await world.call(me, 'GET', `/v1/rules(${id})`)).body;
const change = (id: string, path: string, more: object = {}) => world.call(me, 'POST', `/v1/campaigns/${id}/${path}`, more);
const detailsOf = (answer: WorldReply) =>
  ((answer.body['error'] as { details?: { target: string; message: string }[] }).details ?? []).map((d) => `${d.target}: ${d.message}`);

async function outcomes(id: string): Promise<Record<string, string[]>> {
  const rows = await world.system.db.query<{ device_id: string; outcome: string }>({
    text: 'select device_id, outcome from campaign_device where campaign_id = $1 order by campaign_device_id',
    values: [id],
  });
  return Object.groupBy(rows, (row) => row.outcome) as never as Record<string, string[]>;
}
const devicesOf = async (id: string, ring: number) =>
  (
    await world.system.db.query<{ id: string }>({
      text: 'select device_id as id from campaign_device where campaign_id = $1 and ring = $2 order by device_id',
      values: [id, ring],
    })
  ).map((row) => row.id);

/**
 * Waits until every server evaluates this device with the version whose condition has this limit; undefined: with no version.
 */
async function judgedBy(ruleId: string, deviceId: string, limit: number | undefined): Promise<void> {
  const entity = { id: deviceId, kind: 'device' as const, tenantId: home.tenantId, device: { id: deviceId } };
  for (const { rules } of ingests)
    await until(() => {
      const entry = rules.ingestion().get(ruleId);
      const version = entry?.rule.versionFor ? entry.rule.versionFor(entity) : entry;
      return version?.rule.conditions[0]?.RightOperand === (limit === undefined ? undefined : String(limit));
    });
}

/** Sends one packet of each device to each server. */
async function report(devices: readonly string[], value: number): Promise<void> {
  for (const ingest of ingests) {
    const answers = await send(ingest, agents, ...devices.map((id) => cpu(id, value)));
    expect(answers.map(({ status }) => status)).toEqual(devices.map(() => 'stored'));
  }
}
const matched = async (ruleId: string) =>
  (
    await world.system.db.query<{ id: string }>({
      text: 'select distinct subject_id as id from rule_match where rule_id = $1 order by 1',
      values: [ruleId],
    })
  ).map((row) => row.id);

describe('a new version of a rule', () => {
  it('judges the devices of the rings so far on every server, and all after the last ring', async () => {
    const ruleId = await rule('Goes through');
    const [other = ''] = await fleet(1);
    const id = await started(await fleet(4), {
      ruleId,
      rule: { conditions: [over(95)], name: 'Went through' },
      gate: { minShare: 100, heartbeat: true },
    });
    const [first, rest] = [await devicesOf(id, 0), await devicesOf(id, 1)];
    expect([first.length, rest.length]).toEqual([1, 3]);
    for (const one of first) await judgedBy(ruleId, one, 95);
    for (const one of [...rest, other]) await judgedBy(ruleId, one, 90);
    expect(await campaign(id)).toMatchObject({
      state: 'Running',
      ring: 0,
      running: 1,
      waiting: 3,
      ruleId,
      ringNote: '0 of 1 device matched so far, limit 0. Not reported yet: 1.',
      ringUntil: expect.any(String),
    });

    // Over the limit of the old version only: no match in the first ring, matches on the other devices.
    await report([...first, ...rest, other], 93);
    expect(await matched(ruleId)).toEqual([...rest, other].toSorted());
    const explained = async (deviceId: string) =>
      (await world.call(me, 'GET', `/v1/rules/${ruleId}/explain?entityId=${deviceId}`)).body as {
        outcome: string;
        reasons: string[];
        rule: object;
      };
    expect(await explained(first[0] ?? '')).toMatchObject({
      outcome: 'miss',
      reasons: expect.arrayContaining([
        'Evaluated by the new version that the campaign Change rule Went through had brought into force for this device.',
      ]),
      rule: { conditions: expect.stringContaining('95') },
    });
    expect(await explained(rest[0] ?? '')).toMatchObject({ outcome: 'repeated', rule: { conditions: expect.stringContaining('90') } });

    await workCampaigns(world.system);
    expect(await campaign(id)).toMatchObject({ state: 'Running', ring: 1, done: 1, running: 3 });
    for (const one of rest) await judgedBy(ruleId, one, 95);
    await judgedBy(ruleId, other, 90);
    expect(await stored(ruleId)).toMatchObject({ name: 'Goes through', conditions: [over(90)] });

    await report(rest, 20);
    await workCampaigns(world.system);
    expect(await campaign(id)).toMatchObject({ state: 'Done', done: 4, ended: expect.any(String), stopReason: null });
    expect(await stored(ruleId)).toMatchObject({ name: 'Went through', conditions: [over(95)], enabled: true });
    for (const { rules } of ingests) await until(() => rules.ingestion().get(ruleId)?.rule.versionFor === undefined);
    await judgedBy(ruleId, other, 95);
    const [audit] = await world.system.db.query<{ by: string }>({
      text: `select actor_name as by from audit where entity = 'rules' and entity_id = $1 and verb = 'update'`,
      values: [ruleId],
    });
    expect(audit?.by).toBe('ada@example.com');
    expect((await change(id, 'stop', { andReturn: true })).status).toBe(409);
  });

  it('that matches on too many devices of its ring is taken back there, and never reaches the next ring', async () => {
    const ruleId = await rule('Too eager');
    const id = await started(await fleet(4), { ruleId, rule: { conditions: [over(10)] }, gate: { heartbeat: true } });
    const [first = ''] = await devicesOf(id, 0);
    const rest = await devicesOf(id, 1);
    await judgedBy(ruleId, first, 10);
    await report([first, ...rest], 50);
    expect(await matched(ruleId)).toEqual([first]);
    await workCampaigns(world.system);
    expect(await campaign(id)).toMatchObject({
      state: 'Stopped',
      ring: 0,
      stopped: 3,
      returned: 1,
      stopReason: 'The new version matched on 1 of 1 device; 95 % must stay without a match.',
    });
    const [device] = await world.system.db.query<{ outcome: string; reason: string | null }>({
      text: 'select outcome, reason from campaign_device where campaign_id = $1 and device_id = $2',
      values: [id, first],
    });
    expect(device).toEqual({ outcome: 'Returned', reason: expect.stringMatching(/^The new version matched: /) });
    for (const one of [first, ...rest]) await judgedBy(ruleId, one, 90);
    expect(await stored(ruleId)).toMatchObject({ conditions: [over(90)] });
    // The match refers to the version that matched, also when the rule has changed.
    const [match] = await world.system.db.query<{ id: string }>({
      text: 'select rule_match_id as id from rule_match where rule_id = $1',
      values: [ruleId],
    });
    expect((await world.call(me, 'GET', `/v1/ruleMatches/${match?.id}/explain`)).body).toMatchObject({
      rule: { conditions: expect.stringContaining('10'), changedSince: true },
    });
  });

  it('leaves the rule alone meanwhile: no edit, no deletion, no second campaign', async () => {
    const ruleId = await rule('Held');
    const devices = await fleet(2);
    const id = await started(devices, { ruleId, rule: { conditions: [over(95)] }, gate: { heartbeat: true } });
    const refusal =
      'ruleId: A new version of this rule is coming into force by the campaign Change rule Held. Wait for its end, or stop it.';
    expect(detailsOf(await world.call(me, 'POST', `/v1/rules/${ruleId}`, { name: 'Other' }))).toEqual([refusal]);
    expect(detailsOf(await world.call(me, 'DELETE', `/v1/rules/${ruleId}`))).toEqual([refusal]);
    expect(detailsOf(await start(devices, { ruleId, rule: { conditions: [over(50)] } }))).toEqual([
      refusal.replace('ruleId', 'rule.ruleId'),
    ]);
    expect((await change(id, 'stop')).status).toBe(200);
    await workCampaigns(world.system);
    expect(await campaign(id)).toMatchObject({ state: 'Stopped', returned: 1, stopped: 1 });
    for (const one of devices) await judgedBy(ruleId, one, 90);
    expect((await world.call(me, 'POST', `/v1/rules/${ruleId}`, { name: 'Other' })).status).toBe(200);
    expect((await change(id, 'retryFailed')).status).toBe(409);
  });

  it('begins a ring, ends and returns once, whatever server or killed job does it again', async () => {
    const ruleId = await rule('Once');
    const answer = await start(await fleet(2), { ruleId, rule: { conditions: [over(95)] }, rings: [{ share: 50 }] });
    const id = String(answer.body['campaignId']);
    const attempt = attemptOf(2);
    const payload = { id, tenantId: home.tenantId };
    await Promise.all([1, 2, 3].map(() => beginCampaignJob.run(world.system, payload, attempt)));
    expect(await outcomes(id)).toMatchObject({ Running: [{}], Waiting: [{}] });
    for (let at = 0; at < 4; at += 1) {
      await Promise.all([1, 2, 3].map(() => followCampaigns(world.system)));
      await Promise.all([1, 2, 3].map(() => beginCampaignJob.run(world.system, payload, attempt)));
    }
    expect(await campaign(id)).toMatchObject({ state: 'Done', done: 2 });
    const edits = await world.system.db.query<{ verb: string }>({
      text: `select verb from audit where entity = 'rules' and entity_id = $1`,
      values: [ruleId],
    });
    expect(edits.map(({ verb }) => verb)).toEqual(['create', 'update']);
    // This stop comes after the end of the campaign.
    await stopCampaignJob.run(world.system, { id, reason: 'Late.', returns: true }, attempt);
    expect(await campaign(id)).toMatchObject({ state: 'Done', done: 2, returned: 0 });
    expect(await stored(ruleId)).toMatchObject({ conditions: [over(95)] });
  });

  it('stops, and the version before judges again, when whoever started it may not edit rules any more', async () => {
    const ruleId = await rule('Left');
    const devices = await fleet(2);
    const id = await started(devices, { ruleId, rule: { conditions: [over(95)] }, rings: [{ share: 50 }], pauseMinutes: 5 });
    await judgedBy(ruleId, (await devicesOf(id, 0))[0] ?? '', 95);
    const grant = (permissions: readonly string[]) =>
      world.system.db.query({
        text: `update permission_set set permissions = $1 where name = 'All'`,
        values: [JSON.stringify(permissions)],
      });
    await grant(allPermissions.filter((permission) => permission !== 'CloudFit.CFS.Rules:edit'));
    try {
      await workCampaigns({ ...world.system, now: () => new Date(Date.now() + 6 * 60_000) });
      expect(await campaign(id)).toMatchObject({
        state: 'Stopped',
        returned: 1,
        stopReason: 'ada@example.com, who started the campaign, may not edit devices and rules of this tenant any more.',
      });
      for (const one of devices) await judgedBy(ruleId, one, 90);
    } finally {
      await grant(allPermissions);
    }
  });

  it('waits for devices that report, and does not count those that do not', async () => {
    const ruleId = await rule('Silent');
    expect((await world.call(me, 'POST', `/v1/rules/${ruleId}`, { description: 'Of before' })).status).toBe(200);
    const id = await started(await fleet(2), {
      ruleId,
      rule: { conditions: [over(95)], description: null },
      rings: [{ share: 50 }],
      gate: { heartbeat: true },
    });
    await workCampaigns({ ...world.system, now: () => new Date(Date.now() + 6 * 60_000) });
    expect(await campaign(id)).toMatchObject({
      state: 'Running',
      ring: 0,
      failed: 1,
      ringNote: 'No device of this ring could try. Continue by hand, or stop.',
    });
    expect(Object.keys(await outcomes(id)).toSorted()).toEqual(['Failed', 'Waiting']);
    const skipped = { skippedBy: 'ada@example.com', skippedAt: expect.any(String) };
    expect((await change(id, 'continue', { ring: 0 })).body).toMatchObject({ ring: 1, rings: [skipped, { devices: 1 }] });
    await workCampaigns(world.system);
    // Continuing after the last ring applies the new version to all devices.
    const reader = holder([home.tenantId], ['CloudFit.CFS.Devices:view']);
    expect((await world.call(reader, 'POST', `/v1/campaigns/${id}/continue`, { ring: 1 })).status).toBe(403);
    expect((await change(id, 'continue', { ring: 1 })).status).toBe(200);
    await workCampaigns(world.system);
    expect(await campaign(id)).toMatchObject({ state: 'Done', done: 1, failed: 1, rings: [skipped, skipped] });
    expect(await stored(ruleId)).toMatchObject({ conditions: [over(95)], description: null });
    expect((await change(id, 'continue', { ring: 1 })).status).toBe(409);
  });
});

describe('a new rule', () => {
  it('judges nobody but the devices of its rings until it is in force for all', async () => {
    const devices = await fleet(4);
    const id = await started(devices, { rule: body('Brand new'), gate: { heartbeat: true } });
    const ruleId = String((await campaign(id))['ruleId']);
    expect(await stored(ruleId)).toMatchObject({ name: 'Brand new', enabled: false });
    const [first, rest] = [await devicesOf(id, 0), await devicesOf(id, 1)];
    await judgedBy(ruleId, first[0] ?? '', 90);
    for (const one of rest) await judgedBy(ruleId, one, undefined);
    await report(rest, 99);
    expect(await matched(ruleId)).toEqual([]);
    await report(first, 10);
    await workCampaigns(world.system);
    for (const one of rest) await judgedBy(ruleId, one, 90);
    await report(rest, 10);
    await workCampaigns(world.system);
    expect(await campaign(id)).toMatchObject({ state: 'Done', title: 'New rule Brand new' });
    expect(await stored(ruleId)).toMatchObject({ enabled: true });
  });
});

describe('a request', () => {
  it.each<[string, (ruleId: string) => object, string]>([
    [
      'without rings',
      (ruleId) => ({ ruleId, rule: { name: 'X' }, rings: undefined }),
      'rings: Send rings. To change the rule for all devices at once, save the rule instead.',
    ],
    ['without a version', (ruleId) => ({ ruleId }), 'rule: Send the new version of the rule.'],
    ['without a change', (ruleId) => ({ ruleId, rule: {} }), 'rule: Nothing in the rule has changed.'],
    [
      'that disables',
      (ruleId) => ({ ruleId, rule: { enabled: false } }),
      'rule.enabled: A version that is disabled does not come into force; enable it.',
    ],
    ['with a wrong condition', (ruleId) => ({ ruleId, rule: { conditions: [] } }), 'rule.conditions: Condtions are required for rules.'],
    [
      'of another type',
      (ruleId) => ({ ruleId, rule: { ruleTypeId: 3 } }),
      'rule.ruleTypeId: Tenant, subscription and type of a rule cannot change in rings.',
    ],
    [
      'that looks at other rules',
      (ruleId) => ({
        rule: {
          ...body('Looks'),
          conditions: [over(90), { Type: 'And', LeftOperand: operandId.matchOnDevice, Operator: 1, RightOperand: ruleId }],
        },
      }),
      'rule.conditions: A rule that looks at the matches of other rules does not come into force in rings: save it.',
    ],
    [
      'of a rule about many',
      () => ({ rule: { ...body('Sums'), ruleTypeId: 6 } }),
      'rule.ruleTypeId: Only rules of the types Ingestion and History come into force in rings: they evaluate packets of devices.',
    ],
  ])('%s is refused with the reason', async (name, more, message) => {
    expect(detailsOf(await start(await fleet(2), more(await rule(`Refused ${name}`))))).toContain(message);
  });

  it('needs the right to edit rules too', async () => {
    const ruleId = await rule('Guarded');
    const permissions = allPermissions.filter(
      (permission) => !permission.startsWith('CloudFit.CFS.Rules:') || permission.endsWith(':view'),
    );
    const answer = await world.call({ ...me, ...holder([home.tenantId], permissions) }, 'POST', '/v1/campaigns/start', {
      tenantId: home.tenantId,
      kind: 'ChangeRule',
      deviceIds: await fleet(2),
      ruleId,
      rule: { conditions: [over(95)] },
      rings: [{ share: 50 }],
    });
    expect(answer.status).toBe(403);
  });

  it('keeps a ring at work for as long as a condition counts', async () => {
    const ruleId = await rule('Counts');
    const counts = { ...over(95), OccurrencePattern: { Kind: 'TimesInRow', Times: 3 } };
    const id = await started(await fleet(2), { ruleId, rule: { conditions: [counts] }, gate: { heartbeat: true }, rings: [{ share: 50 }] });
    const [first = ''] = await devicesOf(id, 0);
    await judgedBy(ruleId, first, 95);
    await report([first], 50);
    await workCampaigns(world.system);
    const at = await campaign(id);
    expect(at).toMatchObject({ state: 'Running', ring: 0, running: 1, waiting: 1, ringNote: '0 of 1 device matched so far, limit 0.' });
    const [watch] = await world.system.db.query<{ seconds: number }>({
      text: `select extract(epoch from c.ring_until - d.begun)::int as seconds from campaign c join campaign_device d using (campaign_id) where campaign_id = $1 and d.ring = 0`,
      values: [id],
    });
    expect([watch?.seconds, at['ringUntil']]).toEqual([180, expect.any(String)]);
    // Enough time for three packets at the device's interval of 60 s.
    await world.system.db.query({
      text: "update campaign_device set begun = begun - interval '181 seconds' where campaign_id = $1 and ring = 0",
      values: [id],
    });
    await workCampaigns(world.system);
    expect(await campaign(id)).toMatchObject({ state: 'Running', ring: 1, running: 1, done: 1 });
  });

  it('says until when a ring is watched and how many of its devices have matched', async () => {
    const ruleId = await rule('Says');
    const id = await started(await fleet(8), {
      ruleId,
      rule: { conditions: [over(95)] },
      gate: { heartbeat: true, minShare: 60 },
      rings: [{ share: 50 }],
    });
    const devices = await devicesOf(id, 0);
    for (const one of devices) await judgedBy(ruleId, one, 95);
    await report(devices.slice(0, 1), 99);
    await workCampaigns(world.system);
    const at = await campaign(id);
    expect(at).toMatchObject({ state: 'Running', ring: 0, failed: 1, running: 3 });
    expect(at['ringNote']).toBe('1 of 4 devices matched so far, limit 1. Not reported yet: 3.');
    // A device has three of its intervals to report, at least five minutes.
    expect(Date.parse(String(at['ringUntil'])) - Date.parse(String(at['ringBegun']))).toBeGreaterThan(290_000);
    await report(devices.slice(1), 50);
    await workCampaigns(world.system);
    expect(await campaign(id)).toMatchObject({ ring: 1, failed: 1, done: 3 });
    await change(id, 'stop');
    await workCampaigns(world.system);
    expect(await campaign(id)).toMatchObject({ state: 'Stopped', ringNote: null, ringUntil: null });
  });

  it('is shown to those who see rules, also when its campaign is over', async () => {
    const ruleId = await rule('Shown');
    const id = await started(await fleet(2), { ruleId, rule: { conditions: [over(95)] }, gate: { heartbeat: true } });
    const shown = () => world.call(me, 'GET', `/v1/campaigns/${id}/rule`);
    const changes = { ruleId, changes: { conditions: [over(95)] } };
    expect((await shown()).body).toMatchObject(changes);
    await change(id, 'stop');
    await workCampaigns(world.system);
    expect((await shown()).body).toMatchObject(changes);
    const withoutRules = allPermissions.filter((permission) => !permission.startsWith('CloudFit.CFS.Rules:'));
    const status = async (caller: TestCaller) => (await world.call(caller, 'GET', `/v1/campaigns/${id}/rule`)).status;
    expect(await status({ ...me, ...holder([home.tenantId], withoutRules) })).toBe(403);
    const { tenantId } = await world.tenant();
    expect(await status({ ...me, ...holder([tenantId]) })).toBe(404);
  });
});
