/** Which master keys encrypt data in the database. */
import type { Db } from '../db/connection.ts';

/** Ids of the keys; `db` must see all tenants. */
export async function masterKeysInUse(db: Db): Promise<string[]> {
  const rows = await db.query<{ kid: string }>({
    text: `select distinct envelope ->> 'kid' as kid from tenant_secret_version
      union select envelope ->> 'kid' from totp
      union select value ->> 'kid' from setting where value ? 'wrappedKey' order by 1`,
  });
  return rows.map((row) => row.kid);
}
