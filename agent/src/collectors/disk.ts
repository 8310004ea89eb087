import { statfs } from 'node:fs/promises';
import { parse } from 'node:path';

/** The used share of the file system of `path` (default: the root) in percent, as `df` shows it. */
export async function diskPercent(path: string = parse(process.execPath).root): Promise<number> {
  const { blocks, bfree, bavail } = await statfs(path);
  const used = blocks - bfree;
  // Blocks that are reserved for root count neither as used nor as available.
  return used + bavail === 0 ? 0 : (100 * used) / (used + bavail);
}
