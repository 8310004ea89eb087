/** Lets an administrator see what a person sees, with the permissions that both have, without changing anything. */
import { permission, viewMine } from '@cloudfit/contract/permissions.ts';
import { ApiError, forbidden, notFound } from '@cloudfit/contract/errors.ts';
import { actorName, inTransaction, may, type Ctx, type Permissions } from '../context/ctx.ts';
import type { Database } from '../db/connection.ts';
import { readOnly } from '../db/read-only.ts';
import { recordAudit } from './audit-entry.ts';
import { isGuid } from './guid.ts';
import { presentAccess, type PersonAccess } from './people.ts';

const lifetimeMs = 30 * 60_000;

/** Returns whether a call only reads. `declared`: whether it is a POST that is declared to change nothing. */
export function isRead(method: string, declared: boolean): boolean {
  return method === 'GET' || method === 'HEAD' || (method === 'POST' && declared);
}

export interface StartedImpersonation {
  seeAsId: string;
  personId: string;
  name: string;
  expires: string;
}

function requireAdministrator(ctx: Ctx): string {
  const { actor } = ctx;
  if (actor.kind !== 'person' || !may(ctx, permission('People', 'edit'), null))
    throw forbidden('Only people who may edit People in all tenants see the portal as somebody else.');
  return actor.id;
}

async function accessOf(database: Database, personId: string): Promise<PersonAccess> {
  const access = await presentAccess(database.scoped('all'), personId);
  if (!access) throw notFound('Person');
  if (!access.enabled) throw new ApiError('Conflict', `${access.actor.name} is disabled and sees nothing.`);
  return access;
}

/** Begins an impersonation of 30 minutes; the audit names the administrator and the person. */
export async function beginImpersonation(outer: Ctx, database: Database, personId: string): Promise<StartedImpersonation> {
  const seerId = requireAdministrator(outer);
  const { actor } = await accessOf(database, personId);
  const expires = new Date(outer.now().getTime() + lifetimeMs).toISOString();
  return inTransaction(outer, async (ctx) => {
    const [row] = await ctx.db.query<{ seeAsId: string }>({
      text: 'insert into see_as (seer_id, person_id, expires) values ($1, $2, $3) returning see_as_id as "seeAsId"',
      values: [seerId, personId, expires],
    });
    if (!row) throw new Error('An insert answers its row.');
    await recordAudit(ctx.db, {
      actor: { kind: ctx.actor.kind, id: ctx.actor.id, name: actorName(ctx) },
      verb: 'see-as',
      entity: 'people',
      entityId: personId,
      after: { name: actor.name, userName: actor.userName, expires },
      correlationId: ctx.correlationId,
      address: ctx.address,
    });
    return { ...row, personId, name: actor.name, expires };
  });
}

/**
 * Returns the permissions that both people have, so that nobody sees more through another person. Callers who may not
 * view work units do not see the person's own work units.
 */
export function heldByBoth(ofCaller: Permissions, theirs: Permissions): Permissions {
  const both = new Map<string, ReadonlySet<string>>();
  for (const [tenant, granted] of theirs) {
    const callerSets = [ofCaller.get('*'), ofCaller.get(tenant)];
    const holds = (item: string) => callerSets.some((set) => set?.has(item === viewMine ? permission('WorkUnits', 'view') : item));
    both.set(tenant, new Set([...granted].filter(holds)));
  }
  return both;
}

/**
 * Returns the ctx in which a request with `seeAsHeader` is handled. Throws 403 when the impersonation has ended, and for a call
 * that could change something.
 */
export async function seenAs(ctx: Ctx, database: Database, { reads, seeAsId }: { reads: boolean; seeAsId: string }): Promise<Ctx> {
  const seerId = requireAdministrator(ctx);
  const [impersonation] = isGuid(seeAsId)
    ? await ctx.db.query<{ personId: string }>({
        text: 'select person_id as "personId" from see_as where see_as_id = $1 and seer_id = $2 and expires > $3',
        values: [seeAsId, seerId, ctx.now().toISOString()],
      })
    : [];
  if (!impersonation) throw forbidden("This view as another person has ended. Start it again from the person's page.");
  const access = await accessOf(database, impersonation.personId);
  if (!reads) throw forbidden(`You see this as ${access.actor.name}: nothing can be changed.`);
  const { disabled: _disabled, endSignIn: _endSignIn, session: _session, ...rest } = ctx;
  return {
    ...rest,
    actor: access.actor,
    seer: ctx.actor,
    tenants: access.tenants,
    permissions: heldByBoth(ctx.permissions, access.permissions),
    db: readOnly(database.scoped(access.tenants), `You see this as ${access.actor.name}: nothing can be changed.`),
  };
}
