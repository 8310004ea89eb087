/** Unpacks a zip into an empty folder. Refuses entries that could leave the folder, and zips that would fill the disk. */
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { openPromise, type Entry, type ZipFile } from 'yauzl';
import { messageOf } from '@cloudfit/contract/errors.ts';
import { zipLimits } from '@cloudfit/contract/packages/manifest.ts';
import { PackageFault } from './fault.ts';
import { requireSpace } from './free-space.ts';

const fileTypes = 0o170000;
const regularFile = 0o100000;
const folderType = 0o040000;
const anyExecute = 0o111;

/** Returns the Unix mode of an entry; 0 if the entry was not packed on Unix. */
const modeOf = (entry: Entry): number => entry.externalFileAttributes >>> 16;

/** Checks all entries before the first one is written; returns them. */
async function entriesOf(zip: ZipFile): Promise<Entry[]> {
  if (zip.entryCount > zipLimits.files) throw new PackageFault(`The zip holds more than ${zipLimits.files} files.`);
  const entries: Entry[] = [];
  const names = new Set<string>();
  let bytes = 0;
  // The library refuses absolute paths, `..` and backslashes in names.
  for await (const entry of zip.eachEntry()) {
    const type = modeOf(entry) & fileTypes;
    if (type !== 0 && type !== regularFile && type !== folderType)
      throw new PackageFault(`The zip holds ${entry.fileName}, which is a link or a special file.`);
    if (entry.isEncrypted()) throw new PackageFault(`The zip holds the encrypted file ${entry.fileName}.`);
    if (/[:\0]/.test(entry.fileName)) throw new PackageFault(`The zip holds a file with a name that is not allowed: ${entry.fileName}.`);
    // If names differ only by case, some systems would write one file over the other.
    const name = entry.fileName.toLowerCase();
    if (names.has(name)) throw new PackageFault(`The zip holds ${entry.fileName} twice.`);
    names.add(name);
    bytes += entry.uncompressedSize;
    if (bytes > zipLimits.unpackedBytes) throw new PackageFault('The zip would unpack to more than 2 GiB.');
    entries.push(entry);
  }
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
