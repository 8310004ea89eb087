/** The promotion rule of a token over HTTP: what may be saved, which machines it promotes, and what is recorded. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shippedSets } from '../../../auth/shipped.ts';
import { Browser } from '../../../testing/browser.ts';
import { password, startInstallation, type Installation } from '../../../testing/installation.ts';
import { fitsPattern } from './promote-by-token.ts';

let installation: Installation;
let root: string;
let tenantId: string;
let otherTenantId: string;
let subscriptionId: string;
let locationId: string;

const call = (path: string, body: object) => installation.call(root, 'PUT', path, body);
const signedIn = async (userName: string) => (await new Browser(installation.publicUrl).signIn(userName, password)).access_token;

beforeAll(async () => {
  installation = await startInstallation();
  tenantId = await installation.tenant('Northwind');
  otherTenantId = await installation.tenant('Southwind');
  await installation.person('root@example.org', { set: shippedSets.administrator.id, tenantId: null });
  root = await signedIn('root@example.org');
  subscriptionId = String((await call('/v1/subscriptions', { name: 'Default', tenantId })).body['subscriptionId']);
  locationId = String((await call('/v1/locations', { name: 'Substation', tenantId })).body['locationId']);
});
afterAll(() => installation.close());

const make = (body: object, by = root) =>
  installation.call(by, 'PUT', '/v1/tokens', { name: 'Racks', lifetimeYears: 1, tenantId, scopes: ['agent'], ...body });
const register = async (token: unknown, machineName: string, operatingSystem = 'linux') => {
  const machine = { machineKey: randomUUID(), machineName, operatingSystem, architecture: 'x64', agentVersion: '1.0.0' };
  return (await installation.call(String(token), 'POST', '/v1/agent/register', machine)).body;
};
const statusOf = async (rule: object, machineName: string) =>
  (await register((await make({ promoteTo: subscriptionId, ...rule })).body['generatedToken'], machineName))['status'];
const personWith = async (name: string, permissions: string[]) => {
  const body = { name: `Set ${name}`, tenantId, permissions: permissions.map((permission) => `CloudFit.CFS.${permission}`) };
  const set = String((await call('/v1/permissionSets', body)).body['permissionSetId']);
  await installation.person(`${name}@example.org`, { set, tenantId });
  return { set, token: await signedIn(`${name}@example.org`) };
};
const makers = ['Tokens:create', 'Tokens:view', 'Tenants:view', 'Subscriptions:view', 'PendingDevices:create'];

describe('a machine that registers', () => {
  it('and fits the rule is promoted, with the token as the reason in audit and log', async () => {
    const rule = { promoteTo: subscriptionId, promoteLocationId: locationId, promoteNames: 'rack-*', promoteHeartbeat: 30 };
    const { generatedToken, tokenGrantId } = (await make({ ...rule, promoteNetworks: ['127.0.0.0/8', '::1'] })).body;
    const { value } = (await installation.call(root, 'GET', `/v1/tokens?$filter=promoteTo eq ${subscriptionId}`)).body;
    expect(value).toMatchObject([{ tokenGrantId, ...rule }]);
    const registered = await register(generatedToken, 'RACK-07');
    expect(registered['status']).toBe('promoted');
    const deviceId = String(registered['deviceId']);
    const device = (await installation.call(root, 'GET', `/v1/devices(${deviceId})`)).body;
    expect(device).toMatchObject({ name: 'RACK-07', tenantId, subscriptionId, locationId, heartbeatInterval: 30 });
    const audited = (await installation.call(root, 'GET', `/v1/audit?$filter=entityId eq '${deviceId}' and entity eq 'devices'`)).body
      .value;
    expect(audited).toMatchObject([{ verb: 'create', actorKind: 'token', actorId: tokenGrantId, actorName: 'Racks (token)' }]);
    const logs = (await installation.call(root, 'GET', `/v1/devices/${deviceId}/logs`)).body.value?.map(({ detail }) => detail);
    expect(logs).toContainEqual(expect.stringMatching(/^Promoted by the rule of the token Racks, registered from \S*127\.0\.0\.1\.$/));
  });

  it('has the platform that the name of its operating system says', async () => {
    const { generatedToken } = (await make({ promoteTo: subscriptionId })).body;
    const platforms: unknown[] = [];
    for (const name of [
      'Microsoft Windows 10 Pro 10.0.19045',
      'Windows Server 2022',
      'Mac OS X 14.5',
      'macOS 15',
      'Debian GNU/Linux 12',
      'Darwinix',
    ]) {
      const { deviceId } = await register(generatedToken, 'rack-9', name);
      platforms.push((await installation.call(root, 'GET', `/v1/devices(${String(deviceId)})`)).body['operatingSystemId']);
    }
    expect(platforms).toEqual([1, 1, 2, 2, 4, 0]);
  });

  it('and does not fit waits for a person', async () => {
    expect(await statusOf({ promoteNames: 'rack-*' }, 'pump-1')).toBe('pending');
    expect(await statusOf({ promoteNetworks: ['192.0.2.0/24'] }, 'rack-1')).toBe('pending');
    expect(await statusOf({ promoteNames: 'rack-*', promoteNetworks: ['192.0.2.0/24'] }, 'rack-1')).toBe('pending');
    expect(await statusOf({ promoteTo: null }, 'rack-1')).toBe('pending');
    expect(await statusOf({}, 'rack-1')).toBe('promoted');
  });

  it('waits when the owner of the token may no longer promote', async () => {
    const { set, token } = await personWith('nils', [...makers, 'PendingDevices:edit', 'Devices:create']);
    const { generatedToken } = (await make({ promoteTo: subscriptionId }, token)).body;
    expect((await register(generatedToken, 'rack-1'))['status']).toBe('promoted');
    const lesser = { permissions: makers.map((maker) => `CloudFit.CFS.${maker}`) };
    expect((await installation.call(root, 'POST', `/v1/permissionSets/${set}`, lesser)).status).toBe(200);
    await expect.poll(async () => (await register(generatedToken, 'rack-2'))['status']).toBe('pending');
  });
});

describe('a token with a rule', () => {
  const refusal = async (body: object, by = root) => {
    const { status, body: answer } = await make(body, by);
    return [status, answer.error?.target, answer.error?.message];
  };

  it('takes subscription and location of its tenant only, and networks that are some', async () => {
    const foreign = (await call('/v1/subscriptions', { name: 'Default', tenantId: otherTenantId })).body['subscriptionId'];
    const elsewhere = (await call('/v1/locations', { name: 'Far', tenantId: otherTenantId })).body['locationId'];
    expect(await refusal({ promoteTo: foreign })).toEqual([400, 'promoteTo', 'Promote to was not found.']);
    expect(await refusal({ promoteTo: subscriptionId, promoteLocationId: elsewhere })).toEqual([
      400,
      'promoteLocationId',
      'Location of its devices was not found.',
    ]);
    expect(await refusal({ promoteTo: subscriptionId, promoteNetworks: ['10.0.0.0/99'] })).toMatchObject([
      400,
      'promoteNetworks',
      expect.stringContaining('10.0.0.0/99 is not a network'),
    ]);
  });

  it('is refused when it could never promote', async () => {
    expect(await refusal({ promoteNames: 'rack-*' })).toMatchObject([
      400,
      'promoteNames',
      expect.stringContaining('Promote to is required'),
    ]);
    expect(await refusal({ promoteTo: subscriptionId, scopes: ['ingest'] })).toMatchObject([
      400,
      'promoteTo',
      expect.stringContaining('scope agent'),
    ]);
  });

  it('needs the permissions that promoting by hand needs', async () => {
    const { token } = await personWith('ada', makers);
    expect((await make({}, token)).status).toBe(201);
    expect(await refusal({ promoteTo: subscriptionId }, token)).toEqual([
      400,
      'promoteTo',
      'You cannot give permissions that you do not hold: CloudFit.CFS.PendingDevices:edit, CloudFit.CFS.Devices:create.',
    ]);
  });

  it('ends within the hour when it says so, never after its lifetime, and never in the past', async () => {
    const within = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
    const expiresOn = within(1);
    expect((await make({ expiresOn })).body).toMatchObject({ expiresOn });
    expect(await refusal({ expiresOn: within(-1) })).toEqual([400, 'expiresOn', 'Expires on is in the past.']);
    expect(await refusal({ expiresOn: within(24 * 367) })).toEqual([400, 'expiresOn', 'Expires on is after the end of the lifetime.']);
  });
});

it('a pattern is compared with the whole name, without case, and quickly', () => {
  const fits = ['web', 'WEB', 'web-01', 'a.web'].map((name) => [
    fitsPattern(name, 'web'),
    fitsPattern(name, 'web*'),
    fitsPattern(name, '*web'),
  ]);
  expect(fits).toEqual([
    [true, true, true],
    [true, true, true],
    [false, true, false],
    [false, false, true],
  ]);
  expect([fitsPattern('aba', 'ab*ba'), fitsPattern('abba', 'ab*ba'), fitsPattern('a+b', 'a.b'), fitsPattern('xayz', 'x*a*z')]).toEqual([
    false,
    true,
    false,
    true,
  ]);
  // With a backtracking engine, this would take practically forever.
  expect(fitsPattern('a'.repeat(200), `${'*a'.repeat(99)}*b`)).toBe(false);
});
