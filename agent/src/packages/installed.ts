/** Which packages are in use on this machine. Operations find their programs here. */
import type { PackageManifest } from '@cloudfit/contract/packages/manifest.ts';
import { createSignal, type Signal } from '../signal.ts';

export interface InstalledPackage {
  packageId: string;
  packageVersionId: string;
  version: string;
  /** Holds the files of the version's zip. */
  folder: string;
  manifest: PackageManifest;
}

export interface InstalledPackages {
  /** The version of a package that is in use. It is unpacked completely, and its `check` step, if any, has succeeded. */
  find(packageId: string): InstalledPackage | undefined;
  /** Notified when another version is in use, or none. */
  changed: Signal;
}

export interface InstalledRegister extends InstalledPackages {
  set(packageId: string, installed: InstalledPackage | undefined): void;
}

export function createInstalledRegister(): InstalledRegister {
  const inUse = new Map<string, InstalledPackage>();
  const changed = createSignal();
  return {
    find: (packageId) => inUse.get(packageId),
    changed,
    set: (packageId, installed) => {
      if (installed) inUse.set(packageId, installed);
      else inUse.delete(packageId);
      changed.notify();
    },
  };
}
