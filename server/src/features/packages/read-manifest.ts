/** Reads the manifest from a package's zip. Nothing is unpacked to disk, and a zip bomb is refused. */
import { finished } from 'node:stream/promises';
import type { Entry, ZipFile } from 'yauzl';
import { messageOf } from '@cloudfit/contract/errors.ts';
import {
  manifestMaxBytes,
  manifestName,
  parseManifest,
  zipLimits,
  type ManifestFault,
  type PackageManifest,
} from '@cloudfit/contract/packages/manifest.ts';
import { zipCheck } from '@cloudfit/contract/packages/zip-entries.ts';

/** The highest plausible ratio of unpacked to packed bytes; up to `ratioFromBytes` unpacked, any ratio is allowed. */
const ratioMax = 200;
const ratioFromBytes = 16 * 1024 ** 2;

export type ManifestRead = { manifest: PackageManifest } | { faults: ManifestFault[] };

const fault = (message: string): ManifestRead => ({ faults: [{ field: '', message }] });

/** Reads and checks the manifest of a zip; `fileBytes` is the size of the zip itself. */
export async function readManifest(path: string, fileBytes: number): Promise<ManifestRead> {
  const { openPromise } = await import('yauzl');
  let zip: ZipFile;
  try {
    zip = await openPromise(path, { autoClose: false });
  } catch {
    return fault('is not a zip file');
  }
  try {
    return await read(zip, fileBytes);
  } catch (error) {
    return fault(`is a damaged zip file: ${messageOf(error)}`);
  } finally {
    zip.close();
  }
}

/** Unpacks the entry to nothing. The library fails the stream if the entry's size is not the declared one. */
async function requireSize(zip: ZipFile, entry: Entry): Promise<void> {
  await finished((await zip.openReadStreamPromise(entry)).resume());
}

async function read(zip: ZipFile, fileBytes: number): Promise<ManifestRead> {
  const entries: Entry[] = [];
  const check = zipCheck();
  let [packed, unpacked] = [0, 0];
  if (zip.entryCount > zipLimits.files) return fault(`holds more than ${zipLimits.files} files`);
  for await (const entry of zip.eachEntry()) {
    const wrong = check.add(entry);
    if (wrong !== undefined) return fault(wrong);
    entries.push(entry);
    packed += entry.compressedSize;
    unpacked += entry.uncompressedSize;
  }
  const manifest = entries.find((entry) => entry.fileName.toLowerCase() === manifestName);
  // Overlapping entries are counted more than once, so `packed` exceeds `fileBytes`: the sign of a zip bomb.
  if (packed > fileBytes || (unpacked > ratioFromBytes && unpacked > ratioMax * fileBytes))
    return fault('unpacks to far more than it should');
  const wrong = check.end();
  if (wrong !== undefined) return fault(wrong);
  if (!manifest) return fault(`has no ${manifestName} at its root`);
  if (manifest.uncompressedSize > manifestMaxBytes) return fault(`has a ${manifestName} of more than ${manifestMaxBytes / 1024} KiB`);
  const parsed = parseManifest(await textOf(zip, manifest));
  if ('faults' in parsed)
    return { faults: parsed.faults.map((f) => ({ ...f, message: `${manifestName} ${f.field ? `${f.field} ` : ''}${f.message}` })) };
  const { executable } = parsed.manifest;
  if (!entries.some(({ fileName }) => fileName === executable))
    return { faults: [{ field: 'executable', message: `${manifestName} executable ${executable} is not in the zip` }] };
  for (const entry of entries) await requireSize(zip, entry);
  return parsed;
}

async function textOf(zip: ZipFile, entry: Entry): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of await zip.openReadStreamPromise(entry)) {
    size += (chunk as Buffer).length;
    if (size > manifestMaxBytes) throw new Error(`${manifestName} is longer than it says`);
    chunks.push(chunk as Buffer);
  }
  return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
}
