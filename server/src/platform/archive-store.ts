/** Where the archive for restoring to a point in time is kept: a folder, or a prefix of a bucket. */
import type { Readable } from 'node:stream';

export interface ArchiveStore {
  /** The address for people: the folder, or `s3://bucket/prefix`. */
  name: string;
  /** Folder for files that are being written; on the same disk as the store, if that is a folder. */
  drafts: string;
  /** Takes over the finished file at `path` and replaces an existing file of that name. `name` never has an incomplete file. */
  keep(name: string, path: string, file: { size: number; sha256: string }): Promise<void>;
  /** The content of a file; undefined when no file has this name. */
  open(name: string): Promise<Readable | undefined>;
  /** Does nothing for an unknown name. */
  remove(name: string): Promise<void>;
  /** Names that begin with `prefix`, which ends with a slash. */
  list(prefix: string): Promise<string[]>;
  /** Ends running requests, and refuses later ones. */
  close(): void;
}
