/**
 * The display names and photos of people by their sign-in names: of people who share a tenant with the reader, and the names of
 * people whom a work unit names that the reader may see.
 */
import { photoAddress } from '@cloudfit/contract/photos.ts';
import type { Db, TenantScope } from '../db/db.ts';
import { grantsOfPerson } from './grants.ts';

export interface NamedPerson {
  userName: string;
  name: string;
  photo: string | null;
}

/** SQL condition: the person `p` has a grant in one of the tenants `$2` (null: no restriction), or is the caller `$3`. */
export const isVisibleTo = `($2::uuid[] is null or p.person_id = $3::uuid
  or (cardinality($2::uuid[]) > 0
    and exists (select from access_grant g where ${grantsOfPerson} and (g.tenant_id is null or g.tenant_id = any($2::uuid[])))))`;

const ofTheirTenants = (column: string, rows: string, t: string) =>
  `exists (select from ${rows} ${t} where ${t}.${column} = p.user_name and ${t}.tenant_id = any($4::uuid[]))`;

/** SQL condition: a work unit of the tenants `$4`, or its history, names the person `p`. */
const isNamedOnUnit = `(cardinality($4::uuid[]) > 0 and (${[
  ...['assigned_to', 'created_by', 'approver1', 'approver2'].map((column) => ofTheirTenants(column, 'work_unit', 'u')),
  ofTheirTenants('created_by', 'work_unit_note', 'n'),
  `exists (select from work_unit_note a where a.field = 'assignedTo' and a.new_value = p.user_name and a.tenant_id = any($4::uuid[]))`,
].join('\n      or ')}))`;

export interface NameReader {
  /** The tenants whose people the reader sees. */
  tenants: TenantScope;
  /** The tenants whose work units the reader sees. */
  unitTenants: TenantScope;
  /** The reader's own id. */
  self?: string | undefined;
}

/**
 * Returns the people with these sign-in names whom the reader may know, disabled people included. Nobody is listed: the reader
 * has the sign-in names from rows. People whom only a unit names come without their photo.
 */
export async function namesOfPeople(db: Db, reader: NameReader, userNames: readonly string[]): Promise<NamedPerson[]> {
  const { tenants, unitTenants, self } = reader;
  const rows = await db.query<{ userName: string; name: string; id: string; photo: string | null }>({
    name: 'people-names',
    text: `select p.user_name as "userName", p.name, p.person_id as id, case when ${isVisibleTo} then p.photo end as photo from person p
      where lower(p.user_name) = any(select lower(trim(n)) from unnest($1::text[]) n) and (${isVisibleTo} or ${isNamedOnUnit})`,
    values: [userNames, tenants === 'all' ? null : [...tenants], self ?? null, unitTenants === 'all' ? [] : [...unitTenants]],
  });
  return rows.map(({ id, photo, ...person }) => ({ ...person, photo: photo && photoAddress(id, photo) }));
}

/**
 * Returns a function that gives the display name of a sign-in name in this tenant, or the sign-in name itself if it is
 * unknown.
 */
export async function displayNames(
  db: Db,
  tenantId: string,
  userNames: readonly (string | null | undefined)[],
): Promise<(userName: string) => string> {
  const requested = [...new Set(userNames.filter((userName): userName is string => Boolean(userName)))];
  const people = requested.length > 0 ? await namesOfPeople(db, { tenants: [tenantId], unitTenants: [tenantId] }, requested) : [];
  const names = new Map(people.map(({ userName, name }) => [userName.toLowerCase(), name]));
  return (userName) => names.get(userName.trim().toLowerCase()) ?? userName;
}
