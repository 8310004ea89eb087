/**
 * Tokens have an owner, whose permissions limit theirs, and may be limited to networks. Tested over HTTP, as integrations call.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shippedSets } from '../../auth/shipped.ts';
import { isStillPermitted } from '../../auth/current-permissions.ts';
import { Browser } from '../../testing/browser.ts';
import { password, startInstallation, type Installation } from '../../testing/installation.ts';
import { tokenEndWork } from './end-notice.ts';
import { setLongestTokenLife } from './tokens.served.ts';

let installation: Installation;
let tenantId: string;
let root: string;

beforeAll(async () => {
  installation = await startInstallation();
  tenantId = await installation.tenant('Northwind');
  await installation.person('root@example.org', { set: shippedSets.administrator.id, tenantId: null });
  root = (await new Browser(installation.publicUrl).signIn('root@example.org', password)).access_token;
});
afterAll(() => installation.close());

async function permissionSet(permissions: string[]): Promise<string> {
  const body = { name: `Set ${crypto.randomUUID()}`, tenantId, permissions: permissions.map((permission) => `CloudFit.CFS.${permission}`) };
  return String((await installation.call(root, 'PUT', '/v1/permissionSets', body)).body['permissionSetId']);
}

const newcomer = async (name: string, set: string = shippedSets.administrator.id) => {
  const personId = await installation.person(`${name}@example.org`, { set, tenantId });
  return { personId, token: (await new Browser(installation.publicUrl).signIn(`${name}@example.org`, password)).access_token };
};

const make = (token: string, body: object = {}) =>
  installation.call(token, 'PUT', '/v1/tokens', {
    name: 'Probe',
    lifetimeYears: 1,
    tenantId,
    permissionSetId: shippedSets.reader.id,
    ...body,
  });
const generated = (created: { body: Record<string, unknown> }) => String(created.body['generatedToken']);
const fetchAs = (token: string, path = '/v1/devices') => installation.call(token, 'GET', path);
const outcome = async (token: string, path?: string) => {
  const { status, body } = await fetchAs(token, path);
  return status === 200 ? 'allowed' : `${status}: ${body.error?.message}`;
};
const register = (token: string) =>
  installation.call(token, 'POST', '/v1/agent/register', {
    machineKey: crypto.randomUUID(),
    machineName: 'web-01',
    operatingSystem: 'linux',
    architecture: 'x64',
    agentVersion: '1.0.0',
  });

describe('the owner', () => {
  it('is who made it, and can be filtered by', async () => {
    const { personId, token } = await newcomer('olga');
    const created = await make(token);
    expect(created.body).toMatchObject({ ownerId: personId });
    const { value } = (await installation.call(root, 'GET', `/v1/tokens?$filter=ownerId eq ${personId}&$expand=owner`)).body;
    expect(value).toMatchObject([{ tokenGrantId: created.body['tokenGrantId'], owner: { name: 'olga' } }]);
    const child = await make(generated(await make(token, { permissionSetId: shippedSets.administrator.id })));
    expect(child.body).toMatchObject({ ownerId: personId });
  });

  it('takes the token along when disabled', async () => {
    const { personId, token } = await newcomer('ada');
    const integration = generated(await make(token));
    expect(await outcome(integration)).toBe('allowed');
    await installation.call(root, 'PATCH', `/v1/people/${personId}`, { enabled: false });
    await expect.poll(() => outcome(integration)).toBe('401: The owner of this token is disabled.');
    await installation.call(root, 'PATCH', `/v1/people/${personId}`, { enabled: true });
    await expect.poll(() => outcome(integration)).toBe('allowed');
  });

  it('is the measure of what the token may do', async () => {
    const set = await permissionSet([
      'Tokens:create',
      'Tokens:view',
      'Devices:view',
      'Locations:view',
      'Locations:create',
      'Packets:create',
    ]);
    const { personId, token } = await newcomer('nils', set);
    const created = await make(token, { permissionSetId: set, scopes: ['ingest'] });
    const integration = generated(created);
    const owner = { kind: 'token' as const, id: String(created.body['tokenGrantId']) };
    expect(await isStillPermitted(installation.system.db, owner, 'CloudFit.CFS.Devices:view', tenantId)).toBe(true);
    const addLocation = async () => (await installation.call(integration, 'PUT', '/v1/locations', { name: 'Attic', tenantId })).status;
    expect([await outcome(integration), await addLocation()]).toEqual(['allowed', 201]);

    const reader = await permissionSet(['Locations:view']);
    await installation.call(root, 'PUT', '/v1/grants', { personId, permissionSetId: reader, tenantId });
    const { value } = (await installation.call(root, 'GET', `/v1/grants?$filter=personId eq ${personId} and permissionSetId eq ${set}`))
      .body;
    await installation.call(root, 'DELETE', `/v1/grants/${String(value?.[0]?.['grantId'])}`);
    await expect.poll(addLocation).toBe(403);
    expect(await outcome(integration, '/v1/locations')).toBe('allowed');
    expect(await outcome(integration)).toMatch(/^403/);
    expect(await isStillPermitted(installation.system.db, owner, 'CloudFit.CFS.Devices:view', tenantId)).toBe(false);

    const { value: rest } = (await installation.call(root, 'GET', `/v1/grants?$filter=personId eq ${personId}`)).body;
    await installation.call(root, 'DELETE', `/v1/grants/${String(rest?.[0]?.['grantId'])}`);
    await expect.poll(() => outcome(integration)).toBe('401: The owner of this token no longer holds what it permits.');
  });

  it('cannot give scopes that they do not hold', async () => {
    const { token } = await newcomer('sam', await permissionSet(['Tokens:create', 'Tokens:view', 'Packets:create']));
    const refused = await make(token, { permissionSetId: null, scopes: ['agent', 'ingest'] });
    expect([refused.status, refused.body.error]).toMatchObject([
      400,
      { target: 'scopes', message: 'You cannot give permissions that you do not hold: CloudFit.CFS.PendingDevices:create.' },
    ]);
    expect((await make(token, { permissionSetId: null, scopes: ['ingest'] })).status).toBe(201);
  });

  it('is missing for tokens of before, which keep working', async () => {
    const { token } = await newcomer('fritz');
    const created = await make(token, { scopes: ['agent', 'ingest'] });
    const integration = generated(created);
    await installation.system.db.query({
      text: 'update token_grant set owner_id = null where token_grant_id = $1',
      values: [created.body['tokenGrantId']],
    });
    await installation.system.db.query({ text: "update person set enabled = false where user_name = 'fritz@example.org'" });
    expect(await outcome(integration)).toBe('allowed');
    expect((await register(integration)).status).toBe(200);
  });

  it('can be another person, who takes it over and must hold what it carries', async () => {
    const ada = await newcomer('anna');
    const created = await make(ada.token);
    const path = `/v1/tokens/${String(created.body['tokenGrantId'])}/takeOver`;
    const lower = await newcomer('lena', await permissionSet(['Tokens:edit', 'Tokens:view', 'Packets:create', 'PendingDevices:create']));
    const refused = await installation.call(lower.token, 'PUT', path);
    expect([refused.status, refused.body.error?.target]).toEqual([400, 'permissionSetId']);
    const viewer = await newcomer('vera', await permissionSet(['Tokens:view']));
    expect((await installation.call(viewer.token, 'PUT', path)).status).toBe(403);
    expect(
      (await installation.call(generated(await make(ada.token, { permissionSetId: shippedSets.administrator.id })), 'PUT', path)).status,
    ).toBe(403);
    const bert = await newcomer('bert');
    expect((await installation.call(bert.token, 'PUT', path)).body).toMatchObject({ ownerId: bert.personId });
    await installation.call(root, 'PATCH', `/v1/people/${ada.personId}`, { enabled: false });
    expect(await outcome(generated(created))).toBe('allowed');
  });
});

describe('networks', () => {
  it('limit from where a token is taken', async () => {
    const created = await make(root, { networks: ['198.51.100.0/24', '2001:db8::/32'] });
    const integration = generated(created);
    const from = async (address: string) => {
      const response = await fetch(`${installation.publicUrl}/v1/devices`, {
        headers: { authorization: `Bearer ${integration}`, 'x-forwarded-for': address },
      });
      const { error } = (await response.json()) as { error?: { message: string } };
      return error ? `${response.status}: ${error.message}` : response.status;
    };
    expect(await from('198.51.100.9')).toBe(200);
    expect(await from('::ffff:198.51.100.9')).toBe(200);
    expect(await from('2001:db8:1::5')).toBe(200);
    expect(await from('198.51.101.9')).toBe('401: This token may not be used from 198.51.101.9.');
    expect(await from('2001:db9::1')).toBe('401: This token may not be used from 2001:db9::1.');
    // The networks also limit a token that has just been accepted from another address.
    expect(await from('198.51.100.9')).toBe(200);
    expect(await from('203.0.113.1')).toMatch(/^401/);
    const refusals = await installation.system.db.query<{ address: string | null }>({
      text: "select address from audit where verb = 'refused' and entity_id = $1",
      values: [created.body['tokenGrantId']],
    });
    expect(refusals.map(({ address }) => address)).toEqual(['198.51.101.9']);
    const changed = await installation.call(root, 'POST', `/v1/tokens/${String(created.body['tokenGrantId'])}`, {
      networks: ['203.0.113.1'],
    });
    expect(changed.body['networks']).toEqual(['203.0.113.1']);
    await expect.poll(() => from('203.0.113.1')).toBe(200);
  });

  it('must be networks', async () => {
    for (const [networks, message] of [
      [['10.0.0.0/33'], '10.0.0.0/33 is not a network such as 10.1.0.0/16, 2001:db8::/32 or 192.0.2.7.'],
      [['10.0.0.0/8', 'office'], 'office is not a network such as 10.1.0.0/16, 2001:db8::/32 or 192.0.2.7.'],
      [['10'], '10 is not a network such as 10.1.0.0/16, 2001:db8::/32 or 192.0.2.7.'],
      [[''], 'An empty text is not a network such as 10.1.0.0/16, 2001:db8::/32 or 192.0.2.7.'],
      ['10.0.0.0/8', 'Networks are a list of texts.'],
    ] as const) {
      const refused = await make(root, { networks });
      expect([refused.status, refused.body.error]).toMatchObject([400, { target: 'networks', message }]);
    }
  });
});

describe('the end of a token', () => {
  it('comes no later than the settings say', async () => {
    setLongestTokenLife(2);
    try {
      for (const lifetimeYears of [3, 0])
        expect((await make(root, { lifetimeYears })).body.error).toMatchObject({
          target: 'lifetimeYears',
          message: 'Here a token lasts at most 2 years.',
        });
      expect((await make(root, { lifetimeYears: 2 })).status).toBe(201);
    } finally {
      setLongestTokenLife(0);
    }
    expect((await make(root, { lifetimeYears: 0 })).status).toBe(201);
  });

  describe('two weeks before', () => {
    const rows = <T = object>(text: string, ...values: unknown[]) => installation.system.db.query<T>({ text, values });
    const work = tokenEndWork('https://cloudfit.example');
    const run = () => work.run(installation.system.db);
    const ends = async (token: string, name: string, days: number, more = '') => {
      const { body } = await make(token, { name });
      await rows(
        `update token_grant set created = now() - interval '1 year', expires_on = now() + make_interval(days => $2)${more} where token_grant_id = $1`,
        body['tokenGrantId'],
        days,
      );
    };
    const mailsAbout = (name: string) =>
      rows<{ to: string; subject: string; text: string }>(
        `select payload->>'to' as to, payload->>'subject' as subject, payload->>'text' as text from job
        where name = 'send-mail' and payload->>'subject' like '%' || $1 || '%' order by 1`,
        name,
      );

    it('is told to the owner once, in their language', async () => {
      const { personId, token } = await newcomer('erna');
      await ends(token, 'Soon', 13);
      await ends(token, 'Later', 15);
      await ends(token, 'Ended', -1);
      await ends(token, 'Revoked', 13, ', revoked_on = now()');
      await make(token, { name: 'Made for a day', expiresOn: new Date(Date.now() + 86_400_000).toISOString() });
      await Promise.all([run(), run()]);
      await run();
      const [mail, ...others] = await mailsAbout('');
      expect(others).toEqual([]);
      expect(mail).toMatchObject({ to: 'erna@example.org', text: expect.stringContaining(`https://cloudfit.example/${tenantId}/tokens`) });
      expect(mail?.subject).toMatch(/^The token Soon ends on \d{4}-\d\d-\d\d$/);
      await rows(`update person set locale = '{"language": "de"}' where person_id = $1`, personId);
      await ends(token, 'Bald', 13);
      await run();
      expect((await mailsAbout('Bald'))[0]?.subject).toMatch(/^Das Token Bald endet am \d\d\.\d\d\.\d{4}$/);
    });

    it('is told to those who are responsible for the tenant, if the owner has no known address or there is none', async () => {
      const { personId, token } = await newcomer('ute');
      await ends(token, 'Of nobody', 13, ', owner_id = null');
      await ends(token, 'Unverified', 13);
      await rows('update person set email_verified = false where person_id = $1', personId);
      await rows("update tenant set internal_notification_email_address = 'desk@example.org' where tenant_id = $1", tenantId);
      await Promise.all([run(), run()]);
      expect((await mailsAbout('Of nobody')).map(({ to }) => to)).toEqual(['desk@example.org']);
      expect((await mailsAbout('Unverified')).map(({ to }) => to)).toEqual(['desk@example.org']);
    });

    it('is told to nobody, if the owner is disabled: the token is refused already', async () => {
      const { personId, token } = await newcomer('dora');
      await ends(token, 'Of Dora', 13);
      await rows('update person set enabled = false where person_id = $1', personId);
      await run();
      expect(await mailsAbout('Of Dora')).toEqual([]);
    });

    it('that of a directory is told to those who are responsible for the installation, again for a new one', async () => {
      const { body } = await installation.call(root, 'PUT', '/v1/directories', {
        name: 'Acme',
        prefix: 'acme',
        kind: 'None',
        tenantIds: [tenantId],
      });
      const id = String(body['directoryId']);
      const renew = () => installation.call(root, 'PUT', `/v1/directories/${id}/token`, { days: 365 });
      expect((await renew()).status).toBe(200);
      await run();
      expect(await mailsAbout('Acme')).toEqual([]);
      const soon = () => rows("update directory set token_expires_on = now() + interval '13 days' where directory_id = $1", id);
      await soon();
      await Promise.all([run(), run()]);
      const mails = await mailsAbout('Acme');
      expect(mails.map(({ to }) => to)).toEqual(['root@example.org']);
      expect(mails[0]).toMatchObject({
        subject: expect.stringMatching(/^The SCIM token of Acme ends on \d{4}-\d\d-\d\d$/),
        text: expect.stringContaining('https://cloudfit.example/directories'),
      });
      await renew();
      await soon();
      await run();
      expect(await mailsAbout('Acme')).toHaveLength(2);
    });
  });
});
