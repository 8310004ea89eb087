/** Stores a mail and its files before it is taken, so that no transaction waits for the store. */
import { hash, randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError } from '@cloudfit/contract/errors.ts';
import { noteFileLimits } from '@cloudfit/contract/note-files.ts';
import { keepAsIs, keepUnitFile, type KeptFile } from '../../features/work-units/files/unit-files.ts';
import type { FileStore } from '../../platform/file-store.ts';
import type { ParsedMail } from './parse-mail.ts';

export interface StoredMail {
  /** The whole mail. */
  mail: KeptFile;
  files: readonly KeptFile[];
  /** Names of files that are in the whole mail alone, because notes do not take them. */
  left: readonly string[];
}

interface FilePlaces {
  store: FileStore;
  incoming: string;
  maxFileBytes: number;
}

async function throughFolder<T>(incoming: string, content: Buffer, work: (path: string) => Promise<T>): Promise<T> {
  await mkdir(incoming, { recursive: true, mode: 0o700 });
  const path = join(incoming, randomUUID());
  try {
    await writeFile(path, content, { flag: 'wx', mode: 0o600 });
    return await work(path);
  } finally {
    await rm(path, { force: true });
  }
}

/** A name that says what it is, for whoever saves the file. */
function nameOfMail(subject: string): string {
  const name = subject
    .replaceAll(/[^\p{L}\p{N} ._-]+/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, 80);
  return `${name || 'mail'}.eml`;
}

/** Stores the mail, and of one that may be taken, the files that notes take. */
export async function keepMail(
  { store, incoming, maxFileBytes }: FilePlaces,
  bytes: Buffer,
  mail: ParsedMail | undefined,
): Promise<StoredMail> {
  const sha256 = (content: Buffer) => hash('sha256', content);
  const named = { fileName: nameOfMail(mail?.subject ?? ''), size: bytes.length, sha256: sha256(bytes) };
  const whole = await throughFolder(incoming, bytes, (path) => keepAsIs(store, { ...named, path }));
  const files: KeptFile[] = [];
  const left: string[] = [];
  for (const { name, content } of mail?.files ?? []) {
    if (files.length >= noteFileLimits.fromCustomer || content.length > maxFileBytes) {
      left.push(name);
      continue;
    }
    const file = { part: 'mail', fileName: name, size: content.length, sha256: sha256(content) };
    try {
      files.push(await throughFolder(incoming, content, (path) => keepUnitFile(store, { ...file, path })));
    } catch (error) {
      // Of a type that notes do not take, or not what its name says.
      if (!(error instanceof ApiError) || error.status >= 500) throw error;
      left.push(name);
    }
  }
  return { mail: whole, files, left };
}
