/** One-time links to set a password (stored as a hash, valid once and for an hour), and the first administrator. */
import { hash, randomBytes } from 'node:crypto';
import { grants } from '@cloudfit/contract/resources/grants.ts';
import { advisoryLocks } from '../../db/advisory-locks.ts';
import { changed } from '../../db/changed.ts';
import type { Db } from '../../db/db.ts';
import { recordAboutPerson, recordChange } from '../audit-entry.ts';
import { endSessions } from '../sessions.ts';
import { shippedSets } from '../shipped.ts';

const hoursValid = 1;

const insertGrant = `with granted as (
  insert into access_grant (person_id, permission_set_id) values ($1, $2) returning tenant_id, grant_id
)
${changed(grants, 'create', 'granted', 'uuidv7()')}`;

/** Creates a new link for a person and returns its address, good for an hour or so many days; earlier unused links become invalid. */
export async function createOneTimeLink(db: Db, personId: string, publicUrl: string, days?: number): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  await db.transaction(async (tx) => {
    await tx.query({ text: 'update one_time_link set used_on = now() where person_id = $1 and used_on is null', values: [personId] });
    await tx.query({
      text: 'insert into one_time_link (token_hash, person_id, expires_on) values ($1, $2, now() + make_interval(hours => $3))',
      values: [hashOf(token), personId, days === undefined ? hoursValid : days * 24],
    });
  });
  return `${publicUrl}/idp/set-password/${token}`;
}

export interface LinkOwner {
  personId: string;
  name: string;
  userName: string;
}

/**
 * Returns the person whose password the link sets; undefined when the link is unknown, used or expired, or the person
 * is disabled. Opening the link does not use it up.
 */
export async function findLinkOwner(db: Db, token: string): Promise<LinkOwner | undefined> {
  const [row] = await db.query<{ person_id: string; name: string; user_name: string }>({
    text: `select person_id, name, user_name from one_time_link join person using (person_id)
      where token_hash = $1 and used_on is null and expires_on > now() and enabled`,
    values: [hashOf(token)],
  });
  return row && { personId: row.person_id, name: row.name, userName: row.user_name };
}

/** Uses up the link and sets the password; false when the link was used meanwhile. Sessions with the old password end. */
export function redeemLink(
  db: Db,
  token: string,
  owner: LinkOwner,
  passwordHash: string,
  origin: { correlationId: string; address?: string | undefined },
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const used = await tx.query({
      text: 'update one_time_link set used_on = now() where token_hash = $1 and used_on is null and expires_on > now() returning 1',
      values: [hashOf(token)],
    });
    if (used.length === 0) return false;
    await setPassword(tx, owner.personId, passwordHash);
    await recordAboutPerson(tx, owner.personId, {
      actor: { kind: 'person', id: owner.personId, name: owner.userName },
      verb: 'set-password',
      entity: 'people',
      entityId: owner.personId,
      ...origin,
    });
    return true;
  });
}

/** Stores the password and ends the person's sessions, except `keepSession`. */
export async function setPassword(db: Db, personId: string, passwordHash: string, keepSession?: string): Promise<void> {
  await db.query({
    text: `insert into sign_in_password (person_id, password_hash) values ($1, $2)
      on conflict (person_id) do update set password_hash = excluded.password_hash, changed = now()`,
    values: [personId, passwordHash],
  });
  await endSessions(db, personId, keepSession);
}

export interface FirstAdministrator {
  publicUrl: string;
  /** Default `admin@localhost`. */
  email?: string | undefined;
}

/**
 * At the first start of an installation, creates its administrator and returns the link to set the password. Undefined
 * at later starts.
 */
export function ensureFirstAdministrator(db: Db, options: FirstAdministrator): Promise<string | undefined> {
  const userName = options.email ?? 'admin@localhost';
  return db.transaction(async (tx) => {
    // The lock serializes two servers that start at once on a new database.
    await tx.query({ text: `select pg_advisory_xact_lock(${advisoryLocks.firstAdministrator})` });
    const [anybody] = await tx.query({ text: 'select 1 from access_grant limit 1' });
    if (anybody) return undefined;
    const [person] = await tx.query<{ person_id: string }>({
      text: `insert into person (name, user_name, email, email_verified) values ('Administrator', $1, $1, true)
        on conflict (lower(user_name)) do update set enabled = true returning person_id`,
      values: [userName],
    });
    if (!person) throw new Error('The first administrator could not be made.');
    await tx.query({
      text: insertGrant,
      values: [person.person_id, shippedSets.administrator.id],
    });
    await recordChange(tx, {
      actor: { kind: 'system', id: null, name: 'first start' },
      verb: 'create',
      entity: 'people',
      entityId: person.person_id,
      after: { name: 'Administrator', userName, permissionSet: 'Administrator', tenant: null },
      correlationId: crypto.randomUUID(),
    });
    return createOneTimeLink(tx, person.person_id, options.publicUrl);
  });
}

function hashOf(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
