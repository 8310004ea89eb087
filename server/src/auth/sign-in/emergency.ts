/** Emergency accounts: for when no directory can be reached. Each sign-in is audited and told to the other administrators. */
import { randomUUID } from 'node:crypto';
import type { Db } from '../../db/db.ts';
import { recordAudit } from '../audit-entry.ts';
import { grantsOfPerson } from '../grants.ts';
import { shippedSets } from '../shipped.ts';
import { notifyOfEmergency, type SignInOrigin } from './sign-in-devices.ts';

/** People who administer all tenants, and can be told. */
const administrators = `select p.person_id from person p where p.enabled and p.person_id <> $1 and exists (
  select from access_grant g where ${grantsOfPerson} and g.tenant_id is null and g.permission_set_id = '${shippedSets.administrator.id}')
  order by p.last_sign_in desc nulls last limit 20`;

/** Call it in the transaction of a sign-in; it does nothing for other accounts. */
export async function tellOfEmergency(tx: Db, personId: string, origin: Pick<SignInOrigin, 'address' | 'queueMail'>): Promise<void> {
  const [account] = await tx.query<{ user_name: string }>({
    text: 'select user_name from person where person_id = $1 and is_emergency',
    values: [personId],
  });
  if (!account) return;
  await recordAudit(tx, {
    actor: { kind: 'person', id: personId, name: account.user_name },
    verb: 'emergency-sign-in',
    entity: 'people',
    entityId: personId,
    correlationId: randomUUID(),
    address: origin.address,
  });
  for (const { person_id: reader } of await tx.query<{ person_id: string }>({ text: administrators, values: [personId] }))
    await notifyOfEmergency(tx, reader, account.user_name, origin);
}
