import { describe, expect, it } from 'vitest';
import { kernelTables, valuesOf } from '../testing/kernel-tables.ts';
import { diskWorkFigures, readDisks, type DiskSnapshots } from './disk-io.ts';

const row = (major: number, minor: number, name: string, counters: readonly number[]) =>
  `${String(major).padStart(4)} ${String(minor).padStart(7)} ${name} ${counters.join(' ')}\n`;
const idle = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
const block = (name: string, files: Record<string, string> = {}) =>
  Object.fromEntries(Object.entries({ size: '1000\n', slaves: '', ...files }).map(([file, text]) => [`/sys/block/${name}/${file}`, text]));

async function disks(text: string, tables: Record<string, string> = {}): Promise<DiskSnapshots> {
  return (await readDisks(kernelTables({ '/proc/diskstats': text, ...tables }))) ?? {};
}

describe('disks', () => {
  it('are whole disks, and layers over them are no further disks', async () => {
    const tables = {
      ...block('sda'),
      ...block('nvme0n1'),
      ...block('nvme0c0n1', { hidden: '1\n' }),
      ...block('md0', { 'slaves/sda': '-> ../sda' }),
      ...block('dm-0', { 'slaves/md0': '-> ../md0', 'dm/name': 'vg-root\n' }),
      ...block('sr0', { size: '0\n' }),
      ...block('loop0'),
      ...block('zram0'),
      ...block('xvda1'),
      ...block('cciss!c0d0'),
    };
    const names = ['sda', 'sda1', 'nvme0n1', 'nvme0n1p1', 'nvme0c0n1', 'md0', 'dm-0', 'sr0', 'loop0', 'zram0', 'xvda1', 'cciss/c0d0'];
    const all = await disks(names.map((name, n) => row(8, n, name, idle)).join(''), tables);
    expect(Object.keys(all)).toEqual(['sda', 'nvme0n1', 'md0', 'vg-root', 'xvda1', 'cciss/c0d0']);
    expect(Object.keys(all).filter((name) => all[name]?.isPhysical)).toEqual(['sda', 'nvme0n1', 'xvda1', 'cciss/c0d0']);
    // Without /sys, as in some containers, by their names.
    expect(Object.keys(await disks(names.map((name, n) => row(8, n, name, idle)).join('')))).toEqual([
      'sda',
      'nvme0n1',
      'md0',
      'dm-0',
      'sr0',
    ]);
  });

  it('are measured as iostat -x does', async () => {
    const tables = { ...block('sda'), ...block('dm-0', { 'slaves/sda': '-> ../sda', 'dm/name': 'vg-root\n' }) };
    const table = (counters: readonly number[]) => row(8, 0, 'sda', counters) + row(253, 0, 'dm-0', counters);
    const before = await disks(table([100, 5, 2_000, 300, 50, 2, 800, 900, 0, 1_000, 5_000]), tables);
    const now = await disks(table([200, 9, 4_000, 800, 60, 3, 1_000, 1_100, 2, 3_500, 25_000]), tables);
    expect(valuesOf(diskWorkFigures(before, now, 10))).toMatchObject({
      DiskReadBytesPerSecond: 102_400,
      DiskWriteBytesPerSecond: 10_240,
      'DiskReadBytesPerSecond sda': 102_400,
      'DiskReadBytesPerSecond vg-root': 102_400,
      'DiskReadsPerSecond sda': 10,
      'DiskWritesPerSecond sda': 1,
      'DiskReadAwaitMs sda': 5,
      'DiskWriteAwaitMs sda': 20,
      'DiskUtilization sda': 25,
      'DiskQueue sda': 2,
    });
  });

  it('have no time of a request without one, and no rate before a second reading', async () => {
    const tables = block('sda');
    const before = await disks(row(8, 0, 'sda', idle), tables);
    const figures = valuesOf(diskWorkFigures(before, before, 10));
    expect(figures).toMatchObject({ 'DiskUtilization sda': 0, 'DiskReadsPerSecond sda': 0 });
    expect(Object.keys(figures).filter((name) => name.includes('Await'))).toEqual([]);
    expect(diskWorkFigures({}, before, 10)).toEqual([]);
    expect(await readDisks(kernelTables({}))).toBeUndefined();
  });
});
