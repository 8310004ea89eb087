/** A licence: who may use the product until when, signed by the manufacturer. */
import { verify } from 'node:crypto';
import { z } from 'zod';

/**
 * Public half of the key that signs this product's licences: Ed25519, SPKI in base64. The product does not contain the private
 * half.
 */
export const productLicenceKey = 'MCowBQYDK2VwAyEAJlA05lMEgfIdJwtL4dVEdK5wZQ8wGWVg2hzBObkZfLU=';

const file = z.object({ payload: z.base64url(), signature: z.base64url() });
const licence = z.object({ customer: z.string().min(1).max(200), issued: z.iso.datetime(), expires: z.iso.datetime() });

export type Licence = z.infer<typeof licence>;

/** Returns the licence in a file's text; undefined if the text is no licence, or if the signature does not fit `publicKey`. */
export function readLicence(text: string, publicKey: string): Licence | undefined {
  const envelope = file.safeParse(parse(text));
  if (!envelope.success) return undefined;
  const payload = Buffer.from(envelope.data.payload, 'base64url');
  const key = { key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' } as const;
  // Null, because Ed25519 has no separate digest.
  if (!verify(null, payload, key, Buffer.from(envelope.data.signature, 'base64url'))) return undefined;
  return licence.safeParse(parse(payload.toString('utf8'))).data;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
