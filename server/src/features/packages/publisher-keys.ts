/** Keys and signatures of publishers: Ed25519, over the SHA-256 of a package's zip. */
import { createHash, createPublicKey, verify, type KeyObject } from 'node:crypto';
import { signatureBytes } from '@cloudfit/contract/packages/signature.ts';
import type { Ctx } from '../../context/ctx.ts';

export interface Publisher {
  name: string;
  /** SPKI in base64. */
  publicKey: string;
}

const keyOf = (publicKey: string): KeyObject => createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' });

/** Reads a public key as PEM, or as SPKI in base64. */
export function readPublisherKey(text: string): { publicKey: string; fingerprint: string } | { fault: string } {
  if (text.includes('PRIVATE KEY'))
    return {
      fault: 'This is a private key, which stays with its publisher. Enter the public one, as openssl pkey -in KEY -pubout prints it.',
    };
  let key;
  try {
    key = text.includes('-----') ? createPublicKey(text) : keyOf(text);
  } catch {
    return { fault: 'This is not a public key. Enter it as openssl pkey -in KEY -pubout prints it, with its first and last line.' };
  }
  if (key.asymmetricKeyType !== 'ed25519')
    return {
      fault: `This is a key of ${key.asymmetricKeyType?.toUpperCase()}. Publishers sign with Ed25519: openssl genpkey -algorithm ed25519.`,
    };
  const spki = key.export({ type: 'spki', format: 'der' });
  return { publicKey: spki.toString('base64'), fingerprint: createHash('sha256').update(spki).digest('hex') };
}

/** Returns the publisher whose key has made this signature. */
export function signerOf(sha256: string, signature: Buffer, publishers: readonly Publisher[]): Publisher | undefined {
  const signed = Buffer.from(sha256, 'hex');
  return publishers.find(({ publicKey }) => verify(null, signed, keyOf(publicKey), signature));
}

/** Returns the bytes of a detached signature that was sent as base64, or what is wrong with it. */
export function readSignature(text: string): Buffer | string {
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === signatureBytes
    ? bytes
    : `The signature is not an Ed25519 signature in base64: it has ${bytes.length} bytes instead of ${signatureBytes}.`;
}

export interface Trust {
  publishers: readonly Publisher[];
  /** Whether packages need the signature of one of the publishers. */
  isRequired: boolean;
}

/** Returns the publishers that a tenant trusts; for null (packages for everyone), those that every tenant trusts. */
export async function trustOf(ctx: Ctx, tenantId: string | null): Promise<Trust> {
  const [row] = await ctx.db.query<{ publishers: Publisher[]; is_required: boolean }>({
    text: `select (select coalesce(json_agg(json_build_object('name', name, 'publicKey', public_key) order by tenant_id nulls last, name), '[]')
        from publisher where tenant_id is null or tenant_id = $1) as publishers,
      coalesce((select only_trusted_publishers from tenant where tenant_id = $1), false) as is_required`,
    values: [tenantId],
  });
  return { publishers: row?.publishers ?? [], isRequired: row?.is_required ?? false };
}
