/** The key with which the server signs packages for its agents: stored encrypted in the database, shared by all servers. */
import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { uninstallText, type UninstallOrder } from '@cloudfit/contract/agent/uninstall.ts';
import { signedText } from '@cloudfit/contract/packages/signature.ts';
import type { Db } from '../db/db.ts';
import type { MasterKey, SealedKey } from './master-key.ts';

const settingName = 'packages.key';

export interface PackageKey {
  /** The public key for agents: SPKI in base64. */
  publicKey: string;
  /** Returns the signature of the version's `signedText`, in base64. */
  sign(version: { packageId: string; packageVersionId: string; sha256: string }): string;
  /** Returns the signature of an order to uninstall the agent of a machine, in base64. */
  signUninstall(order: Omit<UninstallOrder, 'signature'>, registrationId: string): string;
}

export function packageKeyOf(privateKey: KeyObject): PackageKey {
  return {
    publicKey: createPublicKey(privateKey).export({ type: 'spki', format: 'der' }).toString('base64'),
    sign: (version) => sign(null, Buffer.from(signedText(version)), privateKey).toString('base64'),
    signUninstall: (order, registrationId) => sign(null, Buffer.from(uninstallText(order, registrationId)), privateKey).toString('base64'),
  };
}

function newKey(): string {
  return generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64');
}

/** Returns the stored key, or creates and stores it. `db` must see the settings. */
export async function loadPackageKey(db: Db, masterKey: MasterKey): Promise<PackageKey> {
  const read = async (): Promise<string | undefined> => {
    const [row] = await db.query<{ value: SealedKey }>({ text: 'select value from setting where name = $1', values: [settingName] });
    return row && masterKey.open(row.value, settingName);
  };
  let stored = await read();
  if (stored === undefined) {
    // If another server has inserted its key first, that key is used.
    await db.query({
      text: 'insert into setting (name, value) values ($1, $2) on conflict (name) do nothing',
      values: [settingName, JSON.stringify(masterKey.seal(newKey(), settingName))],
    });
    stored = await read();
  }
  if (stored === undefined) throw new Error('The key of packages is gone.');
  return packageKeyOf(createPrivateKey({ key: Buffer.from(stored, 'base64'), format: 'der', type: 'pkcs8' }));
}
