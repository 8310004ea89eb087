/** Keys of the identity provider: stored encrypted in the database, shared by all servers, rotated. */
import { randomBytes } from 'node:crypto';
import type { JWK } from 'jose';
import { exportJWK } from 'jose/key/export';
import { generateKeyPair } from 'jose/key/generate/keypair';
import type { Db } from '../../db/db.ts';
import { notify } from '../../db/notify.ts';
import { recordAudit, type AuditEntry } from '../audit-entry.ts';
import type { SealedKey, MasterKey } from '../master-key.ts';

export const signingAlgorithm = 'ES256';
export const signingKeysChannel = 'signing-keys';

/** A private key with the dates of its creation and retirement. Keys of an early version have no `madeOn` and count as old. */
export type SigningKey = JWK & { madeOn?: string; retiredOn?: string };

export interface ProviderKeys {
  /** Keys for tokens: the first one signs, all verify. */
  signing: SigningKey[];
  /** Keys for cookies: the first one signs, the others only verify. */
  cookies: string[];
}

const settingName = 'identity.keys';
const daysInUse = 90;
/** Hours for which a retired key still verifies: a session lasts for a day, and its ID token must be valid at sign-out. */
const hoursVerifying = 25;

async function newSigningKey(now: Date): Promise<SigningKey> {
  const { privateKey } = await generateKeyPair(signingAlgorithm, { extractable: true });
  return {
    ...(await exportJWK(privateKey)),
    kid: randomBytes(8).toString('hex'),
    alg: signingAlgorithm,
    use: 'sig',
    madeOn: now.toISOString(),
  };
}

/** Returns the stored keys, or creates and stores them. */
export async function loadProviderKeys(db: Db, masterKey: MasterKey): Promise<ProviderKeys> {
  const stored = await read(db, masterKey);
  if (stored) return stored;
  const created: ProviderKeys = { signing: [await newSigningKey(new Date())], cookies: [randomBytes(32).toString('base64url')] };
  // If another server has inserted its keys first, those keys are used.
  await db.query({
    text: 'insert into setting (name, value) values ($1, $2) on conflict (name) do nothing',
    values: [settingName, JSON.stringify(masterKey.seal(JSON.stringify(created), settingName))],
  });
  return (await read(db, masterKey)) ?? created;
}

async function read(db: Db, masterKey: MasterKey, lock = ''): Promise<ProviderKeys | undefined> {
  const [row] = await db.query<{ value: SealedKey }>({
    text: `select value from setting where name = $1 ${lock}`,
    values: [settingName],
  });
  return row && (JSON.parse(masterKey.open(row.value, settingName)) as ProviderKeys);
}

/**
 * Adds a new signing key in first place, deletes expired keys and notifies the servers. Replaced keys verify for
 * `hoursVerifying`; with `forgetOld` they are deleted. With `onlyWhenDue`, a key is added only when the present key is
 * old enough. Returns the id of the new key; undefined when none was added.
 */
export async function rotateSigningKeys(
  db: Db,
  masterKey: MasterKey,
  options: { by: AuditEntry['actor']; onlyWhenDue?: boolean; forgetOld?: boolean; now?: Date },
): Promise<string | undefined> {
  const now = options.now ?? new Date();
  await loadProviderKeys(db, masterKey);
  return db.transaction(async (tx) => {
    const keys = await read(tx, masterKey, 'for update');
    if (!keys) throw new Error('The keys of the identity provider are gone.');
    const usable = options.forgetOld ? [] : keys.signing.filter(({ retiredOn }) => hoursSince(retiredOn, now) < hoursVerifying);
    const isDue = hoursSince(keys.signing[0]?.madeOn ?? '', now) >= daysInUse * 24;
    const rotates = isDue || options.onlyWhenDue !== true;
    if (!rotates && usable.length === keys.signing.length) return undefined;
    const created = rotates ? await newSigningKey(now) : undefined;
    const retired = created ? usable.map((key) => ({ ...key, retiredOn: key.retiredOn ?? now.toISOString() })) : usable;
    const next: ProviderKeys = { signing: created ? [created, ...retired] : retired, cookies: keys.cookies };
    await tx.query({
      text: 'update setting set value = $2 where name = $1',
      values: [settingName, JSON.stringify(masterKey.seal(JSON.stringify(next), settingName))],
    });
    if (created)
      await recordAudit(tx, {
        actor: options.by,
        verb: 'rotate',
        entity: 'signing-keys',
        entityId: String(created.kid),
        before: { signing: keys.signing[0]?.kid },
        after: { signing: created.kid, verifying: retired.map(({ kid }) => kid) },
        correlationId: crypto.randomUUID(),
      });
    await notify(tx, signingKeysChannel);
    return created?.kid;
  });
}

/**
 * Returns the hours since a date: -1 for undefined (a key that is not retired), infinity for '' (a key without a
 * creation date).
 */
function hoursSince(date: string | undefined, now: Date): number {
  if (date === undefined) return -1;
  return date === '' ? Infinity : (now.getTime() - Date.parse(date)) / 3_600_000;
}

/** Returns the key in the form that the provider library accepts. */
export function privateKey(key: SigningKey): JWK {
  const { madeOn: _madeOn, retiredOn: _retired, ...jwk } = key;
  return jwk;
}

/** The public part of a key. */
export function publicKey(key: SigningKey): JWK {
  const { d: _private, ...rest } = privateKey(key);
  return rest;
}
