/** People who may grant everything: those with the shipped permission set Administrator. At least one always remains. And who is told of faults. */
import { ApiError } from '@cloudfit/contract/errors.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { advisoryLocks } from '../db/advisory-locks.ts';
import type { Db } from '../db/db.ts';
import { grantIsOpen, grantsOfPerson } from './grants.ts';
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

/** How many people are told at most. */
const atMost = 20;

// Whoever may edit the settings of this tenant comes before those who may of all tenants.
const mayEditSettings = `select p.person_id as id, p.name, lower(p.email) as address, min((g.tenant_id is null)::int) as rank
from person p join access_grant g on ${grantsOfPerson} join permission_set s using (permission_set_id)
where p.enabled and not p.is_emergency and (g.tenant_id is null or g.tenant_id = $1::uuid) and ${grantIsOpen}
  and s.permissions ? '${permission('Settings', 'edit')}'
group by 1, 2, 3 order by 4, 3 limit ${atMost}`;

interface ResponsiblePerson {
  id: string;
  name: string;
  address: string | null;
  /** 0: may edit the settings of this tenant; 1: of all. */
  rank: number;
}

/** Returns the people who may edit the settings of the tenant, or of the installation (null). */
export const responsiblePeople = (db: Db, tenantId: string | null): Promise<ResponsiblePerson[]> =>
  db.query<ResponsiblePerson>({ name: 'responsible-people', text: mayEditSettings, values: [tenantId] });

/** Of those who can be reached: the people of the tenant, and without one those of the installation. */
export function nearest<T extends { rank: number }>(reached: readonly T[]): T[] {
  const rank = Math.min(...reached.map((item) => item.rank));
  return reached.filter((item) => item.rank === rank);
}

/**
 * Returns the address of the tenant for internal notifications. Without one, or for the installation (null), these are the addresses of
 * the people who may edit its settings: what has stopped must not stay unnoticed because a field is empty.
 */
export async function responsibleAddresses(db: Db, tenantId: string | null): Promise<string[]> {
  const [tenant] = await db.query<{ address: string | null }>({
    name: 'responsible-address',
    text: 'select internal_notification_email_address as address from tenant where tenant_id = $1',
    values: [tenantId],
  });
  const address = tenant?.address?.trim();
  if (address) return [address];
  const people = await responsiblePeople(db, tenantId);
  return [...new Set(nearest(people.filter((person) => person.address)).map((person) => person.address ?? ''))];
}
