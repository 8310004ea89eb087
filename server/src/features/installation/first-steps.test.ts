/** The first steps of an installation: by what it has, for administrators of the installation, until each has dismissed them. */
import { expect, it } from 'vitest';
import { permission } from '@cloudfit/contract/permissions.ts';
import { sampleBody } from '../../testing/samples.ts';
import { devices } from '@cloudfit/contract/resources/devices.ts';
import { rules } from '@cloudfit/contract/resources/rules.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../testing/world.ts';

const path = '/v1/installation/firstSteps';

async function administrator(world: TestWorld, name: string) {
  const [row] = await world.system.db.query<{ id: string }>({
    text: 'insert into person (name, user_name) values ($1, $2) returning person_id as id',
    values: [name, `${name.toLowerCase()}@example.com`],
  });
  return { ...holder('all'), actor: { kind: 'person', id: row?.id ?? '', name, userName: `${name.toLowerCase()}@example.com` } as const };
}

async function doneOf(world: TestWorld, caller: TestCaller) {
  const { body } = await world.call(caller, 'GET', path);
  return Object.fromEntries((body.value ?? []).map(({ kind, isDone }) => [kind, isDone]));
}

it('tells what is done, and disappears when all is', async () => {
  const world = await createWorld({ mailServerIsSet: true });
  try {
    const ada = await administrator(world, 'Ada');
    const home = await world.tenant('My organisation');
    const none = { customer: false, mailServer: true, machine: false, rule: false, colleague: false };
    expect(await doneOf(world, ada)).toEqual(none);
    await world.call(ada, 'PUT', '/v1/devices', await sampleBody(world, devices, home));
    expect(await doneOf(world, ada)).toEqual({ ...none, machine: true });
    await administrator(world, 'Bo');
    await world.call(ada, 'PUT', '/v1/rules', await sampleBody(world, rules, home));
    expect(await doneOf(world, ada)).toEqual({ ...none, machine: true, colleague: true, rule: true });
    await world.tenant('Alder Water');
    expect(await doneOf(world, ada)).toEqual({});
  } finally {
    await world.close();
  }
});

it('is for administrators of the installation, each until they have dismissed it, once', async () => {
  const world = await createWorld({ mailServerIsSet: false });
  try {
    const [ada, bo] = [await administrator(world, 'Ada'), await administrator(world, 'Bo')];
    const { tenantId } = await world.tenant();
    expect(await doneOf(world, ada)).toMatchObject({ mailServer: false, colleague: true });
    const ofTenant = { ...holder([tenantId]), actor: ada.actor };
    expect(await doneOf(world, ofTenant)).toEqual({});
    const dismiss = async (caller: TestCaller | null) => (await world.call(caller, 'POST', `${path}/dismiss`, {})).status;
    expect(await dismiss(null)).toBe(401);
    expect(await dismiss(ofTenant)).toBe(403);
    expect(await dismiss({ ...holder('all', [permission('Settings', 'view')]), actor: ada.actor })).toBe(403);
    expect(await dismiss(ada)).toBe(204);
    expect(await dismiss(ada)).toBe(204);
    expect(await doneOf(world, ada)).toEqual({});
    expect(await doneOf(world, bo)).toMatchObject({ mailServer: false });
    const entries = await world.system.db.query({
      text: "select 1 from audit where entity = 'people' and entity_id = $1 and after ? 'firstStepsDismissed'",
      values: [ada.actor.id],
    });
    expect(entries).toHaveLength(1);
    expect((await world.call(null, 'GET', path)).status).toBe(401);
  } finally {
    await world.close();
  }
});
