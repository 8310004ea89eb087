/** Which master keys encrypt data in the database. */
import type { Db } from '../db/db.ts';

/**
 * Ids of the master keys that encrypt stored data; `db` must see all tenants. This also runs before an upgrade, when the
 * tables of one-time codes, directories and event subscriptions may not exist yet.
 */
export async function masterKeysInUse(db: Db): Promise<string[]> {
  const rows = await db.query<{ kid: string }>({
    text: `select distinct envelope ->> 'kid' as kid from tenant_secret_version
      union select value ->> 'kid' from setting where value ? 'wrappedKey' order by 1`,
  });
  const [codes] = await db.query<{ exist: boolean }>({ text: "select to_regclass('totp') is not null as exist" });
  const ofCodes = codes?.exist ? await db.query<{ kid: string }>({ text: "select distinct envelope ->> 'kid' as kid from totp" }) : [];
  const [secrets] = await db.query<{ exist: boolean }>({ text: "select to_regclass('directory_secret') is not null as exist" });
  const ofDirectories = secrets?.exist
    ? await db.query<{ kid: string }>({
        text: "select distinct envelope ->> 'kid' as kid from directory_secret where envelope is not null",
      })
    : [];
  const [events] = await db.query<{ exist: boolean }>({ text: "select to_regclass('event_subscription') is not null as exist" });
  const ofEvents = events?.exist
    ? await db.query<{ kid: string }>({
        text: `select distinct secret ->> 'kid' as kid from event_subscription
          union select previous_secret ->> 'kid' from event_subscription where previous_secret is not null`,
      })
    : [];
  return [...new Set([...rows, ...ofCodes, ...ofDirectories, ...ofEvents].map((row) => row.kid))].toSorted();
}
