/** Selections by the version of the agent, which an agent says when it starts. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { followSelections } from './follow.ts';
import { enrolDevice } from '../../testing/enrolled-device.ts';
import { createWorld, holder, type TestWorld } from '../../testing/world.ts';

let world: TestWorld;
const everywhere = holder('all');
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

it('a device is in a selection while its agent has the version, from the start of the agent on', async () => {
  const home = await world.tenant();
  const { machine, deviceId, caller } = await enrolDevice(world, home);
  const version = async () => (await world.call(everywhere, 'GET', `/v1/devices(${deviceId})?$select=agentVersion`)).body['agentVersion'];
  expect(await version()).toBe(machine.agentVersion);
  const { body } = await world.call(everywhere, 'PUT', '/v1/deviceSelections', {
    name: 'Old agents',
    tenantId: home.tenantId,
    filter: "agentVersion eq '0.0.9'",
  });
  const members = async () =>
    (
      await world.call(everywhere, 'GET', `/v1/selectionMembers?$filter=deviceSelectionId eq ${String(body['deviceSelectionId'])}`)
    ).body.value?.map((row) => row['deviceId']);
  expect(await members()).toEqual([]);
  const start = (agentVersion: string) => world.call(caller, 'POST', '/v1/agent/register', { ...machine, agentVersion });
  expect((await start('0.0.9')).status).toBe(200);
  expect(await version()).toBe('0.0.9');
  await followSelections(world.database, world.system.log, false);
  expect(await members()).toEqual([deviceId]);
  await start(machine.agentVersion);
  await followSelections(world.database, world.system.log, false);
  expect(await members()).toEqual([]);
});
