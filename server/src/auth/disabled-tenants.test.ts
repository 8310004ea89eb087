/** A person of several tenants, one of which is disabled: their permissions there are suspended, and the answers say why. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Browser } from '../testing/browser.ts';
import { password, startInstallation, type Installation } from '../testing/installation.ts';
import { shippedSets } from './shipped.ts';

let installation: Installation;
let token: string;
let [openTenant, disabledTenant, strangeTenant] = ['', '', ''];
const ids = new Map<string, number>();

beforeAll(async () => {
  installation = await startInstallation();
  [openTenant, disabledTenant, strangeTenant] = [
    await installation.tenant('Alder Water'),
    await installation.tenant('Birch Rail'),
    await installation.tenant('Cedar Bank'),
  ];
  const personId = await installation.person('ida@example.org', { set: shippedSets.operator.id, tenantId: openTenant });
  const { db } = installation.system;
  for (const tenantId of [openTenant, disabledTenant, strangeTenant]) {
    const [row] = await db.query<{ id: number }>({
      text: `insert into work_unit (tenant_id, title, work_unit_type_id, created_by, modified_by) values ($1, 'Mail is down', 1, 't', 't') returning work_unit_id as id`,
      values: [tenantId],
    });
    ids.set(tenantId, row?.id ?? 0);
  }
  await db.query({
    text: 'insert into access_grant (person_id, permission_set_id, tenant_id) values ($1, $2, $3)',
    values: [personId, shippedSets.operator.id, disabledTenant],
  });
  await db.query({
    text: 'update tenant set enabled = false where tenant_id = any($1::uuid[])',
    values: [[disabledTenant, strangeTenant]],
  });
  token = (await new Browser(installation.publicUrl).signIn('ida@example.org', password)).access_token;
});
afterAll(() => installation.close());

const call = async (method: string, path: string, body?: unknown) => {
  const answer = await installation.call(token, method, path, body);
  return { status: answer.status, message: answer.body.error?.message };
};
const closed = { status: 403, message: 'The tenant Birch Rail is disabled. Please ask an administrator of this installation.' };

it('answers 403 with the reason for rows of the disabled tenant, however they are read or written', async () => {
  const unit = `/v1/workUnits(${ids.get(disabledTenant)})`;
  expect(await call('GET', unit)).toEqual(closed);
  expect(await call('GET', `${unit}?$select=title&$expand=tenant`)).toEqual(closed);
  expect(await call('POST', unit, { title: 'x' })).toEqual(closed);
  expect(await call('PATCH', '/v1/workUnits', { ids: [ids.get(disabledTenant)], newState: { title: 'x' } })).toEqual(closed);
  expect(await call('GET', `/v1/tenants/${disabledTenant}`)).toEqual(closed);
  expect(await call('GET', `/api/${disabledTenant}/settings`)).toEqual(closed);
});

it('answers 404 for rows of a tenant in which the person has no right, disabled or not, and for unknown rows', async () => {
  for (const id of [ids.get(strangeTenant), 999_999]) expect((await call('GET', `/v1/workUnits(${id})`)).status).toBe(404);
  expect((await call('GET', `/v1/tenants/${strangeTenant}`)).status).toBe(404);
  expect((await call('GET', `/api/${strangeTenant}/settings`)).status).toBe(404);
});

it('shows the rows of the other tenant, and those of the disabled one as soon as it is enabled again', async () => {
  expect((await call('GET', `/v1/workUnits(${ids.get(openTenant)})`)).status).toBe(200);
  const list = await installation.call(token, 'GET', '/v1/workUnits?$count=true');
  expect(list.body['@odata.count']).toBe(1);
  const root = await installation.person('root@example.org', { set: shippedSets.administrator.id, tenantId: null });
  expect(root).toBeTruthy();
  const rootToken = (await new Browser(installation.publicUrl).signIn('root@example.org', password)).access_token;
  expect((await installation.call(rootToken, 'POST', `/v1/tenants/${disabledTenant}`, { enabled: true })).status).toBe(200);
  await expect.poll(async () => (await call('GET', `/v1/workUnits(${ids.get(disabledTenant)})`)).status).toBe(200);
});
