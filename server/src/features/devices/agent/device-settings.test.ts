/** The settings of devices that many agents request at the same moment are read together. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld, holder, type TestWorld } from '../../../testing/world.ts';
import { readSettings } from './device-settings.ts';

let world: TestWorld;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

it('reads the configurations of 120 agents in a few statements, each of its own device and tenant', async () => {
  const home = await world.tenant();
  const other = await world.tenant();
  const add = async (tenantId: string, subscriptionId: string, count: number) =>
    (
      await world.system.db.query<{ id: string }>({
        text: `insert into device (tenant_id, subscription_id, name) select $1, $2, 'Pump ' || n from generate_series(1, $3::int) n returning device_id as id`,
        values: [tenantId, subscriptionId, count],
      })
    ).map((row) => row.id);
  const ids = await add(home.tenantId, home.subscriptionId, 120);
  const [foreign = ''] = await add(other.tenantId, other.subscriptionId, 1);
  const ctx = world.ctx(holder([home.tenantId]));
  let statements = 0;
  const query = new Proxy(ctx.db.query, {
    apply: (target, self, args) => {
      statements += 1;
      return Reflect.apply(target, self, args);
    },
  });
  const counting = { ...ctx, db: { ...ctx.db, query } };
  const read = await Promise.all([...ids, foreign].map((deviceId) => readSettings(counting, { deviceId, registrationId: randomUUID() })));
  expect(read.map((item) => item?.device_id)).toEqual([...ids, undefined]);
  expect(statements).toBeLessThan(8);
});
