/** Destinations that fail: spared by all workers alike, disabled with a notice, taken up again. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Circuit } from '../outbound/circuit.ts';
import { createWorld, holder, type World } from '../testing/world.ts';
import { destinationCircuit } from './destinations.ts';

let world: World;
let home: { tenantId: string };
let circuit: Circuit;
let other: Circuit;
const origin = 'https://hook.example.com';

beforeAll(async () => {
  world = await createWorld();
  home = await world.tenant();
  [circuit, other] = [destinationCircuit(world.system.db), destinationCircuit(world.system.db)];
});
afterAll(() => world.close());

const rows = <T>(text: string, ...values: unknown[]) => world.system.db.query<T>({ text, values });
const overPause = () => rows("update destination set paused_until = now() - interval '1 second' where tenant_id = $1", home.tenantId);
async function failOnce(by = circuit): Promise<number> {
  expect(await by.pausedFor(origin, home.tenantId)).toBe(0);
  await by.record(origin, home.tenantId, 'The receiver answered 503.');
  return await other.pausedFor(origin, home.tenantId);
}

it('pauses after four failures in a row, doubles up to a day, and is one for all workers and one per tenant', async () => {
  const pauses: number[] = [];
  for (let n = 1; n <= 16; n++) {
    pauses.push(Math.round((await failOnce(n % 2 ? circuit : other)) / 60_000));
    await overPause();
  }
  expect(pauses).toEqual([0, 0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 1_440, 1_440]);
  expect(await circuit.pausedFor(origin, (await world.tenant()).tenantId)).toBe(0);
  // What was under way when the pause began counts once.
  await Promise.all([1, 2, 3].map(async () => circuit.record(origin, home.tenantId, 'x')));
  expect(await rows('select failures from destination where tenant_id = $1', home.tenantId)).toEqual([{ failures: 17 }]);
  await overPause();
  expect(await circuit.pausedFor(origin, home.tenantId)).toBe(0);
  await circuit.record(origin, home.tenantId, undefined);
  expect(await rows('select 1 from destination where tenant_id = $1', home.tenantId)).toEqual([]);
});

it('is disabled after forty, with a notice and an audit entry, until somebody removes it', async () => {
  await rows("update tenant set internal_notification_email_address = 'ops@example.com' where tenant_id = $1", home.tenantId);
  for (let n = 1; n < 40; n++) {
    await failOnce();
    await overPause();
  }
  expect(await failOnce()).toBe(Infinity);
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
  expect(await circuit.pausedFor(origin, home.tenantId)).toBe(0);
});
