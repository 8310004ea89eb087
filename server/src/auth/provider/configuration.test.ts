/** What the embedded provider allows: its clients, cookies, lifetimes and features. */
import { describe, expect, it } from 'vitest';
import type { Configuration, interactionPolicy } from 'oidc-provider';
import type { Db } from '../../db/db.ts';
import { accountClientId, cookieName, providerConfiguration } from './configuration.ts';

const personId = '0190a000-0000-7000-8000-000000000001';
let rows: object[] = [];
const db = { query: () => Promise.resolve(rows) } as unknown as Db;
const signingKey = { kty: 'EC', kid: 'k', d: 'secret', madeOn: '2026-01-01' };
const of = (publicUrl = 'https://ops.example.org:8443') =>
  providerConfiguration(db, { publicUrl, audience: 'cloudfit', clientId: 'portal' }, { signing: [signingKey], cookies: ['c'] }) as {
    [K in keyof Configuration]-?: NonNullable<Configuration[K]>;
  };
/** Calls a function of the configuration with parts of the library's context: each function reads only one part. */
const call = (run: unknown, ...args: unknown[]) => (run as (...args: unknown[]) => unknown)(...args);

describe('the configuration of the embedded provider', () => {
  it('knows the portal, which redeems codes at its own addresses, and the account page, which gets no tokens', () => {
    const url = 'https://ops.example.org:8443';
    const { clients, clientDefaults, responseTypes, scopes, claims } = of();
    expect(clients).toEqual([
      {
        client_id: 'portal',
        client_name: 'CloudFit',
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        redirect_uris: [`${url}/user/callback`, `${url}/user/silent`],
        post_logout_redirect_uris: [`${url}/user/login`],
        id_token_signed_response_alg: 'ES256',
      },
      {
        client_id: 'portal-account',
        client_name: 'CloudFit account',
        token_endpoint_auth_method: 'none',
        grant_types: [],
        response_types: ['none'],
        redirect_uris: [`${url}/idp/account`],
      },
      {
        client_id: 'portal-device',
        client_name: 'CloudFit on a command line',
        application_type: 'native',
        token_endpoint_auth_method: 'none',
        grant_types: ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
        response_types: [],
        redirect_uris: [],
        id_token_signed_response_alg: 'ES256',
      },
    ]);
    expect([accountClientId('portal'), clientDefaults, responseTypes]).toEqual([
      'portal-account',
      { id_token_signed_response_alg: 'ES256' },
      ['code', 'none'],
    ]);
    expect(scopes).toEqual(['openid', 'profile', 'email', 'groups', 'offline_access']);
    expect(claims).toEqual({
      openid: ['sub'],
      profile: ['name', 'preferred_username', 'picture'],
      email: ['email', 'email_verified'],
      groups: ['groups'],
    });
  });

  it('keeps its cookies from scripts and other sites, and over TLS where there is', () => {
    const { cookies, jwks } = of();
    expect(cookies).toEqual({
      keys: ['c'],
      names: { session: 'cloudfit_session_8443', interaction: 'cloudfit_sign_in_8443', resume: 'cloudfit_resume_8443' },
      long: { httpOnly: true, sameSite: 'lax', signed: true, secure: true, path: '/idp' },
      short: { httpOnly: true, sameSite: 'lax', signed: true, secure: true },
    });
    expect(of('http://localhost').cookies).toMatchObject({ long: { secure: false }, short: { secure: false } });
    expect(cookieName('https://ops.example.org', 'device')).toBe('cloudfit_device');
    expect(jwks).toEqual({ keys: [{ kty: 'EC', kid: 'k', d: 'secret' }] });
  });

  it('lets all tokens end with their session, which is stored before a device code is confirmed', async () => {
    const { expiresWithSession } = of();
    let stored = 0;
    const session = { persist: () => Promise.resolve((stored += 1)) };
    const ends = (kind: string) => expiresWithSession({ oidc: { session } } as never, { kind } as never);
    expect([await ends('AuthorizationCode'), stored]).toEqual([true, 0]);
    expect([await ends('DeviceCode'), stored]).toEqual([true, 1]);
  });

  it('gives tokens for ten minutes, sessions for a day, and codes for a minute', () => {
    const { ttl, conformIdTokenClaims, features, pkce } = of();
    expect(ttl).toEqual({
      AccessToken: 600,
      AuthorizationCode: 60,
      DeviceCode: 600,
      IdToken: 3_600,
      Interaction: 3_600,
      Session: 86_400,
      Grant: 1_209_600,
      RefreshToken: 1_209_600,
    });
    expect([conformIdTokenClaims, call(pkce.required)]).toEqual([false, true]);
    expect(features).toMatchObject({
      devInteractions: { enabled: false },
      userinfo: { enabled: false },
      revocation: { enabled: true },
      rpInitiatedLogout: { enabled: true },
      resourceIndicators: { enabled: true },
    });
    const resources = features.resourceIndicators;
    expect(call(resources?.defaultResource)).toBe('https://ops.example.org:8443/api');
    expect(call(resources?.useGrantedResource)).toBe(true);
    expect(call(resources?.getResourceServerInfo)).toEqual({
      scope: 'openid profile email groups offline_access',
      audience: 'cloudfit',
      accessTokenTTL: 600,
      accessTokenFormat: 'jwt',
      jwt: { sign: { alg: 'ES256' } },
    });
    const mayRevoke = (clientId: string) => call(features.revocation?.allowedPolicy, {}, { clientId: 'portal' }, { clientId });
    expect([mayRevoke('portal'), mayRevoke('other')]).toEqual([true, false]);
  });

  it('answers scripts of its own origin alone, and leads a sign-in to its page', () => {
    const { clientBasedCORS, interactions } = of('https://ops.example.org/');
    const cors = (origin: string) => call(clientBasedCORS, {}, origin, {});
    expect([cors('https://ops.example.org'), cors('https://evil.example'), cors('null')]).toEqual([true, false, false]);
    expect(call(interactions.url, {}, { uid: 'u1' })).toBe('/idp/interaction/u1');
  });

  it('signs out at once where the link names the sign-in, and asks otherwise, in the language of the person, else of the browser', async () => {
    const { features, renderError } = of();
    const req = { headers: {} as Record<string, string> };
    const logout = async (entities: object) => {
      const ctx = { body: '', req, oidc: { entities, session: { accountId: personId } } };
      await call(features.rpInitiatedLogout?.logoutSource, ctx, '<form id="op.logoutForm"></form>');
      return ctx.body;
    };
    expect(await logout({ IdTokenHint: {} })).toContain('sign-out.js');
    expect(await logout({})).not.toContain('sign-out.js');
    expect(await logout({})).toContain('Do you want to sign out of CloudFit?');
    expect(await logout({})).toContain('<form id="op.logoutForm"></form>');
    const done = { body: '', req };
    call(features.rpInitiatedLogout?.postLogoutSuccessSource, done);
    expect(done.body).toContain('You have signed out');
    const failed = (out: object) => {
      const ctx = { type: '', body: '', req };
      call(renderError, ctx, out);
      return ctx;
    };
    expect(failed({ error: 'invalid', error_description: 'It is <wrong>.' })).toMatchObject({
      type: 'html',
      body: expect.stringContaining('It is &lt;wrong&gt;.') as string,
    });
    expect(failed({ error: 'invalid' }).body).toContain('<span lang="en">invalid</span>');
    req.headers = { 'accept-language': 'de' };
    expect(failed({ error: 'invalid' }).body).toContain('Die Anmeldung ist nicht gelungen');
    call(features.rpInitiatedLogout?.postLogoutSuccessSource, done);
    expect(done.body).toContain('<html lang="de">');
    expect(await logout({})).toContain('Möchten Sie sich von CloudFit abmelden?');
    rows = [{ locale: { language: 'en' } }];
    expect(await logout({})).toContain('Do you want to sign out of CloudFit?');
    rows = [];
  });
});

describe('what the provider says of a person', () => {
  const stored = { name: 'Ada', user_name: 'ada', email: 'a@example.org', email_verified: true, picture: 'https://p', claims: ['desk'] };
  const claims = {
    name: 'Ada',
    preferred_username: 'ada',
    email: 'a@example.org',
    email_verified: true,
    picture: 'https://p',
    groups: ['desk'],
  };

  it('is in the access token, with the session', async () => {
    const { extraTokenClaims } = of();
    const extra = (token: object) => call(extraTokenClaims, {}, token);
    rows = [stored];
    expect(await extra({ accountId: personId, sessionUid: 's1' })).toEqual({ ...claims, sid: 's1' });
    rows = [{ ...stored, email: null, picture: null }];
    expect(await extra({ accountId: personId, sessionUid: 's1' })).toEqual({
      name: 'Ada',
      preferred_username: 'ada',
      groups: ['desk'],
      sid: 's1',
    });
    expect([await extra({}), await extra({ accountId: undefined })]).toEqual([undefined, undefined]);
    expect(await extra({ accountId: 'no id', sessionUid: 's1' })).toEqual({ sid: 's1' });
  });

  it('is nothing where there is nobody, or where the sign-in of the refresh token became too weak', async () => {
    const { findAccount } = of();
    const find = async (sub: string, token?: object) =>
      (await call(findAccount, {}, sub, token)) as { accountId: string; claims(): Promise<object> } | undefined;
    rows = [{ ...stored, isDemanded: true }];
    expect(await (await find(personId))?.claims()).toEqual({ sub: personId, ...claims });
    expect((await find(personId, { amr: ['pwd', 'otp'] }))?.accountId).toBe(personId);
    expect(await find(personId, { amr: ['pwd'] })).toBeUndefined();
    expect((await find(personId, {}))?.accountId).toBe(personId);
    expect(await find('no id')).toBeUndefined();
    rows = [];
    expect(await find(personId)).toBeUndefined();
  });

  it('needs no consent: the portal has a grant of all scopes, of the person who is signed in', async () => {
    const { loadExistingGrant } = of();
    const saved: string[] = [];
    class Grant {
      readonly accountId: string | undefined;
      readonly calls: string[] = [];
      constructor(of: { clientId?: string; accountId?: string } = {}) {
        this.accountId = of.accountId;
        this.calls.push(`${of.clientId}`);
      }
      addOIDCScope = (scope: string) => void this.calls.push(scope);
      addResourceScope = (resource: string, scope: string) => void this.calls.push(resource, scope);
      save = () => Promise.resolve(void saved.push(...this.calls));
      static find = (id: string) => Promise.resolve(id === 'mine' ? new Grant({ accountId: personId }) : new Grant({ accountId: 'other' }));
    }
    const load = (oidc: object) =>
      call(loadExistingGrant, {
        oidc: {
          client: { clientId: 'portal' },
          session: { accountId: personId, grantIdFor: () => undefined },
          provider: { Grant },
          ...oidc,
        },
      }) as Promise<Grant | undefined>;
    const all = 'openid profile email groups offline_access';
    expect((await load({}))?.accountId).toBe(personId);
    expect(saved).toEqual(['portal', all, 'https://ops.example.org:8443/api', all]);
    saved.length = 0;
    expect((await load({ result: { consent: { grantId: 'mine' } } }))?.accountId).toBe(personId);
    expect((await load({ session: { accountId: personId, grantIdFor: () => 'mine' } }))?.accountId).toBe(personId);
    expect(saved).toEqual([]);
    // A grant of another person, who was signed in before, is not used.
    expect((await load({ result: { consent: { grantId: 'theirs' } } }))?.accountId).toBe(personId);
    expect(saved).toHaveLength(4);
    expect([await load({ client: undefined }), await load({ session: undefined }), await load({ session: {} })]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('asks again for who needs a second factor and signed in without one', async () => {
    const { interactions } = of();
    const check = (interactions.policy as interactionPolicy.DefaultPolicy).get('login')?.checks.get('second_factor_required');
    const asks = (session: object | undefined) => call(check?.check, { oidc: { session } });
    rows = [{ isDemanded: true }];
    expect(
      await Promise.all([
        asks({ accountId: personId, amr: ['pwd'] }),
        asks({ accountId: personId, amr: ['pop'] }),
        asks({}),
        asks(undefined),
      ]),
    ).toEqual([true, false, false, false]);
    rows = [{ isDemanded: false }];
    expect(await asks({ accountId: personId, amr: ['pwd'] })).toBe(false);
  });
});
