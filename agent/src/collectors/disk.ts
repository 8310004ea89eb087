import { statfs } from 'node:fs/promises';
import { parse } from 'node:path';
import { percentOf } from '@cloudfit/contract/machine/figures.ts';

/** The used share of the file system of `path` (default: the root) in percent, as `df` shows it; undefined without a size. */
export async function diskPercent(path: string = parse(process.execPath).root): Promise<number | undefined> {
  const { blocks, bfree, bavail } = await statfs(path);
  const used = blocks - bfree;
  // Blocks that are reserved for root count neither as used nor as available.
  return percentOf(used, used + bavail);
}
