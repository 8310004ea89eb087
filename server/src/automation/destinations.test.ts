/** Circuits of destinations that fail: one state for all workers; disabled with a notice; closed again. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CircuitBreaker } from '../outbound/circuit-breaker.ts';
import { createWorld, holder, type TestWorld } from '../testing/world.ts';
import { destinationBreaker } from './destinations.ts';

let world: TestWorld;
let home: { tenantId: string };
let breaker: CircuitBreaker;
let other: CircuitBreaker;
const origin = 'https://hook.example.com';

beforeAll(async () => {
  world = await createWorld();
  home = await world.tenant();
  [breaker, other] = [destinationBreaker(world.system.db), destinationBreaker(world.system.db)];
});
afterAll(() => world.close());

const rows = <T>(text: string, ...values: unknown[]) => world.system.db.query<T>({ text, values });
const overPause = () => rows("update destination set paused_until = now() - interval '1 second' where tenant_id = $1", home.tenantId);
async function failOnce(by = breaker): Promise<void> {
  const { state } = await by.enter(origin, home.tenantId);
  if (state !== 'closed' && state !== 'halfOpen') throw new Error(`No call may be made: ${state}`);
  await by.recordFailure(origin, home.tenantId, 'The receiver answered 503.', state);
}

it('opens after four failures in a row and lets one call a minute through, for all workers and for one tenant', async () => {
  for (let n = 1; n <= 4; n++) {
    expect(await other.enter(origin, home.tenantId)).toEqual({ state: 'closed', failures: n - 1 });
    await failOnce(n % 2 ? breaker : other);
  }
  // The pause stays a minute, however long the outage lasts.
  for (let n = 5; n <= 20; n++) {
    const state = await other.enter(origin, home.tenantId);
    expect(state).toEqual({ state: 'open', retryAfterMs: expect.toSatisfy((ms: number) => ms > 50_000 && ms < 60_001) });
    await overPause();
    await failOnce();
  }
  expect(await breaker.enter(origin, (await world.tenant()).tenantId)).toEqual({ state: 'closed', failures: 0 });
  // Calls that were running when the circuit opened do not count.
  await Promise.all([1, 2, 3].map(async () => breaker.recordFailure(origin, home.tenantId, 'x', 'closed')));
  expect(await rows('select failures from destination where tenant_id = $1', home.tenantId)).toEqual([{ failures: 20 }]);
  await overPause();
  const entered = await Promise.all([breaker, other, breaker, other].map(async (item) => item.enter(origin, home.tenantId)));
  expect(entered.map(({ state }) => state).toSorted()).toEqual(['halfOpen', 'open', 'open', 'open']);
  // The probe fails after 40 seconds.
  await rows("update destination set paused_until = paused_until - interval '40 seconds' where tenant_id = $1", home.tenantId);
  await breaker.recordFailure(origin, home.tenantId, 'The receiver took too long.', 'halfOpen');
  expect(await other.enter(origin, home.tenantId)).toMatchObject({
    state: 'open',
    retryAfterMs: expect.toSatisfy((ms: number) => ms <= 20_000),
  });
  await breaker.recordSuccess(origin, home.tenantId);
  expect(await rows('select 1 from destination where tenant_id = $1', home.tenantId)).toEqual([]);
});

it('is disabled after a day of failures, with a notice and an audit entry, until somebody removes it', async () => {
  await rows("update tenant set internal_notification_email_address = 'ops@example.com' where tenant_id = $1", home.tenantId);
  for (let n = 1; n <= 40; n++) {
    await failOnce();
    await overPause();
  }
  await rows("update destination set created = now() - interval '25 hours', failures = 38 where tenant_id = $1", home.tenantId);
  await failOnce();
  await overPause();
  await failOnce();
  expect(await other.enter(origin, home.tenantId)).toEqual({ state: 'disabled' });
  const [mail] = await rows<{ payload: Record<string, string> }>(
    "select payload from job where name = 'send-mail' and tenant_id = $1",
    home.tenantId,
  );
  expect(mail?.payload).toMatchObject({ to: 'ops@example.com', subject: `Calls to ${origin} are disabled` });
  const me = holder([home.tenantId]);
  const list = await world.call(me, 'GET', '/v1/destinations');
  expect(list.body.value).toMatchObject([{ origin, failures: 40, lastError: 'The receiver answered 503.', disabled: expect.any(String) }]);
  const id = String(list.body.value?.[0]?.['destinationId']);
  expect(await rows("select verb from audit where entity = 'destinations' and entity_id = $1", id)).toEqual([{ verb: 'disable' }]);
  expect((await world.call(holder([home.tenantId], ['CloudFit.CFS.Settings:view']), 'GET', '/v1/destinations')).status).toBe(403);
  expect((await world.call(holder([(await world.tenant()).tenantId]), 'DELETE', `/v1/destinations/${id}`)).status).toBe(404);
  expect((await world.call(me, 'DELETE', `/v1/destinations/${id}`)).status).toBe(204);
  expect(await breaker.enter(origin, home.tenantId)).toEqual({ state: 'closed', failures: 0 });
});

it('tells of each receiver that is disabled, in a mail of its own', async () => {
  const { tenantId } = await world.tenant();
  await rows("update tenant set internal_notification_email_address = 'ops@example.com' where tenant_id = $1", tenantId);
  const origins = ['https://one.example.com', 'https://two.example.com'];
  for (const each of origins) {
    await breaker.recordFailure(each, tenantId, 'x', 'closed');
    await rows(
      "update destination set created = now() - interval '25 hours', failures = 50 where tenant_id = $1 and origin = $2",
      tenantId,
      each,
    );
    await breaker.recordFailure(each, tenantId, 'x', 'halfOpen');
    expect(await breaker.enter(each, tenantId)).toEqual({ state: 'disabled' });
  }
  const mails = await rows<{ payload: { messageId: string; subject: string } }>(
    "select payload from job where name = 'send-mail' and tenant_id = $1 order by job_id",
    tenantId,
  );
  expect(mails.map(({ payload }) => payload.subject)).toEqual(origins.map((each) => `Calls to ${each} are disabled`));
  // A mail server and the mailbox know a repeated mail by its id.
  expect(new Set(mails.map(({ payload }) => payload.messageId)).size).toBe(2);
});
