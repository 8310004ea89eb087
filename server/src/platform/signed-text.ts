/** Texts that the servers sign and later read back: the content of links. */
import { timingSafeEqual } from 'node:crypto';

/** Returns the signatures of a text for a purpose, the current one first. All servers return the same. */
export interface Signer {
  signatures(text: string, purpose: string): readonly string[];
}

/** Returns the content as base64url of its JSON, a dot, and the signature. */
export function signedText(signer: Signer, purpose: string, content: unknown): string {
  const text = Buffer.from(JSON.stringify(content)).toString('base64url');
  return `${text}.${signer.signatures(text, purpose)[0]}`;
}

/** Returns the content; undefined if the text was not signed by this installation for this purpose. */
export function readSignedText(signer: Signer, purpose: string, signed: string): unknown {
  const [text = '', signature = ''] = signed.split('.');
  const received = Buffer.from(signature);
  const isSigned = signer.signatures(text, purpose).some((signature) => {
    const valid = Buffer.from(signature);
    return valid.length === received.length && timingSafeEqual(valid, received);
  });
  if (!isSigned) return undefined;
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    return undefined;
  }
}
