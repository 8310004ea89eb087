/** How the figures of a machine read the tables of the Linux kernel. Tests put prepared tables in their place. */

/** The files below /proc and /sys. What is missing or may not be read is undefined, or an empty list. */
export interface KernelFiles {
  read: (path: string) => Promise<string | undefined>;
  list: (path: string) => Promise<readonly string[]>;
  /** Where a symbolic link leads. */
  link: (path: string) => Promise<string | undefined>;
}

interface FileSystemCalls {
  readFile: (path: string, encoding: 'utf8') => Promise<string>;
  readdir: (path: string) => Promise<string[]>;
  readlink: (path: string) => Promise<string>;
}

/** Returns the files of this machine, read by `node:fs/promises`, which the contract does not import. */
export function kernelFilesOf({ readFile, readdir, readlink }: FileSystemCalls): KernelFiles {
  return {
    read: (path) => readFile(path, 'utf8').catch(() => undefined),
    list: (path) => readdir(path).catch(() => []),
    link: (path) => readlink(path).catch(() => undefined),
  };
}

/** Returns the whole number in a file; undefined if the file is missing or says something else, such as `max`. */
export async function readNumber(files: KernelFiles, path: string): Promise<number | undefined> {
  const text = (await files.read(path))?.trim();
  return text !== undefined && /^-?\d+$/.test(text) ? Number(text) : undefined;
}

/** Returns the seconds since the start of the machine, the time base of all rates. */
export async function readUptime(files: KernelFiles): Promise<number | undefined> {
  const seconds = /^\d+(?:\.\d+)?/.exec((await files.read('/proc/uptime')) ?? '')?.[0];
  return seconds === undefined ? undefined : Number(seconds);
}
