/** Where uploaded files are kept: a folder of the data folder, or an S3-compatible store. */
import type { Readable } from 'node:stream';

export interface FileStore {
  /** Takes over the finished file at `path`; it is safe when this resolves. */
  keep(name: string, path: string, file: { size: number; sha256: string }): Promise<void>;
  /** Its content; rejects when there is none of this name. */
  open(name: string): Promise<Readable>;
  /** Also for a name that is not there. */
  remove(name: string): Promise<void>;
  /** Names of the files that were kept before then. */
  keptBefore(then: Date): AsyncIterable<string>;
}
