/** The key that wraps all secrets at rest, and the envelope they are kept in. Without it a backup of the database is useless. */
import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto';
import { chmod, link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { StartError } from '../start-error.ts';

/** An encrypted value as stored: AES-256-GCM under a key of its own, which the master key `kid` wraps. All in base64. */
export interface Envelope {
  v: 1;
  kid: string;
  iv: string;
  ct: string;
  tag: string;
  wrappedKey: string;
}

export interface MasterKey {
  /** `purpose` is bound to the value: an envelope that was moved elsewhere does not open. */
  seal(plain: string, purpose: string): Envelope;
  open(envelope: Envelope, purpose: string): string;
}

export interface MasterKeySettings {
  /** 32 bytes in base64. */
  masterKey?: string | undefined;
  /** One key a line in base64: the first seals, all open. */
  masterKeyFile?: string | undefined;
  dataDir: string;
  log: { warn(line: string): void };
}

const cipher = 'aes-256-gcm';
const ivLength = 12;
const tagLength = 16;

/** From the settings; made in the data folder at the first start. */
export async function loadMasterKey(settings: MasterKeySettings): Promise<MasterKey> {
  if (settings.masterKey) return masterKeyOf([settings.masterKey]);
  const file = settings.masterKeyFile ?? join(settings.dataDir, 'master.key');
  const text = await readKeyFile(file, settings.masterKeyFile === undefined, settings.log);
  const keys = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  if (keys.length === 0 || keys.some((key) => Buffer.from(key, 'base64').length !== 32)) {
    throw new StartError(`The master key file ${file} must hold 32 bytes in base64 on each line.`);
  }
  return masterKeyOf(keys);
}

async function readKeyFile(file: string, make: boolean, log: MasterKeySettings['log']): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || !make) {
      throw new StartError(`The master key file ${file} cannot be read: ${(error as Error).message}.`);
    }
  }
  const key = `${randomBytes(32).toString('base64')}\n`;
  // Written aside and linked, so that two processes at their first start agree on one whole key.
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
    throw new StartError(`The master key file ${file} cannot be written: ${(error as Error).message}.`);
  } finally {
    await rm(draft, { force: true });
  }
}

/** `keys` in base64: the first seals, all open. */
export function masterKeyOf(keys: readonly string[]): MasterKey {
  const byId = new Map(
    keys.map((key) => {
      const bytes = Buffer.from(key, 'base64');
      return [hash('sha256', bytes, 'hex').slice(0, 12), bytes] as const;
    }),
  );
  const [current] = byId;
  if (!current) throw new StartError('No master key was given.');
  const [currentId, currentKey] = current;
  return {
    seal: (plain, purpose) => {
      const key = randomBytes(32);
      const sealed = encrypt(key, Buffer.from(plain, 'utf8'), purpose);
      const wrapped = encrypt(currentKey, key, purpose);
      return {
        v: 1,
        kid: currentId,
        iv: sealed.iv.toString('base64'),
        ct: sealed.ct.toString('base64'),
        tag: sealed.tag.toString('base64'),
        wrappedKey: Buffer.concat([wrapped.iv, wrapped.tag, wrapped.ct]).toString('base64'),
      };
    },
    open: (envelope, purpose) => {
      const master = byId.get(envelope.kid);
      if (!master)
        throw new StartError(
          `Secrets in the database were encrypted with the master key ${envelope.kid}, which is missing: set MASTER_KEY or MASTER_KEY_FILE to it.`,
        );
      const wrapped = Buffer.from(envelope.wrappedKey, 'base64');
      const key = decrypt(
        master,
        wrapped.subarray(0, ivLength),
        wrapped.subarray(ivLength, ivLength + tagLength),
        wrapped.subarray(ivLength + tagLength),
        purpose,
      );
      return decrypt(
        key,
        Buffer.from(envelope.iv, 'base64'),
        Buffer.from(envelope.tag, 'base64'),
        Buffer.from(envelope.ct, 'base64'),
        purpose,
      ).toString('utf8');
    },
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
