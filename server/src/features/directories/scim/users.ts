/** Users of SCIM are the people of the directory. Each change is audited in its transaction. */
import { isDeepStrictEqual } from 'node:util';
import { ApiError } from '@cloudfit/contract/errors.ts';
import { administers, requireAdministrators } from '../../../auth/administrators.ts';
import { recordAboutPerson } from '../../../auth/audit-entry.ts';
import { invalidatePeople } from '../../../auth/invalidate.ts';
import { isGuid } from '../../../auth/guid.ts';
import { lockOut } from '../../../auth/sessions.ts';
import { compile } from '../../../db/compile.ts';
import type { Db } from '../../../db/db.ts';
import { sql } from '../../../db/sql.ts';
import { actorOf, domainOf, type DirectoryCall, type DirectoryPage, type DirectoryQuery } from './directory-call.ts';
import { filterCondition, type FilterAttributes } from './filter.ts';
import { refreshClaims } from './claims.ts';
import { patched } from './patch.ts';
import { missing, ScimRefusal } from './scim-error.ts';
import { tellNewPerson } from './tell-new-person.ts';
import { documentOf, followName, personOf, userOf, userParts, type ScimUser, type UserProfile } from './user.ts';

/** People that one directory may provision. */
const maxUsers = 100_000;

interface UserRow {
  id: string;
  user_name: string;
  external_id: string | null;
  active: boolean;
  profile: UserProfile;
  created: string;
  modified: string;
  version: number;
  groups: { value: string; display: string }[];
}

export interface Versioned {
  body: object;
  version: number;
  location: string;
}

const columns = sql.raw(`p.person_id as id, u.user_name, u.external_id, u.active, u.profile, u.created, u.modified, u.version,
  coalesce((select jsonb_agg(jsonb_build_object('value', g.directory_group_id, 'display', g.display_name) order by g.display_name)
    from directory_member m join directory_group g using (directory_group_id) where m.person_id = p.person_id), '[]') as groups`);

const profileText = (name: string) => ({ kind: 'text', column: sql.raw(`(u.profile #>> '{${name}}')`) }) as const;

const filtered: FilterAttributes = {
  id: { kind: 'text', column: sql.raw('p.person_id') },
  externalid: { kind: 'exact', column: sql.raw('u.external_id') },
  username: { kind: 'text', column: sql.raw('u.user_name') },
  displayname: profileText('displayName'),
  name: profileText('name'),
  'name.formatted': profileText('name,formatted'),
  'name.familyname': profileText('name,familyName'),
  'name.givenname': profileText('name,givenName'),
  'name.middlename': profileText('name,middleName'),
  active: { kind: 'boolean', column: sql.raw('u.active') },
  'meta.resourcetype': { kind: 'text', column: sql.raw("'User'") },
  'meta.created': { kind: 'time', column: sql.raw('u.created') },
  'meta.lastmodified': { kind: 'time', column: sql.raw('u.modified') },
  emails: {
    parts: {
      value: { kind: 'text', column: sql.raw("(e ->> 'value')") },
      type: { kind: 'text', column: sql.raw("(e ->> 'type')") },
      primary: { kind: 'boolean', column: sql.raw("coalesce((e ->> 'primary')::boolean, false)") },
    },
    within: (inner) => sql<boolean>`exists (select from jsonb_array_elements(u.profile -> 'emails') e where ${inner})`,
  },
  groups: {
    parts: {
      value: { kind: 'text', column: sql.raw('fg.directory_group_id') },
      display: { kind: 'text', column: sql.raw('fg.display_name') },
    },
    within: (inner) =>
      sql<boolean>`exists (select from directory_member fm join directory_group fg using (directory_group_id) where fm.person_id = p.person_id and ${inner})`,
  },
};

function answerOf({ base }: DirectoryCall, row: UserRow): Versioned {
  const location = `${base}/Users/${row.id}`;
  const { user_name: userName, external_id: externalId, active, profile } = row;
  const body = {
    ...documentOf({ userName, externalId, active, profile }),
    id: row.id,
    groups: row.groups.map((group) => ({ ...group, $ref: `${base}/Groups/${group.value}` })),
    meta: { resourceType: 'User', created: row.created, lastModified: row.modified, location, version: `W/"${row.version}"` },
  };
  return { body, version: row.version, location };
}

async function find({ directory }: DirectoryCall, db: Db, id: string, lock = false): Promise<UserRow> {
  const [row] = isGuid(id)
    ? await db.query<UserRow>(
        compile(sql`select ${columns} from provisioned_person u join person p using (person_id)
          where u.person_id = ${id}::uuid and u.directory_id = ${directory.directoryId}::uuid ${lock ? sql.raw('for update of u, p') : sql``}`),
      )
    : [];
  if (!row) throw missing('user', id);
  return row;
}

export async function readUser(call: DirectoryCall, id: string): Promise<Versioned> {
  return answerOf(call, await find(call, call.db, id));
}

export async function listUsers(call: DirectoryCall, { filter, startIndex, count }: DirectoryQuery): Promise<DirectoryPage> {
  const condition = filterCondition(filter, filtered) ?? sql<boolean>`true`;
  const from = sql`from provisioned_person u join person p using (person_id) where u.directory_id = ${call.directory.directoryId}::uuid and ${condition}`;
  const [counted] = await call.db.query<{ total: number }>(compile(sql`select count(*)::int as total ${from}`));
  const total = counted?.total ?? 0;
  if (count === 0 || startIndex > total) return { total, resources: [] };
  const rows = await call.db.query<UserRow>(
    compile(sql`select ${columns} ${from} order by u.person_id limit ${count}::int offset ${startIndex - 1}::int`),
  );
  return { total, resources: rows.map((row) => answerOf(call, row).body) };
}

/** Whether somebody else has a name, in this directory or anywhere, and whether its mail domain is that of another directory. */
const uses = `select
  exists (select from provisioned_person where directory_id = $2 and lower(user_name) = lower($1) and person_id is distinct from $3::uuid) as here,
  exists (select from person where lower(user_name) = lower($1) and person_id is distinct from $3::uuid) as anywhere,
  exists (select from directory where mail_domains ? $4 and directory_id <> $2) as foreign`;

const withPrefix = (userName: string, prefix: string): string => `${userName.slice(0, 280)} (${prefix})`;

/**
 * The sign-in name of a user: the one that the directory sends, unless somebody elsewhere has it, or it is an address of another directory.
 * That is not told, so that no directory learns who has an account elsewhere; only of its mail domains does it learn that.
 */
async function signInName({ directory }: DirectoryCall, tx: Db, userName: string, except: string | null): Promise<string> {
  const domain = userName.includes('@') ? domainOf(userName) : '';
  const [use] = await tx.query<{ here: boolean; anywhere: boolean; foreign: boolean }>({
    text: uses,
    values: [userName, directory.directoryId, except, domain],
  });
  if (use?.here) throw new ScimRefusal(409, `A user ${userName} exists already in this directory.`, 'uniqueness');
  if (use?.anywhere && directory.mailDomains.includes(domain))
    throw new ScimRefusal(
      409,
      `A person outside this directory signs in as ${userName}. If it is the same person, an operator moves them here: npm run admin -- person adopt.`,
      'uniqueness',
    );
  return use?.anywhere || use?.foreign ? withPrefix(userName, directory.prefix) : userName;
}

/** A person of this directory who is not provisioned: who has signed in before, was moved here, or was deleted here. */
const leftPerson = `select p.person_id from person p where p.directory_id = $1 and lower(p.user_name) in (lower($2), lower($3))
  and not exists (select from provisioned_person u where u.person_id = p.person_id) limit 1 for update`;

const auditOf = ({ userName, externalId, active, profile }: ScimUser) => ({
  userName,
  ...(externalId === null ? {} : { externalId }),
  enabled: active,
  ...profile,
});

export function createUser(call: DirectoryCall, body: unknown): Promise<Versioned> {
  const user = userOf(body);
  const { directory } = call;
  return call.db.transaction(async (tx) => {
    const [counted] = await tx.query<{ count: number }>({
      text: 'select count(*)::int as count from (select from provisioned_person where directory_id = $1 limit $2) as provisioned',
      values: [directory.directoryId, maxUsers],
    });
    if ((counted?.count ?? 0) >= maxUsers) throw new ScimRefusal(403, `A directory provisions at most ${maxUsers} people.`, 'tooMany');
    const [left] = await tx.query<{ person_id: string }>({
      text: leftPerson,
      values: [directory.directoryId, user.userName, withPrefix(user.userName, directory.prefix)],
    });
    const signsInAs = await signInName(call, tx, user.userName, left?.person_id ?? null);
    const { name, email, emailVerified } = personOf(user, directory.mailDomains);
    const [person] = left
      ? [left]
      : await tx.query<{ person_id: string }>({
          text: `insert into person (name, user_name, email, email_verified, enabled, directory_id) values ($1, $2, $3, $4, $5, $6)
            on conflict do nothing returning person_id`,
          values: [name, signsInAs, email, emailVerified, user.active, directory.directoryId],
        });
    if (!person) throw new ScimRefusal(409, `A person with the user name ${user.userName} exists already.`, 'uniqueness');
    const id = person.person_id;
    await tx.query({
      text: 'insert into provisioned_person (person_id, directory_id, user_name, external_id, profile, active) values ($1, $2, $3, $4, $5, $6)',
      values: [id, directory.directoryId, user.userName, user.externalId, JSON.stringify(user.profile), user.active],
    });
    if (left) await writePerson(call, tx, id, user, signsInAs);
    // From now on its groups come by SCIM alone.
    await refreshClaims(tx, [id]);
    await recorded(call, tx, id, left ? 'update' : 'create', undefined, auditOf(user));
    if (!left && user.active) await tellNewPerson(call, tx, { id, name, email, emailVerified, userName: signsInAs });
    return answerOf(call, await find(call, tx, id));
  });
}

/** Writes what a user decides of the person; the sign-in name only if one is given. */
async function writePerson({ directory }: DirectoryCall, tx: Db, id: string, user: ScimUser, signsInAs?: string): Promise<void> {
  const { name, email, emailVerified } = personOf(user, directory.mailDomains);
  const before = user.active ? [] : await administers(tx, id);
  await tx.query({
    text: `update person set name = $2, user_name = coalesce($3, user_name), email = $4, email_verified = $5, enabled = $6, modified = now(), version = version + 1
      where person_id = $1`,
    values: [id, name, signsInAs ?? null, email, emailVerified, user.active],
  });
  if (user.active) return;
  await requireAdministrators(tx, before).catch((error: unknown) => {
    throw error instanceof ApiError && error.code === 'Conflict' ? new ScimRefusal(409, error.message) : error;
  });
  await lockOut(tx, id);
}

async function recorded(call: DirectoryCall, tx: Db, id: string, verb: string, before: object | undefined, after: object): Promise<void> {
  await recordAboutPerson(tx, id, {
    actor: actorOf(call),
    verb,
    entity: 'people',
    entityId: id,
    ...(before ? { before } : {}),
    after: { ...after, directory: call.directory.name },
    correlationId: call.correlationId,
    address: call.address,
  });
  await tx.query({
    text: `insert into change (tenant_id, verb, entity, entity_id, correlation_id) values (null, $1, 'people', $2, $3)`,
    values: [verb === 'delete' ? 'update' : verb, id, call.correlationId],
  });
  await tx.query({ text: 'update directory set last_provisioned = now() where directory_id = $1', values: [call.directory.directoryId] });
  await invalidatePeople(tx);
}

/** Whether a header with ETags names a version; `*` names any. */
export const namesVersion = (tags: string, version: number): boolean =>
  tags.trim() === '*' || tags.split(',').some((tag) => tag.trim().replace(/^W\//, '') === `"${version}"`);

/** Refuses a change of a version that is no longer the current one. */
export function requireVersion(ifMatch: string | undefined, version: number): void {
  if (ifMatch !== undefined && !namesVersion(ifMatch, version))
    throw new ScimRefusal(412, 'The resource has changed since. Read it again.');
}

function change(call: DirectoryCall, id: string, ifMatch: string | undefined, next: (before: ScimUser) => ScimUser): Promise<Versioned> {
  return call.db.transaction(async (tx) => {
    const row = await find(call, tx, id, true);
    requireVersion(ifMatch, row.version);
    const before: ScimUser = { userName: row.user_name, externalId: row.external_id, active: row.active, profile: row.profile };
    const user = next(before);
    if (isDeepStrictEqual(user, before)) return answerOf(call, row);
    const signsInAs = user.userName === before.userName ? undefined : await signInName(call, tx, user.userName, row.id);
    await tx.query({
      text: `update provisioned_person set external_id = $2, profile = $3, active = $4, user_name = $5, modified = now(), version = version + 1 where person_id = $1`,
      values: [row.id, user.externalId, JSON.stringify(user.profile), user.active, user.userName],
    });
    // Whom an administrator has disabled here stays so until the directory itself changes the state.
    const [person] = await tx.query<{ enabled: boolean; userName: string; isNew: boolean }>({
      text: 'select enabled, user_name as "userName", last_sign_in is null as "isNew" from person where person_id = $1',
      values: [row.id],
    });
    const active = user.active === before.active ? (person?.enabled ?? false) : user.active;
    await writePerson(call, tx, row.id, { ...user, active }, signsInAs);
    await recorded(call, tx, row.id, 'update', auditOf(before), auditOf(user));
    // Who was made without access begins now.
    if (active && !before.active && person?.isNew)
      await tellNewPerson(call, tx, { id: row.id, ...personOf(user, call.directory.mailDomains), userName: signsInAs ?? person.userName });
    return answerOf(call, await find(call, tx, row.id));
  });
}

export function replaceUser(call: DirectoryCall, id: string, body: unknown, ifMatch?: string): Promise<Versioned> {
  return change(call, id, ifMatch, (before) => userOf(body, before.active));
}

export function patchUser(call: DirectoryCall, id: string, body: unknown, ifMatch?: string): Promise<Versioned> {
  return change(call, id, ifMatch, (before) => {
    const after = userOf(patched(documentOf(before), body, userParts), before.active);
    return { ...after, profile: followName(before.profile, after.profile) };
  });
}

/** Ends the access of a person. Histories keep the row of the person; the directory can provision them again. */
export function removeUser(call: DirectoryCall, id: string, ifMatch?: string): Promise<void> {
  return call.db.transaction(async (tx) => {
    const row = await find(call, tx, id, true);
    requireVersion(ifMatch, row.version);
    const { user_name: userName, external_id: externalId, active, profile } = row;
    const before = { userName, externalId, active, profile };
    await writePerson(call, tx, row.id, { ...before, active: false });
    await recorded(call, tx, row.id, 'delete', auditOf(before), { enabled: false });
    await tx.query({ text: 'delete from directory_member where person_id = $1', values: [row.id] });
    await tx.query({ text: 'delete from provisioned_person where person_id = $1', values: [row.id] });
    await tx.query({ text: "update person set claims = '{}' where person_id = $1", values: [row.id] });
  });
}
