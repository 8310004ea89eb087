/** Groups of SCIM. Their members have them as claims, to which grants refer. */
import { oneLine } from '@cloudfit/contract/one-line.ts';
import { recordAudit } from '../../../auth/audit-entry.ts';
import { invalidatePeople } from '../../../auth/invalidate.ts';
import { isGuid } from '../../../auth/guid.ts';
import { compile } from '../../../db/compile.ts';
import type { Db } from '../../../db/db.ts';
import { sql } from '../../../db/sql.ts';
import { refreshClaims } from './claims.ts';
import { actorOf, type DirectoryCall, type DirectoryPage, type DirectoryQuery } from './directory-call.ts';
import { filterCondition, type FilterAttributes } from './filter.ts';
import { patched, type PatchedAttributes } from './patch.ts';
import { invalidValue, missing, ScimRefusal } from './scim-error.ts';
import { groupSchema } from './schemas.ts';
import { requireVersion, type Versioned } from './users.ts';

const maxGroups = 10_000;
const maxMembers = 100_000;

interface ScimGroupRow {
  id: string;
  display_name: string;
  external_id: string | null;
  created: string;
  modified: string;
  version: number;
}

interface ScimMemberRow {
  group_id: string;
  person_id: string;
  name: string;
}

interface ScimGroup {
  displayName: string;
  externalId: string | null;
  /** Ids of people, sorted. */
  members: string[];
}

const columns = sql.raw('g.directory_group_id as id, g.display_name, g.external_id, g.created, g.modified, g.version');

const filtered: FilterAttributes = {
  id: { kind: 'text', column: sql.raw('g.directory_group_id') },
  externalid: { kind: 'exact', column: sql.raw('g.external_id') },
  displayname: { kind: 'text', column: sql.raw('g.display_name') },
  'meta.resourcetype': { kind: 'text', column: sql.raw("'Group'") },
  'meta.created': { kind: 'time', column: sql.raw('g.created') },
  'meta.lastmodified': { kind: 'time', column: sql.raw('g.modified') },
  members: {
    parts: {
      value: { kind: 'text', column: sql.raw('m.person_id') },
      display: { kind: 'text', column: sql.raw('(select p.name from person p where p.person_id = m.person_id)') },
    },
    within: (inner) => sql<boolean>`exists (select from directory_member m where m.directory_group_id = g.directory_group_id and ${inner})`,
  },
};

const groupParts: PatchedAttributes = { displayName: [], externalId: [], members: ['value', 'display', 'type', '$ref'] };

function answerOf({ base }: DirectoryCall, row: ScimGroupRow, members: readonly ScimMemberRow[] | undefined): Versioned {
  const location = `${base}/Groups/${row.id}`;
  const body = {
    schemas: [groupSchema],
    id: row.id,
    ...(row.external_id === null ? {} : { externalId: row.external_id }),
    displayName: row.display_name,
    ...(members
      ? {
          members: members.map(({ person_id: value, name: display }) => ({ value, display, type: 'User', $ref: `${base}/Users/${value}` })),
        }
      : {}),
    meta: { resourceType: 'Group', created: row.created, lastModified: row.modified, location, version: `W/"${row.version}"` },
  };
  return { body, version: row.version, location };
}

async function find({ directory }: DirectoryCall, db: Db, id: string, lock = false): Promise<ScimGroupRow> {
  const [row] = isGuid(id)
    ? await db.query<ScimGroupRow>(
        compile(sql`select ${columns} from directory_group g where g.directory_group_id = ${id}::uuid
          and g.directory_id = ${directory.directoryId}::uuid ${lock ? sql.raw('for update') : sql``}`),
      )
    : [];
  if (!row) throw missing('group', id);
  return row;
}

const membersOf = (db: Db, ids: readonly string[]): Promise<ScimMemberRow[]> =>
  db.query<ScimMemberRow>({
    text: `select m.directory_group_id as group_id, m.person_id, p.name from directory_member m join person p using (person_id)
      where m.directory_group_id = any($1::uuid[]) order by m.person_id`,
    values: [ids],
  });

/** Answers a group; without its members, which may be many, if the caller does not ask for them. */
export async function readGroup(call: DirectoryCall, id: string, withMembers = true, db: Db = call.db): Promise<Versioned> {
  const row = await find(call, db, id);
  return answerOf(call, row, withMembers ? await membersOf(db, [row.id]) : undefined);
}

export async function listGroups(
  call: DirectoryCall,
  { filter, startIndex, count }: DirectoryQuery,
  withMembers = true,
): Promise<DirectoryPage> {
  const condition = filterCondition(filter, filtered) ?? sql<boolean>`true`;
  const from = sql`from directory_group g where g.directory_id = ${call.directory.directoryId}::uuid and ${condition}`;
  const [counted] = await call.db.query<{ total: number }>(compile(sql`select count(*)::int as total ${from}`));
  const total = counted?.total ?? 0;
  if (count === 0 || startIndex > total) return { total, resources: [] };
  const rows = await call.db.query<ScimGroupRow>(
    compile(sql`select ${columns} ${from} order by g.directory_group_id limit ${count}::int offset ${startIndex - 1}::int`),
  );
  const all = withMembers
    ? Map.groupBy(
        await membersOf(
          call.db,
          rows.map(({ id }) => id),
        ),
        (member) => member.group_id,
      )
    : undefined;
  return { total, resources: rows.map((row) => answerOf(call, row, all && (all.get(row.id) ?? [])).body) };
}

function property(body: object, name: string): unknown {
  const key = Object.keys(body).find((each) => each.toLowerCase() === name.toLowerCase());
  return key === undefined ? undefined : (body as Record<string, unknown>)[key];
}

function memberIds(value: unknown): string[] {
  if (value === undefined || value === null) return [];
  const list: unknown[] = Array.isArray(value) ? value : [value];
  if (list.length > maxMembers) throw new ScimRefusal(400, `A group has at most ${maxMembers} members.`, 'tooMany');
  const ids = list.map((member) => {
    const id = typeof member === 'string' ? member : typeof member === 'object' && member !== null ? property(member, 'value') : undefined;
    if (typeof id !== 'string') throw invalidValue('members is a list of objects with the id of a user as value.');
    if (!isGuid(id)) throw invalidValue(`${id} is no user of this directory. Groups are no members.`);
    return id.toLowerCase();
  });
  return [...new Set(ids)].toSorted();
}

function groupOf(body: unknown): ScimGroup {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw invalidValue('Send a group as a JSON object.');
  const displayName = property(body, 'displayName');
  if (typeof displayName !== 'string' || oneLine(displayName) === '') throw invalidValue('displayName is required.');
  if (displayName.length > 200) throw invalidValue('displayName may have 200 characters.');
  const externalId = property(body, 'externalId');
  if (externalId !== undefined && externalId !== null && (typeof externalId !== 'string' || externalId.length > 500))
    throw invalidValue('externalId must be a text of at most 500 characters.');
  return { displayName: oneLine(displayName), externalId: externalId ?? null, members: memberIds(property(body, 'members')) };
}

async function requireFreeName({ directory }: DirectoryCall, tx: Db, displayName: string, except: string | null): Promise<void> {
  const [other] = await tx.query({
    text: `select 1 from directory_group where directory_id = $1 and lower(display_name) = lower($2) and directory_group_id is distinct from $3::uuid`,
    values: [directory.directoryId, displayName, except],
  });
  if (other) throw new ScimRefusal(409, `A group ${displayName} exists already in this directory.`, 'uniqueness');
}

/** Sets the members of a group; returns the ids of people who were added or removed. */
async function writeMembers({ directory }: DirectoryCall, tx: Db, id: string, members: readonly string[]): Promise<string[]> {
  const [missing] = await tx.query<{ person_id: string }>({
    text: `select m as person_id from unnest($1::uuid[]) m
      where not exists (select from provisioned_person u where u.person_id = m and u.directory_id = $2) limit 1`,
    values: [members, directory.directoryId],
  });
  if (missing) throw invalidValue(`${missing.person_id} is no user of this directory. Groups are no members.`);
  const changedPeople = await tx.query<{ person_id: string }>({
    text: `with gone as (delete from directory_member where directory_group_id = $1 and not person_id = any($2::uuid[]) returning person_id),
      added as (insert into directory_member (directory_group_id, person_id) select $1, m from unnest($2::uuid[]) m on conflict do nothing returning person_id)
      select person_id from gone union all select person_id from added`,
    values: [id, members],
  });
  return changedPeople.map(({ person_id: personId }) => personId);
}

async function recorded(
  call: DirectoryCall,
  tx: Db,
  id: string,
  verb: string,
  before: object | undefined,
  after: object | undefined,
): Promise<void> {
  const { directory, correlationId, address } = call;
  await recordAudit(tx, {
    actor: actorOf(call),
    verb: `${verb}-group`,
    entity: 'directories',
    entityId: directory.directoryId,
    ...(before ? { before: { groupId: id, ...before } } : {}),
    ...(after ? { after: { groupId: id, ...after } } : {}),
    correlationId,
    address,
  });
  await tx.query({ text: 'update directory set last_provisioned = now() where directory_id = $1', values: [directory.directoryId] });
  await invalidatePeople(tx);
}

export function createGroup(call: DirectoryCall, body: unknown): Promise<Versioned> {
  const group = groupOf(body);
  const { directoryId } = call.directory;
  return call.db.transaction(async (tx) => {
    await requireFreeName(call, tx, group.displayName, null);
    const [created] = await tx.query<{ id: string }>({
      text: `insert into directory_group (directory_id, display_name, external_id) select $1, $2, $3
        where (select count(*) from directory_group where directory_id = $1) < ${maxGroups} on conflict do nothing returning directory_group_id as id`,
      values: [directoryId, group.displayName, group.externalId],
    });
    if (!created) throw new ScimRefusal(409, `There is a group ${group.displayName}, or there are ${maxGroups} groups.`, 'uniqueness');
    await refreshClaims(tx, await writeMembers(call, tx, created.id, group.members));
    await recorded(call, tx, created.id, 'create', undefined, group);
    return readGroup(call, created.id, true, tx);
  });
}

function change(
  call: DirectoryCall,
  id: string,
  ifMatch: string | undefined,
  next: (before: ScimGroup, names: ReadonlyMap<string, string>) => ScimGroup,
): Promise<Versioned> {
  return call.db.transaction(async (tx) => {
    const row = await find(call, tx, id, true);
    requireVersion(ifMatch, row.version);
    const names = new Map((await membersOf(tx, [row.id])).map(({ person_id: personId, name }) => [personId, name]));
    const members = [...names.keys()];
    const before: ScimGroup = { displayName: row.display_name, externalId: row.external_id, members };
    const group = next(before, names);
    if (JSON.stringify(group) === JSON.stringify(before)) return readGroup(call, row.id, true, tx);
    if (group.displayName.toLowerCase() !== before.displayName.toLowerCase()) await requireFreeName(call, tx, group.displayName, row.id);
    await tx.query({
      text: `update directory_group set display_name = $2, external_id = $3, modified = now(), version = version + 1 where directory_group_id = $1`,
      values: [row.id, group.displayName, group.externalId],
    });
    const moved = await writeMembers(call, tx, row.id, group.members);
    await refreshClaims(tx, group.displayName === before.displayName ? moved : [...new Set([...members, ...group.members])]);
    await recorded(call, tx, row.id, 'update', withoutLong(before, group), withoutLong(group, before));
    return readGroup(call, row.id, true, tx);
  });
}

/** Of the members only those that the other state does not have: a group of thousands would fill the audit. */
function withoutLong(state: ScimGroup, other: ScimGroup): object {
  const others = new Set(other.members);
  return { ...state, members: state.members.filter((member) => !others.has(member)) };
}

export function replaceGroup(call: DirectoryCall, id: string, body: unknown, ifMatch?: string): Promise<Versioned> {
  const group = groupOf(body);
  return change(call, id, ifMatch, () => group);
}

export function patchGroup(call: DirectoryCall, id: string, body: unknown, ifMatch?: string): Promise<Versioned> {
  return change(call, id, ifMatch, ({ displayName, externalId, members }, names) =>
    groupOf(
      patched(
        {
          schemas: [groupSchema],
          displayName,
          ...(externalId === null ? {} : { externalId }),
          members: members.map((value) => ({ value, display: names.get(value), type: 'User' })),
        },
        body,
        groupParts,
      ),
    ),
  );
}

export function removeGroup(call: DirectoryCall, id: string, ifMatch?: string): Promise<void> {
  return call.db.transaction(async (tx) => {
    const row = await find(call, tx, id, true);
    requireVersion(ifMatch, row.version);
    const members = (await membersOf(tx, [row.id])).map(({ person_id: personId }) => personId);
    await tx.query({ text: 'delete from directory_group where directory_group_id = $1', values: [row.id] });
    await refreshClaims(tx, members);
    await recorded(call, tx, row.id, 'delete', { displayName: row.display_name, members: members.length }, undefined);
  });
}
