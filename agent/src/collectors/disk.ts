import { statfs } from 'node:fs/promises';
import { parse } from 'node:path';

/** Percentage of the file system of `path` (default: the system's root) that is used, as `df` shows it. */
export async function diskPercent(path: string = parse(process.execPath).root): Promise<number> {
  const { blocks, bfree, bavail } = await statfs(path);
  const used = blocks - bfree;
  // What is reserved for root is neither used nor to be had.
  return used + bavail === 0 ? 0 : (100 * used) / (used + bavail);
}
