/** Passwords of people of the embedded provider: hashed by argon2id, few at a time; unknown names cost the same work. */
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { ApiError } from '@cloudfit/contract/errors.ts';
import type { Db } from '../../db/db.ts';

const derive = promisify(argon2);
const memoryKib = 19_456;
const passes = 2;
const hashLength = 32;

/**
 * Returns a function that runs at most `maxAtOnce` tasks at a time. Up to `maxWaiting` tasks wait; further tasks are
 * refused.
 */
export function createLine(maxAtOnce: number, maxWaiting: number): <T>(task: () => Promise<T>) => Promise<T> {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (task) => {
    if (running >= maxAtOnce) {
      if (waiting.length >= maxWaiting) throw new ApiError('Unavailable', 'Too many people are signing in just now. Please try again.');
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else {
      running++;
    }
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}

// Each hash takes 19 MiB and a core: more at once would starve everything else, and a longer queue would not be
// answered in time.
const inLine = createLine(2, 50);

function derived(password: string, salt: Buffer): Promise<Buffer> {
  const message = password.normalize('NFKC');
  return inLine(() => derive('argon2id', { message, nonce: salt, parallelism: 1, tagLength: hashLength, memory: memoryKib, passes }));
}

const base64 = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');

/** Returns the hash in the standard form `$argon2id$v=19$m=...,t=...,p=...$salt$hash`. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  return `$argon2id$v=19$m=${memoryKib},t=${passes},p=1$${base64(salt)}$${base64(await derived(password, salt))}`;
}

const nobody = `$argon2id$v=19$m=${memoryKib},t=${passes},p=1$${base64(randomBytes(16))}$${base64(randomBytes(hashLength))}`;

async function matches(password: string, stored: string): Promise<boolean> {
  const [, , , , salt = '', expected = ''] = stored.split('$');
  const expectedHash = Buffer.from(expected, 'base64');
  const actualHash = await derived(password, Buffer.from(salt, 'base64'));
  return expectedHash.length === actualHash.length && timingSafeEqual(expectedHash, actualHash);
}

export interface PasswordOwner {
  personId: string;
  name: string;
  userName: string;
  enabled: boolean;
}

/** Returns the person with this user name and password, also if disabled; undefined when name or password is wrong. */
export async function verifyPassword(db: Db, userName: string, password: string): Promise<PasswordOwner | undefined> {
  const [row] = await db.query<{ person_id: string; name: string; user_name: string; enabled: boolean; password_hash: string }>({
    // A password of before gives nothing to people whom a directory signs in.
    text: `select person_id, p.name, user_name, p.enabled, password_hash from person p join sign_in_password using (person_id)
      left join directory d using (directory_id) where lower(user_name) = lower($1) and coalesce(d.kind = 'None' and d.enabled, true)`,
    values: [userName.trim()],
  });
  const right = await matches(password, row?.password_hash ?? nobody);
  return row && right ? { personId: row.person_id, name: row.name, userName: row.user_name, enabled: row.enabled } : undefined;
}

/** What is wrong with a new password; the catalogue of the sign-in has a sentence for each. */
export type PasswordFault = 'short' | 'long' | 'name' | 'plain';

/** Returns what is wrong with a new password; undefined when it is acceptable. */
export function passwordFault(password: string, userName: string): PasswordFault | undefined {
  if (password.length < 12) return 'short';
  if (password.length > 256) return 'long';
  const plain = password.toLowerCase();
  const name = userName.toLowerCase();
  const local = name.split('@')[0] ?? name;
  if (plain === name || plain === local || (plain.replaceAll(local, '').length < 6 && plain.includes(local))) return 'name';
  if (new Set(plain).size < 5) return 'plain';
  return undefined;
}
