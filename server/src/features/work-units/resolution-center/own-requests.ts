/**
 * Which work units are a person's own requests: those they created, and those whose stakeholder has their verified
 * email.
 */
import { type RawBuilder, sql } from '../../../db/sql.ts';
import type { Ctx } from '../../../context/ctx.ts';

/** SQL condition for the table or view alias `t`. People have requests, tokens have none, and the system sees all rows. */
export function ownRequests(ctx: Ctx, t: string): RawBuilder<boolean> {
  if (ctx.actor.kind !== 'person') return ctx.actor.kind === 'system' ? sql<boolean>`true` : sql<boolean>`false`;
  const { id, userName } = ctx.actor;
  return sql<boolean>`(${sql.ref(`${t}.created_by`)} = ${userName} or ${sql.ref(`${t}.stake_holder_email_key`)} =
    (select lower(p.email) from person p where p.person_id = ${id}::uuid and p.email_verified))`;
}
