/** Updates of a status page by mail: requested, confirmed, sent once, ended; and what a visitor can learn about addresses. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { hourMs } from '@cloudfit/contract/durations.ts';
import { statusSubscribersMax } from '@cloudfit/contract/resources/status-subscribers.ts';
import { notifyOfMaintenance } from '../../features/status-pages/notify-of-maintenance.ts';
import { notifySubscribers } from '../../features/status-pages/notify-subscribers.ts';
import { until } from '../../rules/testing/flow.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../testing/world.ts';

let world: TestWorld;
let home: { tenantId: string; subscriptionId: string };
let me: TestCaller;
let page: { statusPageId: string; address: string };

beforeAll(async () => {
  world = await createWorld();
  home = await world.tenant('Fjord Power');
  me = holder([home.tenantId]);
  const components = [{ name: 'Mail', kind: 'Subscription', of: home.subscriptionId }];
  const { body } = await world.call(me, 'PUT', '/v1/statusPages', {
    title: 'Fjord status',
    tenantId: home.tenantId,
    address: 'fjord',
    enabled: true,
    components,
  });
  page = body as typeof page;
  await until(async () => ((await world.call(null, 'GET', '/status/fjord')).status === 200 ? true : undefined));
});
afterAll(() => world.close());
beforeEach(() => world.system.db.query({ text: 'delete from call_limit' }));

const form = { 'content-type': 'application/x-www-form-urlencoded' };
const ask = (email: string) => world.call(null, 'POST', '/status/fjord/subscribe', `email=${encodeURIComponent(email)}`, form);
const press = (link: string) => world.call(null, 'POST', new URL(link).pathname, '', form);
const look = (link: string) => world.call(null, 'GET', new URL(link).pathname);

interface QueuedMail {
  to: string;
  subject: string;
  text: string;
  unsubscribe?: string;
}

/** Removes the queued mails from the queue and returns them. */
async function mails(): Promise<QueuedMail[]> {
  const rows = await world.system.db.query<{ payload: QueuedMail }>({
    text: "delete from job where name = 'send-mail' and tenant_id = $1 returning payload",
    values: [home.tenantId],
  });
  return rows.map(({ payload }) => payload);
}

const linkIn = (text: string, kind: string) => new RegExp(`http://localhost/status/${kind}/\\S+`).exec(text)?.[0] ?? '';
const subscribers = async () =>
  ((await world.call(me, 'GET', '/v1/statusSubscribers')).body.value ?? []).map((row) => String(row['email']));

/** Subscribes an address and confirms it by the link in the mail. */
async function subscribed(email: string): Promise<void> {
  await ask(email);
  const [mail] = await mails();
  expect((await press(linkIn(mail?.text ?? '', 'confirm'))).status).toBe(200);
}

async function communication(over: Record<string, unknown> = {}): Promise<string> {
  const nextUpdate = new Date(Date.now() + 3_600_000).toISOString();
  const { body } = await world.call(me, 'PUT', '/v1/workUnitCommunications', {
    title: 'Mail is slow',
    tenantId: home.tenantId,
    isPublic: true,
    nextUpdate,
    ...over,
  });
  expect(body['error']).toBeUndefined();
  return String(body['workUnitCommunicationId']);
}

const tell = () => notifySubscribers(world.system.db, world.subscriptionLinks, 'http://localhost');
/** Simulates that the pause between two mails about a communication is over. */
const later = () => world.system.db.query({ text: "update status_told set told = told - interval '10 minutes'" });

it('asks by mail before it sends anything, and acts only on the button', async () => {
  expect((await world.call(null, 'GET', '/status/fjord')).text).toContain('action="/status/fjord/subscribe"');
  expect((await ask(' Vera@Example.org ')).text).toContain('Check your mail');
  const [mail] = await mails();
  expect(mail).toMatchObject({ to: 'vera@example.org', subject: 'Confirm: updates of Fjord status' });
  const link = linkIn(mail?.text ?? '', 'confirm');
  expect((await look(link)).text).toContain('Send updates to vera@example.org?');
  expect(await subscribers()).toEqual([]);
  expect((await press(link)).text).toContain('Updates go to vera@example.org');
  expect((await press(link)).status).toBe(200);
  expect(await subscribers()).toEqual(['vera@example.org']);
  const audits = await world.call(me, 'GET', "/v1/audit?$filter=entity eq 'statusSubscribers'");
  expect(audits.body.value).toMatchObject([{ verb: 'create', actorName: 'Visitor of a status page' }]);
  expect(JSON.stringify(audits.body)).not.toContain('vera@');
});

it('writes to each subscriber in the language of their browser, also when that changes', async () => {
  const inGerman = { ...form, 'accept-language': 'de' };
  const post = (path: string, body: string, headers: Record<string, string>) => world.call(null, 'POST', path, body, headers);
  await subscribed('en@example.org');
  expect((await post('/status/fjord/subscribe', 'email=de%40example.org', inGerman)).text).toContain('Sehen Sie in Ihr Postfach');
  const [question] = await mails();
  expect(question).toMatchObject({ to: 'de@example.org', subject: 'Bitte bestätigen: Mitteilungen von Fjord status' });
  const link = linkIn(question?.text ?? '', 'confirm');
  // The mail is read in another browser than that in which the visitor subscribed.
  expect((await press(link)).status).toBe(200);
  await communication({ title: 'Slow in both languages', details: 'As written.' });
  await tell();
  const byLanguage = (all: QueuedMail[]) =>
    Object.fromEntries(all.filter(({ subject }) => subject.includes('both')).map((mail) => [mail.to.slice(0, 2), mail]));
  const { en, de } = byLanguage(await mails());
  expect([en?.subject, de?.subject]).toEqual([
    'Fjord status: Slow in both languages (Investigating)',
    'Fjord status: Slow in both languages (Wird untersucht)',
  ]);
  expect(de?.text).toMatch(/As written\.[^]+Alles dazu: http[^]+Zum Beenden: http/);
  expect((await world.call(null, 'GET', new URL(de?.unsubscribe ?? '').pathname, undefined, { 'accept-language': 'de' })).text).toContain(
    'Abbestellen',
  );
  await subscribed('de@example.org');
  const rows = await world.system.db.query({ text: "select language from status_subscriber where email = 'de@example.org'" });
  expect(rows).toEqual([{ language: 'en' }]);
  await world.system.db.query({ text: 'delete from status_subscriber' });
});

it('answers the same for an address that is known, and for one that was asked for too often', async () => {
  await subscribed('otto@example.org');
  const answers = [await ask('otto@example.org'), await ask('new@example.org')];
  expect(answers[0]?.text).toBe(answers[1]?.text);
  expect((await mails()).map(({ to }) => to).toSorted()).toEqual(['new@example.org', 'otto@example.org']);
  for (let n = 0; n < 4; n++) expect((await ask('often@example.org')).text).toBe(answers[0]?.text);
  expect((await mails()).filter(({ to }) => to === 'often@example.org')).toHaveLength(3);
  expect((await ask('not an address')).status).toBe(400);
});

it('counts all addresses that are delivered to one mailbox as one', async () => {
  for (const tag of ['a', 'b', 'c', 'a+b']) expect((await ask(`tagged+${tag}@example.org`)).status).toBe(200);
  expect((await mails()).filter(({ to }) => to.startsWith('tagged'))).toHaveLength(3);
});

it('limits how often one network asks', async () => {
  const statuses: number[] = [];
  for (let n = 0; n < 11; n++) statuses.push((await ask(`many-${n}@example.org`)).status);
  expect(statuses.slice(0, 10)).toEqual(Array(10).fill(200));
  expect(statuses[10]).toBe(429);
  await mails();
});

it('tells subscribers once of a public communication, of its updates and of its end', async () => {
  await subscribed('told@example.org');
  await tell();
  await mails();
  await communication({ title: 'not public', isPublic: false });
  await communication({ title: 'over', status: 'Investigating' }).then(async (id) => {
    await world.call(me, 'POST', `/v1/workUnitCommunications/${id}`, {
      status: 'Resolved',
      rootCause: 'x',
      eventResolved: new Date().toISOString(),
    });
  });
  const id = await communication({ details: 'We look into it.' });
  await Promise.all([tell(), tell()]);
  const ofTold = (all: QueuedMail[]) => all.filter(({ to }) => to === 'told@example.org');
  const first = ofTold(await mails());
  expect(first).toMatchObject([
    { subject: 'Fjord status: Mail is slow (Investigating)', text: expect.stringContaining('We look into it.') as string },
  ]);
  expect(first[0]?.text).toContain('http://localhost/status/fjord');
  expect(await tell()).toBe(0);

  const step = { workUnitCommunicationId: Number(id), isComplete: true };
  await world.call(me, 'PUT', '/v1/workUnitCommunicationActivities', { ...step, details: 'A disk was replaced.', isCustomerFacing: true });
  await world.call(me, 'PUT', '/v1/workUnitCommunicationActivities', { ...step, details: 'secret step', isCustomerFacing: false });
  await tell();
  expect(await mails()).toEqual([]);
  await later();
  await tell();
  const second = ofTold(await mails());
  expect(second).toMatchObject([{ text: expect.stringContaining('A disk was replaced.') as string }]);
  expect(JSON.stringify(second)).not.toMatch(/secret/);

  const link = second[0]?.unsubscribe ?? '';
  expect(second[0]?.text).toContain(link);
  expect((await look(link)).text).toContain('Unsubscribe');
  expect(await subscribers()).toContain('told@example.org');
  expect((await press(link)).text).toContain('You get no more updates.');
  expect((await press(link)).status).toBe(200);
  expect(await subscribers()).not.toContain('told@example.org');
  await later();
  await world.call(me, 'POST', `/v1/workUnitCommunications/${id}`, { status: 'ServiceRestored' });
  await tell();
  expect(ofTold(await mails())).toEqual([]);
});

it('takes no link that was changed or is too old, and no more addresses than it may have', async () => {
  const links = world.subscriptionLinks;
  const link = links.confirm(page.statusPageId, 'late@example.org', 'en');
  expect((await press(link.replace('/confirm/', '/confirm/x'))).status).toBe(404);
  expect((await press(link.replace('/confirm/', '/unsubscribe/'))).status).toBe(404);
  expect((await press(links.confirm(randomUUID(), 'late@example.org', 'en'))).status).toBe(404);
  await world.system.db.query({
    text: `insert into status_subscriber (status_page_id, tenant_id, email) select $1, $2, 'n' || n || '@example.net' from generate_series(1, $3::int) n`,
    values: [page.statusPageId, home.tenantId, statusSubscribersMax],
  });
  expect((await press(link)).status).toBe(409);
  await world.system.db.query({ text: "delete from status_subscriber where email like '%@example.net'" });
  expect((await press(link)).status).toBe(200);
});

it('shows subscribers to those who may change the page, who remove them', async () => {
  await subscribed('gone@example.org');
  const list = (caller: TestCaller | null) => world.call(caller, 'GET', "/v1/statusSubscribers?$filter=email eq 'gone@example.org'");
  expect((await list(holder([home.tenantId], ['CloudFit.CFS.Settings:view']))).status).toBe(403);
  expect((await list(holder([(await world.tenant()).tenantId]))).body.value).toEqual([]);
  const [row] = (await list(me)).body.value ?? [];
  expect((await world.call(me, 'DELETE', `/v1/statusSubscribers(${String(row?.['statusSubscriberId'])})`)).status).toBeLessThan(300);
  expect((await list(me)).body.value).toEqual([]);
});

it('names the services of the pages to those who write communications', async () => {
  const services = (caller: TestCaller | null, tenantId = home.tenantId) =>
    world.call(caller, 'GET', `/v1/tenants/${tenantId}/statusServices`);
  expect((await services(holder([home.tenantId], ['CloudFit.CFS.WorkUnitCommunications:view']))).body).toEqual(['Mail']);
  expect((await services(null)).status).toBe(401);
  expect((await services(holder([home.tenantId], ['CloudFit.CFS.Devices:view']))).status).toBe(403);
  expect((await services(holder([(await world.tenant()).tenantId]))).status).toBe(403);
});

describe('maintenance of a component', () => {
  let deviceId = '';
  const at = (hours: number) => new Date(Date.now() + hours * hourMs).toISOString();
  const tellNow = (hours = 0) =>
    notifyOfMaintenance(world.system.db, world.subscriptionLinks, 'http://localhost', new Date(Date.now() + hours * hourMs));
  const subjects = async () => (await mails()).filter(({ to }) => to === 'planned@example.org').map(({ subject }) => subject);
  const window = async (values: object) => {
    const { body } = await world.call(me, 'PUT', '/v1/maintenanceWindows', {
      reason: 'secret reason',
      deviceIds: [deviceId],
      tenantId: home.tenantId,
      ...values,
    });
    expect(body['error']).toBeUndefined();
    return String(body['maintenanceWindowId']);
  };
  const named = (label: string) => `Fjord status: maintenance of Mail (${label})`;
  beforeAll(async () => {
    const { body } = await world.call(me, 'PUT', '/v1/devices', { name: 'secret-gateway-7', ...home, operatingSystemId: 4 });
    deviceId = String(body['deviceId']);
    await subscribed('planned@example.org');
  });
  beforeEach(async () => {
    for (const table of ['status_maintenance_told', 'maintenance_window']) await world.system.db.query({ text: `delete from ${table}` });
  });

  it('is told when it is planned, starts and ends, once each, without its reason', async () => {
    await window({ startsAt: at(5), endsAt: at(6) });
    await tellNow();
    const [mail, ...others] = (await mails()).filter(({ to }) => to === 'planned@example.org');
    expect([mail?.subject, others]).toEqual([named('planned'), []]);
    expect(mail?.text).toMatch(/^Maintenance of Mail is planned from \d{4}-\d\d-\d\d \d\d:\d\d UTC until .* UTC\./);
    expect(mail?.text).toContain('http://localhost/status/fjord');
    expect(mail?.text).not.toMatch(/secret/);
    expect(linkIn(mail?.text ?? '', 'unsubscribe')).toBe(mail?.unsubscribe);
    // Each event is told once, although two servers tell it at the same time and one of them tells it again.
    await Promise.all([tellNow(5.5), tellNow(5.5)]);
    await tellNow(5.5);
    expect(await subjects()).toEqual([named('started')]);
    await tellNow(6.5);
    await tellNow(7);
    expect(await subjects()).toEqual([named('ended')]);
  });

  it('is told again when its time changes, and when it does not take place', async () => {
    const moved = await window({ startsAt: at(20), endsAt: at(21) });
    const ended = await window({ startsAt: at(30), endsAt: at(31) });
    const removed = await window({ startsAt: at(40), endsAt: at(41) });
    await tellNow();
    expect(await subjects()).toEqual([named('planned'), named('planned'), named('planned')]);
    await world.call(me, 'POST', `/v1/maintenanceWindows/${moved}`, { endsAt: at(22) });
    await tellNow();
    // Within the pause no mail is sent, because somebody may still be editing.
    expect(await subjects()).toEqual([]);
    await tellNow(1);
    expect(await subjects()).toEqual([named('changed')]);
    expect((await world.call(me, 'POST', `/v1/maintenance/end/${ended}`, {})).status).toBeLessThan(300);
    await world.system.db.query({ text: 'delete from maintenance_window where maintenance_window_id = $1', values: [removed] });
    await tellNow(1);
    expect(await subjects()).toEqual([named('canceled'), named('canceled')]);
  });

  it('is no news of other devices, of what is over, and of a page that is not public', async () => {
    const { subscriptionId } = await world
      .call(me, 'PUT', '/v1/subscriptions', { name: 'Elsewhere', tenantId: home.tenantId })
      .then(({ body }) => body);
    const other = await world.call(me, 'PUT', '/v1/devices', {
      name: 'other',
      tenantId: home.tenantId,
      subscriptionId,
      operatingSystemId: 4,
    });
    await window({ deviceIds: [other.body['deviceId']], startsAt: at(2), endsAt: at(3) });
    await tellNow(4);
    await window({ startsAt: at(2), endsAt: at(3) });
    await tellNow(4);
    expect(await subjects()).toEqual([]);
    await world.call(me, 'POST', `/v1/statusPages/${page.statusPageId}`, { enabled: false });
    await tellNow();
    expect(await subjects()).toEqual([]);
    await world.call(me, 'POST', `/v1/statusPages/${page.statusPageId}`, { enabled: true });
    await tellNow();
    expect(await subjects()).toEqual([named('planned')]);
  });
});

it('vanishes at once with its tenant, also from the servers that have read it', async () => {
  expect((await world.call(null, 'GET', '/status/fjord')).status).toBe(200);
  const all = holder('all');
  // The clock stands still here, so that cached pages do not expire: only the notification of the change can remove them.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
  try {
    await world.call(all, 'POST', `/v1/tenants/${home.tenantId}`, { enabled: false });
    await until(async () => ((await world.call(null, 'GET', '/status/fjord')).status === 404 ? true : undefined));
    await world.call(all, 'POST', `/v1/tenants/${home.tenantId}`, { enabled: true });
    await until(async () => ((await world.call(null, 'GET', '/status/fjord')).status === 200 ? true : undefined));
  } finally {
    vi.useRealTimers();
  }
});
