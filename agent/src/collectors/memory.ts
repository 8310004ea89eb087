import { freemem, totalmem } from 'node:os';
import { percentOf } from '@cloudfit/contract/machine/figures.ts';
import { memoryPercent, readMemory } from '@cloudfit/contract/machine/memory.ts';
import { kernelFiles } from './kernel-files.ts';

/**
 * The share of memory in percent that is not available to programs. On Linux caches count as available, as `free` shows them,
 * and a container has only what its limit permits. Undefined if the kernel does not tell.
 */
export async function usedMemoryPercent(): Promise<number | undefined> {
  if (process.platform !== 'linux') return percentOf(totalmem() - freemem(), totalmem());
  const memory = await readMemory(kernelFiles);
  return memory && memoryPercent(memory);
}
