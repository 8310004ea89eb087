/** The page behind the link in a message: whose name it acts in, and what it shows of the unit. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { personIn } from '../../testing/samples.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../testing/world.ts';
import { linkedUnits, type LinkedUnits } from './acknowledge-link.ts';

let world: TestWorld;
let tenantId: string;
let me: TestCaller;
let links: LinkedUnits;
beforeAll(async () => {
  world = await createWorld();
  ({ tenantId } = await world.tenant('Fjord Power'));
  me = holder([tenantId]);
  links = linkedUnits({ database: world.database, log: world.system.log });
});
afterAll(() => world.close());

const rows = <T = object>(text: string, ...values: unknown[]) => world.system.db.query<T>({ text, values });
const open = async (): Promise<number> =>
  Number(
    (await world.call(me, 'PUT', '/v1/workunits', { title: 'Pump is down', severityId: 'Sev2', workUnitTypeId: 1, tenantId })).body[
      'workUnitId'
    ],
  );
async function person(name: string, isVerified = true): Promise<string> {
  const id = await personIn(world, tenantId, name);
  const [row] = await rows<{ email: string | null }>(
    'update person set email_verified = $2 where person_id = $1 returning email',
    id,
    isVerified,
  );
  return row?.email ?? '';
}

it('names who acknowledged the unit last, in the name of the owner of a verified address alone', async () => {
  const workUnitId = await open();
  const by = async (recipient: string | null) => {
    const answer = await links.acknowledge({ workUnitId, tenantId, recipient }, '10.0.0.1');
    return [answer?.isNew, answer?.unit.stateId, (await links.look({ workUnitId, tenantId, recipient }))?.acknowledgedBy];
  };
  expect(await by(await person('Ada First'))).toEqual([true, 'Acknowledged', 'Ada First']);
  expect(await by(await person('Bo Late'))).toEqual([false, 'Acknowledged', 'Ada First']);
  await world.call(me, 'POST', `/v1/workunits/${workUnitId}`, { stateId: 'New' });
  const unverified = await person('Cy Unverified', false);
  expect(await by(unverified)).toEqual([true, 'Acknowledged', `Acknowledge link mailed to ${unverified}`]);
});

it('shows nothing of a disabled or another tenant, nor to somebody who may not edit units any more', async () => {
  const target = { workUnitId: await open(), tenantId, recipient: await person('Di Leaves') };
  expect(await links.look(target)).toMatchObject({ title: 'Pump is down', tenantName: 'Fjord Power', acknowledgedBy: null });
  const { tenantId: other } = await world.tenant();
  expect(await links.look({ ...target, tenantId: other, recipient: null })).toBeUndefined();
  const enable = (enabled: boolean) => rows('update tenant set enabled = $2 where tenant_id = $1', tenantId, enabled);
  await enable(false);
  expect(await links.look({ ...target, recipient: null })).toBeUndefined();
  expect(await links.acknowledge({ ...target, recipient: null }, '10.0.0.1')).toBeUndefined();
  await enable(true);
  await rows('delete from access_grant where person_id = (select person_id from person where email = $1)', target.recipient);
  expect(await links.look(target)).toBeUndefined();
  expect(await links.acknowledge(target, '10.0.0.1')).toBeUndefined();
  expect(await rows('select 1 from work_unit where work_unit_id = $1 and state_id = $2', target.workUnitId, 'New')).toHaveLength(1);
});
