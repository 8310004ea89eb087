/**
 * Follows what directories change after a sign-in. Of LDAP: the groups of people, and who is gone, is disabled or has another password. A provider of
 * OpenID Connect tells nothing of the kind, so its people sign in there again every day.
 */
import type { Logger } from 'pino';
import { groupOfDirectory } from '@cloudfit/contract/resources/directories.ts';
import type { Db } from '../../db/db.ts';
import { LdapFailed, type LdapClient, type LdapStanding } from '../../outbound/ldap.ts';
import { recordAboutPerson } from '../audit-entry.ts';
import { invalidatePeople } from '../invalidate.ts';
import type { MasterKey } from '../master-key.ts';
import { endSessionOf, expireSessionOf } from '../sessions.ts';
import { readDirectorySecret } from './directory-secret.ts';
import { ldapSettingsOf } from './ldap-settings.ts';
import { signInDirectories, type OpenDirectory } from './open-directory.ts';

interface FollowDirectoriesOptions {
  masterKey: MasterKey;
  ldap: LdapClient;
  log: Logger;
}

interface FollowedPerson {
  personId: string;
  key: string;
  claims: string[];
  isProvisioned: boolean;
  sessions: { uid: string; at: number }[] | null;
}

/** How long a sign-in by OpenID Connect counts. */
const daySeconds = 86_400;
/** The clocks of two machines may differ by as much. */
const clockSeconds = 60;
/** People of a directory who are asked for in one turn. */
const peopleOfTurn = 500;

const sessionsOf = `select jsonb_agg(jsonb_build_object('uid', i.uid, 'at', (i.payload->>'loginTs')::float8)) from identity_item i
  where i.account_id = p.person_id::text and i.model = 'Session' and i.uid is not null and i.expires_at > now()`;

/** Those who have rights by groups or are signed in: nobody else can do anything by the directory. */
const followedPeople = `select * from (
    select p.person_id as "personId", coalesce(p.subject, '') as key, p.claims,
      exists (select from provisioned_person u where u.person_id = p.person_id) as "isProvisioned", (${sessionsOf}) as sessions
    from person p where p.directory_id = $1 and p.issuer = $2 and p.subject is not null and p.person_id > $3::uuid) as each
  where claims <> '{}' or sessions is not null order by "personId" limit ${peopleOfTurn}`;

const oldSessions = `select p.person_id as "personId", i.uid
  from directory d join person p using (directory_id) join identity_item i on i.account_id = p.person_id::text
  where d.kind = 'Oidc' and i.model = 'Session' and i.uid is not null and (i.payload->>'loginTs')::float8 < extract(epoch from now()) - ${daySeconds} limit 1000`;

/** Ends sessions of a person and says why in the audit. */
async function endEach(
  db: Db,
  personId: string,
  uids: readonly string[],
  { why, end = endSessionOf }: { why: string; end?: typeof endSessionOf },
): Promise<void> {
  await db.transaction(async (tx) => {
    let ended = 0;
    for (const uid of uids) if (await end(tx, personId, uid)) ended += 1;
    if (ended === 0) return;
    await recordAboutPerson(tx, personId, {
      actor: { kind: 'system', id: null, name: 'Sign-in' },
      verb: 'sign-out',
      entity: 'people',
      entityId: personId,
      after: { why },
      correlationId: crypto.randomUUID(),
    });
  });
}

async function follow(db: Db, { name, prefix }: OpenDirectory, person: FollowedPerson, standing: LdapStanding | undefined): Promise<void> {
  const sessions = person.sessions ?? [];
  const isOut = !standing || standing.isDisabled;
  const claims = isOut ? [] : standing.groups.map((group) => groupOfDirectory(prefix, group));
  // The groups of provisioned people come by SCIM alone.
  if (!person.isProvisioned && JSON.stringify(claims) !== JSON.stringify(person.claims))
    await db.transaction(async (tx) => {
      await tx.query({
        text: 'update person set claims = $2, modified = now() where person_id = $1',
        values: [person.personId, claims],
      });
      await recordAboutPerson(tx, person.personId, {
        actor: { kind: 'system', id: null, name: 'Sign-in' },
        verb: 'update',
        entity: 'people',
        entityId: person.personId,
        before: { groups: person.claims },
        after: { groups: claims, directory: name },
        correlationId: crypto.randomUUID(),
      });
      await invalidatePeople(tx);
    });
  const changed = (standing?.passwordChangedAt?.getTime() ?? 0) / 1_000 - clockSeconds;
  const over = sessions.filter(({ at }) => isOut || at < changed).map(({ uid }) => uid);
  const why = !standing ? 'gone from' : standing.isDisabled ? 'disabled in' : 'has another password in';
  await endEach(db, person.personId, over, { why: `${why} ${name}` });
}

async function followLdap(db: Db, directory: OpenDirectory, { masterKey, ldap }: FollowDirectoriesOptions): Promise<void> {
  const settings = ldapSettingsOf(directory, (await readDirectorySecret(db, masterKey, directory.directoryId)) ?? '');
  for (let after = '00000000-0000-0000-0000-000000000000'; ;) {
    const people = await db.query<FollowedPerson>({
      text: followedPeople,
      values: [directory.directoryId, `ldap:${directory.directoryId}`, after],
    });
    if (people.length === 0) return;
    const standings = await ldap.standings(
      settings,
      people.map(({ key }) => key),
    );
    for (const person of people) await follow(db, directory, person, standings.get(person.key));
    after = people.at(-1)?.personId ?? '';
    if (people.length < peopleOfTurn) return;
  }
}

/** `db` must see all tenants. A directory that is away, or cannot be followed, changes nothing, and does not hold up the others. */
export async function followDirectories(db: Db, options: FollowDirectoriesOptions): Promise<void> {
  for (const { uid, personId } of await db.query<{ personId: string; uid: string }>({ text: oldSessions }))
    await endEach(db, personId, [uid], { why: 'a day after the sign-in', end: expireSessionOf });
  for (const directory of await signInDirectories(db)) {
    if (directory.kind !== 'Ldap') continue;
    try {
      await followLdap(db, directory, options);
    } catch (error) {
      const level = error instanceof LdapFailed ? 'warn' : 'error';
      options.log[level]({ err: error, directory: directory.name }, 'A directory cannot be asked who still has access.');
    }
  }
}
