import { statfs } from 'node:fs/promises';
import { PackageFault } from './fault.ts';

/** Bytes that stay free, so that a package does not fill the disk of a machine that has other work. */
const reserveBytes = 16 * 1024 ** 2;

const mebibytes = (bytes: number): string => `${Math.ceil(bytes / 1024 ** 2)} MiB`;

/** Throws a `PackageFault` when the file system of `folder` has less space than `bytes` and the reserve. */
export async function requireSpace(folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  if (free < bytes + reserveBytes)
    throw new PackageFault(
      `The disk of this machine has too little space: ${mebibytes(bytes + reserveBytes)} are needed in ${folder}, ${mebibytes(free)} are free.`,
    );
}
