/** Builds the OpenID provider and the pages that need it: a large library, so this file is loaded apart (see `mount.ts`). */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { JSONWebKeySet } from 'jose';
import Provider, { type KoaContextWithOIDC } from 'oidc-provider';
import type { Logger } from 'pino';
import type { Database, Db } from '../../db/connection.ts';
import type { MasterKey } from '../master-key.ts';
import { providerConfiguration } from './configuration.ts';
import type { ProviderKeys } from './keys.ts';
import { securityHeaders } from './page.ts';
import { setPasswordPage } from './set-password-page.ts';
import { signInPage, type PageContext } from './sign-in-page.ts';
import { afterAnswer } from './sign-out.ts';

export interface ProviderOptions {
  database: Database;
  masterKey: MasterKey;
  log: Logger;
  publicUrl: string;
  /** What access tokens carry as `aud`. */
  audience: string;
  clientId: string;
}

export interface BuiltProvider {
  /** Everything of the protocol. */
  answer(req: IncomingMessage, res: ServerResponse): void;
  signIn(req: IncomingMessage, res: ServerResponse, address: string | undefined): Promise<void>;
  setPassword(link: string, req: IncomingMessage, res: ServerResponse, address: string | undefined): Promise<void>;
}

export function buildProvider(db: Db, options: ProviderOptions, keys: ProviderKeys, issuer: string, jwks: JSONWebKeySet): BuiltProvider {
  const provider = new Provider(issuer, providerConfiguration(db, options, keys));
  // The addresses come from PUBLIC_URL alone, see `present` in mount.ts.
  provider.proxy = true;
  provider.use(async (ctx, next) => {
    ctx.set(securityHeaders(ctx.path === '/auth' || ctx.path.startsWith('/auth/')));
    await next();
    const { oidc } = ctx as unknown as Partial<KoaContextWithOIDC>;
    if (oidc) await afterAnswer({ db, issuer, jwks }, ctx as unknown as KoaContextWithOIDC);
  });
  provider.on('server_error', (_ctx, error) => options.log.error({ err: error }, 'The identity provider failed.'));
  const context: PageContext = { db, provider, publicUrl: options.publicUrl };
  const callback = provider.callback();
  return {
    answer: (req, res) => void callback(req, res),
    signIn: (req, res, address) => signInPage(context, req, res, address),
    setPassword: (link, req, res, address) => setPasswordPage(context, link, req, res, address),
  };
}
