/** Features, settings, environment and the context over HTTP. */
import { agentFolders, builtAgent } from '../../platform/agent-files.ts';
import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { proves } from '@cloudfit/contract/testing/proves.ts';
import { runAdmin } from '../../admin/run.ts';
import { createWorld, holder, type TestWorld } from '../../testing/world.ts';
import { readLicence } from './licence-file.ts';
import { keepLicence, licenceState } from './license.ts';

let world: TestWorld;
let tenantId: string;
let subscriptionId: string;

beforeAll(async () => {
  world = await createWorld();
  ({ tenantId, subscriptionId } = await world.tenant());
});
afterAll(() => world.close());

async function admin(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const output = { out: '', err: '' };
  const code = await runAdmin(
    args,
    { DATABASE_URL: world.url },
    {
      out: (text) => (output.out += text),
      err: (text) => (output.err += text),
      readInput: () => Promise.resolve(''),
    },
  );
  return { code, ...output };
}

const isOn = async (name: string) => (await world.app.inject({ url: `/v1/features/${name}/enabled` })).json() as unknown;

describe('features', () => {
  it('[API-033] are asked by anybody, off when nobody knows them, switched by command and by call', async () => {
    expect([await isOn('I3ERequestForm'), await isOn('Nothing')]).toEqual([false, false]);
    expect((await admin('feature', 'set', 'i3erequestform', '--on')).out).toBe('I3ERequestForm is on.');
    expect(await isOn('i3eREQUESTform')).toBe(true);
    expect((await admin('feature', 'list')).out).toMatch(/^I3ERequestForm: on\./);
    expect((await admin('feature', 'set', 'nothing', '--on')).err).toContain('There is no feature nothing');
    const [feature] = (await world.call(holder('all'), 'GET', `/v1/features?$filter=name eq 'I3ERequestForm'`)).body.value ?? [];
    const path = `/v1/features/${String(feature?.['featureId'])}`;
    expect((await world.call(holder('all', ['CloudFit.CFS.Settings:view']), 'POST', path, { enabled: false })).status).toBe(403);
    expect((await world.call(holder([tenantId]), 'POST', path, { enabled: false })).status).toBe(403);
    expect((await world.call(holder('all'), 'POST', path, { enabled: false })).status).toBe(200);
    expect(await isOn('I3ERequestForm')).toBe(false);
    expect(await world.system.db.query({ text: "select 1 from audit where entity = 'features' and verb = 'update'" })).toHaveLength(2);
  });
});

describe('settings of a tenant', () => {
  it('[API-132] answer where the agent is, to people of that tenant', async () => {
    const path = `/api/${tenantId}/settings`;
    const isBuilt = (await builtAgent(agentFolders))?.files.some(({ platform }) => platform === 'win-x64') ?? false;
    const windows = isBuilt ? 'http://localhost/agent/cloudfit-agent-win-x64.exe' : null;
    expect((await world.call(holder([tenantId], ['CloudFit.CFS.Home:view']), 'GET', path)).body).toMatchObject({
      agentDownloadUrl: windows,
      agents: [{ platform: 'linux-x64' }, { platform: 'linux-arm64' }, { platform: 'win-x64', url: windows }],
    });
    const otherTenant = await world.tenant();
    expect((await world.call(holder([otherTenant.tenantId]), 'GET', path)).status).toBe(404);
    expect((await world.call(holder('all'), 'GET', `/api/${randomUUID()}/settings`)).status).toBe(404);
    expect((await world.call(holder('all'), 'GET', '/api/x/settings')).status).toBe(400);
    expect((await world.call(null, 'GET', path)).status).toBe(401);
  });
});

describe('the licence', () => {
  it('ends 60 days after the first start, or when the installed file says', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const key = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
    const first = '2026-01-01T00:00:00.000Z';
    await world.system.db.query({ text: "insert into setting (name, value) values ('firstStart', to_jsonb($1::text))", values: [first] });
    const environment = await world.call(holder([tenantId]), 'GET', '/api/generalLookup/environment');
    await proves('[API-018] has these fields', () =>
      expect(environment.body).toEqual({
        environmentColor: 'green',
        environmentName: 'Test',
        licenseExpiration: '2026-03-02T00:00:00.000Z',
      }),
    );
    const payload = Buffer.from(JSON.stringify({ customer: 'Acme', issued: first, expires: '2030-01-01T00:00:00.000Z' }));
    const text = JSON.stringify({
      payload: payload.toString('base64url'),
      signature: sign(null, payload, privateKey).toString('base64url'),
    });
    expect(readLicence(text, key)?.customer).toBe('Acme');
    expect(await keepLicence(world.system.db, 'no licence', key)).toBeUndefined();
    await keepLicence(world.system.db, text, key);
    const scoped = world.database.scoped([tenantId]);
    expect((await licenceState(scoped, key, new Date())).expires).toBe('2030-01-01T00:00:00.000Z');
    // A licence signed with another key is not accepted: the trial period counts.
    await proves('[API-017] answers the same', async () =>
      expect((await world.call(holder([tenantId]), 'GET', '/api/generalLookup/environment')).body['licenseExpiration']).toBe(
        '2026-03-02T00:00:00.000Z',
      ),
    );
  });
});

describe('the context', () => {
  it('[API-027] is remembered for the person and recorded once', async () => {
    const [person] = await world.system.db.query<{ id: string }>({
      text: "insert into person (name, user_name) values ('Ada', 'ada@example.com') returning person_id as id",
    });
    const id = person?.id ?? '';
    const ada = { ...holder([tenantId]), actor: { kind: 'person' as const, id, name: 'Ada', userName: 'ada@example.com' } };
    const choose = (tenant: string, body: object) => world.call(ada, 'POST', `/v1/tenantSubscriptionContext/${tenant}`, body);
    for (let i = 0; i < 2; i += 1)
      expect((await choose(tenantId, { tenant: tenantId, subscriptionId })).body).toEqual({ tenantId, subscriptionId });
    expect((await world.call(ada, 'GET', '/v1/currentUser')).body).toMatchObject({ tenantId, subscriptionId });
    expect(await world.system.db.query({ text: "select actor_id, before, after from audit where verb = 'choose-context'" })).toEqual([
      { actor_id: id, before: { tenantId: null, subscriptionId: null }, after: { tenantId, subscriptionId } },
    ]);
    const otherTenant = await world.tenant();
    expect((await choose(otherTenant.tenantId, {})).status).toBe(404);
    expect((await choose(tenantId, { subscriptionId: otherTenant.subscriptionId })).status).toBe(404);
    expect((await choose('x', {})).status).toBe(400);
  });
});
