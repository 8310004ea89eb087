/** Circuits of destinations that fail: one state for all workers, disabled with a notice, closed again. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CircuitBreaker, CircuitState } from '../outbound/circuit-breaker.ts';
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
async function failOnce(by = breaker): Promise<CircuitState> {
  expect((await by.stateOf(origin, home.tenantId)).state).toMatch(/closed|halfOpen/);
  await by.recordFailure(origin, home.tenantId, 'The receiver answered 503.');
  return await other.stateOf(origin, home.tenantId);
}

it('opens after four failures in a row for a time that doubles up to a day, for all workers and for one tenant', async () => {
  const minutes: (number | string)[] = [];
  for (let n = 1; n <= 16; n++) {
    const state = await failOnce(n % 2 ? breaker : other);
    minutes.push(state.state === 'open' ? Math.round(state.retryAfterMs / 60_000) : state.state);
    await overPause();
  }
  expect(minutes).toEqual(['closed', 'closed', 'closed', 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 1_440, 1_440]);
  expect(await breaker.stateOf(origin, (await world.tenant()).tenantId)).toEqual({ state: 'closed', failures: 0 });
  // What was under way when the circuit opened counts once.
  await Promise.all([1, 2, 3].map(async () => breaker.recordFailure(origin, home.tenantId, 'x')));
  expect(await rows('select failures from destination where tenant_id = $1', home.tenantId)).toEqual([{ failures: 17 }]);
  await overPause();
  expect(await breaker.stateOf(origin, home.tenantId)).toEqual({ state: 'halfOpen', failures: 17 });
  await breaker.recordSuccess(origin, home.tenantId);
  expect(await rows('select 1 from destination where tenant_id = $1', home.tenantId)).toEqual([]);
});

it('is disabled after forty, with a notice and an audit entry, until somebody removes it', async () => {
  await rows("update tenant set internal_notification_email_address = 'ops@example.com' where tenant_id = $1", home.tenantId);
  for (let n = 1; n < 40; n++) {
    await failOnce();
    await overPause();
  }
  expect(await failOnce()).toEqual({ state: 'disabled' });
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
  expect(await breaker.stateOf(origin, home.tenantId)).toEqual({ state: 'closed', failures: 0 });
});
