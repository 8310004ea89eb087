/** Rotates the master key: data keys are encrypted again, values stay, and earlier keys are kept while data needs them. */
import { randomBytes } from 'node:crypto';
import { chmod, chown, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Db } from '../db/db.ts';
import { directoryPurpose } from './directories/directory-secret.ts';
import { keysOfFile, masterKeyId, type SealedKey, type MasterKey } from './master-key.ts';
import { totpPurpose } from './sign-in/totp.ts';
import { eventSecretPurpose, purposeOf } from './tenant-secrets.ts';

const batch = 500;

/** Replaces the file atomically: a killed process leaves the old file or the new one. */
async function replaceFile(file: string, text: string): Promise<void> {
  const { uid, gid } = await stat(file);
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  try {
    const handle = await open(draft, 'wx', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await chmod(draft, 0o600);
    // The user of the server must still be able to read the file when root rotates the key.
    await chown(draft, uid, gid).catch(() => undefined);
    await rename(draft, file);
    const folder = await open(dirname(file), 'r');
    await folder.sync().catch(() => undefined);
    await folder.close();
  } finally {
    await rm(draft, { force: true });
  }
}

/** Adds a new key in front of those in the file; returns its id. Running servers reload the file. */
export async function addMasterKey(file: string): Promise<string> {
  const key = randomBytes(32).toString('base64');
  await replaceFile(file, `${key}\n${await readFile(file, 'utf8')}`);
  return masterKeyId(key);
}

/** Removes the keys with these ids, except the first key of the file; returns the ids of the removed keys. */
export async function forgetMasterKeys(file: string, ids: readonly string[]): Promise<string[]> {
  const [first = '', ...others] = keysOfFile(await readFile(file, 'utf8'), file);
  const remainingKeys = others.filter((key) => !ids.includes(masterKeyId(key)));
  if (remainingKeys.length < others.length) await replaceFile(file, `${[first, ...remainingKeys].join('\n')}\n`);
  return others.filter((key) => !remainingKeys.includes(key)).map(masterKeyId);
}

interface WrappedSecret {
  tenant_secret_id: string;
  secret_version: number;
  tenant_id: string;
  envelope: SealedKey;
}

async function rewrapSecrets(db: Db, masterKey: MasterKey, current: string): Promise<number> {
  for (let done = 0; ;) {
    const rows = await db.query<WrappedSecret>({
      text: `select tenant_secret_id, secret_version, tenant_id, envelope from tenant_secret_version
        where envelope ->> 'kid' <> $1 limit ${batch} for update`,
      values: [current],
    });
    if (rows.length === 0) return done;
    const next = rows.map(({ tenant_secret_id: secretId, secret_version: version, tenant_id: tenantId, envelope }) => ({
      secretId,
      version,
      envelope: masterKey.rewrap(envelope, purposeOf({ tenantId, secretId, version })),
    }));
    await db.query({
      text: `update tenant_secret_version t set envelope = n.envelope
        from jsonb_to_recordset($1::jsonb) as n("secretId" uuid, version int, envelope jsonb)
        where t.tenant_secret_id = n."secretId" and t.secret_version = n.version`,
      values: [JSON.stringify(next)],
    });
    done += rows.length;
  }
}

async function rewrapSettings(db: Db, masterKey: MasterKey, current: string): Promise<number> {
  const rows = await db.query<{ name: string; value: SealedKey }>({
    text: "select name, value from setting where value ? 'wrappedKey' and value ->> 'kid' <> $1 for update",
    values: [current],
  });
  for (const { name, value } of rows)
    await db.query({
      text: 'update setting set value = $2 where name = $1',
      values: [name, JSON.stringify(masterKey.rewrap(value, name))],
    });
  return rows.length;
}

async function rewrapTotp(db: Db, masterKey: MasterKey, current: string): Promise<number> {
  const rows = await db.query<{ person_id: string; envelope: SealedKey }>({
    text: "select person_id, envelope from totp where envelope ->> 'kid' <> $1 for update",
    values: [current],
  });
  for (const { person_id: personId, envelope } of rows)
    await db.query({
      text: 'update totp set envelope = $2 where person_id = $1',
      values: [personId, JSON.stringify(masterKey.rewrap(envelope, totpPurpose(personId)))],
    });
  return rows.length;
}

async function rewrapDirectories(db: Db, masterKey: MasterKey, current: string): Promise<number> {
  const rows = await db.query<{ directory_id: string; envelope: SealedKey | null }>({
    text: "select directory_id, envelope from directory_secret where envelope ->> 'kid' <> $1 for update",
    values: [current],
  });
  for (const { directory_id: directoryId, envelope } of rows) {
    if (!envelope) continue;
    await db.query({
      text: 'update directory_secret set envelope = $2 where directory_id = $1',
      values: [directoryId, JSON.stringify(masterKey.rewrap(envelope, directoryPurpose(directoryId)))],
    });
  }
  return rows.length;
}

interface SealedSubscription {
  id: string;
  secret: SealedKey;
  previous: SealedKey | null;
}

async function rewrapEvents(db: Db, masterKey: MasterKey, current: string): Promise<number> {
  const rows = await db.query<SealedSubscription>({
    text: `select event_subscription_id as id, secret, previous_secret as previous from event_subscription
      where secret ->> 'kid' <> $1 or previous_secret ->> 'kid' <> $1 for update`,
    values: [current],
  });
  for (const { id, secret, previous } of rows) {
    const again = (envelope: SealedKey) => JSON.stringify(masterKey.rewrap(envelope, eventSecretPurpose(id)));
    await db.query({
      text: 'update event_subscription set secret = $2, previous_secret = $3 where event_subscription_id = $1',
      values: [id, again(secret), previous && again(previous)],
    });
  }
  return rows.length;
}

/**
 * Encrypts all data keys with the current master key; returns the number of changed envelopes. `db` is a transaction
 * that sees all tenants.
 */
export async function rewrapAll(db: Db, masterKey: MasterKey): Promise<number> {
  const [current = ''] = masterKey.ids();
  return (
    (await rewrapSecrets(db, masterKey, current)) +
    (await rewrapSettings(db, masterKey, current)) +
    (await rewrapTotp(db, masterKey, current)) +
    (await rewrapDirectories(db, masterKey, current)) +
    (await rewrapEvents(db, masterKey, current))
  );
}
