/** Texts that the servers sign and later read back: the content of links. */
import { timingSafeEqual } from 'node:crypto';

/** Signs for one purpose, the same on every server; the first signature is the current one. */
export interface Signer {
  signatures(text: string, purpose: string): readonly string[];
}

/** The content as base64url of its JSON, a dot, and the signature. */
export function signedText(signer: Signer, purpose: string, content: unknown): string {
  const text = Buffer.from(JSON.stringify(content)).toString('base64url');
  return `${text}.${signer.signatures(text, purpose)[0]}`;
}

/** The content; undefined for a text that was not signed here for this purpose. */
export function readSignedText(signer: Signer, purpose: string, signed: string): unknown {
  const [text = '', signature = ''] = signed.split('.');
  const received = Buffer.from(signature);
  const isSigned = signer.signatures(text, purpose).some((one) => {
    const valid = Buffer.from(one);
    return valid.length === received.length && timingSafeEqual(valid, received);
  });
  if (!isSigned) return undefined;
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    return undefined;
  }
}
