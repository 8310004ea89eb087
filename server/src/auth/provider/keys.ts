/** Keys of the identity provider: made at the first start, kept encrypted in the database, the same for all servers. */
import { randomBytes } from 'node:crypto';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import type { Db } from '../../db/connection.ts';
import type { Envelope, MasterKey } from '../master-key.ts';

export const signingAlgorithm = 'ES256';

export interface ProviderKeys {
  /** Private keys; the first signs, all verify. */
  signing: JWK[];
  /** Keys of the cookies' signatures; the first signs. */
  cookies: string[];
}

const settingName = 'identity.keys';

export async function loadProviderKeys(db: Db, masterKey: MasterKey): Promise<ProviderKeys> {
  const stored = await read(db, masterKey);
  if (stored) return stored;
  const { privateKey } = await generateKeyPair(signingAlgorithm, { extractable: true });
  const signing = { ...(await exportJWK(privateKey)), kid: randomBytes(8).toString('hex'), alg: signingAlgorithm, use: 'sig' };
  const made: ProviderKeys = { signing: [signing], cookies: [randomBytes(32).toString('base64url')] };
  // Another server may have been faster; its keys then hold.
  await db.query({
    text: 'insert into setting (name, value) values ($1, $2) on conflict (name) do nothing',
    values: [settingName, JSON.stringify(masterKey.seal(JSON.stringify(made), settingName))],
  });
  return (await read(db, masterKey)) ?? made;
}

async function read(db: Db, masterKey: MasterKey): Promise<ProviderKeys | undefined> {
  const [row] = await db.query<{ value: Envelope }>({ text: 'select value from setting where name = $1', values: [settingName] });
  return row && (JSON.parse(masterKey.open(row.value, settingName)) as ProviderKeys);
}

/** What may be published of a private key. */
export function publicKey(key: JWK): JWK {
  const { d: _private, ...rest } = key;
  return rest;
}
