/** The display names and photos of people by their sign-in names, within the tenants that reader and person share. */
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

/**
 * Returns the people with these sign-in names who have rights in one of these tenants or are the caller (`self`),
 * disabled people included.
 */
export async function namesOfPeople(db: Db, tenants: TenantScope, userNames: readonly string[], self?: string): Promise<NamedPerson[]> {
  const rows = await db.query<{ userName: string; name: string; id: string; photo: string | null }>({
    name: 'people-names',
    text: `select p.user_name as "userName", p.name, p.person_id as id, p.photo from person p
      where lower(p.user_name) = any(select lower(trim(n)) from unnest($1::text[]) n) and ${isVisibleTo}`,
    values: [userNames, tenants === 'all' ? null : [...tenants], self ?? null],
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
  const requested = [...new Set(userNames.filter((one): one is string => Boolean(one)))];
  const people = requested.length > 0 ? await namesOfPeople(db, [tenantId], requested) : [];
  const names = new Map(people.map(({ userName, name }) => [userName.toLowerCase(), name]));
  return (userName) => names.get(userName.trim().toLowerCase()) ?? userName;
}
