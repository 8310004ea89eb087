/** Who must sign in with a passkey: people with a permission set that requires it. */
import type { Db } from '../../db/connection.ts';
import { grantsOfPerson } from '../grants.ts';

/** `use`: only a passkey is accepted; `enrol`: the person has none yet. Undefined when the password is enough. */
export async function passkeyDemand(db: Db, personId: string): Promise<'use' | 'enrol' | undefined> {
  const [row] = await db.query<{ demanded: boolean; has: boolean }>({
    text: `select exists (select from access_grant g join permission_set s using (permission_set_id) where ${grantsOfPerson} and s.requires_passkey) as demanded,
        exists (select from passkey k where k.person_id = p.person_id) as has
      from person p where p.person_id = $1`,
    values: [personId],
  });
  if (!row?.demanded) return undefined;
  return row.has ? 'use' : 'enrol';
}
