/** Events to other systems: what a receiver gets, in which order, and what happens when it does not take it. */
import { HTTP, type CloudEvent as SdkEvent } from 'cloudevents';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { z } from 'zod';
import { systemCtx } from '../../auth/system-ctx.ts';
import { rewrapAll } from '../../auth/rotate-master-key.ts';
import { masterKeysInUse } from '../../auth/keys-in-use.ts';
import { lostEventsWork, sendEventName } from '../../features/event-subscriptions/wake.ts';
import { jobRegistry } from '../../jobs/job.ts';
import { startWorker } from '../../jobs/worker.ts';
import { destinationBreaker } from '../destinations.ts';
import { openOutboundHttp } from '../../outbound/http.ts';
import { until } from '../../rules/testing/flow.ts';
import { attemptOf } from '../../testing/attempt.ts';
import { openReceiver } from './testing/event-receiver.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../testing/world.ts';
import { sendEventJob } from './send-event.job.ts';

interface Sent {
  id: string;
  type: string;
  subject: string;
  sequence: string;
  data: Record<string, Record<string, unknown>>;
}

let world: TestWorld;
let receiver: Awaited<ReturnType<typeof openReceiver>>;
let tenantId: string;
let me: TestCaller;
const outbound = openOutboundHttp({ allow: ['127.0.0.1'] });
const parts = () => ({
  http: outbound,
  masterKey: world.masterKey,
  hopCounts: world.hopCounts,
  publicUrl: 'http://localhost',
  secrets: world.secrets,
  ackLinks: world.ackLinks,
});
const job = () => sendEventJob(parts());

beforeAll(async () => {
  world = await createWorld();
  receiver = await openReceiver();
});
beforeEach(async () => {
  ({ tenantId } = await world.tenant());
  me = holder([tenantId]);
  receiver.received = [];
  receiver.answer = undefined;
  await rows("delete from job where name = 'send-event'");
});
afterAll(async () => {
  receiver.close();
  await outbound.close();
  await world.close();
});

const rows = <T = object>(text: string, ...values: unknown[]) => world.system.db.query<T>({ text, values });

/** Runs the queued jobs, those of later too, until none is left. */
async function work(): Promise<void> {
  const { schema, run } = job();
  for (;;) {
    const due = await rows<{ payload: unknown; correlation_id: string }>(
      `with d as (delete from job where name = $1 returning job_id, payload, correlation_id) select payload, correlation_id from d order by job_id`,
      sendEventName,
    );
    if (due.length === 0) return;
    for (const { payload, correlation_id: correlationId } of due) {
      const ctx = systemCtx({ database: world.database, log: world.system.log, name: 'Automation', correlationId });
      await run(ctx, (schema as z.ZodType).parse(payload), attemptOf(1, receiver.origin));
    }
  }
}

const soon = () => rows('update event_delivery set next_attempt = now() where next_attempt is not null');

async function subscribe(body: object = {}, caller = me): Promise<{ id: string; secret: string }> {
  const created = await world.call(caller, 'PUT', '/v1/eventSubscriptions', {
    name: 'Bus',
    entity: 'workUnits',
    address: `${receiver.origin}/bus`,
    tenantId,
    ...body,
  });
  expect(created.status, created.text).toBe(201);
  return { id: String(created.body['eventSubscriptionId']), secret: String(created.body['generatedSecret']) };
}

async function openUnit(fields: object = {}, owner = tenantId): Promise<number> {
  const body = { title: 'Disk full', severityId: 'Sev1', workUnitTypeId: 1, tenantId: owner, ...fields };
  const created = await world.call(holder([owner]), 'PUT', '/v1/workUnits', body);
  expect(created.status, created.text).toBe(201);
  return Number(created.body['workUnitId']);
}

const change = (id: number, fields: object) => world.call(me, 'POST', `/v1/workUnits/${id}`, fields);
const events = () => receiver.received.map(({ text }) => JSON.parse(text) as Sent);
const stateOf = async (id: string) => (await world.call(me, 'GET', `/v1/eventSubscriptions/${id}`)).body;
const log = async (id: string, caller = me) =>
  (await world.call(caller, 'GET', `/v1/eventDeliveries?$filter=eventSubscriptionId eq ${id}&$orderby=eventDeliveryId`)).body.value ?? [];
const post = (path: string, body?: object, caller = me) => world.call(caller, 'POST', `/v1/eventSubscriptions/${path}`, body);

it('sends a unit that moves in without what it was elsewhere', async () => {
  const there = await world.tenant();
  await subscribe();
  const unit = await openUnit({ title: 'Secret of another customer' }, there.tenantId);
  const both = holder([tenantId, there.tenantId]);
  expect((await world.call(both, 'POST', `/v1/workUnits/${unit}`, { tenantId, title: 'Disk full' })).status).toBe(200);
  await work();
  expect(events().map(({ data }) => data['changes'])).toEqual([{ title: { from: null, to: 'Disk full' } }]);
});

it('sends nothing of a unit that has moved away before its event went out', async () => {
  const there = await world.tenant();
  const { id } = await subscribe();
  const unit = await openUnit();
  const both = holder([tenantId, there.tenantId]);
  const moved = { tenantId: there.tenantId, title: 'Secret of another customer' };
  expect((await world.call(both, 'POST', `/v1/workUnits/${unit}`, moved)).status).toBe(200);
  await work();
  expect([events(), await log(id)]).toEqual([[], []]);
});

it('sends changes of a unit in their order, each signed and with the values of its time', async () => {
  const { id, secret } = await subscribe();
  const unit = await openUnit();
  await change(unit, { title: 'Disk full on web-1' });
  await change(unit, { stateId: 'Acknowledged' });
  await world.call(me, 'PUT', '/v1/workUnitNotes', { workUnitId: unit, detail: 'I am on it.' });
  await change(unit, { stateId: 'Resolved', resolution: 'Cleaned up.' });
  await work();
  const verified = receiver.received.map(
    ({ text, headers }) => new Webhook(secret).verify(text, headers as Record<string, string>) as Sent,
  );
  expect(verified.map(({ type }) => type)).toEqual(
    ['opened', 'changed', 'state', 'note', 'state'].map((kind) => `cloudfit.workunit.${kind}`),
  );
  expect(new Set(verified.map(({ subject }) => subject))).toEqual(new Set([`workUnits/${unit}`]));
  expect(verified[2]?.data).toMatchObject({
    workUnit: { workUnitId: unit, stateId: 'Acknowledged', tenantId },
    changes: { stateId: { from: 'New', to: 'Acknowledged' } },
  });
  expect(verified[1]?.data['changes']).toEqual({ title: { from: 'Disk full', to: 'Disk full on web-1' } });
  expect(verified[3]?.data['note']).toMatchObject({ detail: 'I am on it.' });
  expect(verified.map(({ sequence }) => sequence)).toEqual(verified.map(({ sequence }) => sequence).toSorted());
  const parsed = receiver.received.map(
    ({ headers, text }) => HTTP.toEvent({ headers: headers as Record<string, string>, body: text }) as SdkEvent<unknown>,
  );
  expect(parsed.every((event) => event.validate())).toBe(true);
  expect(() =>
    new Webhook(`whsec_${Buffer.from('another').toString('base64')}`).verify(
      receiver.received[0]?.text ?? '',
      receiver.received[0]?.headers as Record<string, string>,
    ),
  ).toThrow('No matching signature');
  expect(receiver.received[0]?.headers['webhook-id']).toBe(verified[0]?.id);
  expect((await log(id)).map(({ status }) => status)).toEqual(Array.from({ length: 5 }, () => 'Delivered'));
  // The secret is nowhere to be read again.
  const stored = await rows('select s::text as row from event_subscription s where event_subscription_id = $1', id);
  expect(JSON.stringify([await stateOf(id), stored])).not.toContain(secret.slice(6));
});

it('sends in the binary mode with attributes that are safe in headers', async () => {
  const { secret } = await subscribe({ format: 'Binary', onOpened: true });
  await openUnit({ title: 'Ölfilter' });
  await work();
  const { headers, text } = receiver.received[0] ?? { headers: {}, text: '' };
  new Webhook(secret).verify(text, headers as Record<string, string>);
  const event = HTTP.toEvent({ headers: headers as Record<string, string>, body: text }) as SdkEvent<{ workUnit: { title: string } }>;
  expect([event.type, event.data?.workUnit.title]).toEqual(['cloudfit.workunit.opened', 'Ölfilter']);
});

it('sends matches and communications, to those who subscribe to them, by filter and kind', async () => {
  await subscribe({ entity: 'ruleMatches', address: `${receiver.origin}/matches` });
  await subscribe({ entity: 'workUnitCommunications', address: `${receiver.origin}/news`, onOpened: false });
  await subscribe({ address: `${receiver.origin}/sev1`, filter: "severityId eq 'Sev1' and tenant/name ne 'x'", onChanged: false });
  await rows(
    `insert into rule_match (tenant_id, rule_id, subject_id, label, expires, first_match, last_match, correlation_id)
     values ($1, uuidv7(), uuidv7(), 'High CPU on web-1', now() + interval '5 minutes', now(), now(), uuidv7())`,
    tenantId,
  );
  await rows('update rule_match set match_count = match_count + 1 where tenant_id = $1', tenantId);
  await rows('update rule_match set closed = now() where tenant_id = $1', tenantId);
  const news = await world.call(me, 'PUT', '/v1/workUnitCommunications', {
    title: 'Slow mail',
    tenantId,
    nextUpdate: '2036-05-01T08:00:00Z',
  });
  expect(news.status, news.text).toBe(201);
  const edited = await world.call(me, 'POST', `/v1/workUnitCommunications/${String(news.body['workUnitCommunicationId'])}`, {
    status: 'ServiceRestored',
  });
  expect(edited.status, edited.text).toBe(200);
  await openUnit({ severityId: 'Sev3' });
  await change(await openUnit(), { title: 'Told to nobody' });
  await work();
  const sent = events().map(({ type }, n) => `${receiver.received[n]?.path} ${type}`);
  expect(sent.toSorted()).toEqual([
    '/matches cloudfit.match.opened',
    '/matches cloudfit.match.state',
    '/news cloudfit.communication.state',
    '/sev1 cloudfit.workunit.opened',
  ]);
});

it('tries again with the same bytes and id, keeps the order of the unit, and lets other units pass', async () => {
  const { id } = await subscribe();
  const [broken, fine] = [await openUnit(), await openUnit()];
  await change(broken, { stateId: 'Acknowledged' });
  receiver.answer = ({ text }) => ((JSON.parse(text) as Sent).subject === `workUnits/${broken}` ? { status: 500 } : undefined);
  await work();
  expect(receiver.received.map(({ text }) => (JSON.parse(text) as Sent).subject)).toEqual([`workUnits/${broken}`, `workUnits/${fine}`]);
  const [first] = await log(id);
  expect(first).toMatchObject({
    status: 'Waiting',
    attempts: 1,
    answerStatus: 500,
    error: 'The receiver answered 500.',
    answer: 'what happened',
  });
  expect(Date.parse(String(first?.['nextAttempt'])) - Date.now()).toBeGreaterThan(1_000);
  const before = receiver.received[0];
  receiver.received = [];
  receiver.answer = undefined;
  await soon();
  await rows(
    `insert into job (name, payload, tenant_id, correlation_id) select 'send-event', jsonb_build_object('eventDeliveryId', $1::bigint), $2, uuidv7()`,
    first?.['eventDeliveryId'],
    tenantId,
  );
  await work();
  expect(receiver.received[0]?.text).toBe(before?.text);
  expect(receiver.received[0]?.headers['webhook-id']).toBe(before?.headers['webhook-id']);
  expect(events().map(({ type }) => type)).toEqual(['cloudfit.workunit.opened', 'cloudfit.workunit.state']);
  expect(await stateOf(id)).toMatchObject({ failingSince: null, problem: null });
});

it('pauses after days of failures and tells the tenant; resumed, it sends all of it in order', async () => {
  await rows("update tenant set internal_notification_email_address = 'desk@example.com' where tenant_id = $1", tenantId);
  const { id } = await subscribe();
  const unit = await openUnit();
  receiver.answer = () => ({ status: 503 });
  for (let n = 0; n < 11; n += 1) {
    await work();
    await soon();
    await rows(
      `insert into job (name, payload, tenant_id, correlation_id) select 'send-event', jsonb_build_object('eventDeliveryId', event_delivery_id), tenant_id, uuidv7() from event_delivery where event_subscription_id = $1 and next_attempt is not null`,
      id,
    );
  }
  expect(receiver.received).toHaveLength(11);
  expect(await stateOf(id)).toMatchObject({ paused: expect.any(String), problem: 'The receiver answered 503.', enabled: true });
  const mails = await rows<{ payload: { subject: string; to: string } }>(
    "select payload from job where name = 'send-mail' and tenant_id = $1",
    tenantId,
  );
  expect(mails.map(({ payload }) => [payload.to, payload.subject])).toEqual([['desk@example.com', 'The event subscription Bus is paused']]);
  expect(await rows("select verb from audit where entity_id = $1 and verb = 'pause'", id)).toHaveLength(1);
  receiver.answer = undefined;
  receiver.received = [];
  await change(unit, { stateId: 'Acknowledged' });
  await work();
  expect(receiver.received).toEqual([]);
  expect((await post(`${id}/resume`)).body).toEqual({ waiting: 2 });
  await work();
  expect(events().map(({ type }) => type)).toEqual(['cloudfit.workunit.opened', 'cloudfit.workunit.state']);
});

it('gives up an event that its receiver refuses while it takes others', async () => {
  const { id } = await subscribe();
  const unit = await openUnit();
  await change(unit, { title: 'Next' });
  receiver.answer = ({ text }) => ((JSON.parse(text) as Sent).type.endsWith('opened') ? { status: 400 } : undefined);
  await work();
  await rows(
    "update event_delivery set attempts = 10, next_attempt = now() where event_subscription_id = $1 and status = 'Waiting' and attempts = 1",
    id,
  );
  await rows("update event_subscription set last_delivered = now() + interval '1 hour' where event_subscription_id = $1", id);
  await rows(
    `insert into job (name, payload, tenant_id, correlation_id) select 'send-event', jsonb_build_object('eventDeliveryId', min(event_delivery_id)), $2, uuidv7() from event_delivery where event_subscription_id = $1`,
    id,
    tenantId,
  );
  await work();
  expect((await log(id)).map(({ status }) => status)).toEqual(['Failed', 'Delivered']);
  expect(await stateOf(id)).toMatchObject({ paused: null });
  receiver.received = [];
  receiver.answer = undefined;
  const again = await post(`${id}/redeliver`, { from: '2020-01-01T00:00:00Z', failedOnly: true });
  expect(again.body).toEqual({ queued: 1 });
  await work();
  expect(events().map(({ type }) => type)).toEqual(['cloudfit.workunit.opened']);
});

it('ends at 410, and holds everything back at 429 for as long as the receiver asks', async () => {
  const ended410 = await subscribe({ address: `${receiver.origin}/gone` });
  const busy = await subscribe({ address: `${receiver.origin}/busy` });
  receiver.answer = ({ path }) => (path === '/gone' ? { status: 410 } : { status: 429, headers: { 'retry-after': '120' } });
  await openUnit();
  await openUnit();
  const { schema, run } = job();
  const due = await rows<{ payload: unknown }>(
    "with d as (delete from job where name = 'send-event' returning job_id, payload) select payload from d order by job_id",
  );
  const ended: unknown[] = [];
  for (const { payload } of due) {
    const done = run(world.system, (schema as z.ZodType).parse(payload), attemptOf(1, receiver.origin));
    ended.push(
      await done.then(
        () => 'ran',
        (error: unknown) => error,
      ),
    );
  }
  expect(receiver.received.map(({ path }) => path).toSorted()).toEqual(['/busy', '/gone']);
  expect(ended.filter((outcome) => outcome !== 'ran')).toEqual([expect.objectContaining({ name: 'NotDue' })]);
  expect(await stateOf(ended410.id)).toMatchObject({ enabled: false, problem: 'The receiver answered 410: it takes no more events.' });
  expect((await log(ended410.id)).map(({ status }) => status)).toEqual(['Canceled', 'Canceled']);
  const [first] = await log(busy.id);
  expect(Date.parse(String(first?.['nextAttempt'])) - Date.now()).toBeGreaterThan(100_000);
  await openUnit();
  expect(await log(ended410.id)).toHaveLength(2);
});

it('signs with both secrets for a day after a new one, and survives a new master key', async () => {
  const { id, secret } = await subscribe();
  const renewed = await world.call(me, 'PUT', `/v1/eventSubscriptions/${id}/secret`);
  const next = String(renewed.body['generatedSecret']);
  expect(await masterKeysInUse(world.system.db)).toEqual(world.masterKey.ids().slice(0, 1));
  await world.system.db.transaction((db) => rewrapAll(db, world.masterKey));
  await openUnit();
  await work();
  const verify = (key: string) =>
    new Webhook(key).verify(receiver.received[0]?.text ?? '', receiver.received[0]?.headers as Record<string, string>);
  expect([verify(secret), verify(next)]).toHaveLength(2);
  await rows("update event_subscription set previous_until = now() - interval '1 second' where event_subscription_id = $1", id);
  receiver.received = [];
  await openUnit();
  await work();
  verify(next);
  expect(() => verify(secret)).toThrow('No matching signature');
});

it('sends a test also while it is paused, and says how it ended', async () => {
  const { id, secret } = await subscribe({ enabled: false });
  const created = await post(`${id}/test`);
  expect(created.status, created.text).toBe(200);
  await work();
  new Webhook(secret).verify(receiver.received[0]?.text ?? '', receiver.received[0]?.headers as Record<string, string>);
  expect(await log(id)).toMatchObject([{ eventDeliveryId: created.body['eventDeliveryId'], type: 'cloudfit.test', status: 'Delivered' }]);
  receiver.answer = () => ({ status: 404 });
  await post(`${id}/test`);
  await work();
  expect((await log(id))[1]).toMatchObject({ status: 'Failed', answerStatus: 404 });
  expect((await post(`${id}/test`, undefined, holder([tenantId], ['CloudFit.CFS.Settings:view']))).status).toBe(403);
  expect((await post(`${id}/test`, undefined, holder([(await world.tenant()).tenantId]))).status).toBe(404);
  expect((await post(`${id}/redeliver`, {})).body).toMatchObject({ error: { details: [{ target: 'eventDeliveryIds' }] } });
});

it('is for all tenants or a group only of those who hold the right in all, and no tenant learns of it', async () => {
  const { tenantId: member } = await world.tenant();
  const all = holder('all');
  const group = await world.call(all, 'PUT', '/v1/tenantGroups', { name: `Group ${member}`, tenantIds: [member] });
  expect(group.status, group.text).toBe(201);
  expect(
    (await world.call(me, 'PUT', '/v1/eventSubscriptions', { name: 'All', entity: 'workUnits', address: `${receiver.origin}/all` })).status,
  ).toBe(403);
  const { id } = await subscribe({ tenantId: null, tenantGroupId: group.body['tenantGroupId'], address: `${receiver.origin}/group` }, all);
  await openUnit({}, member);
  await openUnit();
  await work();
  expect(events().map(({ data }) => data['workUnit']?.['tenantId'])).toEqual([member]);
  const their = holder([member]);
  expect((await world.call(their, 'GET', `/v1/eventSubscriptions/${id}`)).status).toBe(404);
  expect([(await log(id, their)).length, (await log(id, all)).length]).toEqual([0, 1]);
  expect(await world.ctx(their).db.query({ text: 'select 1 from event_subscription' })).toEqual([]);
  await world.call(all, 'DELETE', `/v1/eventSubscriptions/${id}`);
});

it('refuses addresses that are never called, filters that lists refuse, and events that the caller may not view', async () => {
  const wrong = async (body: object, caller = me) =>
    (
      await world.call(caller, 'PUT', '/v1/eventSubscriptions', {
        name: 'Bus',
        entity: 'workUnits',
        address: `${receiver.origin}/bus`,
        tenantId,
        ...body,
      })
    ).body;
  expect(await wrong({ address: 'http://10.0.0.1/x' })).toMatchObject({ error: { details: [{ target: 'address' }] } });
  expect(await wrong({ address: 'https://me:secret@hook.example.com/' })).toMatchObject({ error: { details: [{ target: 'address' }] } });
  expect(await wrong({ filter: 'severity eq 1' })).toMatchObject({
    error: { details: [{ target: 'filter', message: expect.stringContaining('severity') }] },
  });
  expect(await wrong({ onOpened: false, onState: false, onChanged: false, onNote: false })).toMatchObject({
    error: { details: [{ target: 'onOpened' }] },
  });
  const settings = holder([tenantId], ['CloudFit.CFS.Settings:view', 'CloudFit.CFS.Settings:create']);
  expect(await wrong({}, settings)).toMatchObject({ error: { details: [{ target: 'entity' }] } });
});

it('loses nothing with a worker that is killed, or a job that is lost, and delivers by real workers', async () => {
  const { id } = await subscribe();
  await openUnit();
  // A worker was killed while it sent: its claim is younger than two minutes, but its job runs again.
  await rows(
    "update event_delivery set claimed_by = (select job_id from job where name = 'send-event'), claimed_until = now() + interval '2 minutes' where event_subscription_id = $1",
    id,
  );
  const http = openOutboundHttp({ allow: ['127.0.0.1'], breaker: destinationBreaker(world.system.db) });
  const worker = await startWorker({
    dataFolder: 'test',
    database: world.database,
    log: world.system.log,
    jobs: jobRegistry([sendEventJob({ ...parts(), http })]),
    ctxFor: ({ correlationId }) => systemCtx({ database: world.database, log: world.system.log, name: 'Automation', correlationId }),
  });
  await until(() => receiver.received.length === 1);
  const other = await openUnit();
  await until(() => receiver.received.length === 2);
  await worker.stop();
  await change(other, { title: 'Lost' });
  await rows("delete from job where name = 'send-event'");
  await rows(
    "update event_delivery set occurred = now() - interval '11 minutes' where event_subscription_id = $1 and status = 'Waiting'",
    id,
  );
  await lostEventsWork.run(world.system.db);
  await lostEventsWork.run(world.system.db);
  await work();
  expect(receiver.received).toHaveLength(3);
  await http.close();
});

it('counts the installations that the cause of an event has gone through', async () => {
  await subscribe();
  await subscribe({ name: 'Matches', entity: 'ruleMatches' });
  const rule = await rows<{ id: string }>(
    `insert into rule_match (tenant_id, rule_id, subject_id, label, expires, first_match, last_match, rule_packet, correlation_id)
      values ($1, gen_random_uuid(), gen_random_uuid(), 'From elsewhere', now() + interval '1 day', now(), now(), $2, gen_random_uuid()) returning rule_match_id as id`,
    tenantId,
    JSON.stringify({ Properties: { cloudfithops: '3' } }),
  );
  const [first, second] = [await openUnit(), await openUnit()];
  await rows('update work_unit set opened_by_rule_match_id = $2 where work_unit_id = $1', first, rule[0]?.id);
  await work();
  const counted = events().map(({ subject, ...event }) => [subject, (event as unknown as { cloudfithops: number }).cloudfithops]);
  expect(Object.fromEntries(counted)).toEqual({ [`workUnits/${first}`]: 4, [`workUnits/${second}`]: 1, [`ruleMatches/${rule[0]?.id}`]: 4 });
});
