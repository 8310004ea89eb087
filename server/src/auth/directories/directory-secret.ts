/** The client secret of a provider, or the password of the account that searches in LDAP: sealed by the master key. */
import type { Db } from '../../db/db.ts';
import type { MasterKey, SealedKey } from '../master-key.ts';

export const directoryPurpose = (directoryId: string): string => `directory ${directoryId}`;

/** `db` must see all tenants. */
export async function writeDirectorySecret(db: Db, masterKey: MasterKey, directoryId: string, secret: string): Promise<void> {
  await db.query({
    text: `insert into directory_secret (directory_id, envelope) values ($1, $2)
      on conflict (directory_id) do update set envelope = excluded.envelope`,
    values: [directoryId, JSON.stringify(masterKey.seal(secret, directoryPurpose(directoryId)))],
  });
}

export async function readDirectorySecret(db: Db, masterKey: MasterKey, directoryId: string): Promise<string | undefined> {
  const [row] = await db.query<{ envelope: SealedKey | null }>({
    text: 'select envelope from directory_secret where directory_id = $1',
    values: [directoryId],
  });
  return row?.envelope ? masterKey.open(row.envelope, directoryPurpose(directoryId)) : undefined;
}
