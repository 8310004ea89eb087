/** The sessions of a person at the embedded provider, and how they end. */
import type { Db } from '../db/db.ts';
import { endSubscriptionsOfPerson, endSubscriptionsOfSession, type EndedBecause } from './push/subscriptions.ts';
import { revokeToken } from './revoked-tokens.ts';

/** Maximum lifetime of an access token of a session, in milliseconds. */
const tokenLifeMs = 600_000;

export interface SignedInSession {
  /** The `sid` of the session's access tokens. */
  uid: string;
  signedInOn: string;
  withPasskey: boolean;
  /** Whether the sign-in was with a password and a one-time code. */
  withCode: boolean;
}

/** Returns the sessions that have not expired, at most 50, the newest first. */
export async function listSessions(db: Db, personId: string): Promise<SignedInSession[]> {
  const rows = await db.query<{ uid: string; signed_in_on: string; amr: string[] | null }>({
    text: `select uid, to_timestamp((payload->>'loginTs')::float8) as signed_in_on, payload->'amr' as amr from identity_item
      where account_id = $1 and model = 'Session' and uid is not null and expires_at > now() order by 2 desc limit 50`,
    values: [personId],
  });
  return rows.map((row) => ({
    uid: row.uid,
    signedInOn: row.signed_in_on,
    withPasskey: row.amr?.includes('pop') ?? false,
    withCode: row.amr?.includes('otp') ?? false,
  }));
}

const byServer = (why: string): EndedBecause => ({
  actor: { kind: 'system', id: null, name: 'Sign-in' },
  why,
  correlationId: crypto.randomUUID(),
});

/** Revokes the access tokens of a session and ends the push messages to its browser, both at the commit. */
export async function endSession(db: Db, uid: string): Promise<void> {
  await revokeToken(db, uid, new Date(Date.now() + tokenLifeMs));
  await endSubscriptionsOfSession(db, uid, byServer('The sign-in has ended.'));
}

/** Ends all of a person's sessions, except the named one; returns the number. */
export async function endSessions(db: Db, personId: string, except?: string): Promise<number> {
  const ended = await db.query<{ model: string; uid: string | null }>({
    text: `delete from identity_item where account_id = $1 and not (model = 'Session' and uid is not distinct from $2) returning model, uid`,
    values: [personId, except ?? null],
  });
  const sessions = ended.filter(({ model, uid }) => model === 'Session' && uid !== null);
  for (const { uid } of sessions) await endSession(db, String(uid));
  return sessions.length;
}

/** Deletes one session of this person; false when there is none. */
async function deleteSession(db: Db, personId: string, uid: string): Promise<boolean> {
  const ended = await db.query({
    text: "delete from identity_item where account_id = $1 and model = 'Session' and uid = $2 returning 1",
    values: [personId, uid],
  });
  return ended.length > 0;
}

/** Ends one session of this person, with all of its tokens; false when there is none. */
export async function endSessionOf(db: Db, personId: string, uid: string): Promise<boolean> {
  const isEnded = await deleteSession(db, personId, uid);
  if (isEnded) await endSession(db, uid);
  return isEnded;
}

/**
 * Ends one session of this person whose time is over; false when there is none. Messages to its browser go on, as after any session that
 * nobody prolonged: who is on call at night has not signed in for hours.
 */
export async function expireSessionOf(db: Db, personId: string, uid: string): Promise<boolean> {
  const isEnded = await deleteSession(db, personId, uid);
  if (isEnded) await revokeToken(db, uid, new Date(Date.now() + tokenLifeMs));
  return isEnded;
}

/** Ends all access of a disabled person: sessions with their tokens, messages to browsers, and links to set a password. */
export async function lockOut(db: Db, personId: string): Promise<void> {
  await endSessions(db, personId);
  await endSubscriptionsOfPerson(db, personId, byServer('The person was disabled.'));
  await db.query({ text: 'update one_time_link set used_on = now() where person_id = $1 and used_on is null', values: [personId] });
}
