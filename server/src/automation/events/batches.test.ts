/** Several events in one call: which go together, in which order, and what happens when their receiver does not take them. */
import { HTTP, type CloudEvent as SdkEvent } from 'cloudevents';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { z } from 'zod';
import { systemCtx } from '../../auth/system-ctx.ts';
import { sendEventName } from '../../features/event-subscriptions/wake.ts';
import { NotDue } from '../../jobs/job.ts';
import { openOutboundHttp } from '../../outbound/http.ts';
import { attemptOf } from '../../testing/attempt.ts';
import { openReceiver, type ReceivedEvents } from './testing/event-receiver.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../testing/world.ts';
import { sendEventJob } from './send-event.job.ts';

interface Sent {
  id: string;
  type: string;
  subject: string;
  sequence: string;
  data: { workUnit: { workUnitId: number }; changes?: { title: { to: string } } };
}

let world: TestWorld;
let receiver: Awaited<ReturnType<typeof openReceiver>>;
let tenantId: string;
let me: TestCaller;
let answer: ((events: Sent[]) => { status: number; headers?: Record<string, string> }) | undefined;
const eventsOf = ({ text }: ReceivedEvents) => JSON.parse(text) as Sent[];
const outbound = openOutboundHttp({ allow: ['127.0.0.1'] });

beforeAll(async () => {
  world = await createWorld();
  receiver = await openReceiver();
  receiver.answer = ({ text }) => answer?.(JSON.parse(text) as Sent[]);
});
beforeEach(async () => {
  ({ tenantId } = await world.tenant());
  me = holder([tenantId]);
  receiver.received = [];
  answer = undefined;
  await rows("delete from job where name = 'send-event'");
});
afterAll(async () => {
  receiver.close();
  await outbound.close();
  await world.close();
});

const rows = <T = object>(text: string, ...values: unknown[]) => world.system.db.query<T>({ text, values });
let jobId = 0;
/** Runs the queued jobs, those of later too, until none is left; returns how many of them wait. */
async function work(): Promise<number> {
  const { schema, run } = sendEventJob({
    http: outbound,
    masterKey: world.masterKey,
    hopCounts: world.hopCounts,
    publicUrl: 'http://localhost',
    secrets: world.secrets,
    ackLinks: world.ackLinks,
  });
  let waiting = 0;
  for (;;) {
    const due = await rows<{ payload: unknown }>(
      'with d as (delete from job where name = $1 returning job_id, payload) select payload from d order by job_id',
      sendEventName,
    );
    if (due.length === 0) return waiting;
    for (const { payload } of due) {
      const ctx = systemCtx({ database: world.database, log: world.system.log, name: 'Automation' });
      jobId += 1;
      const attempt = { ...attemptOf(1, receiver.origin), lease: { jobId, worker: 'w' } };
      await run(ctx, (schema as z.ZodType).parse(payload), attempt).catch((error: unknown) => {
        if (!(error instanceof NotDue)) throw error;
        waiting += 1;
      });
    }
  }
}
/** Makes what waits due, and queues it as its owner does. */
async function again(id: string): Promise<void> {
  await rows('update event_delivery set next_attempt = now() where next_attempt is not null');
  await rows('update event_subscription set hold_until = null where event_subscription_id = $1', id);
  await world.call(me, 'POST', `/v1/eventSubscriptions/${id}/resume`);
  await work();
}

async function subscribe(fields: object = {}): Promise<{ id: string; secret: string }> {
  const body = { name: 'Lake', entity: 'workUnits', address: receiver.origin, tenantId, format: 'Batch', batchSeconds: 0, ...fields };
  const created = await world.call(me, 'PUT', '/v1/eventSubscriptions', body);
  expect(created.status, created.text).toBe(201);
  return { id: String(created.body['eventSubscriptionId']), secret: String(created.body['generatedSecret']) };
}
const names = new Map<number, string>();
async function openUnit(name: string): Promise<number> {
  const body = { title: `Unit ${name}`, severityId: 'Sev1', workUnitTypeId: 1, tenantId };
  const created = await world.call(me, 'PUT', '/v1/workUnits', body);
  expect(created.status, created.text).toBe(201);
  const id = Number(created.body['workUnitId']);
  names.set(id, name);
  return id;
}
/** What happened, as `a` for its opening and `a>x` for a change of its title to x. */
const labelOf = ({ data: { workUnit, changes } }: Sent) =>
  `${names.get(workUnit.workUnitId)}${changes ? changes.title.to.replace('Renamed ', '>') : ''}`;
const rename = (id: number, title: string) => world.call(me, 'POST', `/v1/workUnits/${id}`, { title: `Renamed ${title}` });
const statuses = async (id: string) =>
  (await rows<{ status: string }>('select status from event_delivery where event_subscription_id = $1 order by event_delivery_id', id)).map(
    ({ status }) => status,
  );
const sent = () => receiver.received.map((call) => eventsOf(call).map(labelOf));

it('sends what waits in full batches, in order and signed as one message', async () => {
  const { secret } = await subscribe({ batchSize: 3 });
  const unit = await openUnit('a');
  await rename(unit, '2');
  await openUnit('b');
  await rename(unit, '3');
  await openUnit('c');
  await work();
  expect(sent()).toEqual([
    ['a', 'a>2', 'b'],
    ['a>3', 'c'],
  ]);
  for (const { headers, text } of receiver.received) {
    expect(new Webhook(secret).verify(text, headers as Record<string, string>)).toHaveLength(JSON.parse(text).length as number);
    expect(headers['content-type']).toBe('application/cloudevents-batch+json; charset=utf-8');
    const read = HTTP.toEvent({ headers, body: text }) as SdkEvent[];
    expect(read.every((event) => event.validate())).toBe(true);
  }
  const numbers = receiver.received.flatMap((call) => eventsOf(call).map(({ sequence }) => sequence));
  expect(numbers).toEqual(numbers.toSorted());
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(2);
});

it('waits until a batch is full or its first event is old enough, and sends a test at once', async () => {
  const { id } = await subscribe({ batchSize: 3, batchSeconds: 60 });
  await openUnit('a');
  await openUnit('b');
  expect([await work(), receiver.received.length]).toEqual([2, 0]);
  await world.call(me, 'POST', `/v1/eventSubscriptions/${id}/test`);
  await work();
  expect(receiver.received.splice(0).map((call) => eventsOf(call).map(({ type }) => type))).toEqual([['cloudfit.test']]);
  await openUnit('c');
  await work();
  expect(sent()).toEqual([['a', 'b', 'c']]);
  receiver.received = [];
  await openUnit('d');
  expect(await work()).toBe(1);
  await rows("update event_delivery set occurred = occurred - interval '61 seconds' where event_subscription_id = $1", id);
  await again(id);
  expect(sent()).toEqual([['d']]);
});

it('tries a batch again as it was, and lets one event that is refused hold back its own unit alone', async () => {
  const { id } = await subscribe();
  answer = () => ({ status: 503 });
  const unit = await openUnit('a');
  await openUnit('b');
  await rename(unit, '2');
  await work();
  answer = undefined;
  await again(id);
  expect(sent()).toEqual([
    ['a', 'b', 'a>2'],
    ['a', 'b', 'a>2'],
  ]);
  expect(receiver.received[0]?.headers['webhook-id']).toBe(receiver.received[1]?.headers['webhook-id']);
  expect(await statuses(id)).toEqual(['Delivered', 'Delivered', 'Delivered']);
  receiver.received = [];
  answer = (events) => ({ status: events.some((event) => labelOf(event) === 'bad') ? 422 : 204 });
  const refused = await openUnit('bad');
  await openUnit('good');
  await rename(refused, '2');
  await work();
  await again(id);
  expect(sent()).toEqual([['bad', 'good', 'bad>2'], ['bad'], ['good']]);
  expect((await statuses(id)).slice(3)).toEqual(['Waiting', 'Delivered', 'Waiting']);
  answer = undefined;
  receiver.received = [];
  await again(id);
  expect(sent()).toEqual([['bad'], ['bad>2']]);
});

it('keeps the pause that a receiver asks for, and ends for all at 410', async () => {
  const { id } = await subscribe();
  answer = () => ({ status: 429, headers: { 'retry-after': '120' } });
  await openUnit('a');
  await openUnit('b');
  await work();
  await rows('update event_delivery set next_attempt = now() where event_subscription_id = $1', id);
  await openUnit('c');
  expect([await work(), receiver.received.length]).toEqual([1, 1]);
  answer = () => ({ status: 410 });
  await again(id);
  expect(receiver.received).toHaveLength(2);
  expect(await statuses(id)).toEqual(['Canceled', 'Canceled', 'Canceled']);
  expect((await world.call(me, 'GET', `/v1/eventSubscriptions/${id}`)).body).toMatchObject({ enabled: false });
  const mails = await rows("select 1 from job where name = 'send-mail' and tenant_id = $1", tenantId);
  expect(mails.length).toBeLessThan(2);
});

it('never overtakes an event whose batch is under way', async () => {
  const { id } = await subscribe();
  const unit = await openUnit('a');
  // Another process has claimed the first event, and its call lasts.
  await rows(
    "update event_delivery set claimed_by = 4711, claimed_until = now() + interval '1 minute' where event_subscription_id = $1",
    id,
  );
  await rename(unit, '2');
  await openUnit('b');
  await work();
  expect(sent()).toEqual([['b']]);
  await rows('update event_delivery set claimed_until = now() where event_subscription_id = $1', id);
  await again(id);
  expect(sent()).toEqual([['b'], ['a', 'a>2']]);
});
