/** Secrets of event subscriptions: encrypted by the master key, each bound to its subscription. */
import { randomBytes } from 'node:crypto';
import type { MasterKey, SealedKey } from '../../auth/master-key.ts';
import { eventSecretPurpose } from '../../auth/tenant-secrets.ts';

/** A secret in the form of Standard Webhooks, and the end of it, by which people tell secrets apart. */
export function newEventSecret(): { secret: string; hint: string } {
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  return { secret, hint: `…${secret.slice(-5, -1)}` };
}

let key: MasterKey | undefined;

/** Sets the key of new secrets. Called once at the start. */
export function setEventKey(masterKey: MasterKey): void {
  key = masterKey;
}

export function sealEventSecret(eventSubscriptionId: string, secret: string): SealedKey {
  if (!key) throw new Error('The key of event subscriptions is not set.');
  return key.seal(secret, eventSecretPurpose(eventSubscriptionId));
}
