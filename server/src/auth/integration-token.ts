/** The form of tenant tokens, and of those of sources: a prefix + 256 random bits + CRC32, so that a mistyped one is refused without a query. */
import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const prefix = 'cfst_';
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const secretLength = 43;
const checkLength = 6;
const shape = new RegExp(`^[0-9A-Za-z]{${secretLength + checkLength}}$`);

function base62(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest /= 62n) text = digits.charAt(Number(rest % 62n)) + text;
  return text;
}

const checkOf = (secret: string) => base62(BigInt(crc32(secret)), checkLength);

export interface NewIntegrationToken {
  /** Shown once, never stored. */
  token: string;
  hash: Buffer;
  /** Prefix and last four characters, for lists. */
  hint: string;
}

export function createIntegrationToken(start: string = prefix): NewIntegrationToken {
  const secret = base62(BigInt(`0x${randomBytes(32).toString('hex')}`), secretLength);
  const token = start + secret + checkOf(secret);
  return { token, hash: hashIntegrationToken(token), hint: `${start}…${token.slice(-4)}` };
}

export function hashIntegrationToken(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

/** Returns whether the text has the prefix of tenant tokens; `isWellFormedIntegrationToken` checks the form. */
export function looksLikeIntegrationToken(text: string): boolean {
  return text.startsWith(prefix);
}

export function isWellFormedIntegrationToken(text: string, start: string = prefix): boolean {
  const rest = text.startsWith(start) ? text.slice(start.length) : '';
  return shape.test(rest) && checkOf(rest.slice(0, secretLength)) === rest.slice(-checkLength);
}
