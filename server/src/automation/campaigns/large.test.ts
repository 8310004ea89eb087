/** Campaigns over thousands of devices, which are rows without agents. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { campaignDevicesMax } from '@cloudfit/contract/resources/campaigns.ts';
import type { Ctx } from '../../context/ctx.ts';
import { attemptOf } from '../../testing/attempt.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../testing/world.ts';
import { followCampaigns, spacing } from './follow.ts';
import { stopCampaignJob } from './campaign.job.ts';

const many = 3_000;
let world: TestWorld;
let home: { tenantId: string; subscriptionId: string };
let me: TestCaller;

beforeAll(async () => {
  world = await createWorld();
  home = await world.tenant();
  me = holder([home.tenantId]);
  await world.system.db.query({
    text: `insert into device (tenant_id, subscription_id, name) select $1, $2, 'Bulk ' || lpad(n::text, 6, '0') from generate_series(1, $3::int) n`,
    values: [home.tenantId, home.subscriptionId, many],
  });
});
afterAll(() => world.close());

const filter = "startswith(name, 'Bulk ')";
const call = (what: string, body: object) => world.call(me, 'POST', `/v1/campaigns/${what}`, { tenantId: home.tenantId, ...body });
const devicesOf = async (id: unknown, query: string) =>
  (await world.call(me, 'GET', `/v1/campaignDevices?$filter=campaignId eq ${String(id)} ${query}`)).body as {
    '@odata.count': number;
    value: { device: { name: string } }[];
  };

/** The ctx of the system, and the number of statements that it has run. */
function counting(): { ctx: Ctx; statements: () => number } {
  let n = 0;
  const { db } = world.system;
  const query = new Proxy(db.query, {
    apply: (target, self, args) => {
      n += 1;
      return Reflect.apply(target, self, args);
    },
  });
  return { ctx: { ...world.system, db: { ...db, query } }, statements: () => n };
}

it('takes all devices of a filter, in rings, and lists them page by page by their outcome', async () => {
  const preview = await call('preview', { kind: 'RestartAgent', filter });
  expect(preview.body).toMatchObject({ total: many, offline: many });
  const { body, status } = await call('start', { kind: 'RestartAgent', filter, rings: [{ share: 1 }, { share: 10 }] });
  expect([status, body['total'], body['rings']]).toEqual([
    200,
    many,
    [{ share: 1, devices: 30 }, { share: 10, devices: 270 }, { devices: 2_700 }],
  ]);
  const page = await devicesOf(body['campaignId'], `and outcome eq 'Waiting'&$count=true&$top=2&$skip=2000&$expand=device`);
  expect([page['@odata.count'], page.value.map((row) => row.device.name)]).toEqual([many, ['Bulk 002001', 'Bulk 002002']]);

  await world.call(me, 'POST', `/v1/campaigns/${String(body['campaignId'])}/stop`, {});
  const payload = { id: body['campaignId'], reason: 'Enough.', returns: false };
  await stopCampaignJob.run(world.system, payload, attemptOf());
  await followCampaigns(world.system);
  expect((await world.call(me, 'GET', `/v1/campaigns(${String(body['campaignId'])})`)).body).toMatchObject({
    state: 'Stopped',
    stopped: many,
  });
});

it('is followed by a few statements, however many devices wait', async () => {
  const { body } = await call('start', { kind: 'RestartAgent', filter });
  await world.system.db.query({
    text: 'update campaign_device set begun = now(), is_own = true where campaign_id = $1',
    values: [body['campaignId']],
  });
  await world.system.db.query({ text: 'update device set restart_agent_flag = true where tenant_id = $1', values: [home.tenantId] });
  await followCampaigns(world.system);
  const { ctx, statements } = counting();
  await followCampaigns(ctx);
  expect(statements()).toBe(4);

  await world.system.db.query({ text: `update device set restart_agent_flag = false where name <= 'Bulk 002000'` });
  await followCampaigns(world.system);
  expect((await world.call(me, 'GET', `/v1/campaigns(${String(body['campaignId'])})`)).body).toMatchObject({ done: 2_000, waiting: 1_000 });
});

it('checks a large campaign less often, and others each time', () => {
  let now = 0;
  const isDue = spacing(() => now);
  const checks = (seconds: number) =>
    Array.from({ length: seconds }, () => {
      now += 1_000;
      return [isDue({ id: 'large', total: 20_000 }), isDue({ id: 'small', total: 2_000 })];
    });
  const all = checks(30);
  expect(all.filter(([large]) => large)).toHaveLength(3);
  expect(all.every(([, small]) => small)).toBe(true);
});

it('has a maximum, and ids on one page', async () => {
  const { body, status } = await call('start', { kind: 'RestartAgent', deviceIds: Array.from({ length: 1_001 }, () => home.tenantId) });
  expect(status).toBe(400);
  expect(JSON.stringify(body)).toContain('Name at most 1,000 devices, or choose more by a filter.');
  await world.system.db.query({
    text: `insert into device (tenant_id, subscription_id, name) select $1, $2, 'More ' || n from generate_series(1, $3::int) n`,
    values: [home.tenantId, home.subscriptionId, campaignDevicesMax],
  });
  const tooMany = await call('start', { kind: 'RestartAgent', filter: "name ne ''" });
  expect(JSON.stringify(tooMany.body)).toContain('The filter matches 28,000 devices; a campaign has at most 25,000.');
});
