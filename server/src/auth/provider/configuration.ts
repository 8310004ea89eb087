/** Configuration of the embedded identity provider: clients for portal and account page, JWT access tokens, no consent page. */
import { interactionPolicy, type Configuration, type KoaContextWithOIDC } from 'oidc-provider';
import type { Db } from '../../db/db.ts';
import { isGuid } from '../guid.ts';
import { accessTokenSeconds, adapterFor } from './adapter.ts';
import { privateKey, signingAlgorithm, type ProviderKeys } from './keys.ts';
import { isTooWeak } from '../sign-in/second-factor.ts';
import { deviceClientId, devicePages } from './device-pages.ts';
import { html, page } from './page.ts';
import { languageOf, readerOfPage } from '../../platform/language.ts';
import { localeOf } from '../../context/locale.ts';
import { signInTextsIn, type SignInTexts } from './texts.ts';

export interface ProviderSettings {
  publicUrl: string;
  audience: string;
  clientId: string;
}

interface Account {
  name: string;
  user_name: string;
  email: string | null;
  email_verified: boolean;
  picture: string | null;
  claims: string[];
}

/** The account page signs in as a separate client, which gets no tokens. */
export const accountClientId = (clientId: string): string => `${clientId}-account`;

const scopes = 'openid profile email groups offline_access';
export const sessionSeconds = 24 * 3600;
const grantSeconds = 14 * 24 * 3600;

/** Cookies do not distinguish ports, so two installations on one machine must use different names. */
export function cookieName(publicUrl: string, name: string): string {
  const { port } = new URL(publicUrl);
  return `cloudfit_${name}${port === '' ? '' : `_${port}`}`;
}

async function accountClaims(db: Db, personId: string): Promise<Record<string, unknown> | undefined> {
  if (!isGuid(personId)) return undefined;
  const [row] = await db.query<Account>({
    text: 'select name, user_name, email, email_verified, picture, claims from person where person_id = $1 and enabled',
    values: [personId],
  });
  return (
    row && {
      name: row.name,
      preferred_username: row.user_name,
      ...(row.email === null ? {} : { email: row.email, email_verified: row.email_verified }),
      ...(row.picture === null ? {} : { picture: row.picture }),
      groups: row.claims,
    }
  );
}

/** Returns the stored grant of the client, or creates one of all scopes: the portal is our own client and needs no consent. */
async function loadExistingGrant(ctx: KoaContextWithOIDC, resource: string) {
  const { client, session, provider, result } = ctx.oidc;
  if (!client || !session?.accountId) return undefined;
  const grantId = result?.consent?.grantId ?? session.grantIdFor(client.clientId);
  const storedGrant = grantId === undefined ? undefined : await provider.Grant.find(grantId);
  if (storedGrant?.accountId === session.accountId) return storedGrant;
  const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
  grant.addOIDCScope(scopes);
  grant.addResourceScope(resource, scopes);
  await grant.save();
  return grant;
}

/** The person of the session that a page belongs to. */
function personOf({ oidc }: KoaContextWithOIDC): string | undefined {
  const accountId = oidc.session?.accountId;
  return accountId !== undefined && isGuid(accountId) ? accountId : undefined;
}

export function providerConfiguration(db: Db, settings: ProviderSettings, keys: ProviderKeys): Configuration {
  const { publicUrl } = settings;
  const resource = `${publicUrl}/api`;
  const secure = publicUrl.startsWith('https:');
  const cookie = (name: string) => cookieName(publicUrl, name);
  return {
    adapter: (model: string) => adapterFor(db, model),
    clients: [
      {
        client_id: settings.clientId,
        client_name: 'CloudFit',
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        redirect_uris: [`${publicUrl}/user/callback`, `${publicUrl}/user/silent`],
        post_logout_redirect_uris: [`${publicUrl}/user/login`],
        id_token_signed_response_alg: signingAlgorithm,
      },
      {
        client_id: accountClientId(settings.clientId),
        client_name: 'CloudFit account',
        token_endpoint_auth_method: 'none',
        grant_types: [],
        response_types: ['none'],
        redirect_uris: [`${publicUrl}/idp/account`],
      },
      {
        client_id: deviceClientId(settings.clientId),
        client_name: 'CloudFit on a command line',
        application_type: 'native',
        token_endpoint_auth_method: 'none',
        grant_types: ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
        response_types: [],
        redirect_uris: [],
        id_token_signed_response_alg: signingAlgorithm,
      },
    ],
    clientDefaults: { id_token_signed_response_alg: signingAlgorithm },
    jwks: { keys: keys.signing.map(privateKey) },
    cookies: {
      keys: keys.cookies,
      names: { session: cookie('session'), interaction: cookie('sign_in'), resume: cookie('resume') },
      long: { httpOnly: true, sameSite: 'lax', signed: true, secure, path: '/idp' },
      short: { httpOnly: true, sameSite: 'lax', signed: true, secure },
    },
    claims: { openid: ['sub'], profile: ['name', 'preferred_username', 'picture'], email: ['email', 'email_verified'], groups: ['groups'] },
    scopes: scopes.split(' '),
    // Refresh tokens end with their session too, so that a sign-out is final; see `keepSession` in sign-out.ts.
    expiresWithSession: async ({ oidc: { session } }, token) => {
      // After a confirmation the library removes the session under its old name and stores it under a new one. A program that asks in
      // between would be refused for good, so that is done before its code is confirmed.
      if (token.kind === 'DeviceCode') await session?.persist();
      return true;
    },
    // The ID token must contain the claims of the person, because the userinfo endpoint is disabled.
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    responseTypes: ['code', 'none'],
    clientBasedCORS: (_ctx, origin) => origin === new URL(publicUrl).origin,
    interactions: { policy: signInPolicy(db), url: (_ctx, interaction) => `/idp/interaction/${interaction.uid}` },
    ttl: {
      AccessToken: accessTokenSeconds,
      AuthorizationCode: 60,
      IdToken: 3600,
      Interaction: 3600,
      Session: sessionSeconds,
      Grant: grantSeconds,
      RefreshToken: grantSeconds,
      DeviceCode: 600,
    },
    features: {
      devInteractions: { enabled: false },
      userinfo: { enabled: false },
      deviceFlow: { enabled: true, charset: 'base-20', mask: '****-****', ...devicePages(db) },
      revocation: { enabled: true, allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: async (ctx, form) => {
          const { language } = readerOfPage(ctx.req.headers, await localeOf(db, personOf(ctx)));
          ctx.body = signOutPage(signInTextsIn(language), form, ctx.oidc.entities['IdTokenHint'] !== undefined);
        },
        postLogoutSuccessSource: (ctx) => {
          const { lang, signOut } = signInTextsIn(languageOf(ctx.req.headers));
          ctx.body = page(
            lang,
            signOut.done,
            html`<p>${signOut.close}</p>
              <a class="button" href="/user/login">${signOut.again}</a>`,
          );
        },
      },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => resource,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: scopes,
          audience: settings.audience,
          accessTokenTTL: accessTokenSeconds,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: signingAlgorithm } },
        }),
      },
    },
    extraTokenClaims: async (_ctx, token) => {
      if (!('accountId' in token) || token.accountId === undefined) return undefined;
      return { ...(await accountClaims(db, token.accountId)), sid: token.sessionUid, grant: token.grantId };
    },
    findAccount: async (_ctx, sub, token) => {
      // A refresh token of a password sign-in gives no more tokens once a second factor is required.
      if (token && 'amr' in token && (await isTooWeak(db, sub, token.amr))) return undefined;
      const claims = await accountClaims(db, sub);
      return claims && { accountId: sub, claims: () => Promise.resolve({ sub, ...claims }) };
    },
    loadExistingGrant: (ctx) => loadExistingGrant(ctx, resource),
    renderError: (ctx, out) => {
      ctx.type = 'html';
      const { lang, failed, back } = signInTextsIn(languageOf(ctx.req.headers));
      // The library has its descriptions in English alone.
      ctx.body = page(
        lang,
        failed.title,
        html`<p>${failed.text} <span lang="en">${out.error_description ?? out.error}</span></p>
          <a class="button" href="/">${back}</a>`,
      );
    },
  };
}

/**
 * Returns the library's policy with one more check: a session that began with only a password must sign in again once a
 * second factor is required for its person.
 */
function signInPolicy(db: Db): interactionPolicy.DefaultPolicy {
  const { base, Check } = interactionPolicy;
  const policy = base();
  const check = new Check('second_factor_required', 'A second factor is required', 'login_required', async ({ oidc: { session } }) => {
    if (!session?.accountId) return Check.NO_NEED_TO_PROMPT;
    return (await isTooWeak(db, session.accountId, session.amr)) ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT;
  });
  policy.get('login')?.checks.add(check);
  return policy;
}

/**
 * Returns the sign-out page. With `ours` (the link has the ID token of the session) it signs out at once; otherwise it
 * asks first.
 */
function signOutPage({ lang, signOut }: SignInTexts, form: string, ours: boolean): string {
  const body = html`<p>${ours ? signOut.wait : signOut.ask}</p>
    ${{ html: form }} <button type="submit" form="op.logoutForm" name="logout" value="yes">${signOut.submit}</button>`;
  return page(lang, ours ? signOut.running : signOut.title, body, ours ? { script: 'sign-out.js' } : {});
}
