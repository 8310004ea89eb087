/**
 * Tokens over HTTP: shown once, limited to a tenant, revoked on all servers at once, without permissions that the creator
 * lacks.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { proves } from '@cloudfit/contract/testing/proves.ts';
import pino from 'pino';
import { createTokenGrants } from '../../auth/token-grants.ts';
import { tokensChannel } from '../../auth/invalidate.ts';
import { create } from '../../resources/create.ts';
import { createWorld, holder, type TestCaller, type TestWorld } from '../../testing/world.ts';
import { servedTokens } from './tokens.served.ts';

let world: TestWorld;
let tenantId: string;
let otherId: string;
let keeper: TestCaller;

const all = (area: string) => ['create', 'edit', 'view', 'delete'].map((verb) => `CloudFit.CFS.${area}:${verb}`);

beforeAll(async () => {
  world = await createWorld();
  ({ tenantId } = await world.tenant());
  ({ tenantId: otherId } = await world.tenant());
  keeper = holder(
    [tenantId],
    [
      ...all('Tokens'),
      'CloudFit.CFS.PendingDevices:create',
      'CloudFit.CFS.Packets:create',
      'CloudFit.CFS.Devices:view',
      'CloudFit.CFS.Tenants:view',
      'CloudFit.CFS.People:view',
    ],
  );
});
afterAll(() => world.close());

const put = (body: object, caller = keeper) =>
  world.call(caller, 'PUT', '/v1/tokens', { name: 'Probe', lifetimeYears: 1, tenantId, ...body });
const targetOf = (body: Record<string, unknown>) => (body['error'] as { target?: string } | undefined)?.target;
const set = async (permissions: string[]): Promise<string> => {
  const [row] = await world.system.db.query<{ id: string }>({
    text: "insert into permission_set (tenant_id, name, permissions) values ($1, 'Set ' || uuidv7(), $2) returning permission_set_id as id",
    values: [tenantId, JSON.stringify(permissions)],
  });
  return row?.id ?? '';
};

describe('tokens', () => {
  it('[TOK-012] [API-192] is created with its fields', async () => {
    const created = await put({ description: 'For the probes', lifetimeYears: 2 });
    expect(created.status).toBe(201);
    const { tokenGrantId: _, ...fields } = created.body;
    expect(fields).toMatchObject({ name: 'Probe', description: 'For the probes', lifetimeYears: 2, tenantId, revokedOn: null });
    const years = (Date.parse(String(fields['expiresOn'])) - Date.parse(String(fields['created']))) / (365.25 * 86_400_000);
    expect(years).toBeCloseTo(2, 1);
  });

  it('[TOK-014] [API-193] answers the token at its creation', async () => {
    const created = await put({});
    expect(created.body['generatedToken']).toMatch(/^cfst_[0-9A-Za-z]{49}$/);
    expect(created.headers['cache-control']).toContain('no-store');
  });

  it('[TOK-007] never answers the token again, and stores it nowhere', async () => {
    const { tokenGrantId, generatedToken } = (await put({})).body;
    const again = await world.call(keeper, 'GET', `/v1/tokens(${String(tokenGrantId)})`);
    expect(again.body).not.toHaveProperty('generatedToken');
    const stored = await world.system.db.query({
      text: 'select t::text, a.after::text from token_grant t, audit a where t.token_grant_id = $1 and a.entity_id = $1::text',
      values: [tokenGrantId],
    });
    expect(stored).toHaveLength(1);
    expect(JSON.stringify(stored)).not.toContain(String(generatedToken).slice(5));
  });

  it('[TOK-013] takes lifetimes of 1, 2, 3 years or forever', async () => {
    for (const lifetimeYears of [1, 2, 3, 0]) {
      const created = await put({ lifetimeYears });
      expect([lifetimeYears, created.status, created.body['expiresOn'] === null]).toEqual([lifetimeYears, 201, lifetimeYears === 0]);
    }
    expect(targetOf((await put({ lifetimeYears: 4 })).body)).toBe('lifetimeYears');
  });

  it('[TOK-017] [TOK-018] needs a name and a lifetime, and refuses unknown scopes', async () => {
    expect(targetOf((await put({ lifetimeYears: undefined })).body)).toBe('lifetimeYears');
    expect((await put({ name: ' ' })).body['error']).toMatchObject({ target: 'name', message: 'Name is required.' });
    expect(targetOf((await put({ scopes: ['everything'] })).body)).toBe('scopes');
  });

  it('[TOK-004] lists the first to expire first', async () => {
    for (const lifetimeYears of [3, 1]) await put({ lifetimeYears });
    const { value } = (await world.call(keeper, 'GET', `/v1/tokens?$top=1000&tenantId=${tenantId}`)).body;
    const expiries = (value ?? []).map((row) => row['expiresOn']).filter((at) => at !== null);
    expect(expiries.length).toBeGreaterThan(1);
    expect(expiries).toEqual(expiries.toSorted());
  });

  it('lists those of the tenant that is named', async () => {
    const both = holder([tenantId, otherId]);
    await put({ tenantId: otherId }, both);
    await put({});
    const mine = await world.call(both, 'GET', `/v1/tokens?$top=1000&$count=true&tenantId=${tenantId}`);
    await proves('[TOK-003] of this tenant alone', async () => {
      expect(mine.body.value?.every((row) => row['tenantId'] === tenantId)).toBe(true);
      expect((await world.call(keeper, 'GET', `/v1/tokens?tenantId=${otherId}`)).body.value).toEqual([]);
    });
    await proves('[API-191] takes the tenant as a parameter beside others', async () => {
      expect(mine.body['@odata.count']).toBe(mine.body.value?.length);
      expect(new Set((await world.call(both, 'GET', '/v1/tokens')).body.value?.map((row) => row['tenantId'])).size).toBe(2);
      expect(targetOf((await world.call(keeper, 'GET', '/v1/tokens?tenantId=x')).body)).toBe('tenantId');
    });
  });

  it('[API-194] changes name and description only', async () => {
    const id = String((await put({})).body['tokenGrantId']);
    const changed = await world.call(keeper, 'POST', `/v1/tokens/${id}`, { name: 'Renamed', description: 'Why' });
    expect(changed.body).toMatchObject({ name: 'Renamed', description: 'Why' });
    for (const body of [{ lifetimeYears: 3 }, { tenantId: otherId }, { scopes: [] }, { permissionSetId: otherId }, { expiresOn: null }])
      expect((await world.call(keeper, 'POST', `/v1/tokens/${id}`, body)).status).toBe(400);
    // Fields that only the server sets are ignored.
    const back = await world.call(keeper, 'POST', `/v1/tokens/${id}`, { revokedOn: '2026-01-01T00:00:00Z' });
    expect(back.body).toMatchObject({ revokedOn: null, expiresOn: changed.body['expiresOn'] });
    expect(changed.body['expiresOn']).toMatch(/Z$/);
  });

  it('is refused at once after its revocation, and revoked once', async () => {
    const created = await put({});
    const grants = createTokenGrants({ database: world.database, log: pino({ level: 'silent' }) });
    let notifications = 0;
    // Listens as the server does; the callback also runs once when listening begins.
    await world.database.listen(tokensChannel, () => {
      notifications++;
      grants.forget();
    });
    const check = async () => grants.check(String(created.body['generatedToken']), crypto.randomUUID(), undefined);
    await proves('[TOK-015] is active at first', async () => expect((await check()).actor.name).toBe('Probe'));
    const path = `/v1/tokens/${String(created.body['tokenGrantId'])}/revoke`;
    const before = notifications;
    const revoked = await proves('[API-195] revokes it for those who may', async () => {
      expect((await world.call(holder([otherId]), 'PUT', path)).status).toBe(404);
      expect((await world.call(holder([tenantId], ['CloudFit.CFS.Tokens:view']), 'PUT', path)).status).toBe(403);
      return world.call(keeper, 'PUT', path);
    });
    await proves('[TOK-015] has the time of its revocation', () => expect(revoked.body['revokedOn']).toMatch(/Z$/));
    await expect.poll(() => notifications).toBeGreaterThan(before);
    await proves('[TOK-015] is refused then', () => expect(check()).rejects.toThrow('This token has been revoked.'));
    await proves('[API-195] revokes it once', async () =>
      expect((await world.call(keeper, 'PUT', path)).body['revokedOn']).toBe(revoked.body['revokedOn']),
    );
    const audited = await world.system.db.query({
      text: "select actor_name from audit where entity = 'tokens' and verb = 'update' and entity_id = $1",
      values: [created.body['tokenGrantId']],
    });
    expect(audited).toHaveLength(1);
  });

  it('carries no more than its maker holds', async () => {
    expect((await put({ permissionSetId: await set(['CloudFit.CFS.Devices:view']) })).status).toBe(201);
    const beyond = await put({ permissionSetId: await set(['CloudFit.CFS.Devices:view', 'CloudFit.CFS.Rules:edit']) });
    expect(beyond.body['error']).toMatchObject({
      target: 'permissionSetId',
      message: 'You cannot give permissions that you do not hold: CloudFit.CFS.Rules:edit.',
    });
    expect(targetOf((await put({ tenantId: null }, holder('all'))).body)).toBe('tenantId');
    expect((await put({ tenantId: null })).status).toBeGreaterThanOrEqual(400);
  });

  it('shows tokens for all tenants to holders of all tenants only', async () => {
    const row = await create(
      world.system,
      servedTokens,
      { name: 'Everywhere', lifetimeYears: 0, tenantId: null },
      { columns: { token_hash: Buffer.from('x'), token_hint: 'x' } },
    );
    const path = `/v1/tokens(${String(row?.['tokenGrantId'])})`;
    expect((await world.call(keeper, 'GET', path)).status).toBe(404);
    expect((await world.call(holder('all'), 'GET', path)).status).toBe(200);
  });
});
