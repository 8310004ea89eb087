/** People who may grant everything: those with the shipped permission set Administrator. At least one always remains. */
import { ApiError } from '@cloudfit/contract/errors.ts';
import { advisoryLocks } from '../db/advisory-locks.ts';
import type { Db } from '../db/db.ts';
import { grantsOfPerson } from './grants.ts';
import { shippedSets } from './shipped.ts';

/** The tenants in which this person is an administrator; null stands for all tenants. */
export async function administers(db: Db, personId: string): Promise<(string | null)[]> {
  const rows = await db.query<{ tenant_id: string | null }>({
    text: `select distinct g.tenant_id from access_grant g join person p on ${grantsOfPerson}
      where g.permission_set_id = '${shippedSets.administrator.id}' and p.person_id = $1`,
    values: [personId],
  });
  return rows.map((row) => row.tenant_id);
}

/**
 * Throws 409 when one of these scopes (null: all tenants) has no enabled administrator left. Call it after the write, in
 * the transaction that removed an administrator: its lock makes a concurrent removal wait until this transaction ends,
 * and then see its result.
 */
export async function requireAdministrators(db: Db, scopes: readonly (string | null)[]): Promise<void> {
  if (scopes.length === 0) return;
  await db.query({ text: `select pg_advisory_xact_lock(${advisoryLocks.administrators})` });
  const [without] = await db.query<{ name: string | null }>({
    text: `select t.name from unnest($1::uuid[]) as scope (tenant_id) left join tenant t on t.tenant_id = scope.tenant_id
      where not exists (select from access_grant g join person p on ${grantsOfPerson} and p.enabled
        where g.permission_set_id = '${shippedSets.administrator.id}' and g.tenant_id is not distinct from scope.tenant_id) limit 1`,
    values: [scopes],
  });
  if (!without) return;
  throw new ApiError(
    'Conflict',
    without.name === null
      ? 'This would leave the installation without an administrator. Give somebody else Administrator in all tenants first.'
      : `This would leave ${without.name} without an administrator of its own. Give somebody else Administrator there first.`,
  );
}
