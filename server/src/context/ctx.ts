/** The caller's context: the first argument of every server function. */
import type { Logger } from 'pino';
import { forbidden } from '@cloudfit/contract/errors.ts';
import { permission, type Area, type Permission, type PermissionVerb } from '@cloudfit/contract/permissions.ts';
import type { Language } from '@cloudfit/contract/messages/language.ts';
import type { Db, TenantScope } from '../db/db.ts';

export type Actor =
  | { kind: 'person'; id: string; name: string; userName: string }
  | { kind: 'token'; id: string; name: string; scopes: readonly string[] }
  /** The agent of a device, signed in with its key; `registrationId` is its pending device. */
  | { kind: 'device'; id: string; name: string; registrationId: string }
  | { kind: 'system'; id: null; name: string };

/** Permissions by tenant id; the key `*` has those of a grant for all tenants. */
export type Permissions = ReadonlyMap<string, ReadonlySet<string>>;

/** The names of the caller's disabled tenants, the suspended permissions there, and a database that reads their rows. */
export interface DisabledTenants {
  names: ReadonlyMap<string, string>;
  permissions: Permissions;
  db: Db;
}

/** A sentence about a row that was written. */
export interface Warning {
  key: string | number;
  message: string;
}

export interface Ctx {
  actor: Actor;
  /** The administrator who sees the portal as `actor`. */
  seer?: Actor;
  /** Tenants of the caller's grants, whatever their permissions: the scope of row-level security. */
  tenants: TenantScope;
  permissions: Permissions;
  db: Db;
  now: () => Date;
  log: Logger;
  /** The caller's disabled tenants, used only for the message of a refusal. */
  disabled?: DisabledTenants;
  /** Correlation id of everything that this call causes. */
  correlationId: string;
  address?: string;
  /** The language in which the caller reads sentences; English if the call says none. */
  language?: Language;
  /** How many outbound calls and automatic changes led to this request or job; above a limit the chain stops. */
  hops?: number;
  /**
   * Returns why the installation never calls an address; undefined if it may call it. Only calls of the API set this function.
   */
  refusedCall?: (url: string) => string | undefined;
  /** Collects what the caller should know of a write that succeeds, with the key of its row. Only calls of the API set this. */
  warnings?: Warning[];
  /** The sign-in of the person, if the identity provider identifies sign-ins. */
  session?: string;
  /** The folder of files that this call applies: its protected rows may change. */
  applies?: string;
  /** Revokes the access token of this call, on all servers; only people have one. */
  endSignIn?: () => Promise<void>;
}

/** Whether the caller has the scope: a token that lists it, or the agent of a device, which has those of agents for its own device. */
export function hasScope({ actor }: Pick<Ctx, 'actor'>, scope: 'agent' | 'ingest' | 'assistant'): boolean {
  return (actor.kind === 'device' && scope !== 'assistant') || (actor.kind === 'token' && actor.scopes.includes(scope));
}

/** Whether the caller has the permission: in this tenant; with null, in all tenants; with undefined, in any tenant. */
export function may(ctx: Pick<Ctx, 'permissions'>, required: Permission, tenantId?: string | null): boolean {
  if (ctx.permissions.get('*')?.has(required)) return true;
  if (tenantId === null) return false;
  if (tenantId !== undefined) return ctx.permissions.get(tenantId)?.has(required) ?? false;
  for (const set of ctx.permissions.values()) if (set.has(required)) return true;
  return false;
}

/** The tenants in which the caller has one of these permissions. */
export function tenantScopeWith(ctx: Ctx, required: readonly Permission[]): TenantScope {
  const has = (set: ReadonlySet<string> | undefined): boolean => required.some((item) => set?.has(item));
  if (has(ctx.permissions.get('*'))) return 'all';
  return [...ctx.permissions].filter(([, set]) => has(set)).map(([tenant]) => tenant);
}

/** Tenants in which the caller has this permission, or one of those in `instead`; throws 403 when there are none. */
export function requireScope(ctx: Ctx, area: Area, verb: PermissionVerb, instead: readonly Permission[] = []): TenantScope {
  const required = permission(area, verb);
  const scope = tenantScopeWith(ctx, [required, ...instead]);
  if (scope.length === 0) throw forbidden(`You do not have the permission ${required}.`);
  return scope;
}

/**
 * Throws 403 unless the caller has the permission: in this tenant; with null, in all tenants; with undefined, in any tenant.
 */
export function requirePermission(ctx: Ctx, area: Area, verb: PermissionVerb, tenantId?: string | null): void {
  const required = permission(area, verb);
  if (!may(ctx, required, tenantId))
    throw forbidden(`You do not have the permission ${required}${tenantId === null ? ' in all tenants' : ''}.`);
}

/** The same caller on an open transaction. */
export function withDb(ctx: Ctx, db: Db): Ctx {
  return { ...ctx, db };
}

/** Runs `work` in a transaction with a ctx bound to it. */
export function inTransaction<T>(ctx: Ctx, work: (ctx: Ctx) => Promise<T>): Promise<T> {
  return ctx.db.transaction((db) => work(withDb(ctx, db)));
}

/**
 * The caller's name in `createdBy`, history and audit: of a person the sign-in name; of a token or device a form that no
 * person's name has.
 */
export function actorName({ actor }: Pick<Ctx, 'actor'>): string {
  if (actor.kind === 'person') return actor.userName;
  return actor.kind === 'token' || actor.kind === 'device' ? `${actor.name} (${actor.kind})` : actor.name;
}
