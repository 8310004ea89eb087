/** Sign-in with passwords that a real OpenLDAP checks, also with entries of Active Directory. */
import { Attribute, Change } from 'ldapts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ldapClient, LdapFailed, verdictOf, type LdapSettings } from '../../outbound/ldap.ts';
import { Browser } from '../../testing/browser.ts';
import { password, startInstallation, type Installation } from '../../testing/installation.ts';
import { hasSlapd, startSlapd, type Slapd } from '../../testing/programs/slapd.ts';
import { shippedSets } from '../shipped.ts';
import { followDirectories } from './follow-directories.ts';

describe.skipIf(!hasSlapd)('LDAP', () => {
  let slapd: Slapd;
  let installation: Installation;
  let admin: string;
  let tenantId: string;
  let id: string;

  const client = ldapClient({ allow: ['localhost'] });
  const settings = (more: Partial<LdapSettings> = {}): LdapSettings => ({
    url: slapd.tlsUrl,
    startTls: false,
    bindDn: slapd.bindDn,
    password: slapd.bindPassword,
    baseDn: slapd.baseDn,
    userFilter: '(|(uid={name})(mail={name})(sAMAccountName={name})(userPrincipalName={name}))',
    groupsAttribute: 'memberOf',
    nestedGroups: false,
    certificate: slapd.certificate,
    ...more,
  });

  async function directory(name: string, more: object): Promise<string> {
    const body = {
      name,
      prefix: name.toLowerCase(),
      kind: 'Ldap',
      tenantIds: [tenantId],
      ldapUrl: slapd.tlsUrl,
      bindDn: slapd.bindDn,
      baseDn: slapd.baseDn,
      certificate: slapd.certificate,
      ...more,
    };
    const created = await installation.call(admin, 'PUT', '/v1/directories', body);
    expect(created.status, JSON.stringify(created.body)).toBe(201);
    const directoryId = String(created.body['directoryId']);
    await installation.call(admin, 'PUT', `/v1/directories/${directoryId}/secret`, { secret: slapd.bindPassword });
    return directoryId;
  }

  async function tryPassword(userName: string, typed: string) {
    const browser = new Browser(installation.publicUrl);
    const { page, verifier } = await browser.openSignIn();
    const answer = await browser.tryPassword(page, userName, typed);
    return { ...answer, tokens: () => browser.finish(answer.next, verifier) };
  }

  beforeAll(async () => {
    [slapd, installation] = await Promise.all([startSlapd(), startInstallation()]);
    tenantId = await installation.tenant('Northwind');
    await installation.person('boss@example.com', { set: shippedSets.administrator.id, tenantId: null });
    admin = (await new Browser(installation.publicUrl).signIn('boss@example.com', password)).access_token;
    id = await directory('Example', { mailDomains: ['ldap.test'] });
    const grant = { claim: 'example:Service Desk, First', permissionSetId: shippedSets.operator.id, tenantId };
    await installation.call(admin, 'PUT', '/v1/grants', grant);
  });
  afterAll(async () => {
    await installation.close();
    await slapd.close();
  });

  it('finds people by any of their names, with their groups, by TLS and STARTTLS', async () => {
    expect(await client.find(settings(), 'ada')).toMatchObject({
      name: 'Ada L.',
      email: 'ada@ldap.test',
      groups: ['Service Desk, First'],
      isLocked: false,
    });
    // The schema of OpenLDAP cannot compare the names of Active Directory.
    const startTls = settings({ url: slapd.startTlsUrl, startTls: true, userFilter: '(cn={name})' });
    const grace = await client.find(startTls, 'Grace Hopper');
    expect(grace).toMatchObject({
      key: '0102030405060708090a0b0c0d0e0f10',
      userNames: ['grace@ldap.test', 'grace'],
      groups: ['Service Desk, First'],
    });
    if (!grace) throw new Error('Grace was not found.');
    expect(await client.check(startTls, grace, 'grace password')).toBe('right');
    expect(await client.check(startTls, grace, 'wrong')).toBe('wrong');
    // A bind without a password would succeed as nobody.
    expect(await client.check(startTls, grace, '')).toBe('wrong');
    expect(await client.find(settings(), 'nobody')).toBeUndefined();
  });

  it('counts the groups of groups if the directory says so, also of groups that contain each other', async () => {
    const all = ['All Desks', 'Everybody', 'Service Desk, First'];
    for (const [filter, name] of [
      ['(uid={name})', 'ada'],
      ['(cn={name})', 'Grace Hopper'],
    ] as const) {
      expect((await client.find(settings({ userFilter: filter }), name))?.groups).toEqual(['Service Desk, First']);
      expect((await client.find(settings({ userFilter: filter, nestedGroups: true }), name))?.groups).toEqual(all);
    }
  });

  it('lets no name change the filter', async () => {
    for (const name of ['*', 'ada)(uid=*', 'ad*', '(', ')', '\\', 'ada\0', 'ada)(|(uid=*'])
      expect(await client.find(settings(), name), name).toBeUndefined();
    expect(await client.find(settings({ userFilter: '(cn={name})' }), 'Star (*) Key')).toMatchObject({ email: 'star@ldap.test' });
  });

  it('says what is wrong with the settings', async () => {
    const fault = (more: Partial<LdapSettings>) =>
      client.find(settings(more), 'ada').then(
        () => 'none',
        (error: unknown) => (error as LdapFailed).message,
      );
    expect(await fault({ certificate: null })).toMatch(/certificate of localhost is not trusted/);
    expect(await fault({ password: 'wrong' })).toMatch(/does not accept the password of the account cn=search/);
    expect(await fault({ baseDn: 'dc=nothing,dc=org' })).toMatch(/has nothing at dc=nothing/);
    expect(await fault({ url: slapd.tlsUrl.replace('localhost', '127.0.0.1') })).toMatch(/127\.0\.0\.1/);
    expect(await fault({ url: 'ldaps://localhost:1' })).toMatch(/Nothing answers at port 1/);
    expect(await fault({ userFilter: '(uid={name}' })).toMatch(/filter/i);
    expect(await fault({ userFilter: '(objectClass=inetOrgPerson)' })).toMatch(/more than one entry/);
    expect(await fault({ url: 'ldaps://nothing.invalid' })).toMatch(/has no address/);
    // Only networks that the operator allows are called.
    const strict = ldapClient({ allow: [] });
    await expect(strict.find(settings(), 'ada')).rejects.toThrow(LdapFailed);
  });

  it('signs people in, with the rights of their groups', async () => {
    for (const name of ['ada', 'ADA@ldap.test']) {
      const { tokens, status, text } = await tryPassword(name, 'ada password');
      expect(status, text).toBe(303);
      const { access_token: token } = await tokens();
      expect((await installation.call(token, 'GET', '/v1/tenants')).body.value).toEqual([expect.objectContaining({ name: 'Northwind' })]);
    }
    const people = await installation.system.db.query<{ user_name: string; email_verified: boolean; claims: string[] }>({
      text: 'select user_name, email_verified, claims from person where directory_id = $1',
      values: [id],
    });
    expect(people).toEqual([
      {
        user_name: 'ada@ldap.test',
        email_verified: true,
        claims: ['example:All Desks', 'example:Everybody', 'example:Service Desk, First'],
      },
    ]);
    expect((await tryPassword('ada', 'wrong')).text).toContain('user name or the password is wrong');
    expect((await tryPassword('nobody', 'wrong')).text).toContain('user name or the password is wrong');
    expect((await tryPassword('bob', 'bob password')).text).toContain('locked in the directory');
    const tried = await installation.call(admin, 'POST', `/v1/directories/${id}/try`, { userName: 'ada' });
    expect(tried.body).toMatchObject({ works: true, message: expect.stringContaining('Service Desk, First') as string });
  });

  it('never lets the password of a name without a domain go to one of several directories', async () => {
    const second = await directory('Second', { mailDomains: ['second.test'] });
    expect((await tryPassword('ada', 'ada password')).text).toContain('enter your mail address');
    expect((await tryPassword('ada@ldap.test', 'ada password')).status).toBe(303);
    await installation.call(admin, 'POST', `/v1/directories/${second}`, { enabled: false });
  });

  it('follows what the directory changes after the sign-in: groups, name, password, the end of the account', async () => {
    const follow = () =>
      followDirectories(installation.system.db, { masterKey: installation.masterKey, ldap: client, log: installation.system.log });
    const signIn = async (name: string, typed: string) => (await (await tryPassword(name, typed)).tokens()).access_token;
    const tenantsOf = async (token: string) => (await installation.call(token, 'GET', '/v1/tenants')).body.value?.map(({ name }) => name);
    const status = async (token: string) => (await installation.call(token, 'GET', '/v1/tenants')).status;
    const dn = `uid=kim,ou=people,${slapd.baseDn}`;
    const desk = `cn=Service Desk\\, First,ou=groups,${slapd.baseDn}`;
    const set = (type: string, values: string[], of = dn) =>
      slapd.change((root) => root.modify(of, [new Change({ operation: 'replace', modification: new Attribute({ type, values }) })]));
    const first = await signIn('kim@ldap.test', 'kim password');
    const ada = await signIn('ada@ldap.test', 'ada password');
    await follow();
    expect([await tenantsOf(first), await tenantsOf(ada)]).toEqual([['Northwind'], ['Northwind']]);

    // Out of the group: no right is left, and the session says who it is. In it again: the right is back.
    const members = (names: string[]) =>
      set(
        'member',
        names.map((name) => (name.includes('=') ? name : `uid=${name},ou=people,${slapd.baseDn}`)),
        desk,
      );
    await members(['ada']);
    await follow();
    await expect.poll(() => status(first)).toBe(403);
    await members(['ada', 'kim']);
    await follow();
    await expect.poll(() => tenantsOf(first)).toEqual(['Northwind']);

    // Wrong passwords of somebody else lock the account, and end nobody's session.
    await set('pwdAccountLockedTime', ['20261130100000Z']);
    await follow();
    expect(await tenantsOf(first)).toEqual(['Northwind']);
    await set('pwdAccountLockedTime', []);

    // A new name is the same person, with the same session.
    const renamed = dn.replace('uid=kim', 'uid=kim2');
    await slapd.change((root) => root.modifyDN(dn, renamed));
    await set('mail', ['kim2@ldap.test'], renamed);
    await members(['ada', 'kim2']);
    await follow();
    expect(await tenantsOf(first)).toEqual(['Northwind']);

    // Another password ends what the one before began; a session that began after it stays.
    await installation.system.db.query({
      text: `update identity_item set payload = jsonb_set(payload, '{loginTs}', to_jsonb(extract(epoch from now())::bigint - 3600)) where model = 'Session' and account_id in (
        select person_id::text from person where directory_id = $1)`,
      values: [id],
    });
    await set('userPassword', ['another password'], renamed);
    await follow();
    await expect.poll(() => status(first)).toBe(401);
    expect(await tenantsOf(ada)).toEqual(['Northwind']);
    expect((await tryPassword('kim2@ldap.test', 'kim password')).status).toBe(422);
    const second = await signIn('kim2@ldap.test', 'another password');
    await follow();
    expect(await tenantsOf(second)).toEqual(['Northwind']);
    const people = await installation.system.db.query({
      text: "select 1 from person where directory_id = $1 and user_name like 'kim%'",
      values: [id],
    });
    expect(people).toHaveLength(1);

    // While the server is away nothing ends; disabled or gone, the session does.
    await slapd.stop();
    await follow();
    expect(await tenantsOf(second)).toEqual(['Northwind']);
    await slapd.start();
    await set('pwdAccountLockedTime', ['000001010000Z'], renamed);
    await follow();
    await expect.poll(() => status(second)).toBe(401);
    await set('pwdAccountLockedTime', [], renamed);
    const third = await signIn('kim2@ldap.test', 'another password');
    await slapd.change((root) => root.del(renamed));
    await follow();
    await expect.poll(() => status(third)).toBe(401);
    const [kim] = await installation.system.db.query({
      text: "select claims from person where directory_id = $1 and user_name like 'kim%'",
      values: [id],
    });
    expect(kim).toEqual({ claims: [] });
    expect(await tenantsOf(ada)).toEqual(['Northwind']);
    const why = await installation.system.db.query<{ why: string }>({
      text: "select after->>'why' as why from audit where verb = 'sign-out' and after ? 'why' order by audit_id",
    });
    expect(why.map((row) => row.why)).toEqual(['has another password in Example', 'disabled in Example', 'gone from Example']);
  });

  it('leaves other sign-ins unharmed while the server is away, and says that it is', async () => {
    await slapd.stop();
    expect(await tryPassword('ada@ldap.test', 'ada password')).toMatchObject({
      status: 503,
      text: expect.stringContaining('Example cannot be reached') as string,
    });
    await new Browser(installation.publicUrl).signIn('boss@example.com', password);
    await slapd.start();
    expect((await tryPassword('ada@ldap.test', 'ada password')).status).toBe(303);
  });
});

it.each([
  ['525', 'wrong'],
  ['52e', 'wrong'],
  ['530', 'notNow'],
  ['531', 'notHere'],
  ['532', 'expired'],
  ['533', 'disabled'],
  ['701', 'accountExpired'],
  ['773', 'mustChange'],
  ['775', 'locked'],
] as const)('reads the code %s of Active Directory as %s', (code, verdict) => {
  const text = `80090308: LdapErr: DSID-0C090447, comment: AcceptSecurityContext error, data ${code}, v4563`;
  expect(verdictOf(Object.assign(new Error(text), { code: 49 }), { isLocked: false })).toBe(verdict);
});
