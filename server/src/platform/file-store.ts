/** Where uploaded files are kept: a folder of the data folder, or an S3-compatible store. */
import type { Readable } from 'node:stream';
import { ApiError } from '@cloudfit/contract/errors.ts';

export interface FileStore {
  /** Takes over the finished file at `path`; resolves when it is stored durably. */
  keep(name: string, path: string, file: { size: number; sha256: string }): Promise<void>;
  /** The content of a file, or the bytes of `range` (both ends included); rejects when no file has this name. */
  open(name: string, range?: { start: number; end: number }): Promise<Readable>;
  /** Does nothing for an unknown name. */
  remove(name: string): Promise<void>;
  /** Names of the files that were stored before `then`. */
  keptBefore(then: Date): AsyncIterable<string>;
}

/**
 * Removes the files of an upload that has failed before its rows were written. Only a refusal says that for certain: when the database
 * was lost, its transaction may have been committed, so these files are left to the sweep of orphans.
 */
export async function removeRefused(store: FileStore, names: readonly string[], error: unknown): Promise<void> {
  if (error instanceof ApiError && error.status < 500) await Promise.allSettled(names.map((name) => store.remove(name)));
}
