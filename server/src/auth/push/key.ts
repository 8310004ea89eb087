/**
 * The key with which the server signs messages to the push services of browsers (VAPID): created once, stored
 * encrypted, shared by all servers.
 */
import type { Db } from '../../db/db.ts';
import type { MasterKey, SealedKey } from '../master-key.ts';

const settingName = 'push.key';

export interface PushKey {
  /** The public key for browsers, in base64url. */
  publicKey: string;
  privateKey: string;
}

/** Returns the stored key, or creates and stores it. `db` must see the settings. */
export async function loadPushKey(db: Db, masterKey: MasterKey): Promise<PushKey> {
  const read = async (): Promise<PushKey | undefined> => {
    const [row] = await db.query<{ value: SealedKey }>({ text: 'select value from setting where name = $1', values: [settingName] });
    return row && (JSON.parse(masterKey.open(row.value, settingName)) as PushKey);
  };
  let stored = await read();
  if (stored === undefined) {
    // Loaded for a new installation only, because it is large.
    const { default: webPush } = await import('web-push');
    // If another server has inserted its key first, that key is used.
    await db.query({
      text: 'insert into setting (name, value) values ($1, $2) on conflict (name) do nothing',
      values: [settingName, JSON.stringify(masterKey.seal(JSON.stringify(webPush.generateVAPIDKeys()), settingName))],
    });
    stored = await read();
  }
  if (stored === undefined) throw new Error('The key of push messages is gone.');
  return stored;
}
