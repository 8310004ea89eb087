/** The lookup of display names, and the mails that use it. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { maxNames } from '@cloudfit/contract/people-names.ts';
import { createWorld, holder, type TestWorld } from '../../testing/world.ts';

let world: TestWorld;
let [ownTenant, other] = ['', ''];

beforeAll(async () => {
  world = await createWorld();
  [ownTenant, other] = [(await world.tenant()).tenantId, (await world.tenant()).tenantId];
  const { db } = world.system;
  const [set] = await db.query<{ id: string }>({
    text: `insert into permission_set (name, permissions) values ('Names', '["CloudFit.CFS.Devices:view"]') returning permission_set_id as id`,
  });
  const person = async (userName: string, name: string, tenants: readonly (string | null)[], claims: readonly string[] = []) => {
    const [row] = await db.query<{ id: string }>({
      text: 'insert into person (name, user_name, claims, enabled) values ($1, $2, $3, $4) returning person_id as id',
      values: [name, userName, claims, userName !== 'gone@corp'],
    });
    for (const tenantId of tenants)
      await db.query({
        text: 'insert into access_grant (person_id, permission_set_id, tenant_id) values ($1, $2, $3)',
        values: [row?.id, set?.id, tenantId],
      });
  };
  await person('u48213@corp', 'Ruth Adeyemi', [ownTenant]);
  await person('gone@corp', 'Left Last Year', [ownTenant]);
  await person('operator@corp', 'Ola Nordmann', [null]);
  await person('grouped@corp', 'Gro Grouped', [], ['desk']);
  await person('stranger@corp', 'Somebody Else', [other]);
  await db.query({
    text: "insert into access_grant (claim, permission_set_id, tenant_id) values ('desk', $1, $2)",
    values: [set?.id, ownTenant],
  });
});
afterAll(() => world.close());

const everybody = ['U48213@CORP', 'gone@corp', 'operator@corp', 'grouped@corp', 'stranger@corp', 'nobody@corp', 'System'];
const names = async (caller: Parameters<TestWorld['call']>[0], userNames: readonly string[] = everybody) => {
  const answer = await world.call(caller, 'POST', '/v1/people/names', { userNames });
  return { status: answer.status, names: answer.body.value?.map((item) => String(item['name'])).toSorted() };
};

it('answers the display names of people with whom the caller shares a tenant, and of nobody else', async () => {
  expect(await names(holder([ownTenant], []))).toEqual({
    status: 200,
    names: ['Gro Grouped', 'Left Last Year', 'Ola Nordmann', 'Ruth Adeyemi'],
  });
  expect((await names(holder([other], []))).names).toEqual(['Ola Nordmann', 'Somebody Else']);
  expect((await names(holder('all', []))).names).toHaveLength(5);
  expect((await names(holder([], []))).names).toEqual([]);
});

it('answers the names of people whom a work unit names to those who see the unit, and to nobody else', async () => {
  const { db } = world.system;
  const add = async (userName: string, name: string) =>
    void (await db.query({ text: 'insert into person (name, user_name) values ($1, $2)', values: [name, userName] }));
  for (const [userName, name] of [
    ['assigned@out', 'Assigned'],
    ['creator@out', 'Creator'],
    ['approver@out', 'Approver'],
    ['author@out', 'Author'],
    ['before@out', 'Assigned before'],
    ['unnamed@out', 'Unnamed'],
  ] as const)
    await add(userName, name);
  const unit = { title: 'Pump', severityId: 'Sev3', workUnitTypeId: 1, tenantId: ownTenant };
  const { body } = await world.call(holder([ownTenant]), 'PUT', '/v1/workUnits', unit);
  const id = body['workUnitId'];
  await db.query({
    text: `update work_unit set assigned_to = 'assigned@out', created_by = 'creator@out', approver2 = 'approver@out' where work_unit_id = $1`,
    values: [id],
  });
  await db.query({
    text: `insert into work_unit_note (work_unit_id, tenant_id, detail, created_by, correlation_id, field, new_value)
      values ($1, $2, 'A note', 'author@out', uuidv7(), null, null), ($1, $2, 'Assigned', 'System', uuidv7(), 'assignedTo', 'before@out')`,
    values: [id, ownTenant],
  });
  const outside = ['assigned@out', 'creator@out', 'approver@out', 'author@out', 'before@out', 'unnamed@out'];
  const view = ['CloudFit.CFS.WorkUnits:view'];
  expect((await names(holder([ownTenant], view), outside)).names).toEqual(['Approver', 'Assigned', 'Assigned before', 'Author', 'Creator']);
  expect((await names(holder([ownTenant], []), outside)).names).toEqual([]);
  expect((await names(holder([other], view), outside)).names).toEqual([]);
});

it('refuses callers who are not signed in, and more names than a screen has', async () => {
  expect((await names(null)).status).toBe(401);
  const many = Array.from({ length: maxNames + 1 }, (_, i) => `a${i}@corp`);
  expect((await names(holder([ownTenant], []), many)).status).toBe(400);
});
