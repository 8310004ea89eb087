/** Reads the manifest from a package's zip. Nothing is unpacked to disk, and a zip bomb is refused. */
import { openPromise, type Entry, type ZipFile } from 'yauzl';
import { messageOf } from '@cloudfit/contract/errors.ts';
import {
  manifestMaxBytes,
  manifestName,
  parseManifest,
  zipLimits,
  type ManifestFault,
  type PackageManifest,
} from '@cloudfit/contract/packages/manifest.ts';

/** The highest plausible ratio of unpacked to packed bytes; up to `ratioFromBytes` unpacked, any ratio is allowed. */
const ratioMax = 200;
const ratioFromBytes = 16 * 1024 ** 2;

export type ManifestRead = { manifest: PackageManifest } | { faults: ManifestFault[] };

const fault = (message: string): ManifestRead => ({ faults: [{ field: '', message }] });

/** Reads and checks the manifest of a zip; `fileBytes` is the size of the zip itself. */
export async function readManifest(path: string, fileBytes: number): Promise<ManifestRead> {
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

async function read(zip: ZipFile, fileBytes: number): Promise<ManifestRead> {
  const names = new Set<string>();
  let manifest: Entry | undefined;
  let [packed, unpacked] = [0, 0];
  if (zip.entryCount > zipLimits.files) return fault(`holds more than ${zipLimits.files} files`);
  for await (const entry of zip.eachEntry()) {
    if (entry.isEncrypted()) return fault(`holds the encrypted file ${entry.fileName}`);
    names.add(entry.fileName);
    packed += entry.compressedSize;
    unpacked += entry.uncompressedSize;
    if (unpacked > zipLimits.unpackedBytes) return fault('would unpack to more than 2 GiB');
    if (entry.fileName.toLowerCase() === manifestName) manifest = entry;
  }
  // Overlapping entries are counted more than once, so `packed` exceeds `fileBytes`: the sign of a zip bomb.
  if (packed > fileBytes || (unpacked > ratioFromBytes && unpacked > ratioMax * fileBytes))
    return fault('unpacks to far more than it should');
  if (!manifest) return fault(`has no ${manifestName} at its root`);
  if (manifest.uncompressedSize > manifestMaxBytes) return fault(`has a ${manifestName} of more than ${manifestMaxBytes / 1024} KiB`);
  const parsed = parseManifest(await textOf(zip, manifest));
  if ('faults' in parsed)
    return { faults: parsed.faults.map((f) => ({ ...f, message: `${manifestName} ${f.field ? `${f.field} ` : ''}${f.message}` })) };
  const { executable } = parsed.manifest;
  return names.has(executable)
    ? parsed
    : { faults: [{ field: 'executable', message: `${manifestName} executable ${executable} is not in the zip` }] };
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
