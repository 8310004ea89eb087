import { describe, expect, it } from 'vitest';
import { kernelTables, valuesOf } from '../testing/kernel-tables.ts';
import { memoryFigures, readMemory, readSwapTraffic, swapFigures } from './memory.ts';

const info = (rows: Record<string, number>) =>
  Object.entries(rows)
    .map(([name, kib]) => `${name}:${String(kib).padStart(16)} kB\n`)
    .join('');
const usual = {
  MemTotal: 1_000,
  MemFree: 100,
  MemAvailable: 400,
  Buffers: 50,
  Cached: 250,
  SwapTotal: 200,
  SwapFree: 150,
  SReclaimable: 20,
};

async function figuresOf(tables: Record<string, string>): Promise<Record<string, number>> {
  const memory = await readMemory(kernelTables(tables));
  return memory ? valuesOf(memoryFigures(memory)) : {};
}

describe('memory', () => {
  it('is what free shows', async () => {
    expect(await figuresOf({ '/proc/meminfo': info(usual) })).toEqual({
      Memory: 60,
      MemoryAvailableBytes: 400 * 1_024,
      MemoryUsedBytes: 600 * 1_024,
      MemoryTotalBytes: 1_000 * 1_024,
      MemoryCacheBytes: 320 * 1_024,
      Swap: 25,
      SwapUsedBytes: 50 * 1_024,
      SwapTotalBytes: 200 * 1_024,
    });
  });

  it('says nothing about swap that a machine does not have, and nothing at all when the table cannot be read', async () => {
    const figures = await figuresOf({ '/proc/meminfo': info({ ...usual, SwapTotal: 0, SwapFree: 0 }) });
    expect(Object.keys(figures).filter((name) => name.startsWith('Swap'))).toEqual([]);
    expect(await figuresOf({})).toEqual({});
    expect(await figuresOf({ '/proc/meminfo': 'MemTotal: none\n' })).toEqual({});
  });

  it('is estimated as old kernels let programs do it', async () => {
    const { MemAvailable: _, ...old } = usual;
    expect(await figuresOf({ '/proc/meminfo': info(old) })).toMatchObject({ MemoryAvailableBytes: 420 * 1_024 });
  });

  it('counts the cache of ZFS as available, but for its minimum', async () => {
    const arc = `13 1 0x01 123 33456 11 22\nname                            type data\nhits                            4    9\nc_min                           4    ${100 * 1_024}\nsize                            4    ${400 * 1_024}\n`;
    expect(await figuresOf({ '/proc/meminfo': info(usual), '/proc/spl/kstat/zfs/arcstats': arc })).toMatchObject({
      Memory: 30,
      MemoryAvailableBytes: 700 * 1_024,
    });
  });

  it('is that of a container within its limit, without the files in its cache', async () => {
    const kib = (count: number) => `${count * 1_024}\n`;
    const version2 = {
      '/sys/fs/cgroup/memory.max': kib(200),
      '/sys/fs/cgroup/memory.current': kib(150),
      '/sys/fs/cgroup/memory.stat': `anon 5\ninactive_file ${50 * 1_024}\nactive_file 7\n`,
    };
    const version1 = {
      '/sys/fs/cgroup/memory/memory.limit_in_bytes': kib(200),
      '/sys/fs/cgroup/memory/memory.usage_in_bytes': kib(150),
      '/sys/fs/cgroup/memory/memory.stat': `inactive_file 1\ntotal_inactive_file ${50 * 1_024}\n`,
    };
    for (const group of [version2, version1])
      expect(await figuresOf({ '/proc/meminfo': info(usual), ...group })).toMatchObject({
        Memory: 50,
        MemoryTotalBytes: 200 * 1_024,
        MemoryUsedBytes: 100 * 1_024,
        MachineMemoryBytes: 1_000 * 1_024,
      });
    const unlimited = { '/sys/fs/cgroup/memory/memory.limit_in_bytes': '9223372036854771712\n' };
    expect(await figuresOf({ '/proc/meminfo': info(usual), ...unlimited })).toMatchObject({ Memory: 60 });
  });

  it('is swapped in pages of the size that the machine has', async () => {
    const traffic = (pages: number, pageKib: number) =>
      readSwapTraffic(
        kernelTables({
          '/proc/vmstat': `pswpin ${pages}\npswpout ${pages * 2}\n`,
          '/proc/self/status': `Name:\tnode\nVmSize:\t${1_000 * pageKib + 3} kB\n`,
          '/proc/self/statm': '1000 200 100 1 0 50 0\n',
        }),
      );
    expect(valuesOf(swapFigures(await traffic(5, 4), await traffic(15, 4), 10))).toEqual({
      SwapInBytesPerSecond: 4_096,
      SwapOutBytesPerSecond: 8_192,
    });
    expect(valuesOf(swapFigures(await traffic(5, 64), await traffic(15, 64), 10))).toMatchObject({ SwapInBytesPerSecond: 65_536 });
    expect(swapFigures(await readSwapTraffic(kernelTables({})), await readSwapTraffic(kernelTables({})), 10)).toEqual([]);
  });
});
