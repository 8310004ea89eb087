/** Signs outbound calls by Standard Webhooks with the secret `webhook-signature`, so that receivers can verify them. */
import { createHmac } from 'node:crypto';
import type { SecretVersion, TenantSecrets } from '../auth/tenant-secrets.ts';
import type { Db } from '../db/db.ts';

/** Name of the tenant secret; without it calls are not signed. */
export const signingSecret = 'webhook-signature';

/** Time for which the previous version of the secret signs too, so that receivers can switch to the new version. */
const bothForMs = 24 * 3_600_000;

/** A key is `whsec_` and base64, as in the standard; any other text is the key itself. */
function keyOf(value: string): Buffer {
  return value.startsWith('whsec_') ? Buffer.from(value.slice('whsec_'.length), 'base64') : Buffer.from(value, 'utf8');
}

/** Signs a message by each key: receivers accept it if one of the signatures is by a key of theirs. */
export function signedHeaders(keys: readonly string[], messageId: string, body: string, now: Date): Record<string, string> {
  const timestamp = Math.floor(now.getTime() / 1_000);
  const content = `${messageId}.${timestamp}.${body}`;
  const signatures = keys.map((key) => `v1,${createHmac('sha256', keyOf(key)).update(content).digest('base64')}`);
  return { 'webhook-id': messageId, 'webhook-timestamp': String(timestamp), 'webhook-signature': signatures.join(' ') };
}

function valid(versions: readonly SecretVersion[], now: Date): readonly SecretVersion[] {
  const [latest] = versions;
  return latest && now.getTime() - Date.parse(latest.created) < bothForMs ? versions : versions.slice(0, 1);
}

/** The headers of the signature; the id is the same for each attempt. */
export async function signatureHeaders(
  secrets: TenantSecrets,
  db: Db,
  call: { tenantId: string; messageId: string; body: string | undefined },
  now = new Date(),
): Promise<Record<string, string>> {
  const versions = valid(await secrets.recent(db, call.tenantId, signingSecret, 2), now);
  if (versions.length === 0) return {};
  return signedHeaders(
    versions.map(({ value }) => value),
    call.messageId,
    call.body ?? '',
    now,
  );
}
