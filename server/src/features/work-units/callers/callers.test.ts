/** Callers are recognized by numbers and addresses of units that the operator may see, and by nothing else. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../../testing/world.ts';

let world: TestWorld;
let tenantId: string;
let otherId: string;
let desk: TestCaller;

beforeAll(async () => {
  world = await createWorld();
  ({ tenantId } = await world.tenant('North plant'));
  ({ tenantId: otherId } = await world.tenant('South plant'));
  desk = holder([tenantId]);
});
afterAll(() => world.close());

async function open(body: object): Promise<number> {
  const unit = { title: 'Mail is slow', severityId: 'Sev3', workUnitTypeId: 1, tenantId, ...body };
  const answer = await world.call(holder([tenantId, otherId]), 'PUT', '/v1/workunits', unit);
  expect(answer.body['error']).toBeUndefined();
  return Number(answer.body['workUnitId']);
}
const callers = async (input: object, by = desk) =>
  (await world.call(by, 'POST', '/v1/workunits/callers', input)).body.value as Record<string, unknown>[];

it('tells tenant, name, usual category and open units of a number or an address, in tenants that the operator sees', async () => {
  const category = async (name: string, isEnabled = true) =>
    String(
      (await world.call(desk, 'PUT', '/v1/workunitcategories', { name, workUnitTypeId: 1, tenantId, isEnabled })).body[
        'workUnitCategoryId'
      ],
    );
  const [mail, print] = [await category('Mail'), await category('Print')];
  const ada = { stakeHolderFullName: 'Ada Byron', stakeHolderPhoneNumber: '+47 22 71 83 94', stakeHolderEmailAddress: 'Ada@North.example' };
  const ended = await open({ ...ada, workUnitCategoryId: mail });
  await world.call(desk, 'POST', `/v1/workunits/${ended}`, { stateId: 'Canceled' });
  const first = await open({ ...ada, workUnitCategoryId: mail });
  const last = await open({ stakeHolderPhoneNumber: '(022) 718394', workUnitCategoryId: print, title: 'Paper jam' });
  await open({ ...ada, tenantId: otherId });
  // Neither the number in a text, nor a longer one, is the caller's.
  await open({ title: 'Order 22718394', stakeHolderFullName: 'Bo' });
  await open({ stakeHolderFullName: 'Bo', stakeHolderPhoneNumber: '227183940' });
  await open({ ...ada, isSpamCall: true, stakeHolderFullName: 'Spam' });

  const expected = {
    tenantId,
    tenant: 'North plant',
    name: 'Ada Byron',
    phone: '(022) 718394',
    email: 'Ada@North.example',
    category: { id: mail, name: 'Mail' },
    open: [
      expect.objectContaining({ workUnitId: last, title: 'Paper jam', stateId: 'New', severityId: 'Sev3' }),
      expect.objectContaining({ workUnitId: first }),
    ],
  };
  for (const phone of ['+4722718394', '22718394', '0047 22-71-83-94'])
    expect([phone, await callers({ phone })]).toEqual([phone, [expected]]);
  const byMail = await callers({ email: ' ada@north.EXAMPLE ' });
  expect(byMail).toMatchObject([{ name: 'Ada Byron', open: [{ workUnitId: first }] }]);
  expect((await callers({ phone: '22718394' }, holder([tenantId, otherId]))).map((caller) => caller['tenant']).toSorted()).toEqual([
    'North plant',
    'South plant',
  ]);
  // Few digits are the number of too many people.
  for (const input of [{ phone: '18394' }, { phone: '000000' }, { email: 'ada' }, { email: 'o\'"x@north.example' }, {}])
    expect([input, await callers(input)]).toEqual([input, []]);
  await world.call(desk, 'POST', `/v1/workunitcategories/${mail}`, { isEnabled: false });
  expect((await callers({ phone: '22718394' }))[0]?.['category']).toBeNull();
});

it('is for people who may view work units', async () => {
  const ask = (by: TestCaller | null, input: object = { phone: '22718394' }) => world.call(by, 'POST', '/v1/workunits/callers', input);
  expect((await ask(null)).status).toBe(401);
  expect((await ask(holder([tenantId], ['CloudFit.CFS.Devices:view']))).status).toBe(403);
  expect((await ask(desk, { phone: '1'.repeat(61) })).body).toMatchObject({ error: { details: [{ target: 'phone' }] } });
});
