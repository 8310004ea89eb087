/** Finds rows that the command line names; throws a `UsageError` if there is none. */
import { isGuid } from '../auth/guid.ts';
import type { Db } from '../db/db.ts';
import { UsageError } from './command.ts';

export interface FoundPerson {
  personId: string;
  userName: string;
  name: string;
  enabled: boolean;
}

/** Finds a person by user name, email or id. */
export async function findPerson(db: Db, named: string): Promise<FoundPerson> {
  const rows = await db.query<{ person_id: string; user_name: string; name: string; enabled: boolean }>({
    text: `select person_id, user_name, name, enabled from person where lower(user_name) = lower($1) or person_id = $2
      or (lower(email) = lower($1) and not exists (select from person where lower(user_name) = lower($1)))`,
    values: [named, isGuid(named) ? named : null],
  });
  const [row] = rows;
  if (!row) throw new UsageError(`Nobody has the user name ${named}.`);
  if (rows.length > 1) throw new UsageError(`Several people have the email ${named}: name the person by user name.`);
  return { personId: row.person_id, userName: row.user_name, name: row.name, enabled: row.enabled };
}

/** Finds a tenant by name or id. */
export async function findTenant(db: Db, named: string): Promise<{ tenantId: string; name: string }> {
  const rows = await db.query<{ tenant_id: string; name: string }>({
    text: 'select tenant_id, name from tenant where lower(name) = lower($1) or tenant_id = $2',
    values: [named, isGuid(named) ? named : null],
  });
  const [row] = rows;
  if (!row) throw new UsageError(`There is no tenant ${named}.`);
  if (rows.length > 1) throw new UsageError(`Several tenants are called ${named}: give the id.`);
  return { tenantId: row.tenant_id, name: row.name };
}

/** Finds a permission set by name or id, among the global ones and those of the tenant. */
export async function findPermissionSet(
  db: Db,
  named: string,
  tenantId: string | null,
): Promise<{ permissionSetId: string; name: string }> {
  const rows = await db.query<{ permission_set_id: string; name: string; tenant_id: string | null }>({
    text: 'select permission_set_id, name, tenant_id from permission_set where tenant_id is null or tenant_id = $1 order by tenant_id nulls last, name',
    values: [tenantId],
  });
  const row = rows.find((r) => r.permission_set_id === named.toLowerCase() || r.name.toLowerCase() === named.toLowerCase());
  if (!row) throw new UsageError(`There is no permission set ${named}; there are ${rows.map((r) => r.name).join(', ')}.`);
  return { permissionSetId: row.permission_set_id, name: row.name };
}
