/**
 * The folder of one package: a folder per version, and the file `current`, which says what is in use. A version's folder
 * gets its name when it is complete, and `current` is replaced as a whole, so that a killed agent leaves no half version.
 */
import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { manifestName, parseManifest } from '@cloudfit/contract/packages/manifest.ts';
import { guidSchema } from '@cloudfit/contract/resource.ts';
import type { InstalledPackage } from './installed.ts';

const versionId = z.nullable(guidSchema);
const packageState = z.object({
  /** The version in use. */
  current: versionId,
  /** The previous version, which stays on disk. */
  previous: versionId,
  /** The version whose `install` has begun and whose `check` has not passed yet. */
  installing: versionId,
  /** The version that is no longer in use and whose `uninstall` has not ended. */
  removing: versionId,
});
type PackageState = z.infer<typeof packageState>;

const empty: PackageState = { current: null, previous: null, installing: null, removing: null };
const stateName = 'current';
/** The folder for data of the package's programs; it survives updates and is removed with the package. */
const dataName = 'data';

export interface PackageFolder {
  packageId: string;
  state(): PackageState;
  change(over: Partial<PackageState>): void;
  /** Reads an unpacked version; undefined when the version is not in this folder or its manifest is invalid. */
  load(packageVersionId: string | null): InstalledPackage | undefined;
  /** Returns the path to which a version is downloaded. */
  download(packageVersionId: string): string;
  /** Creates an empty folder into which a version is unpacked. */
  draft(packageVersionId: string): string;
  /** Renames the draft to the final folder of the version. */
  complete(packageVersionId: string): void;
  /** Removes drafts, and downloads of other versions than `packageVersionId`, whose download goes on. */
  sweepDownloads(packageVersionId: string | undefined): void;
  /** Removes downloads, drafts and all versions except `remaining`. */
  sweep(remaining: readonly (string | null)[]): void;
  /** Removes the whole folder. */
  remove(): void;
}

/** Flushes the entries of a folder to the disk; on Windows, which has no such call, does nothing. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

const remove = (path: string): void => rmSync(path, { recursive: true, force: true, maxRetries: 3, retryDelay: 200 });

export function openPackageFolder(root: string, packageId: string): PackageFolder {
  const folder = join(root, packageId);
  const draftOf = (id: string): string => join(folder, `${id}.new`);
  const read = (): PackageState => {
    try {
      return packageState.parse(JSON.parse(readFileSync(join(folder, stateName), 'utf8')));
    } catch {
      return empty;
    }
  };
  return {
    packageId,
    state: read,
    change: (over) => {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const file = join(folder, stateName);
      writeFileSync(`${file}.new`, JSON.stringify({ ...read(), ...over }), { mode: 0o600, flush: true });
      renameSync(`${file}.new`, file);
      syncFolder(folder);
    },
    load: (packageVersionId) => {
      if (packageVersionId === null) return undefined;
      const versionFolder = join(folder, packageVersionId);
      try {
        const parsed = parseManifest(readFileSync(join(versionFolder, manifestName), 'utf8'));
        if ('faults' in parsed) return undefined;
        return { packageId, packageVersionId, version: parsed.manifest.version, folder: versionFolder, manifest: parsed.manifest };
      } catch {
        return undefined;
      }
    },
    download: (id) => {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      return join(folder, `${id}.zip`);
    },
    draft: (id) => {
      remove(draftOf(id));
      mkdirSync(draftOf(id), { recursive: true, mode: 0o700 });
      return draftOf(id);
    },
    complete: (id) => {
      // A folder of this version may exist whose manifest is invalid; the rename would fail.
      remove(join(folder, id));
      renameSync(draftOf(id), join(folder, id));
      syncFolder(folder);
    },
    sweepDownloads: (id) => {
      for (const name of readNames(folder))
        if (name.endsWith('.new') || (name.endsWith('.zip') && name !== `${id}.zip`)) remove(join(folder, name));
    },
    sweep: (remaining) => {
      const names = new Set<string>([stateName, dataName, ...remaining.filter((id) => id !== null)]);
      for (const name of readNames(folder)) if (!names.has(name)) remove(join(folder, name));
    },
    remove: () => remove(folder),
  };
}

function readNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Returns the ids of the packages that have a folder in `root`. */
export function packageIdsIn(root: string): string[] {
  return readNames(root).filter((name) => guidSchema.safeParse(name).success);
}
