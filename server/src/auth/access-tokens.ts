/** Verifies an access token of a person once, then caches it by its hash; looks the person up after changes, or after 30 s. */
import { hash } from 'node:crypto';
import type { JWTPayload } from 'jose';
import * as errors from 'jose/errors';
import { decodeJwt } from 'jose/jwt/decode';
import { jwtVerify } from 'jose/jwt/verify';
import { ApiError } from '@cloudfit/contract/errors.ts';
import type { DisabledTenants } from '../context/ctx.ts';
import type { Database } from '../db/connection.ts';
import type { Db } from '../db/db.ts';
import { identityOf, personAccess, type PersonIdentity, type PersonAccess } from './people.ts';
import { recordAboutPerson } from './audit-entry.ts';
import { endSubscriptionsOfSession } from './push/subscriptions.ts';
import { keepNewest } from '../platform/keep-newest.ts';
import { meters } from '../platform/meters.ts';
import { revokeToken, type RevokedTokens } from './revoked-tokens.ts';
import type { TokenIssuer } from './token-issuer.ts';

const freshMs = 30_000;
const toleranceSeconds = 30;
const maxEntries = 20_000;

export interface Caller extends PersonAccess {
  /** A database in the caller's tenant scope. */
  db: Db;
  disabled?: DisabledTenants;
}

interface CheckedAccessToken {
  identity: PersonIdentity;
  /** The ids by which the token can be revoked: its `jti`, its `sid`, its `grant` and its hash. */
  tokenIds: readonly string[];
  session: string | undefined;
  expiresMs: number;
  caller: Caller;
  loadedMs: number;
  generation: number;
  loading?: { caller: Promise<Caller>; generation: number };
}

export interface AccessTokens {
  /** Returns the caller of a token; synchronously (no promise) when the caller is cached and fresh. */
  check(token: string, correlationId: string, address?: string): Caller | Promise<Caller>;
  /** Returns the session id (`sid`) of a checked token; undefined if its provider sends none. */
  sessionOf(token: string): string | undefined;
  /** Revokes the token on all servers until it expires, and ends push messages to the browser of its session. */
  end(token: string, correlationId: string): Promise<void>;
  /** Call this after a change of people, grants or permission sets: each caller is looked up again at their next request. */
  forgetPeople(): void;
}

const unauthorized = (message: string) => new ApiError('Unauthorized', message);
const ended = () => unauthorized('You have signed out. Please sign in again.');
const closed = (tenants: readonly string[]) =>
  new ApiError('Forbidden', `The tenant ${tenants.join(', ')} is disabled. Please ask an administrator of this installation.`);
const expired = () => unauthorized('Your sign-in has expired. Please sign in again.');

export function createAccessTokens(options: { database: Database; issuer: TokenIssuer; revoked: RevokedTokens }): AccessTokens {
  const { database, issuer, revoked } = options;
  const db = database.scoped('all');
  const entries = new Map<string, CheckedAccessToken>();
  const verifying = new Map<string, Promise<Caller>>();
  let generation = 0;
  let keysGeneration = 0;
  issuer.onKeysChange?.(() => {
    keysGeneration++;
    entries.clear();
  });

  async function look(identity: PersonIdentity, tokenIds: readonly string[]): Promise<Caller> {
    const access = await personAccess(db, identity, tokenIds);
    if (!access) throw unauthorized('The access token belongs to no person of this installation. Please sign in again.');
    const { inDisabled } = access;
    const disabledIds = [...inDisabled.names.keys()].toSorted();
    // Not needed for a person with a grant for all tenants, who sees the rows of disabled tenants anyway.
    const disabled = access.tenants !== 'all' && disabledIds.length > 0 ? { ...inDisabled, db: database.scoped(disabledIds) } : undefined;
    return { ...access, db: database.scoped(access.tenants), ...(disabled ? { disabled } : {}) };
  }

  async function verify(key: string, token: string, correlationId: string, address: string | undefined): Promise<Caller> {
    const started = generation;
    const startedKeys = keysGeneration;
    const claims = await verifiedClaims(issuer, token);
    const tokenIds = [claims.jti, claims['sid'], claims['grant'], key].filter((id) => typeof id === 'string');
    const session = typeof claims['sid'] === 'string' ? claims['sid'] : undefined;
    const identity = await identityOf(db, issuer, claims, token, { correlationId, address });
    const caller = await look(identity, tokenIds);
    if (startedKeys !== keysGeneration) return verify(key, token, correlationId, address);
    const expiresMs = ((claims.exp ?? 0) + toleranceSeconds) * 1000;
    keepNewest(entries, maxEntries, key, { identity, tokenIds, session, expiresMs, caller, loadedMs: Date.now(), generation: started });
    return caller;
  }

  function reload(entry: CheckedAccessToken): Promise<Caller> {
    const started = generation;
    return look(entry.identity, entry.tokenIds).then(
      (caller) => Object.assign(entry, { caller, loadedMs: Date.now(), generation: started }).caller,
    );
  }

  function allow(caller: Caller, tokenIds: readonly string[]): Caller {
    if (caller.revoked || tokenIds.some((id) => revoked.has(id))) {
      meters.revokedTokenHits += 1;
      throw ended();
    }
    if (!caller.enabled) throw new ApiError('Forbidden', 'Your account is disabled. Please ask an administrator.');
    if (caller.permissions.size === 0 && caller.inDisabled.names.size > 0) throw closed([...caller.inDisabled.names.values()]);
    return caller;
  }

  function check(token: string, correlationId: string, address?: string): Caller | Promise<Caller> {
    const key = keyOf(token);
    const entry = entries.get(key);
    if (entry) {
      const now = Date.now();
      if (now >= entry.expiresMs) throw expired();
      if (entry.generation === generation && now - entry.loadedMs < freshMs) return allow(entry.caller, entry.tokenIds);
      // A running load of an earlier generation may return outdated data, so this request starts another load.
      if (entry.loading?.generation !== generation) {
        const loading = {
          generation,
          caller: reload(entry).finally(() => {
            if (entry.loading === loading) delete entry.loading;
          }),
        };
        entry.loading = loading;
      }
      return entry.loading.caller.then((caller) => allow(caller, entry.tokenIds));
    }
    let first = verifying.get(key);
    if (!first) {
      first = verify(key, token, correlationId, address).finally(() => verifying.delete(key));
      verifying.set(key, first);
    }
    return first.then((caller) => allow(caller, entries.get(key)?.tokenIds ?? []));
  }

  const sessionOf = (token: string): string | undefined => entries.get(keyOf(token))?.session;

  async function end(token: string, correlationId: string): Promise<void> {
    const key = keyOf(token);
    const { actor } = await check(token, correlationId);
    const { exp = 0, sid: session } = decodeJwt(token);
    await db.transaction(async (tx) => {
      await revokeToken(tx, key, new Date(exp * 1000));
      if (typeof session === 'string')
        await endSubscriptionsOfSession(tx, session, {
          actor: { kind: 'person', id: actor.id, name: actor.userName },
          why: 'The person has signed out.',
          correlationId,
        });
      // The embedded provider audits its sign-outs itself.
      if (!issuer.embedded)
        await recordAboutPerson(tx, actor.id, {
          actor: { kind: 'person', id: actor.id, name: actor.userName },
          verb: 'sign-out',
          entity: 'people',
          entityId: actor.id,
          correlationId,
        });
    });
  }

  return { check, sessionOf, end, forgetPeople: () => void generation++ };
}

const keyOf = (token: string) => hash('sha256', token, 'base64');

async function verifiedClaims(issuer: TokenIssuer, token: string): Promise<JWTPayload> {
  try {
    const { payload, protectedHeader } = await jwtVerify(token, issuer.keys, {
      issuer: issuer.issuer,
      audience: issuer.audience,
      algorithms: [...issuer.algorithms],
      requiredClaims: ['exp', 'sub'],
      clockTolerance: toleranceSeconds,
      ...(issuer.typ === undefined ? {} : { typ: issuer.typ }),
    });
    // Some providers send no `typ` to check, so an ID token, which must not give access to the API, is recognized by
    // its claims.
    if (protectedHeader.typ !== 'at+jwt' && ('nonce' in payload || 'at_hash' in payload))
      throw unauthorized('This is an ID token; an access token is needed.');
    return payload;
  } catch (error) {
    if (error instanceof errors.JWTExpired) throw expired();
    if (error instanceof errors.JWSInvalid)
      throw unauthorized('This is neither a token from Tokens, which begins with cfst_, nor the access token of a person.');
    if (error instanceof errors.JOSEError) throw unauthorized(`The access token is not valid: ${error.message}.`);
    throw error;
  }
}
