/** Finds or makes the person whom a directory has signed in. Nobody outside the directory is ever found by a name or an address. */
import { randomUUID } from 'node:crypto';
import { groupOfDirectory } from '@cloudfit/contract/resources/directories.ts';
import type { Db } from '../../db/db.ts';
import { recordChange } from '../audit-entry.ts';
import { claimAt, groupValues, textClaim, type Claims } from '../claims.ts';
import { invalidatePeople } from '../invalidate.ts';
import type { OpenDirectory } from './open-directory.ts';

/** What a directory says of a person who has signed in there. */
interface DirectoryIdentity {
  issuer: string;
  subject: string;
  /** Keys by which SCIM may have named the person. */
  keys: string[];
  /** Names that the directory vouches for. */
  names: string[];
  userName: string;
  name: string;
  email: string | null;
  emailVerified: boolean;
  groups: string[];
}

export interface DirectoryPerson {
  personId: string;
  name: string;
  userName: string;
  enabled: boolean;
}

const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1).toLowerCase();

/** Whether the directory speaks for the address: that of its mail domains, which an administrator has entered. */
const isOf = ({ mailDomains }: Pick<OpenDirectory, 'mailDomains'>, address: string): boolean =>
  address.includes('@') && mailDomains.includes(domainOf(address));

/** The identity in the claims of an ID token. */
export function identityOfClaims(directory: OpenDirectory, claims: Claims): DirectoryIdentity {
  const subject = String(claims['sub']);
  const email = textClaim(claims, 'email');
  const isVerified =
    email !== undefined && (isOf(directory, email) || claims['email_verified'] === true || claims['email_verified'] === 'true');
  const preferred = textClaim(claims, 'preferred_username') ?? textClaim(claims, 'upn');
  // People of some providers choose these themselves, so an address counts only if the directory speaks for it.
  const chosen = preferred !== undefined && (!preferred.includes('@') || isOf(directory, preferred)) ? preferred : undefined;
  const userName = (chosen?.includes('@') ? chosen : undefined) ?? (isVerified ? email : undefined) ?? chosen ?? subject.slice(0, 320);
  return {
    issuer: String(directory.issuer),
    subject,
    keys: [subject, ...['oid', 'externalId'].flatMap((name) => textClaim(claims, name, 500) ?? [])],
    names: [...(isVerified ? [email] : []), ...(chosen?.includes('@') ? [chosen] : [])],
    userName,
    name: textClaim(claims, 'name', 200) ?? userName,
    email: email ?? null,
    emailVerified: isVerified,
    groups: groupValues(claimAt(claims, directory.groupsClaim)),
  };
}

/** The identity of an entry of LDAP. */
export function identityOfEntry(
  directory: OpenDirectory,
  entry: { key: string; userNames: readonly string[]; name: string | undefined; email: string | undefined; groups: string[] },
): DirectoryIdentity {
  const addresses = [...entry.userNames, ...(entry.email === undefined ? [] : [entry.email])].filter((name) => isOf(directory, name));
  const userName = addresses[0] ?? entry.userNames.find((name) => !name.includes('@')) ?? entry.key;
  return {
    issuer: `ldap:${directory.directoryId}`,
    subject: entry.key,
    keys: [entry.key],
    names: addresses,
    userName,
    name: entry.name ?? userName,
    email: entry.email ?? null,
    emailVerified: entry.email !== undefined && isOf(directory, entry.email),
    groups: entry.groups,
  };
}

interface DirectoryPersonRow {
  person_id: string;
  subject: string | null;
  is_provisioned: boolean;
  directory_id: string | null;
}

/**
 * The person of this subject; or one of this directory who has not signed in yet, whom SCIM has named by a key of the sign-in, or by a name
 * that the directory vouches for.
 */
const find = `select p.person_id, p.subject, p.directory_id, u.person_id is not null as is_provisioned
  from person p left join provisioned_person u using (person_id)
  where (p.issuer = $1 and p.subject = $2)
    or (p.directory_id = $3 and p.subject is null and (u.external_id = any($4) or lower(u.user_name) = any($5) or u.person_id is null and lower(p.user_name) = any($5)))
  order by p.subject is null, u.external_id = any($4) desc nulls last limit 1 for update of p`;

const newPerson = `insert into person (issuer, subject, name, user_name, email, email_verified, claims, directory_id)
  values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing returning person_id`;

async function foreignDomains(tx: Db, directoryId: string, names: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await tx.query<{ domain: string }>({
    text: `select m.domain from directory d, jsonb_array_elements_text(d.mail_domains) m(domain) where d.directory_id <> $1 and m.domain = any($2)`,
    values: [directoryId, names.map(domainOf)],
  });
  return new Set(rows.map(({ domain }) => domain));
}

/** Stores what the directory says of the person; undefined when only provisioned people may sign in, and this one is not. */
export function personOfDirectory(
  db: Db,
  directory: OpenDirectory,
  identity: DirectoryIdentity,
  address: string | undefined,
): Promise<DirectoryPerson | undefined> {
  const { issuer, subject, keys, name, email } = identity;
  const { directoryId, prefix } = directory;
  const claims = identity.groups.map((group) => groupOfDirectory(prefix, group));
  return db.transaction(async (tx) => {
    // An address of another directory is neither verified by this one nor a name of its people.
    const foreign = await foreignDomains(tx, directoryId, [...identity.names, identity.userName]);
    const isForeign = (text: string): boolean => text.includes('@') && foreign.has(domainOf(text));
    const names = identity.names.filter((text) => !isForeign(text));
    const emailVerified = identity.emailVerified && email !== null && !isForeign(email);
    const [row] = await tx.query<DirectoryPersonRow>({
      text: find,
      values: [issuer, subject, directoryId, keys, names.map((text) => text.toLowerCase())],
    });
    let personId = row?.person_id;
    if (directory.provisionedOnly && !row?.is_provisioned) return undefined;
    if (row && row.directory_id !== null && row.directory_id !== directoryId) return undefined;
    if (row)
      await tx.query({
        text: `update person p set issuer = $2, subject = $3, directory_id = $4,
            name = case when $9 then p.name else $5 end, email = case when $9 then p.email else coalesce($6, p.email) end,
            email_verified = case when $9 or $6::text is null then p.email_verified else $7 end, claims = case when $9 then p.claims else $8 end,
            modified = case when $9 or (p.name, p.claims) is not distinct from ($5, $8::text[]) then p.modified else now() end
          where person_id = $1`,
        values: [row.person_id, issuer, subject, directoryId, name, email, emailVerified, claims, row.is_provisioned],
      });
    else {
      const [sameName] = await tx.query({ text: 'select 1 from person where lower(user_name) = lower($1)', values: [identity.userName] });
      // Somebody else has this user name, or may have it. A name alone identifies nobody, so the new name includes the directory and the subject.
      const userName =
        sameName || isForeign(identity.userName) ? `${identity.userName} (${prefix} ${subject})`.slice(0, 320) : identity.userName;
      const [row] = await tx.query<{ person_id: string }>({
        text: newPerson,
        values: [issuer, subject, name, userName, email, emailVerified, claims, directoryId],
      });
      personId = row?.person_id;
      if (personId !== undefined)
        await recordChange(tx, {
          actor: { kind: 'person', id: personId, name: userName },
          verb: 'create',
          entity: 'people',
          entityId: personId,
          after: { name, userName, email, directory: directory.name, subject },
          correlationId: randomUUID(),
          address,
        });
    }
    const [person] = await tx.query<{ person_id: string; name: string; user_name: string; enabled: boolean }>({
      text: 'select person_id, name, user_name, enabled from person where person_id = $1',
      values: [personId ?? null],
    });
    if (!person) return undefined;
    await invalidatePeople(tx);
    return { personId: person.person_id, name: person.name, userName: person.user_name, enabled: person.enabled };
  });
}
