/** Tenant secrets over HTTP: readers get names, editors of the tenant get values, and each read is audited. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { proves } from '@cloudfit/contract/testing/proves.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../testing/world.ts';

let world: TestWorld;
let tenantId: string;
let otherId: string;
let editor: TestCaller;
let reader: TestCaller;

beforeAll(async () => {
  world = await createWorld();
  ({ tenantId } = await world.tenant());
  ({ tenantId: otherId } = await world.tenant());
  editor = holder([tenantId]);
  reader = holder([tenantId], ['CloudFit.CFS.Tenants:view']);
});
afterAll(() => world.close());

const path = (rest = '', tenant = tenantId) => `/v1/tenants/${tenant}/secrets${rest}`;
const add = async (name: string, value: string): Promise<string> => {
  const answer = await world.call(editor, 'PUT', path(), { name, value });
  expect([answer.status, answer.body['error']]).toEqual([200, undefined]);
  return String(answer.body['id']);
};
const rows = <T = object>(text: string, values: unknown[] = []) => world.system.db.query<T>({ text, values });

describe('secrets of a tenant', () => {
  it('[TEN-012] [API-182] lists names and ids, never a value', async () => {
    const id = await add('mail.key', 'violet tractor');
    const listed = await world.call(reader, 'GET', `${path()}?$filter=name eq 'mail.key'&$count=true`);
    expect(listed.body).toMatchObject({ '@odata.count': 1, value: [{ id, name: 'mail.key', tenantId, latestVersion: 1 }] });
    expect(JSON.stringify(listed.body)).not.toContain('violet');
    const tenant = await world.call(reader, 'GET', `/v1/tenants(${tenantId})?$expand=secrets($select=name)`);
    expect(tenant.body['secrets']).toContainEqual({ name: 'mail.key' });
  });

  it('answers the latest value to an editor, and records each reading', async () => {
    const id = await add('api-key', 'first value');
    await proves('[TEN-012] has a value, which may be changed', async () =>
      expect((await world.call(editor, 'POST', path(`/${id}`), { value: 'second value' })).body).toMatchObject({ latestVersion: 2 }),
    );
    const latest = await world.call(editor, 'GET', path(`/${id}/versions/latest`));
    await proves('[API-183] answers the latest value to an editor', async () => {
      expect(latest.body).toMatchObject({ value: 'second value', version: 2 });
      expect(latest.headers['cache-control']).toBe('no-store');
    });
    expect((await world.call(editor, 'GET', path(`/${id}/versions/1`))).body).toMatchObject({ value: 'first value', version: 1 });
    expect(
      await rows("select after from audit where verb = 'read' and entity = 'tenantSecrets' and entity_id = $1 order by 1", [id]),
    ).toEqual([{ after: { name: 'api-key', secretVersion: 1 } }, { after: { name: 'api-key', secretVersion: 2 } }]);
    expect(JSON.stringify(await rows('select * from audit where entity_id = $1', [id]))).not.toContain('value');
    await proves('[API-183] and to no reader', async () =>
      expect((await world.call(reader, 'GET', path(`/${id}/versions/latest`))).status).toBe(403),
    );
  });

  it('stores neither value in clear, and none that opens elsewhere', async () => {
    const id = await add('moved', 'marzipan');
    const [row] = await rows<{ e: string }>('select envelope::text as e from tenant_secret_version where tenant_secret_id = $1', [id]);
    expect(String(row?.e)).toContain('"kid"');
    expect(String(row?.e)).not.toContain('marzipan');
    const other = await add('target', 'own');
    await rows(
      'update tenant_secret_version t set envelope = s.envelope from tenant_secret_version s where s.tenant_secret_id = $1 and t.tenant_secret_id = $2',
      [id, other],
    );
    expect((await world.call(editor, 'GET', path(`/${other}/versions/latest`))).status).toBe(500);
  });

  it('is written by editors of that tenant only', async () => {
    const id = await add('guarded', 'x');
    const otherTenantCaller = holder([otherId]);
    for (const [method, rest, body] of [
      ['PUT', '', { name: 'new', value: 'y' }],
      ['POST', `/${id}`, { value: 'y' }],
      ['DELETE', `/${id}`, undefined],
      ['GET', `/${id}/versions/latest`, undefined],
    ] as const) {
      expect([method, (await world.call(reader, method, path(rest), body)).status]).toEqual([method, 403]);
      expect([method, (await world.call(otherTenantCaller, method, path(rest), body)).status]).toEqual([method, 404]);
      if (rest) expect([method, (await world.call(otherTenantCaller, method, path(rest, otherId), body)).status]).toEqual([method, 404]);
    }
    expect((await world.call(otherTenantCaller, 'GET', path())).status).toBe(404);
    expect((await world.call(editor, 'DELETE', path(`/${id}`))).status).toBe(204);
    expect(await rows('select 1 from tenant_secret_version where tenant_secret_id = $1', [id])).toEqual([]);
  });

  it('says what is wrong with a name or a value', async () => {
    await add('Taken', 'x');
    for (const [body, status, target] of [
      [{ name: 'two words', value: 'x' }, 400, 'name'],
      [{ name: 'x'.repeat(101), value: 'x' }, 400, 'name'],
      [{ value: 'x' }, 400, 'name'],
      [{ name: 'empty', value: '' }, 400, 'value'],
      [{ name: 'long', value: 'x'.repeat(10_001) }, 400, 'value'],
      [{ name: 'taken', value: 'x' }, 409, 'name'],
    ] as const) {
      const answer = await world.call(editor, 'PUT', path(), body);
      expect([body, answer.status, (answer.body['error'] as { target: string }).target]).toEqual([body, status, target]);
    }
  });
});

it('says what names each secret, and who read or sent it last, to those who may edit the tenant', async () => {
  const [named, unused] = [await add('pager', 'violet tractor'), await add('unused', 'violet lantern')];
  for (const [name, tenant] of [
    ['Page the plant', tenantId],
    ['Theirs', otherId],
  ] as const) {
    const action = { name, tenantId: tenant, actionDefinitionTypeId: 4, endpointUrl: 'https://example.com/', httpMethod: 'POST' };
    const answer = await world.call(holder([tenant]), 'PUT', '/v1/actionDefinitions', { ...action, headers: 'X-Key: {Secret:pager}' });
    expect(answer.status).toBe(201);
  }
  await world.call(editor, 'GET', path(`/${named}/versions/latest`));
  const uses = async (caller: TestCaller) => {
    const { body } = await world.call(caller, 'GET', `/v1/tenants/${tenantId}/secretUses`);
    return new Map(body.value?.map(({ secretId, usedBy, lastUse }) => [secretId, { usedBy, lastUse }]));
  };
  const all = await uses(editor);
  expect(all.get(named)).toEqual({
    usedBy: [{ kind: 'action', id: expect.any(String), name: 'Page the plant' }],
    lastUse: { at: expect.any(String), verb: 'read', by: 'person@example.com', purpose: null },
  });
  expect(all.get(unused)).toEqual({ usedBy: [], lastUse: null });
  const blind = await uses(holder([tenantId], ['CloudFit.CFS.Tenants:view', 'CloudFit.CFS.Tenants:edit']));
  expect(blind.get(named)).toMatchObject({ usedBy: [{ kind: 'action', name: null }] });
  expect((await world.call(reader, 'GET', `/v1/tenants/${tenantId}/secretUses`)).status).toBe(403);
  expect((await world.call(holder([otherId]), 'GET', `/v1/tenants/${tenantId}/secretUses`)).status).toBe(404);
});
