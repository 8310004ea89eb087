/** Sources of alerts, from their creation by a person to the work unit, as their senders call them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../rules/testing/flow.ts';
import { startAutomation, type Automation } from '../testing/automation.ts';
import { hasAlertmanager, startAlertmanager } from '../testing/programs/prometheus.ts';
import { createWorld, holder, type TestCaller, type TestWorld, type WorldReply } from '../testing/world.ts';

let world: TestWorld;
let worker: Automation;
let home: { tenantId: string; subscriptionId: string };
let me: TestCaller;

beforeAll(async () => {
  world = await createWorld({ takesSources: true });
  worker = await startAutomation(world);
  home = await world.tenant('Northwind');
  me = holder([home.tenantId]);
});
afterAll(async () => {
  await worker.stop();
  await world.close();
});

interface CreatedSource {
  id: string;
  token: string;
}

async function source(kind: string, more: object = {}): Promise<CreatedSource> {
  const { status, body } = await world.call(me, 'PUT', '/v1/sources', {
    name: `${kind} ${crypto.randomUUID().slice(0, 4)}`,
    kind,
    ...home,
    ...more,
  });
  expect([status, body['error']]).toEqual([201, undefined]);
  const id = String(body['sourceId']);
  // The ready rules are compiled when the notification arrives.
  if (body['opensUnits'] === true) {
    const [rule] = await world.system.db.query<{ rule_id: string }>({
      text: `select rule_id from rule where tenant_id = $1 and conditions::text like '%' || $2 || '%' order by name limit 1`,
      values: [home.tenantId, id],
    });
    await until(async () => (await world.rules()).ingestion().get(rule?.rule_id ?? ''));
  }
  return { id, token: String(body['generatedToken']) };
}

const send = (
  { id, token }: CreatedSource,
  body: unknown,
  path = '',
  headers: Record<string, string> = { authorization: `Bearer ${token}` },
): Promise<WorldReply> => world.call(null, 'POST', `/v1/intake/${id}${path}`, body, headers);

interface UnitRow {
  title: string;
  severity_id: string;
  description: string | null;
  over: boolean;
}

const units = (sourceId: string): Promise<UnitRow[]> =>
  world.system.db.query<UnitRow>({
    text: `select u.title, u.severity_id, u.description, coalesce(m.closed, m.recovered) is not null as over
      from work_unit u join rule_match m on m.rule_match_id = u.opened_by_rule_match_id
      join rule r on r.rule_id = m.rule_id where r.conditions::text like '%' || $1 || '%' order by u.work_unit_id`,
    values: [sourceId],
  });

const row = async ({ id }: CreatedSource) => {
  await world.intake?.counts.flush();
  return (await world.call(me, 'GET', `/v1/sources(${id})`)).body;
};
const refusals = async ({ id }: CreatedSource) => {
  await world.intake?.counts.flush();
  return (await world.call(me, 'GET', `/v1/sources/${id}/refusals`)).body.value ?? [];
};

const alert = (over: object = {}, labels: object = {}) => ({
  status: 'firing',
  labels: { alertname: 'DiskFull', instance: 'web-1:9100', mountpoint: '/', severity: 'critical', ...labels },
  annotations: { summary: 'Disk of web-1 is full', description: 'Only 2 % are left.', runbook_url: 'https://runbooks.example/disk' },
  startsAt: '2026-11-29T05:00:00.000Z',
  endsAt: '0001-01-01T00:00:00Z',
  generatorURL: 'http://prometheus.example/graph?g0.expr=disk',
  fingerprint: `f-${JSON.stringify(labels)}`,
  ...over,
});
const webhook = (...alerts: object[]) => ({
  version: '4',
  groupKey: '{}:{alertname="DiskFull"}',
  status: 'firing',
  receiver: 'cloudfit',
  groupLabels: { alertname: 'DiskFull' },
  commonLabels: {},
  commonAnnotations: {},
  externalURL: 'http://alertmanager.example',
  alerts,
});

describe('Alertmanager', () => {
  it('opens a unit for each firing alert, once, and ends its match when it is resolved', async () => {
    const created = await source('Alertmanager');
    const first = await send(created, webhook(alert(), alert({}, { mountpoint: '/var', severity: 'warning' })));
    expect([first.status, first.body]).toEqual([200, { stored: 2, duplicate: 0, refused: 0 }]);
    await expect.poll(() => units(created.id)).toHaveLength(2);
    const again = await send(created, webhook(alert(), alert({}, { mountpoint: '/var', severity: 'warning' })));
    expect(again.body).toEqual({ stored: 0, duplicate: 2, refused: 0 });
    const opened = await units(created.id);
    expect(opened.map(({ severity_id, over }) => [severity_id, over]).toSorted()).toEqual([
      ['Sev1', false],
      ['Sev3', false],
    ]);
    expect(opened[0]?.title).toBe('Disk of web-1 is full');
    for (const text of [
      'Only 2 % are left.',
      'http://prometheus.example/graph',
      'http://alertmanager.example/#/silences/new?filter=',
      'https://runbooks.example/disk',
    ])
      expect(opened[0]?.description).toContain(text);
    // Only the alert of / ends; that of /var on the same machine goes on.
    await send(created, webhook(alert({ status: 'resolved', endsAt: '2026-11-29T06:00:00.000Z' })));
    await expect
      .poll(async () => (await units(created.id)).map(({ severity_id, over }) => [severity_id, over]).toSorted())
      .toEqual([
        ['Sev1', true],
        ['Sev3', false],
      ]);
    const blocks = await world.call(me, 'GET', `/v1/blocks?$filter=contains(name,'DiskFull')&$orderby=name`);
    expect(blocks.body.value?.map(({ name }) => name)).toEqual(['DiskFull web-1:9100 /', 'DiskFull web-1:9100 /var']);
    expect(await row(created)).toMatchObject({ packetsStored: 3, packetsRefused: 0, entitiesMade: 2, lastData: expect.any(String) });
  });

  it('fires again after it was resolved', async () => {
    const created = await source('Alertmanager');
    await send(created, webhook(alert()));
    await expect.poll(() => units(created.id)).toHaveLength(1);
    await send(created, webhook(alert({ status: 'resolved', endsAt: '2026-11-29T06:00:00.000Z' })));
    await expect.poll(async () => (await units(created.id))[0]?.over).toBe(true);
    expect((await send(created, webhook(alert({ startsAt: '2026-11-29T07:00:00.000Z' })))).body).toEqual({
      stored: 1,
      duplicate: 0,
      refused: 0,
    });
  });

  it('stores the other alerts beside one that cannot be read, and answers 400 when none can be', async () => {
    const created = await source('Alertmanager', { opensUnits: false });
    const broken = { status: 'odd', labels: {} };
    const some = await send(created, webhook(broken, alert()));
    expect([some.status, some.body]).toMatchObject([200, { stored: 1, refused: 1, reasons: [{ code: 'InvalidAlert' }] }]);
    const none = await send(created, webhook(broken));
    expect([none.status, none.body['error']]).toMatchObject([400, { message: expect.stringContaining('alerts.0.status') }]);
    for (const body of ['{"alerts":', '[]', '{}', '{"alerts":{}}']) expect([body, (await send(created, body)).status]).toEqual([body, 400]);
    expect(await refusals(created)).toMatchObject([
      { code: 'InvalidAlert', count: 2, sample: JSON.stringify(broken), message: expect.stringContaining('alerts.0.status') },
      { code: 'InvalidBody', count: 4, sample: '{"alerts":' },
    ]);
    expect(await row(created)).toMatchObject({ packetsStored: 1, packetsRefused: 6 });
  });

  it('makes no rules when it shall not open units', async () => {
    const { id } = await source('Alertmanager', { opensUnits: false });
    const rules = await world.system.db.query({ text: `select 1 from rule where conditions::text like '%' || $1 || '%'`, values: [id] });
    expect(rules).toEqual([]);
  });
});

describe('other senders of alerts', () => {
  it('takes those of Grafana, with their values and links', async () => {
    const created = await source('Grafana', { opensUnits: false });
    const body = webhook({
      ...alert(),
      silenceURL: 'https://grafana.example/silence',
      panelURL: 'https://grafana.example/panel',
      values: { B: 97.5 },
    });
    expect((await send(created, body)).body).toMatchObject({ stored: 1 });
    const packets = await world.system.db.query<{ message: { Metrics: object; Properties: Record<string, string> } }>({
      text: `select message from latest_packet l join source_entity e on e.block_id = l.entity_id where e.source_id = $1`,
      values: [created.id],
    });
    expect(packets[0]?.message.Metrics).toEqual({ B: 97.5 });
    expect(packets[0]?.message.Properties['Links']).toContain('Silence: https://grafana.example/silence');
    expect(packets[0]?.message.Properties['Group']).toBe('alertname=DiskFull');
  });

  it('takes an alert with null for what it does not have, and with numbers as labels', async () => {
    const created = await source('Grafana', { opensUnits: false });
    const nulls = { annotations: null, generatorURL: null, silenceURL: null, panelURL: null, imageURL: null, values: null, endsAt: null };
    const sent = { ...webhook({ ...alert(), ...nulls, labels: { alertname: 'Nulls', shard: 7, host: null } }), groupLabels: null };
    expect((await send(created, sent)).body).toEqual({ stored: 1, duplicate: 0, refused: 0 });
    const pager = await source('PagerDuty', { opensUnits: false });
    const event = { routing_key: pager.token, event_action: 'trigger', dedup_key: null, client: null, links: null };
    const payload = { summary: 'Nulls', source: 'db-7', severity: 'info', component: null, group: null };
    expect((await send(pager, { ...event, payload }, '/v2/enqueue', {})).status).toBe(202);
  });

  it('takes events of PagerDuty with their key in the body, and answers as PagerDuty does', async () => {
    const created = await source('PagerDuty');
    const event = (event_action: string, over: object = {}) => ({
      routing_key: created.token,
      event_action,
      dedup_key: 'db-7/replication',
      payload: { summary: 'Replication of db-7 is behind', source: 'db-7', severity: 'critical', custom_details: { lag: 912 } },
      ...over,
    });
    const path = '/v2/enqueue';
    const first = await send(created, event('trigger'), path, {});
    expect([first.status, first.body]).toEqual([202, { status: 'success', message: 'Event processed', dedup_key: 'db-7/replication' }]);
    await send(created, event('trigger'), path, {});
    await expect
      .poll(() => units(created.id))
      .toMatchObject([{ title: 'Replication of db-7 is behind', severity_id: 'Sev1', over: false }]);
    await send(created, event('resolve', { payload: undefined }), path, {});
    await expect.poll(() => units(created.id)).toMatchObject([{ over: true }]);
    const wrong = await send(created, event('trigger', { payload: undefined }), path, {});
    expect([wrong.status, wrong.body]).toEqual([
      400,
      { status: 'invalid event', message: 'Event object is invalid', errors: ['payload is missing.'] },
    ]);
    expect((await send(created, event('trigger', { routing_key: 'R1' }), path, {})).status).toBe(401);
    expect((await send(created, {}, path, {})).status).toBe(401);
  });

  it('takes alerts of Opsgenie and closes them by their alias', async () => {
    const created = await source('Opsgenie');
    const headers = { authorization: `GenieKey ${created.token}` };
    const answer = await send(
      created,
      { message: 'Queue is full', alias: 'queue/a', priority: 'P1', description: 'Since 8.' },
      '/v2/alerts',
      headers,
    );
    expect([answer.status, answer.body['result']]).toEqual([202, 'Request will be processed']);
    await expect.poll(() => units(created.id)).toMatchObject([{ title: 'Queue is full', severity_id: 'Sev1', over: false }]);
    const close = (query: string) => send(created, {}, `/v2/alerts/queue%2Fa/close${query}`, headers);
    expect((await close('?identifierType=id')).status).toBe(422);
    const note = await send(created, { note: 'x' }, '/v2/alerts/queue%2Fa/notes?identifierType=alias', headers);
    expect([note.status, note.body['message']]).toEqual([422, 'notes is not read here: alerts are created, acknowledged and closed.']);
    expect((await close('?identifierType=alias')).status).toBe(202);
    await expect.poll(() => units(created.id)).toMatchObject([{ over: true }]);
  });

  it('takes notifications of Uptime Kuma', async () => {
    const created = await source('UptimeKuma');
    const beat = (status: number) => ({
      heartbeat: { monitorID: 1, status, time: '2026-11-29 07:00:00', msg: status ? '200 - OK' : 'timeout', ping: 12 },
      monitor: { id: 1, name: 'Shop', url: 'https://shop.example' },
      msg: `[Shop] ${status}`,
    });
    const inPath = (body: object) => send(created, body, `/${created.token}`, {});
    expect([(await inPath(beat(0))).status, (await inPath({ heartbeat: null, monitor: null, msg: 'Testing' })).status]).toEqual([200, 200]);
    await expect.poll(() => units(created.id)).toMatchObject([{ title: 'Shop: timeout', over: false }]);
    await inPath(beat(1));
    await expect.poll(() => units(created.id)).toMatchObject([{ over: true }]);
    // A certificate that ends soon comes without its monitor.
    const msg = '[Shop][https://shop.example] server certificate shop.example will expire in 7 days';
    expect((await inPath({ heartbeat: null, monitor: null, msg })).body).toMatchObject({ stored: 1 });
    await expect.poll(() => units(created.id)).toMatchObject([{ over: true }, { title: msg, over: false }]);
    const domain = '[Shop] Domain name shop.example will expire in 14 days';
    const ended = '[Api][https://api.example] server certificate api.example will expire in -3 days';
    for (const text of [domain, ended])
      expect((await inPath({ heartbeat: null, monitor: null, msg: text })).body).toMatchObject({ stored: 1 });
    expect((await inPath({ heartbeat: null, monitor: null, msg: '[Ops] Alert (1) Testing' })).body).toMatchObject({ stored: 0 });
    await expect
      .poll(async () =>
        (await units(created.id))
          .map(({ title }) => title)
          .slice(2)
          .toSorted(),
      )
      .toEqual([ended, domain]);
  });
});

/** The devices to which the units of a source are related, by the titles of the units. */
const relatedDevices = async (sourceId: string): Promise<Record<string, string>> => {
  const rows = await world.system.db.query<{ title: string; name: string }>({
    text: `select u.title, d.name from work_unit u join rule_match m on m.rule_match_id = u.opened_by_rule_match_id join rule r on r.rule_id = m.rule_id
      join work_unit_relation n on n.work_unit_id = u.work_unit_id and n.reference_type = 'Device' join device d on d.device_id::text = n.reference_id
      where r.conditions::text like '%' || $1 || '%'`,
    values: [sourceId],
  });
  return Object.fromEntries(rows.map(({ title, name }) => [title, name]));
};

describe('the device of an alert', () => {
  it('is related to the unit when a label names one of the subscription, and is never made', async () => {
    const created = await source('Alertmanager');
    const other = await world.tenant('Southwind');
    await world.call(me, 'PUT', '/v1/devices', { name: 'related-1', ...home });
    await world.call(holder([other.tenantId]), 'PUT', '/v1/devices', { name: 'related-2', ...other });
    const about = (instance: string) => alert({ annotations: { summary: instance } }, { instance });
    await send(created, webhook(about('related-1:9100'), about('related-2:9100'), about('nowhere:1')));
    await expect.poll(() => units(created.id)).toHaveLength(3);
    expect(await relatedDevices(created.id)).toEqual({ 'related-1:9100': 'related-1' });
    const rows = await world.system.db.query({ text: `select 1 from device where name = 'nowhere'`, values: [] });
    expect(rows).toEqual([]);
  });

  it('is related when it is there before the alert fires again', async () => {
    const created = await source('Alertmanager');
    const about = (status: string, startsAt: string) =>
      webhook(alert({ status, startsAt, endsAt: startsAt, annotations: { summary: startsAt } }, { instance: 'later-1:9100' }));
    await send(created, about('firing', '2026-11-29T05:00:00.000Z'));
    await expect.poll(() => units(created.id)).toHaveLength(1);
    await world.call(me, 'PUT', '/v1/devices', { name: 'later-1', ...home });
    await send(created, about('resolved', '2026-11-29T05:00:00.000Z'));
    await expect.poll(async () => (await units(created.id))[0]?.over).toBe(true);
    // What is known of names is five seconds old at most.
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    await send(created, about('firing', '2026-11-29T08:00:00.000Z'));
    const [link] = await world.system.db.query<{ about: string | null }>({
      text: `select d.name as about from source_entity e join device d on d.device_id = e.about_device_id where e.source_id = $1`,
      values: [created.id],
    });
    expect(link?.about).toBe('later-1');
  });
});

it.skipIf(!hasAlertmanager)(
  'takes what a real Alertmanager sends, firing and resolved',
  async () => {
    const created = await source('Alertmanager');
    await world.call(me, 'PUT', '/v1/devices', { name: 'real-1', ...home });
    const { root } = await world.connect(me);
    const url = `${root}/intake/${created.id}`;
    const alertmanager = await startAlertmanager(
      `route:\n  receiver: cloudfit\n  group_wait: 0s\n  group_interval: 1s\nreceivers:\n  - name: cloudfit\n    webhook_configs:\n      - url: ${url}\n        http_config:\n          authorization:\n            credentials: ${created.token}\n`,
    );
    try {
      const post = (endsAt?: string) =>
        fetch(`${alertmanager.url}/api/v2/alerts`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify([
            {
              labels: { alertname: 'DiskFull', instance: 'real-1:9100', severity: 'critical' },
              annotations: { summary: 'Disk of real-1 is full' },
              ...(endsAt === undefined ? {} : { endsAt }),
            },
          ]),
        });
      expect((await post()).status).toBe(200);
      await expect
        .poll(() => units(created.id), { timeout: 15_000 })
        .toMatchObject([{ title: 'Disk of real-1 is full', severity_id: 'Sev1', over: false }]);
      expect(await relatedDevices(created.id)).toEqual({ 'Disk of real-1 is full': 'real-1' });
      await post(new Date().toISOString());
      await expect.poll(async () => (await units(created.id))[0]?.over, { timeout: 15_000 }).toBe(true);
      expect(await row(created)).toMatchObject({ packetsRefused: 0 });
    } finally {
      await alertmanager.close();
    }
  },
  60_000,
);
