/** Builds the OpenID provider and its pages. It is a large library, so this file is loaded separately (see `mount.ts`). */
import type { IncomingMessage, ServerResponse } from 'node:http';
import Provider, { type KoaContextWithOIDC } from 'oidc-provider';
import type { Logger } from 'pino';
import type { Database } from '../../db/connection.ts';
import type { Db } from '../../db/db.ts';
import type { QueueSignInMail } from '../sign-in/sign-in-devices.ts';
import { ldapClient } from '../../outbound/ldap.ts';
import { directoryProviders } from '../directories/oidc.ts';
import type { MasterKey } from '../master-key.ts';
import { account } from './account.ts';
import { providerConfiguration } from './configuration.ts';
import type { Keyring } from './keyring.ts';
import { securityHeaders } from './page.ts';
import { invitationPage } from './invitation-page.ts';
import { setPasswordPage } from './set-password-page.ts';
import { fromDirectory, toDirectory } from './directory-pages.ts';
import { passkeySignInOptions, signInPage } from './sign-in-page.ts';
import { afterAnswer } from './sign-out.ts';

export interface ProviderOptions {
  database: Database;
  masterKey: MasterKey;
  log: Logger;
  publicUrl: string;
  /** The `aud` of access tokens. */
  audience: string;
  clientId: string;
  queueMail: QueueSignInMail;
  /** Private networks and hosts where providers and LDAP servers of directories may be. */
  outboundAllow?: readonly string[];
}

export interface BuiltProvider {
  /** Handles the endpoints of OpenID Connect. */
  answer(req: IncomingMessage, res: ServerResponse): void;
  signIn(req: IncomingMessage, res: ServerResponse, address: string | undefined): Promise<void>;
  /** Sends the person of a sign-in to the provider of a directory. */
  toDirectory(directoryId: string, req: IncomingMessage, res: ServerResponse): Promise<void>;
  /** Finishes the sign-in of a person whom the provider has sent back. */
  fromDirectory(query: URLSearchParams, req: IncomingMessage, res: ServerResponse, address: string | undefined): Promise<void>;
  /** Sends passkey options to the script of the sign-in page. */
  passkeyOptions(req: IncomingMessage, res: ServerResponse): Promise<void>;
  account(step: string, req: IncomingMessage, res: ServerResponse, address: string | undefined): Promise<void>;
  setPassword(link: string, req: IncomingMessage, res: ServerResponse, address: string | undefined): Promise<void>;
  invitation(token: string, req: IncomingMessage, res: ServerResponse, address: string | undefined): Promise<void>;
}

export function buildProvider(db: Db, options: ProviderOptions, keyring: Keyring, issuer: string): BuiltProvider {
  const { origin } = new URL(options.publicUrl);
  const provider = new Provider(issuer, providerConfiguration(db, options, keyring.keys()));
  // The library may trust the forwarded headers, because `present` in mount.ts sets them from PUBLIC_URL.
  provider.proxy = true;
  provider.use<object, Partial<Pick<KoaContextWithOIDC, 'oidc'>>>(async (ctx, next) => {
    ctx.set(securityHeaders(ctx.path === '/auth' || ctx.path.startsWith('/auth/')));
    // Nobody signs a program in by a link that has its code: the person reads the code where the program shows it.
    if (ctx.path === '/device' && ctx.method === 'GET') ctx.querystring = '';
    await next();
    // The library names any origin to preflight requests, in errors and with its public documents.
    if (ctx.get('origin') !== origin)
      for (const name of Object.keys(ctx.response.headers)) if (/^access-control-/i.test(name)) ctx.remove(name);
    if (ctx.oidc) await afterAnswer({ db, issuer, jwks: keyring.jwks() }, ctx.oidc, ctx);
  });
  provider.on('server_error', (_ctx, error) => options.log.error({ err: error }, 'The identity provider failed.'));
  const context = {
    db,
    provider,
    publicUrl: options.publicUrl,
    queueMail: options.queueMail,
    masterKey: options.masterKey,
    clientId: options.clientId,
    log: options.log,
    providers: directoryProviders({ publicUrl: options.publicUrl, allow: options.outboundAllow ?? [] }),
    ldap: ldapClient({ allow: options.outboundAllow ?? [] }),
  };
  const callback = provider.callback();
  return {
    answer: (req, res) => void callback(req, res),
    signIn: (req, res, address) => signInPage(context, req, res, address),
    toDirectory: (directoryId, req, res) => toDirectory(context, directoryId, req, res),
    fromDirectory: (query, req, res, address) => fromDirectory(context, query, req, res, address),
    passkeyOptions: (req, res) => passkeySignInOptions(context, req, res),
    account: (step, req, res, address) => account(context, step, req, res, address),
    setPassword: (link, req, res, address) => setPasswordPage(context, link, req, res, address),
    invitation: (token, req, res, address) => invitationPage(context, token, req, res, address),
  };
}
