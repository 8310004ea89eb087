/** Authenticates a request by its `Authorization` header and makes its ctx. */
import type { Logger } from 'pino';
import { ApiError } from '@cloudfit/contract/errors.ts';
import type { Actor, Ctx, DisabledTenants, Permissions } from '../context/ctx.ts';
import type { Database } from '../db/connection.ts';
import type { Db, TenantScope } from '../db/db.ts';
import { createAccessTokens } from './access-tokens.ts';
import { looksLikeDeviceToken, type DeviceTokens } from './device-tokens.ts';
import { looksLikeIntegrationToken } from './integration-token.ts';
import { peopleChannel, tokensChannel } from './invalidate.ts';
import { watchRevokedTokens } from './revoked-tokens.ts';
import { createTokenGrants } from './token-grants.ts';
import type { TokenIssuer } from './token-issuer.ts';

export interface AuthenticatorOptions {
  database: Database;
  issuer: TokenIssuer;
  /** Checks access tokens of devices; if absent, all tokens of devices are refused. */
  deviceTokens?: DeviceTokens;
  /** Whether tokens that were valid stay so while the database is away. */
  outlasts?: boolean;
  log: Logger;
  now?: () => Date;
}

export interface Credentials {
  authorization?: string | undefined;
  address?: string | undefined;
  /** Whether the connection is encrypted, or stays on this machine. */
  isPrivate?: boolean;
  correlationId: string;
  /** The log of the request; by default a child of the authenticator's log. */
  log?: Logger;
}

export interface Authenticator {
  /** Throws 401 (not authenticated), 403 (account or tenants disabled) or 503 (provider or database unavailable). */
  authenticate(credentials: Credentials): Promise<Ctx>;
  /**
   * Registers a callback for changes of people, grants, tokens or revocations, so that long work in somebody's name
   * checks its permissions again. Returns the function that removes the callback.
   */
  onChange(changed: () => void): () => void;
  close(): Promise<void>;
}

interface CheckedCaller {
  actor: Actor;
  permissions: Permissions;
  tenants: TenantScope;
  db: Db;
  disabled?: DisabledTenants;
}

const bearer = /^Bearer +([A-Za-z0-9._~+/=-]+)$/i;

const basic = /^Basic +([A-Za-z0-9+/]+={0,2})$/i;

/**
 * Returns the token that a spreadsheet sends as a password, with any user name (RFC 7617). Passwords of people are
 * refused, because they would bypass the second factor.
 */
function passwordOf(authorization: string, isPrivate: boolean): string {
  const [, encoded] = basic.exec(authorization) ?? [];
  if (encoded === undefined) throw new ApiError('Unauthorized', 'Send a bearer token, or a token of this server as the password.');
  if (!isPrivate) throw new ApiError('Unauthorized', 'A token is accepted as a password over https only. Use an https address.');
  const [, password = ''] = /^[^:]*:(.*)$/s.exec(Buffer.from(encoded, 'base64').toString()) ?? [];
  if (!looksLikeIntegrationToken(password))
    throw new ApiError('Unauthorized', 'The password must be a token of this server. An administrator creates one on the page Tokens.');
  return password;
}

/** Returns an authenticator that watches the database for changes of people, tokens and revocations until `close` is called. */
export async function createAuthenticator(options: AuthenticatorOptions): Promise<Authenticator> {
  const { database, log } = options;
  const now = options.now ?? (() => new Date());
  const onError = (error: unknown): void => log.warn({ err: error }, 'The list of revoked tokens could not be read.');
  const listeners = new Set<() => void>();
  const changed = (): void => listeners.forEach((tell) => tell());
  const revoked = await watchRevokedTokens(database, onError, changed);
  const accessTokens = createAccessTokens({ database, issuer: options.issuer, revoked });
  const tokenGrants = createTokenGrants({ database, log, outlasts: options.outlasts ?? false });
  const stopPeople = await database.listen(peopleChannel, () => {
    accessTokens.forgetPeople();
    changed();
  });
  const stopTokens = await database.listen(tokensChannel, () => {
    tokenGrants.forget();
    options.deviceTokens?.forget();
    changed();
  });

  async function authenticate(credentials: Credentials): Promise<Ctx> {
    const { authorization, address, correlationId } = credentials;
    if (!authorization) throw new ApiError('Unauthorized', 'Please sign in.');
    const token = bearer.exec(authorization)?.[1] ?? passwordOf(authorization, credentials.isPrivate ?? false);
    const isIntegration = looksLikeIntegrationToken(token);
    const devices = looksLikeDeviceToken(token) ? options.deviceTokens : undefined;
    const checked: CheckedCaller | Promise<CheckedCaller> = isIntegration
      ? tokenGrants.check(token, correlationId, address)
      : devices
        ? devices.check(token)
        : accessTokens.check(token, correlationId, address);
    const caller = checked instanceof Promise ? await checked : checked;
    const session = isIntegration || devices ? undefined : accessTokens.sessionOf(token);
    return {
      actor: caller.actor,
      tenants: caller.tenants,
      permissions: caller.permissions,
      db: caller.db,
      ...(caller.disabled ? { disabled: caller.disabled } : {}),
      now,
      log: credentials.log ?? log.child({ correlationId }),
      correlationId,
      ...(address === undefined ? {} : { address }),
      ...(session === undefined ? {} : { session }),
      ...(isIntegration || devices ? {} : { endSignIn: () => accessTokens.end(token, correlationId) }),
    };
  }

  return {
    authenticate,
    onChange: (tell) => {
      listeners.add(tell);
      return () => void listeners.delete(tell);
    },
    close: async () => {
      await Promise.all([stopPeople(), stopTokens(), revoked.close()]);
    },
  };
}
