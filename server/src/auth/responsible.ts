/** Who is told when something of a tenant, or of the installation, stops working. */
import { permission } from '@cloudfit/contract/permissions.ts';
import type { Db } from '../db/db.ts';
import { grantIsOpen, grantsOfPerson } from './grants.ts';

const atMost = 20;

// Whoever may edit the settings of this tenant comes before those who may of all tenants.
const people = `select lower(p.email) as address, min((g.tenant_id is null)::int) as rank
from person p join access_grant g on ${grantsOfPerson} join permission_set s using (permission_set_id)
where p.enabled and not p.is_emergency and coalesce(p.email, '') <> '' and (g.tenant_id is null or g.tenant_id = $1::uuid) and ${grantIsOpen}
  and s.permissions ? '${permission('Settings', 'edit')}'
group by 1 order by 2, 1 limit ${atMost}`;

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
  const rows = await db.query<{ address: string; rank: number }>({ name: 'responsible-people', text: people, values: [tenantId] });
  return rows.filter(({ rank }) => rank === rows[0]?.rank).map((row) => row.address);
}
