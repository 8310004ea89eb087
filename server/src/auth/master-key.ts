/**
 * The master key that encrypts all stored secrets, and the form in which they are stored. Without the key, the secrets
 * in a backup cannot be read.
 */
import { createCipheriv, createDecipheriv, createHmac, createSecretKey, hash, randomBytes, type KeyObject } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { chmod, link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { messageOf } from '@cloudfit/contract/errors.ts';
import { StartError } from '../platform/start-error.ts';

/** An encrypted value as stored: AES-256-GCM with a data key per value, which the master key `kid` encrypts. In base64. */
export interface SealedKey {
  v: 1;
  kid: string;
  iv: string;
  ct: string;
  tag: string;
  wrappedKey: string;
}

export interface MasterKey {
  /**
   * Encrypts a value and authenticates it with `purpose`, so that an envelope that was copied to another place cannot
   * be decrypted.
   */
  seal(plain: string, purpose: string): SealedKey;
  open(envelope: SealedKey, purpose: string): string;
  /** Returns the same value with the same data key, which is encrypted with the current master key. */
  rewrap(envelope: SealedKey, purpose: string): SealedKey;
  /** Returns the signatures of a text for one purpose in base64url: by the current key, then by the others. */
  signatures(text: string, purpose: string): readonly string[];
  /** Ids of all keys, the current one first. */
  ids(): readonly string[];
}

export interface MasterKeySettings {
  /** Keys of 32 bytes in base64, separated by commas: the first encrypts, all decrypt. */
  masterKey?: string | undefined;
  /** Path of a file that contains the keys, one per line. */
  masterKeyFile?: string | undefined;
  dataDir: string;
  log: { warn(line: string): void };
  /** Ids of the keys that encrypt data in the database: the keys must exist, and no new key is created in their place. */
  inUse?: readonly string[];
}

const cipher = 'aes-256-gcm';
const ivLength = 12;
const tagLength = 16;

/** Path of the key file; undefined when the setting has the keys themselves. */
export function masterKeyPath(settings: Pick<MasterKeySettings, 'masterKey' | 'masterKeyFile' | 'dataDir'>): string | undefined {
  return settings.masterKey ? undefined : (settings.masterKeyFile ?? join(settings.dataDir, 'master.key'));
}

/** Loads the keys from the settings; creates one in the data folder at the first start. A changed file is read again. */
export async function loadMasterKey(settings: MasterKeySettings): Promise<MasterKey> {
  const inUse = settings.inUse ?? [];
  const file = masterKeyPath(settings);
  const make = file !== undefined && settings.masterKeyFile === undefined && inUse.length === 0;
  if (file && inUse.length > 0 && !existsSync(file)) throw keyMissing(inUse[0]);
  if (file) await readKeyFile(file, make, settings.log);
  const masterKey = file
    ? fromRing(watchedRing(file))
    : masterKeyOf(
        String(settings.masterKey)
          .split(',')
          .map((key) => key.trim()),
      );
  const keyIds = masterKey.ids();
  const missing = inUse.find((id) => !keyIds.includes(id));
  if (missing !== undefined) throw keyMissing(missing);
  return masterKey;
}

function keyMissing(id: string | undefined): StartError {
  return new StartError(
    `Secrets in the database were encrypted with the master key ${id}, which is missing: set MASTER_KEY or MASTER_KEY_FILE to it.`,
  );
}

/** Parses a key file: one key per line, `#` begins a comment. */
export function keysOfFile(text: string, file: string): string[] {
  const keys = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  if (keys.length === 0 || keys.some((key) => Buffer.from(key, 'base64').length !== 32))
    throw new StartError(`The master key file ${file} must hold 32 bytes in base64 on each line.`);
  return keys;
}

async function readKeyFile(file: string, make: boolean, log: MasterKeySettings['log']): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || !make) {
      throw new StartError(`The master key file ${file} cannot be read: ${messageOf(error)}.`);
    }
  }
  const key = `${randomBytes(32).toString('base64')}\n`;
  // Written to a temporary file and linked, so that two processes at their first start agree on one complete key.
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(draft, key, { mode: 0o600 });
    await chmod(draft, 0o600);
    await link(draft, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    log.warn(`A master key was made in ${file}. Keep a copy of it apart from the backups: without it no secret can be read.`);
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new StartError(`The master key file ${file} cannot be written: ${messageOf(error)}.`);
  } finally {
    await rm(draft, { force: true });
  }
}

interface Ring {
  /** The keys as pairs of id and bytes; the first one encrypts. */
  keys: readonly (readonly [string, Buffer])[];
}

/** Returns the present keys; `fresh` reads the file again even if it seems unchanged. */
type RingSource = (fresh?: boolean) => Ring;

export const masterKeyId = (key: string): string => hash('sha256', Buffer.from(key, 'base64'), 'hex').slice(0, 12);

const ringOf = (keys: readonly string[]): Ring => ({ keys: keys.map((key) => [masterKeyId(key), Buffer.from(key, 'base64')] as const) });

/**
 * Returns the keys of the file, and reads it again when it has changed: a rotation replaces the file while servers run,
 * and no server may go on encrypting with a replaced key.
 */
function watchedRing(file: string): RingSource {
  const stamp = (): string => {
    const { ino, mtimeMs, size } = statSync(file);
    return `${ino} ${mtimeMs} ${size}`;
  };
  const read = () => ({ stamp: stamp(), ring: ringOf(keysOfFile(readFileSync(file, 'utf8'), file)) });
  let keyIds = read();
  return (fresh = false) => {
    try {
      if (fresh || stamp() !== keyIds.stamp) keyIds = read();
    } catch {
      // The file is missing or incomplete: the keys of the last successful read are used.
    }
    return keyIds.ring;
  };
}

/** `keys` in base64: the first encrypts, all decrypt. */
export function masterKeyOf(keys: readonly string[]): MasterKey {
  const ring = ringOf(keys);
  if (ring.keys.length === 0) throw new StartError('No master key was given.');
  return fromRing(() => ring);
}

const signingKeys = new WeakMap<Buffer, Map<string, KeyObject>>();

/**
 * Returns the signing key of a purpose, cached in memory: deriving it costs ten times as much as a signature, and every
 * call of an agent needs a signature to be checked.
 */
function signingKey(key: Buffer, purpose: string): KeyObject {
  const byPurpose = signingKeys.get(key) ?? new Map<string, KeyObject>();
  signingKeys.set(key, byPurpose);
  let derived = byPurpose.get(purpose);
  if (!derived) {
    derived = createSecretKey(createHmac('sha256', key).update(`sign ${purpose}`).digest());
    byPurpose.set(purpose, derived);
  }
  return derived;
}

function fromRing(source: RingSource): MasterKey {
  function current(): readonly [string, Buffer] {
    const [first] = source().keys;
    if (!first) throw new StartError('No master key was given.');
    return first;
  }

  function unwrap(envelope: SealedKey, purpose: string): Buffer {
    const is = ([id]: readonly [string, Buffer]): boolean => id === envelope.kid;
    const key = source().keys.find(is) ?? source(true).keys.find(is);
    if (!key) throw keyMissing(envelope.kid);
    const wrapped = Buffer.from(envelope.wrappedKey, 'base64');
    const [iv, tag, ct] = [
      wrapped.subarray(0, ivLength),
      wrapped.subarray(ivLength, ivLength + tagLength),
      wrapped.subarray(ivLength + tagLength),
    ];
    return decrypt(key[1], iv, tag, ct, purpose);
  }

  function wrap(key: Buffer, purpose: string): Pick<SealedKey, 'kid' | 'wrappedKey'> {
    const [kid, master] = current();
    const wrapped = encrypt(master, key, purpose);
    return { kid, wrappedKey: Buffer.concat([wrapped.iv, wrapped.tag, wrapped.ct]).toString('base64') };
  }

  return {
    ids: () => source().keys.map(([id]) => id),
    // One derived key per purpose, so that a signature is valid for one purpose only and reveals nothing about the
    // master key.
    signatures: (text, purpose) =>
      source().keys.map(([, key]) => createHmac('sha256', signingKey(key, purpose)).update(text).digest('base64url')),
    seal: (plain, purpose) => {
      const key = randomBytes(32);
      const sealed = encrypt(key, Buffer.from(plain, 'utf8'), purpose);
      return {
        v: 1,
        ...wrap(key, purpose),
        iv: sealed.iv.toString('base64'),
        ct: sealed.ct.toString('base64'),
        tag: sealed.tag.toString('base64'),
      };
    },
    open: (envelope, purpose) =>
      decrypt(
        unwrap(envelope, purpose),
        Buffer.from(envelope.iv, 'base64'),
        Buffer.from(envelope.tag, 'base64'),
        Buffer.from(envelope.ct, 'base64'),
        purpose,
      ).toString('utf8'),
    rewrap: (envelope, purpose) => ({ ...envelope, ...wrap(unwrap(envelope, purpose), purpose) }),
  };
}

function encrypt(key: Buffer, plain: Buffer, purpose: string): { iv: Buffer; ct: Buffer; tag: Buffer } {
  const iv = randomBytes(ivLength);
  const encryption = createCipheriv(cipher, key, iv).setAAD(Buffer.from(purpose, 'utf8'));
  const ct = Buffer.concat([encryption.update(plain), encryption.final()]);
  return { iv, ct, tag: encryption.getAuthTag() };
}

function decrypt(key: Buffer, iv: Buffer, tag: Buffer, ct: Buffer, purpose: string): Buffer {
  const decryption = createDecipheriv(cipher, key, iv, { authTagLength: tagLength }).setAAD(Buffer.from(purpose, 'utf8')).setAuthTag(tag);
  return Buffer.concat([decryption.update(ct), decryption.final()]);
}
