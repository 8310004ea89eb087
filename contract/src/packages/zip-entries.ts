/** What server and agents refuse of the entries of a package's zip, so that a package that was uploaded can be unpacked. */
import { zipLimits } from './manifest.ts';

/** An entry of the zip's directory, as yauzl reads it. */
interface ZipEntry {
  fileName: string;
  externalFileAttributes: number;
  compressedSize: number;
  uncompressedSize: number;
  relativeOffsetOfLocalHeader: number;
  isEncrypted(): boolean;
}

const fileTypes = 0o170000;
const regularFile = 0o100000;
const folderType = 0o040000;
/** The bytes of a local header without its name. */
const headerBytes = 30;

/** Returns the Unix mode of an entry; 0 if the entry was not packed on Unix. */
export function modeOf(entry: Pick<ZipEntry, 'externalFileAttributes'>): number {
  return entry.externalFileAttributes >>> 16;
}

/** If names differ only by case or composition, some systems write one file over the other. */
const placeOf = (name: string): string => name.toLowerCase().normalize('NFC').replace(/\/$/, '');

/** Checks entries one after another, and then all together. Faults read as what the zip does: `holds a.txt twice`. */
export function zipCheck(): { add(entry: ZipEntry): string | undefined; end(): string | undefined } {
  const entries: ZipEntry[] = [];
  const files = new Set<string>();
  const folders = new Set<string>();
  let unpacked = 0;
  return {
    add(entry) {
      const { fileName } = entry;
      const type = modeOf(entry) & fileTypes;
      if (type !== 0 && type !== regularFile && type !== folderType) return `holds ${fileName}, which is a link or a special file`;
      if (entry.isEncrypted()) return `holds the encrypted file ${fileName}`;
      if (/[:\p{Cc}]/u.test(fileName)) return `holds a file with a name that is not allowed: ${fileName.replaceAll(/\p{Cc}/gu, '?')}`;
      const place = placeOf(fileName);
      if (files.has(place) || (fileName.endsWith('/') && folders.has(`${place}/`))) return `holds ${fileName} twice`;
      if (fileName.endsWith('/')) folders.add(`${place}/`);
      else files.add(place);
      unpacked += entry.uncompressedSize;
      if (unpacked > zipLimits.unpackedBytes) return 'would unpack to more than 2 GiB';
      entries.push(entry);
      return undefined;
    },
    end() {
      for (const { fileName } of entries) {
        const place = placeOf(fileName);
        for (let at = place.indexOf('/'); at >= 0; at = place.indexOf('/', at + 1))
          if (files.has(place.slice(0, at))) return `holds ${fileName} inside a file`;
      }
      const inOrder = entries.toSorted((a, b) => a.relativeOffsetOfLocalHeader - b.relativeOffsetOfLocalHeader);
      const over = inOrder.find((entry, i) => {
        const next = inOrder[i + 1];
        return next && entry.relativeOffsetOfLocalHeader + headerBytes + entry.compressedSize > next.relativeOffsetOfLocalHeader;
      });
      return over && `holds ${over.fileName} and another file in the same bytes`;
    },
  };
}
