/** The acknowledge link: what its page shows, that only its button acknowledges, once, and in whose name. */
import { randomBytes } from 'node:crypto';
import fastify from 'fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { proves } from '@cloudfit/contract/testing/proves.ts';
import { builtInAction } from '@cloudfit/contract/enums.ts';
import { ApiError } from '@cloudfit/contract/errors.ts';
import { onlyRecipient, openAckLinks, withoutAckLinks } from '../platform/ack-links.ts';
import { masterKeyOf } from '../auth/master-key.ts';
import { ensureShippedSets, shippedSets } from '../auth/shipped.ts';
import { mountAckPage } from './ack-page.ts';
import { startAutomation, type Automation } from '../testing/automation.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../testing/world.ts';

let world: TestWorld;
let automation: Automation;
let home: { tenantId: string };
let me: TestCaller;
const recipient = 'mara@example.com';

beforeAll(async () => {
  world = await createWorld();
  automation = await startAutomation(world);
  home = await world.tenant('Fjord Power');
  me = holder([home.tenantId]);
  await world.system.db.query({
    text: "insert into person (name, user_name, email, email_verified) values ('Mara Okafor', 'mara.o', 'Mara@example.com', true)",
  });
  await ensureShippedSets(world.system.db);
  await grant('mara.o', shippedSets.operator.id);
});
afterAll(async () => {
  await automation.stop();
  await world.close();
});

async function grant(userName: string, permissionSetId: string): Promise<void> {
  await world.system.db.query({
    text: 'insert into access_grant (person_id, tenant_id, permission_set_id) select person_id, $2, $3 from person where user_name = $1',
    values: [userName, home.tenantId, permissionSetId],
  });
}

async function unit(body: Record<string, unknown> = {}): Promise<{ workUnitId: number; publicWorkUnitId: number }> {
  const input = { title: 'Pump <4> is down', severityId: 'Sev1', workUnitTypeId: 1, tenantId: home.tenantId, ...body };
  const created = await world.call(me, 'PUT', '/v1/workunits', input);
  expect(created.body['error']).toBeUndefined();
  return created.body as unknown as { workUnitId: number; publicWorkUnitId: number };
}
const pathOf = (url: string) => new URL(url).pathname;
const linkTo = (workUnitId: number, to: string | null = recipient) =>
  pathOf(world.ackLinks.url({ workUnitId, tenantId: home.tenantId, recipient: to }));
const open = (path: string) => world.call(null, 'GET', path);
const press = (path: string) => world.call(null, 'POST', path, 'ok=1', { 'content-type': 'application/x-www-form-urlencoded' });
const row = async (id: number) => (await world.call(me, 'GET', `/v1/workUnits(${id})`)).body;

it('shows the unit without sign-in, and acts on its button alone', async () => {
  const { workUnitId, publicWorkUnitId } = await unit();
  const path = linkTo(workUnitId);
  for (let i = 0; i < 2; i++) {
    const shown = await open(path);
    expect(shown.status).toBe(200);
    for (const text of [`Work unit #${publicWorkUnitId}`, 'Pump &lt;4&gt; is down', 'Sev1', 'New', 'Fjord Power', '>Acknowledge</button>'])
      expect(shown.text).toContain(text);
    expect(shown.headers['cache-control']).toBe('no-store');
    expect(String(shown.headers['content-security-policy'])).toContain("default-src 'none'");
  }
  await world.call(null, 'HEAD', path);
  expect(await row(workUnitId)).toMatchObject({ stateId: 'New' });
  expect((await open('/ack/page.css')).status).toBe(200);

  const pressed = await press(path);
  expect([pressed.status, pressed.text]).toEqual([200, expect.stringContaining(`Work unit #${publicWorkUnitId} is acknowledged.`)]);
  expect(pressed.text).not.toContain('<button');
  expect(await row(workUnitId)).toMatchObject({ stateId: 'Acknowledged', assignedTo: 'mara.o' });
  const feed = await world.call(me, 'GET', `/v1/workunits/GetWorkUnitHistoryRecords(workUnitId=${workUnitId})`);
  expect(feed.body.value).toContainEqual(
    expect.objectContaining({ detail: `Acknowledged by the link that was mailed to ${recipient}.`, createdBy: 'mara.o' }),
  );
  const audit = await world.call(
    me,
    'GET',
    `/v1/audit?$filter=entity eq 'workUnits' and entityId eq '${workUnitId}' and verb eq 'acknowledge'`,
  );
  expect(audit.body.value).toMatchObject([{ actorKind: 'person', actorName: 'mara.o', after: { by: 'link', mailedTo: recipient } }]);
});

it('acknowledges once, also when it is pressed twice at once, and says who did', async () => {
  const { workUnitId } = await unit();
  const path = linkTo(workUnitId);
  const both = await Promise.all([press(path), press(path)]);
  expect(both.map(({ text }) => (text.includes('is acknowledged.') ? 'first' : 'second')).toSorted()).toEqual(['first', 'second']);
  for (const answer of [await press(path), await open(path)]) {
    expect(answer.status).toBe(200);
    expect(answer.text).toMatch(/Already acknowledged by Mara Okafor, \d{4}-.* UTC\. It is Acknowledged now\./);
    expect(answer.text).not.toContain('<button');
  }
});

it('says the state of a unit that nobody acknowledged', async () => {
  const { workUnitId } = await unit();
  await world.call(me, 'POST', `/v1/workunits/${workUnitId}`, { stateId: 'Canceled' });
  for (const answer of [await open(linkTo(workUnitId)), await press(linkTo(workUnitId))])
    expect(answer.text).toContain('It is Canceled; there is nothing to acknowledge.');
});

it('refuses what is forged, expired, of another installation, of a disabled tenant or of somebody who was disabled', async () => {
  const { workUnitId } = await unit();
  const target = { workUnitId, tenantId: home.tenantId, recipient };
  const path = linkTo(workUnitId);
  const [, content = '', signature = ''] = /^\/ack\/([^.]+)\.(.+)$/.exec(path) ?? [];
  const other = await unit();
  const forged = Buffer.from(JSON.stringify([other.workUnitId, home.tenantId, 9_999_999_999, recipient])).toString('base64url');
  const foreign = openAckLinks(masterKeyOf([randomBytes(32).toString('base64')]), 'http://localhost').url(target);
  const elsewhere = pathOf(world.ackLinks.url({ ...target, tenantId: (await world.tenant()).tenantId }));
  for (const wrong of [
    `/ack/${forged}.${signature}`,
    `/ack/${content}.${signature.slice(1)}`,
    `/ack/${content}`,
    '/ack/x',
    pathOf(foreign),
    elsewhere,
  ])
    for (const answer of [await open(wrong), await press(wrong)])
      expect([answer.status, answer.text]).toEqual([404, expect.stringContaining('This link is not valid.')]);
  await world.system.db.query({
    text: "insert into person (name, user_name, email, email_verified, enabled) values ('Gone', 'gone', 'gone@example.com', true, false)",
  });
  expect((await press(linkTo(workUnitId, 'gone@example.com'))).status).toBe(404);
  const enable = (enabled: boolean) =>
    world.system.db.query({ text: 'update tenant set enabled = $2 where tenant_id = $1', values: [home.tenantId, enabled] });
  await enable(false);
  for (const answer of [await open(path), await press(path)]) expect(answer.status).toBe(404);
  await enable(true);
  expect(await row(workUnitId)).toMatchObject({ stateId: 'New' });
  expect(await row(other.workUnitId)).toMatchObject({ stateId: 'New' });
});

it('ends with the right to edit units of the tenant', async () => {
  const { workUnitId } = await unit();
  await world.system.db.query({
    text: "insert into person (name, user_name, email, email_verified) values ('Vera', 'vera', 'vera@example.com', true), ('Bob', 'bob', 'bob@example.com', true)",
  });
  await grant('vera', shippedSets.reader.id);
  for (const to of ['vera@example.com', 'bob@example.com'])
    for (const answer of [await open(linkTo(workUnitId, to)), await press(linkTo(workUnitId, to))])
      expect([to, answer.status]).toEqual([to, 404]);
  expect(await row(workUnitId)).toMatchObject({ stateId: 'New', assignedTo: null });
  await grant('vera', shippedSets.operator.id);
  expect((await press(linkTo(workUnitId, 'vera@example.com'))).status).toBe(200);
  expect(await row(workUnitId)).toMatchObject({ stateId: 'Acknowledged', assignedTo: 'vera' });
});

it('holds for about three days', () => {
  const key = masterKeyOf([randomBytes(32).toString('base64')]);
  const target = { workUnitId: 7, tenantId: crypto.randomUUID(), recipient: null };
  const token = openAckLinks(key, 'http://localhost').url(target).split('/ack/')[1] ?? '';
  const after = (hours: number) => openAckLinks(key, 'http://localhost', () => Date.now() + hours * 3_600_000).read(token)?.isExpired;
  expect([after(0), after(71), after(74)]).toEqual([false, false, true]);
});

it('says that it has expired', async () => {
  const { workUnitId } = await unit();
  const early = openAckLinks(world.masterKey, 'http://localhost', () => Date.now() - 5 * 86_400_000);
  const path = pathOf(early.url({ workUnitId, tenantId: home.tenantId, recipient }));
  for (const answer of [await open(path), await press(path)])
    expect([answer.status, answer.text]).toEqual([410, expect.stringContaining('This link has expired.')]);
  expect(await row(workUnitId)).toMatchObject({ stateId: 'New' });
});

it('names one recipient alone, and is not in what is recorded', () => {
  expect(['Mara <Mara@Example.com>', ' mara@example.com ', 'a@x.org, b@x.org', 'a@x.org;b@x.org', 'nobody', ''].map(onlyRecipient)).toEqual(
    ['mara@example.com', 'mara@example.com', null, null, null, null],
  );
  const url = world.ackLinks.url({ workUnitId: 7, tenantId: home.tenantId, recipient });
  for (const text of [`Here: ${url}.`, `{"url":"${url}"}`, encodeURIComponent(url)])
    expect(withoutAckLinks(text)).not.toContain(url.slice(-20));
});

it('stands for {AckUrl} in the mail of a protocol and for {ackUrl} in its text, for those who may edit the unit', async () => {
  const protocol = await world.call(me, 'PUT', '/v1/protocols', {
    name: 'Outage',
    tenantId: home.tenantId,
    manualActions: 'Acknowledge at {ackUrl}',
  });
  const { protocolId } = protocol.body;
  await world.call(me, 'PUT', '/v1/protocolActions', {
    protocolId,
    actionDefinitionId: builtInAction.email,
    workUnitEventTypeId: 1,
    parameters: JSON.stringify({ To: recipient, Template: 'None', Subject: 'Down', Body: 'Acknowledge: {AckUrl}' }),
    runAutomatically: true,
  });
  const { workUnitId } = await unit({ protocolId });
  await expect.poll(() => automation.mails.length).toBe(1);
  const link = /http:\/\/localhost(\/ack\/\S+)/.exec(automation.mails[0]?.text ?? '')?.[1] ?? '';
  const { body } = await world.call(me, 'GET', `/v1/workunits/${workUnitId}/pendingActions`);
  const inText = /http:\/\/localhost(\/ack\/\S+)/.exec(String(body['manualActions']))?.[1] ?? '';
  await proves('[WU-061] the text has a link that acknowledges', async () => {
    expect((await open(inText)).text).toContain('>Acknowledge</button>');
  });
  const reader = holder([home.tenantId], ['CloudFit.CFS.WorkUnits:view']);
  const read = await world.call(reader, 'GET', `/v1/workunits/${workUnitId}/pendingActions`);
  expect(String(read.body['manualActions'])).not.toContain('/ack/');
  // A person who may read the tries of actions must not be able to acknowledge with their content.
  const tries = await expect
    .poll(async () => (await world.call(me, 'GET', `/v1/actionTries?$filter=workUnitId eq ${workUnitId}`)).text)
    .toContain('/ack/***')
    .then(() => world.call(me, 'GET', `/v1/actionTries?$filter=workUnitId eq ${workUnitId}`));
  expect(tries.text).not.toContain(link);
  expect((await press(link)).text).toContain('is acknowledged.');
  expect(await row(workUnitId)).toMatchObject({ stateId: 'Acknowledged', assignedTo: 'mara.o' });

  const { workUnitId: another } = await unit();
  await press(linkTo(another, null));
  expect(await row(another)).toMatchObject({ stateId: 'Acknowledged', assignedTo: null, modifiedBy: 'Acknowledge link' });
});

it('shows nothing of an internal error, and an outage as one', async () => {
  const failing = (error: Error) => {
    const app = fastify();
    mountAckPage(app, {
      links: { read: () => ({ tenantId: '', workUnitId: 1, recipient: null, isExpired: false }) } as never,
      units: {
        opened: () => Promise.resolve(),
        look: () => Promise.reject(error),
        acknowledge: () => Promise.reject(error),
        localeOf: () => Promise.resolve(undefined),
      },
    });
    return app.inject('/ack/x');
  };
  const internal = await failing(new Error('relation "work_unit" is secret'));
  expect([internal.statusCode, internal.body.includes('Something went wrong'), internal.body.includes('secret')]).toEqual([
    500,
    true,
    false,
  ]);
  expect((await failing(new ApiError('Unavailable', 'The database cannot be reached just now.'))).statusCode).toBe(503);
});

it('is in the language of the person to whom the link was sent, else in that of the browser', async () => {
  const { workUnitId, publicWorkUnitId } = await unit();
  const german = { 'accept-language': 'de' };
  const shown = async (to: string | null, headers = {}) => (await world.call(null, 'GET', linkTo(workUnitId, to), undefined, headers)).text;
  expect(await shown(null)).toContain('<html lang="en">');
  const inGerman = await shown(null, german);
  for (const part of ['<html lang="de">', `Vorgang #${publicWorkUnitId}`, '<dd>Neu</dd>', '>Bestätigen</button>'])
    expect(inGerman).toContain(part);
  expect((await world.call(null, 'GET', '/ack/x.y', undefined, german)).text).toContain('Dieser Link ist nicht gültig.');
  const choose = (language: string) =>
    world.system.db.query({
      text: "update person set locale = jsonb_build_object('language', $1::text, 'timeZone', 'Europe/Berlin') where user_name = 'mara.o'",
      values: [language],
    });
  await choose('en');
  expect(await shown(recipient, german)).toContain('<html lang="en">');
  await choose('de');
  expect((await press(linkTo(workUnitId))).text).toContain(`Vorgang #${publicWorkUnitId} ist bestätigt.`);
  expect(await shown(recipient)).toMatch(
    /Schon bestätigt von Mara Okafor, \d\d\.\d\d\.\d{4}, \d\d:\d\d ME(S)?Z\. Sein Zustand ist jetzt Bestätigt\./,
  );
});
