/** Limits of new machines per token, counted by all servers together, and of pending devices per tenant. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { limits } from '@cloudfit/contract/limits.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../../testing/world.ts';

let world: TestWorld;
let tenantId: string;
let admin: TestCaller;

beforeAll(async () => {
  world = await createWorld();
  ({ tenantId } = await world.tenant());
  admin = holder([tenantId]);
});
afterAll(() => world.close());

async function token(body: object = {}): Promise<{ id: string; caller: TestCaller }> {
  const created = await world.call(admin, 'PUT', '/v1/tokens', { name: 'agents', lifetimeYears: 1, tenantId, ...body });
  expect(created.status).toBe(201);
  const id = String(created.body['tokenGrantId']);
  return { id, caller: { ...holder([tenantId], []), actor: { kind: 'token', id, name: 'agents', scopes: ['agent'] } } };
}
const register = (caller: TestCaller, machineKey: string = randomUUID()) =>
  world.call(caller, 'POST', '/v1/agent/register', {
    machineKey,
    machineName: 'web-01',
    operatingSystem: 'linux',
    architecture: 'x64',
    agentVersion: '1.0.0',
  });
const get = async (id: string) => (await world.call(admin, 'GET', `/v1/tokens(${id})`)).body;
const change = (id: string, body: object) => world.call(admin, 'POST', `/v1/tokens/${id}`, body);
const message = (answer: { body: Record<string, unknown> }) => (answer.body['error'] as { message: string }).message;
const aMinuteLater = (id: string) =>
  world.system.db.query({
    text: "update token_grant set enrolling_since = enrolling_since - interval '61 seconds' where token_grant_id = $1",
    values: [id],
  });

it('is 50 a minute and 1,000 in all, unless the token says otherwise', async () => {
  const { id } = await token();
  expect(await get(id)).toMatchObject({ machinesPerMinute: 50, machinesInAll: 1_000, machinesEnrolled: 0 });
  expect((await change(id, { machinesPerMinute: 3, machinesInAll: 5 })).body).toMatchObject({ machinesPerMinute: 3, machinesInAll: 5 });
  for (const body of [{ machinesPerMinute: 0 }, { machinesInAll: -1 }, { machinesInAll: 1.5 }])
    expect((await change(id, body)).status).toBe(400);
  // Only the server changes the counter.
  expect((await change(id, { machinesEnrolled: 7 })).body['machinesEnrolled']).toBe(0);
});

it('stops at the limits, however many come at once, with the reason; known machines and later minutes go on', async () => {
  const { id, caller } = await token({ machinesPerMinute: 3, machinesInAll: 5 });
  const knownMachine = randomUUID();
  expect((await register(caller, knownMachine)).status).toBe(200);
  const answers = await Promise.all(Array.from({ length: 8 }, () => register(caller)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(2);
  const refused = answers.find(({ status }) => status === 429);
  expect(refused && message(refused)).toBe('This token may enrol 3 new machines a minute. Please try again in a minute.');
  expect(refused?.headers['retry-after']).toBe('60');
  expect((await register(caller, knownMachine)).status).toBe(200);
  expect(await get(id)).toMatchObject({ machinesEnrolled: 3 });

  await aMinuteLater(id);
  for (const status of [200, 200, 429]) expect((await register(caller)).status).toBe(status);
  await aMinuteLater(id);
  const last = await register(caller);
  expect([last.status, message(last)]).toEqual([
    429,
    'This token has enrolled 5 machines, which is its limit. Raise the limit, or use another token.',
  ]);
  await change(id, { machinesInAll: 6 });
  expect((await register(caller)).status).toBe(200);
  expect((await register((await token()).caller)).status).toBe(200);
});

it('stops while too many machines of the tenant wait', async () => {
  const { caller } = await token();
  await world.system.db.query({
    text: `insert into pending_device (tenant_id, machine_key, machine_name, operating_system, architecture)
      select $1, gen_random_uuid(), 'web', 'linux', 'x64' from generate_series(1, $2::int)`,
    values: [tenantId, limits.pendingDevices],
  });
  const refused = await register(caller);
  expect([refused.status, message(refused)]).toMatchObject([429, expect.stringContaining('Promote or delete some of them.')]);
});
