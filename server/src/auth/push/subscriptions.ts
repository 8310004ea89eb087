/** Ends subscriptions of browsers to push messages. Each end is audited in its transaction. */
import type { Actor } from '../../context/ctx.ts';
import type { Db } from '../../db/db.ts';
import { recordAboutPerson } from '../audit-entry.ts';

export interface EndedBecause {
  actor: { kind: Actor['kind']; id: string | null; name: string };
  why: string;
  correlationId: string;
  address?: string | undefined;
}

interface EndedSubscription {
  push_subscription_id: string;
  person_id: string;
  browser: string;
}

async function record(db: Db, rows: readonly EndedSubscription[], { actor, why, correlationId, address }: EndedBecause): Promise<number> {
  for (const row of rows)
    await recordAboutPerson(db, row.person_id, {
      actor,
      verb: 'delete',
      entity: 'pushSubscriptions',
      entityId: row.push_subscription_id,
      before: { personId: row.person_id, browser: row.browser },
      after: { why },
      correlationId,
      address,
    });
  return rows.length;
}

const returning = 'returning push_subscription_id, person_id, browser';

/** Ends one subscription of a person; returns whether the person had it. */
export async function endSubscription(db: Db, personId: string, id: string, because: EndedBecause): Promise<boolean> {
  const rows = await db.query<EndedSubscription>({
    name: 'push-end',
    text: `delete from push_subscription where person_id = $1 and push_subscription_id = $2 ${returning}`,
    values: [personId, id],
  });
  return (await record(db, rows, because)) > 0;
}

/** Ends the subscriptions that were created in a session, because the session has ended. */
export async function endSubscriptionsOfSession(db: Db, sessionId: string, because: EndedBecause): Promise<void> {
  const rows = await db.query<EndedSubscription>({
    name: 'push-end-session',
    text: `delete from push_subscription where session_id = $1 ${returning}`,
    values: [sessionId],
  });
  await record(db, rows, because);
}

/** Ends all subscriptions of a person who was disabled. */
export async function endSubscriptionsOfPerson(db: Db, personId: string, because: EndedBecause): Promise<void> {
  const rows = await db.query<EndedSubscription>({
    name: 'push-end-person',
    text: `delete from push_subscription where person_id = $1 ${returning}`,
    values: [personId],
  });
  await record(db, rows, because);
}
