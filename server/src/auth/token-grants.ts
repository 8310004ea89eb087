/** Tenant tokens of agents and integrations: found by their hash, cached for five seconds. */
import { hash } from 'node:crypto';
import { keepNewest } from '../platform/keep-newest.ts';
import { meters } from '../platform/meters.ts';
import { scopePermissions } from '@cloudfit/contract/resources/tokens.ts';
import { isInNetworks } from '../platform/network.ts';
import { within } from '../platform/within.ts';
import { ApiError } from '@cloudfit/contract/errors.ts';
import type { Logger } from 'pino';
import type { Actor } from '../context/ctx.ts';
import type { Database } from '../db/connection.ts';
import type { Db } from '../db/db.ts';
import { recordAudit } from './audit-entry.ts';
import { accessOf, grantsOfPerson, type GrantRow, type GrantedAccess } from './grants.ts';
import { hashIntegrationToken, isWellFormedIntegrationToken } from './integration-token.ts';

const freshMs = 5_000;
/** How long a call waits for a token to be read again that stays valid while the database is away. */
export const againMs = 250;
const maxEntries = 20_000;
const usedGrainMs = 60_000;

/** The owner of a token; `owner_enabled` is null when the token has no owner. */
interface TokenOwnerRow {
  owner_enabled: boolean | null;
  owner_grants: GrantRow[];
}

interface TokenGrantRow extends TokenOwnerRow {
  token_grant_id: string;
  tenant_id: string | null;
  name: string;
  scopes: string[];
  expires_on: string | null;
  revoked_on: string | null;
  last_used: string | null;
  networks: string[];
  permissions: string[] | null;
  tenant_disabled: boolean;
}

/** Returns the token's permissions that its owner has too; all of them for a token without an owner. */
function permissionsWithOwner(row: TokenGrantRow): { scopes: string[]; permissions: string[] | null } {
  const { scopes, permissions, owner_enabled } = row;
  if (owner_enabled === null) return { scopes, permissions };
  const permitted = new Set(row.owner_grants.flatMap(([, granted]) => granted));
  return {
    scopes: scopes.filter((scope) => permitted.has(scopePermissions[scope as keyof typeof scopePermissions])),
    permissions: permissions && permissions.filter((permission) => permitted.has(permission)),
  };
}

/** Returns why a token is refused: its owner is disabled, or has none of the token's permissions any more. */
function problemOfOwner(row: TokenGrantRow, permitted: { scopes: string[]; permissions: string[] | null }): string | undefined {
  if (row.owner_enabled === null) return undefined;
  if (!row.owner_enabled) return 'The owner of this token is disabled.';
  const isEmpty = ({ scopes, permissions }: Pick<TokenGrantRow, 'scopes' | 'permissions'>) => ![...scopes, ...(permissions ?? [])].length;
  return isEmpty(permitted) && !isEmpty(row) ? 'The owner of this token no longer holds what it permits.' : undefined;
}

interface CheckedToken extends GrantedAccess {
  actor: Actor & { kind: 'token' };
  /** Networks from which the token may be used; empty: all networks. */
  networks: readonly string[];
  row: TokenGrantRow;
  db: Db;
  expiresMs: number;
  /** When it was read, or could not be read again. */
  loadedMs: number;
  generation: number;
}

export interface TokenGrants {
  check(token: string, correlationId: string, address: string | undefined): CheckedToken | Promise<CheckedToken>;
  /** Discards cached tokens. Call it when tokens, permission sets or people have changed. */
  forget(): void;
}

const refused = (message: string) => new ApiError('Unauthorized', message);

/** Whether the error means that the database is away. */
export const isUnavailable = (error: unknown): boolean => error instanceof ApiError && error.code === 'Unavailable';

/**
 * `outlasts`: while the database is away, a token that was valid is valid; without a database nothing can be read or changed with it, but
 * a stream takes packets.
 */
export function createTokenGrants(options: { database: Database; log: Logger; outlasts?: boolean }): TokenGrants {
  const { database, log, outlasts = false } = options;
  const db = database.scoped('all');
  const entries = new Map<string, CheckedToken>();
  /**
   * Time of the last audited refusal by token id, in milliseconds: at most one entry a minute, however often a
   * forgotten agent calls.
   */
  const refusals = new Map<string, number>();
  let generation = 0;

  async function refuse(row: TokenGrantRow, why: string, correlationId: string, address: string | undefined): Promise<never> {
    const last = refusals.get(row.token_grant_id) ?? 0;
    if (Date.now() - last > usedGrainMs) {
      refusals.set(row.token_grant_id, Date.now());
      await recordAudit(db, {
        actor: { kind: 'token', id: row.token_grant_id, name: row.name },
        tenantId: row.tenant_id,
        verb: 'refused',
        entity: 'tokens',
        entityId: row.token_grant_id,
        after: { reason: why },
        correlationId,
        address,
      });
    }
    throw refused(why);
  }

  /** Records the use of a token, at most once a minute, also when several servers do so at once. */
  const noteUse = ({ token_grant_id: id }: TokenGrantRow): Promise<unknown> =>
    db.query({
      text: `update token_grant set last_used = now()
        where token_grant_id = $1 and (last_used is null or last_used < now() - interval '1 minute')`,
      values: [id],
    });

  async function load(token: string, key: string, correlationId: string, address: string | undefined): Promise<CheckedToken> {
    const started = generation;
    const [row] = await db.query<TokenGrantRow>({
      name: 'auth-token-grant',
      text: `select t.token_grant_id, t.tenant_id, t.name, t.scopes, t.expires_on, t.revoked_on, t.last_used, t.networks, s.permissions,
          p.enabled as owner_enabled,
          exists (select from tenant n where n.tenant_id = t.tenant_id and not n.enabled) as tenant_disabled,
          coalesce((select jsonb_agg(jsonb_build_array(g.tenant_id, gs.permissions)) from access_grant g
            join permission_set gs on gs.permission_set_id = g.permission_set_id
            where ${grantsOfPerson} and (g.tenant_id is null or g.tenant_id = t.tenant_id)), '[]') as owner_grants
        from token_grant t left join permission_set s using (permission_set_id) left join person p on p.person_id = t.owner_id
        where t.token_hash = $1`,
      values: [hashIntegrationToken(token)],
    });
    if (!row) {
      log.warn({ address, correlationId }, 'A token that does not exist was presented.');
      throw refused('This token does not exist.');
    }
    if (row.revoked_on !== null) {
      meters.revokedTokenHits += 1;
      return refuse(row, 'This token has been revoked.', correlationId, address);
    }
    const expiresMs = row.expires_on === null ? Infinity : Date.parse(row.expires_on);
    if (Date.now() >= expiresMs) return refuse(row, 'This token has expired.', correlationId, address);
    if (row.tenant_disabled) return refuse(row, 'The tenant of this token is disabled.', correlationId, address);
    const permitted = permissionsWithOwner(row);
    const problem = problemOfOwner(row, permitted);
    if (problem !== undefined) return refuse(row, problem, correlationId, address);
    if (row.last_used === null || Date.now() - Date.parse(row.last_used) > usedGrainMs) {
      noteUse(row).catch((error: unknown) => log.warn({ err: error }, 'The last use of a token could not be noted.'));
    }
    const access: GrantedAccess = permitted.permissions
      ? accessOf([[row.tenant_id, permitted.permissions]])
      : { permissions: new Map(), tenants: row.tenant_id === null ? 'all' : [row.tenant_id] };
    const entry: CheckedToken = {
      ...access,
      actor: { kind: 'token', id: row.token_grant_id, name: row.name, scopes: permitted.scopes },
      networks: row.networks,
      row,
      db: database.scoped(access.tenants),
      expiresMs,
      loadedMs: Date.now(),
      generation: started,
    };
    keepNewest(entries, maxEntries, key, entry);
    return entry;
  }

  function fromHere(checked: CheckedToken, correlationId: string, address: string | undefined): CheckedToken | Promise<never> {
    if (checked.networks.length === 0 || isInNetworks(address, checked.networks)) return checked;
    return refuse(checked.row, `This token may not be used from ${address ?? 'an unknown address'}.`, correlationId, address);
  }

  return {
    check: (token, correlationId, address) => {
      const key = hash('sha256', token, 'base64');
      const cached = entries.get(key);
      const now = Date.now();
      if (cached && cached.generation === generation && now - cached.loadedMs < freshMs && now < cached.expiresMs)
        return fromHere(cached, correlationId, address);
      if (!isWellFormedIntegrationToken(token)) throw refused('This is not a complete token: please check that it was copied whole.');
      const lasting = outlasts && cached?.generation === generation && now < cached.expiresMs ? cached : undefined;
      const loading = load(token, key, correlationId, address).catch((error: unknown) => {
        if (lasting && isUnavailable(error)) return Object.assign(lasting, { loadedMs: Date.now() });
        entries.delete(key);
        throw error;
      });
      // A database that stalls does not answer for ten seconds.
      const loaded = lasting
        ? within(loading, againMs).then((entry) => entry ?? Object.assign(lasting, { loadedMs: Date.now() }))
        : loading;
      return loaded.then((entry) => fromHere(entry, correlationId, address));
    },
    forget: () => void generation++,
  };
}
