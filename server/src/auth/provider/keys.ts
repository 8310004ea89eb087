/** Keys of the identity provider: kept encrypted in the database, the same for all servers, replaced in time. */
import { randomBytes } from 'node:crypto';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import type { Db } from '../../db/connection.ts';
import { notify } from '../../db/notify.ts';
import { recordAudit, type AuditEntry } from '../audit-entry.ts';
import type { SealedKey, MasterKey } from '../master-key.ts';

export const signingAlgorithm = 'ES256';
export const signingKeysChannel = 'signing-keys';

/** A private key; the dates are ours. Keys of an early version have no `madeOn` and count as old. */
export type SigningKey = JWK & { madeOn?: string; retiredOn?: string };

export interface ProviderKeys {
  /** The first signs, all verify. */
  signing: SigningKey[];
  /** Keys of the cookies' signatures; the first signs. */
  cookies: string[];
}

const settingName = 'identity.keys';
const daysInUse = 90;
/** A session lives for a day, and its ID token must be good for signing out until then. */
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

/** The stored keys; made when there are none yet. */
export async function loadProviderKeys(db: Db, masterKey: MasterKey): Promise<ProviderKeys> {
  const stored = await read(db, masterKey);
  if (stored) return stored;
  const created: ProviderKeys = { signing: [await newSigningKey(new Date())], cookies: [randomBytes(32).toString('base64url')] };
  // Another server may have been faster; its keys then hold.
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
 * Puts a new signing key in front; the ones before it verify for another day, or with `forgetOld` no more.
 * `onlyWhenDue`: only when the present one has served its time. Answers the new key's id; undefined when there was nothing to do. Servers hear of it.
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

/** A key that was never retired has been so for no time; one without a date since ever. */
function hoursSince(date: string | undefined, now: Date): number {
  if (date === undefined) return -1;
  return date === '' ? Infinity : (now.getTime() - Date.parse(date)) / 3_600_000;
}

/** As the provider takes it. */
export function privateKey(key: SigningKey): JWK {
  const { madeOn: _madeOn, retiredOn: _retired, ...jwk } = key;
  return jwk;
}

/** What may be published of a key. */
export function publicKey(key: SigningKey): JWK {
  const { d: _private, ...rest } = privateKey(key);
  return rest;
}
