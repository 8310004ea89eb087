/** Public status pages: what the public can read, what it never can, and who may enable one. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from '../../rules/testing/flow.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../testing/world.ts';

let world: TestWorld;
let home: { tenantId: string; subscriptionId: string };
let me: TestCaller;
let deviceId: string;

beforeAll(async () => {
  world = await createWorld();
  home = await world.tenant('Fjord Power');
  me = holder([home.tenantId]);
  deviceId = String(
    (await world.call(me, 'PUT', '/v1/devices', { name: 'secret-gateway-7', ...home, operatingSystemId: 4 })).body['deviceId'],
  );
});
afterAll(() => world.close());

const components = () => [{ name: 'Mail <public>', kind: 'Subscription', of: home.subscriptionId }];
async function makePage(over: Record<string, unknown> = {}) {
  const body = { title: 'Fjord status', tenantId: home.tenantId, components: components(), ...over };
  const created = await world.call(me, 'PUT', '/v1/statusPages', body);
  expect(created.body['error']).toBeUndefined();
  return created.body as { statusPageId: string; address: string; enabled: boolean };
}
const edit = (id: string, values: object) => world.call(me, 'POST', `/v1/statusPages/${id}`, values);
const open = (address: string) => world.call(null, 'GET', `/status/${address}`);
/** Waits until the address answers with this status, because a server learns of a change after a moment. */
const answers = (address: string, status: number) =>
  until(async () => {
    const shown = await open(address);
    return shown.status === status ? shown : undefined;
  });

/** Creates an open work unit with a match of the device, as rules create them; returns the work unit's id. */
async function unitOfDevice(severityId: string): Promise<number> {
  const body = { title: 'secret work unit', severityId, workUnitTypeId: 1, tenantId: home.tenantId };
  const workUnitId = Number((await world.call(me, 'PUT', '/v1/workUnits', body)).body['workUnitId']);
  await world.system.db.query({
    text: `insert into rule_match (tenant_id, rule_id, subject_id, label, expires, first_match, last_match, correlation_id, work_unit_id)
      values ($1, uuidv7(), $2, 'secret match', now() + interval '1 hour', now(), now(), uuidv7(), $3)`,
    values: [home.tenantId, deviceId, workUnitId],
  });
  return workUnitId;
}

it('is not there before an administrator enables it, who sees a preview and leaves a trace', async () => {
  const page = await makePage();
  expect(page).toMatchObject({ enabled: false, address: expect.stringMatching(/^[0-9a-f]{20}$/) as string });
  expect((await open(page.address)).status).toBe(404);
  const preview = (caller: TestCaller | null) => world.call(caller, 'GET', `/v1/statusPages/preview/${page.statusPageId}`);
  const previewed = (await preview(me)).body;
  expect(previewed['html']).toContain('Mail &lt;public&gt;');
  expect(previewed['html']).toContain('<form');
  expect(previewed['takesSubscribers']).toBe(true);
  expect((await preview(null)).status).toBe(401);
  expect((await preview(holder([home.tenantId], ['CloudFit.CFS.Devices:view']))).status).toBe(403);
  const { tenantId } = await world.tenant();
  expect((await preview(holder([tenantId]))).status).toBe(404);

  await edit(page.statusPageId, { enabled: true });
  const shown = await answers(page.address, 200);
  expect(shown.text).toContain('All systems are operational');
  expect(shown.headers['cache-control']).toBe('public, no-cache');
  const again = () => world.call(null, 'GET', `/status/${page.address}`, undefined, { 'if-none-match': String(shown.headers['etag']) });
  const same = await again();
  expect(same).toMatchObject({ status: 304, text: '' });
  expect(same.headers['content-security-policy']).toBe(shown.headers['content-security-policy']);
  expect(shown.headers['x-robots-tag']).toBe('noindex');
  const policy = String(shown.headers['content-security-policy']);
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toContain('script-src');
  expect(shown.text).not.toContain('<script');
  expect((await world.call(null, 'GET', '/status/page.css')).status).toBe(200);
  const audits = await world.call(me, 'GET', `/v1/audit?$filter=entity eq 'statusPages' and entityId eq '${page.statusPageId}'`);
  expect(audits.body.value?.map((row) => row['verb']).toSorted()).toEqual(['create', 'update']);

  await edit(page.statusPageId, { enabled: false });
  await answers(page.address, 404);
  expect((await again()).status).toBe(404);
});

it('shows state, incidents that were marked public with their updates, and maintenance; nothing else', async () => {
  const page = await makePage({ enabled: true, address: 'fjord-power', description: 'How our services are.' });
  const unit = await unitOfDevice('Sev1');
  const communication = { tenantId: home.tenantId, nextUpdate: new Date(Date.now() + 3_600_000).toISOString() };
  const tell = async (over: Record<string, unknown>) => {
    const { body } = await world.call(me, 'PUT', '/v1/workUnitCommunications', { ...communication, ...over });
    expect(body['error']).toBeUndefined();
    const step = { workUnitCommunicationId: body['workUnitCommunicationId'], isComplete: true };
    const add = (details: string, isCustomerFacing: boolean) =>
      world.call(me, 'PUT', '/v1/workUnitCommunicationActivities', { ...step, details, isCustomerFacing });
    await add(`told: ${String(over['title'])}`, true);
    await add('secret step', false);
  };
  const inside = { internalBridge: 'https://secret.example', rootCause: 'secret cause', serviceManager: 'secret@example.com' };
  await tell({ title: 'Mail is slow', isPublic: true, impactedServices: 'Other, mail <PUBLIC>', ...inside });
  await tell({ title: 'secret incident' });
  await world.call(me, 'PUT', '/v1/maintenanceWindows', {
    tenantId: home.tenantId,
    reason: 'secret reason',
    deviceIds: [deviceId],
    startsAt: new Date(Date.now() + 86_400_000).toISOString(),
    endsAt: new Date(Date.now() + 90_000_000).toISOString(),
  });
  const read = async () => {
    // Saving the page gives it another version, which is rendered again.
    const description = randomUUID();
    await edit(page.statusPageId, { description });
    return until(async () => {
      const { text } = await open('fjord-power');
      return text.includes(description) ? text : undefined;
    });
  };
  const text = await read();
  expect(text).toContain('Some systems have an outage');
  for (const part of ['Mail is slow', 'told: Mail is slow', 'Investigating', 'Planned maintenance', '· Mail &lt;public&gt;'])
    expect(text).toContain(part);
  expect(text).toContain('Last 90 days: 1 day with an outage');
  expect(text).not.toMatch(/secret|Fjord Power|example\.com/);
  for (const id of [deviceId, home.tenantId, home.subscriptionId, page.statusPageId]) expect(text).not.toContain(id);

  const planned = (shown: string) => shown.split('<h3>Mail &lt;public&gt;').length - 1;
  const ofFilter = { tenantId: home.tenantId, reason: 'secret reason', deviceFilter: "name eq 'secret-gateway-7'" };
  const endsAt = new Date(Date.now() + 3_600_000).toISOString();
  expect((await world.call(me, 'PUT', '/v1/maintenanceWindows', { ...ofFilter, endsAt })).body['error']).toBeUndefined();
  expect(planned(await read())).toBe(planned(text) + 1);

  await world.call(me, 'POST', `/v1/workUnits/${unit}`, { severityId: 'Sev2' });
  expect(await read()).toContain('Some systems are degraded');
});

it('reads its own tenant alone, and refuses what does not belong to it by name', async () => {
  const other = await world.tenant('Elsewhere');
  const wrong = await world.call(me, 'PUT', '/v1/statusPages', {
    title: 'Status',
    tenantId: home.tenantId,
    components: [{ name: 'Theirs', kind: 'Subscription', of: other.subscriptionId }],
  });
  expect(wrong.body).toMatchObject({ error: { details: [{ target: 'components.0.of' }] } });
  const empty = await makePage({ components: [] });
  expect((await edit(empty.statusPageId, { enabled: true })).body).toMatchObject({ error: { details: [{ target: 'enabled' }] } });
  expect((await edit(empty.statusPageId, { address: 'Not An Address' })).body).toMatchObject({
    error: { details: [{ target: 'address' }] },
  });
  await makePage({ address: 'taken-name' });
  expect((await edit(empty.statusPageId, { address: 'taken-name' })).body).toMatchObject({
    error: { code: 'Conflict', target: 'address' },
  });
  const theirs = holder([other.tenantId]);
  await world.call(theirs, 'PUT', '/v1/workUnitCommunications', {
    title: 'Not ours',
    tenantId: other.tenantId,
    isPublic: true,
    nextUpdate: new Date(Date.now() + 3_600_000).toISOString(),
  });
  const page = await makePage({ enabled: true });
  expect((await open(page.address)).text).not.toContain('Not ours');
  await world.call(me, 'DELETE', `/v1/statusPages(${page.statusPageId})`);
  await answers(page.address, 404);
});

it('is in the language of the browser, also from the cache, which keeps both apart', async () => {
  const page = await makePage({ enabled: true });
  await answers(page.address, 200);
  const open = (headers: Record<string, string>) => world.call(null, 'GET', `/status/${page.address}`, undefined, headers);
  const english = await open({});
  const german = await open({ 'accept-language': 'de' });
  expect([english.text, german.text].map((text) => /<html lang="(..)">/.exec(text)?.[1])).toEqual(['en', 'de']);
  for (const part of ['Komponenten', 'vor 90 Tagen', ' % ohne Ausfall', 'Abonnieren', 'Laden Sie die Seite neu'])
    expect(german.text).toContain(part);
  expect(german.headers).toMatchObject({ 'content-language': 'de', vary: expect.stringContaining('accept-language') as string });
  const again = (language: string) => open({ 'accept-language': language, 'if-none-match': String(german.headers['etag']) });
  expect([(await again('de')).status, (await again('en')).status]).toEqual([304, 200]);
  expect((await open({ 'accept-language': 'de', cookie: 'cloudfit-language=en' })).text).toContain('<html lang="en">');
  expect((await world.call(null, 'GET', '/status/nothing-here', undefined, { 'accept-language': 'de' })).text).toContain(
    'Hier ist keine Statusseite',
  );
});

it('sends addresses that are nearly right to the page or its feed, and never to the portal', async () => {
  const { address } = await makePage({ enabled: true, address: 'fjord-mail' });
  await answers(address, 200);
  for (const name of ['rss', 'feed', 'atom', 'rss.xml', 'feed.xml', 'RSS/']) {
    const { status, headers } = await open(`${address}/${name}?language=de`);
    expect([status, headers['location']]).toEqual([301, `/status/${address}/feed.atom?language=de`]);
  }
  for (const near of [`${address}/`, 'Fjord-Mail', `${address}/subscribe`]) {
    const { status, headers } = await open(near);
    expect([status, headers['location']]).toEqual([301, `/status/${address}`]);
  }
  expect((await open('Fjord-Mail/feed.atom')).headers['location']).toBe(`/status/${address}/feed.atom`);
  for (const wrong of [`${address}/none`, `${address}/feed.atom/more`, 'nowhere/rss', 'Nowhere', ''])
    expect([wrong, (await open(wrong)).status]).toEqual([wrong, 404]);
  expect((await world.call(null, 'GET', '/status')).status).toBe(404);
});

it('answers one network so many times a second', async () => {
  const all = await Promise.all(Array.from({ length: 400 }, () => open('nothing-is-here')));
  const refused = all.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(0);
  expect(Number(refused[0]?.headers['retry-after'])).toBeGreaterThan(0);
});
