/** Unpacks a zip into an empty folder. Refuses entries that could leave the folder, and zips that would fill the disk. */
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { openPromise, type Entry, type ZipFile } from 'yauzl';
import { messageOf } from '@cloudfit/contract/errors.ts';
import { zipLimits } from '@cloudfit/contract/packages/manifest.ts';
import { modeOf, zipCheck } from '@cloudfit/contract/packages/zip-entries.ts';
import { PackageFault } from './fault.ts';
import { requireSpace } from './free-space.ts';

const anyExecute = 0o111;

/** Checks all entries before the first one is written; returns them. */
async function entriesOf(zip: ZipFile): Promise<Entry[]> {
  const require = (fault: string | undefined): void => {
    if (fault !== undefined) throw new PackageFault(`The zip ${fault}.`);
  };
  if (zip.entryCount > zipLimits.files) require(`holds more than ${zipLimits.files} files`);
  const entries: Entry[] = [];
  const check = zipCheck();
  // The library refuses absolute paths, `..` and backslashes in names.
  for await (const entry of zip.eachEntry()) {
    require(check.add(entry));
    entries.push(entry);
  }
  require(check.end());
  return entries;
}

export async function unpack(file: string, folder: string, signal: AbortSignal): Promise<void> {
  const zip = await openPromise(file, { autoClose: false }).catch((error: unknown) => {
    throw new PackageFault(`The file is not a zip: ${messageOf(error)}`);
  });
  try {
    const entries = await entriesOf(zip);
    await requireSpace(
      folder,
      entries.reduce((sum, entry) => sum + entry.uncompressedSize, 0),
    );
    for (const entry of entries) {
      const path = join(folder, entry.fileName);
      if (entry.fileName.endsWith('/')) {
        await mkdir(path, { recursive: true, mode: 0o755 });
        continue;
      }
      await mkdir(dirname(path), { recursive: true, mode: 0o755 });
      const mode = modeOf(entry) & anyExecute ? 0o755 : 0o644;
      // `wx`: no entry overwrites another one. The library fails the stream if an entry's size is not the declared one.
      await pipeline(await zip.openReadStreamPromise(entry), createWriteStream(path, { mode, flags: 'wx', flush: true }), { signal });
    }
  } finally {
    zip.close();
  }
}
