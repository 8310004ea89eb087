/** Writes and reads single files of the archive. */
import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { ArchiveStore } from '../../platform/archive-store.ts';

/** Returns a stream that passes bytes on, and a function that reports their number and digest. */
export function meter(): { stream: Transform; result(): { size: number; sha256: string } } {
  const hash = createHash('sha256');
  let size = 0;
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      size += chunk.length;
      done(null, chunk);
    },
  });
  return { stream, result: () => ({ size, sha256: hash.digest('hex') }) };
}

/** Writes `source` to a file in the drafts folder, then moves that file into the store under `name`. */
export async function keepStream(store: ArchiveStore, name: string, ...source: [Readable, ...Transform[]]): Promise<void> {
  await mkdir(store.drafts, { recursive: true, mode: 0o700 });
  const draft = join(store.drafts, randomUUID());
  const { stream, result } = meter();
  try {
    await pipeline([...source, stream, createWriteStream(draft, { mode: 0o600, flush: true })]);
    await store.keep(name, draft, result());
  } finally {
    await rm(draft, { force: true });
  }
}

/**
 * Milliseconds without a change after which a draft counts as lost: a draft is written without pauses, so its process
 * was killed.
 */
const lostAfterMs = 3_600_000;

/**
 * Removes drafts of processes that were killed. Recent drafts stay, because another process may be writing them: a
 * check of the archive, or the server to which the archive belongs.
 */
export async function removeLostDrafts({ drafts }: ArchiveStore): Promise<void> {
  for (const name of await readdir(drafts).catch(() => [])) {
    const path = join(drafts, name);
    const file = await stat(path).catch(() => undefined);
    if (file && file.mtimeMs < Date.now() - lostAfterMs) await rm(path, { recursive: true, force: true });
  }
}

export async function keepJson(store: ArchiveStore, name: string, content: unknown): Promise<void> {
  await keepStream(store, name, Readable.from([Buffer.from(JSON.stringify(content))]));
}

/** Reads a JSON file of the archive; undefined when the file does not exist. */
export async function readJson<T>(store: ArchiveStore, name: string): Promise<T | undefined> {
  const stream = await store.open(name);
  return stream && (JSON.parse(await text(stream)) as T);
}
