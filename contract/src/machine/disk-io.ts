/** Work of the disks by `/proc/diskstats`, as `iostat -x` shows it. */
import { figure, increase, percentOf, ranks, type Figure } from './figures.ts';
import { readNumber, type KernelFiles } from './kernel-files.ts';

const sectorBytes = 512;

/** The columns after the name: counts, sectors and milliseconds since the start. */
const columns = { reads: 0, sectorsRead: 2, msReading: 3, writes: 4, sectorsWritten: 6, msWriting: 7, msBusy: 9, msQueued: 10 } as const;
const columnCount = 11;

export interface DiskSnapshot {
  /** Whether it is no layer over other disks, as LVM, RAID and encryption are. */
  isPhysical: boolean;
  counters: readonly number[];
}

/** By name: `sda`, or of a mapped device the name that people gave it. */
export type DiskSnapshots = Readonly<Record<string, DiskSnapshot>>;

/** Disks in memory, and drives that are mostly empty. */
const notDisks = /^(loop|ram|zram|fd)\d/;
const layered = /^(dm-|md|zd|drbd|bcache)\d/;
/** Whole disks by name, for containers that cannot read /sys. */
const wholeDisks = /^((sd|vd|xvd|hd|dasd)[a-z]+|nvme\d+n\d+|mmcblk\d+|sr\d+|dm-\d+|md\d+|nbd\d+|rbd\d+)$/;

/** Reads the whole disks; undefined if the kernel's table cannot be read. */
export async function readDisks(files: KernelFiles): Promise<DiskSnapshots | undefined> {
  const text = await files.read('/proc/diskstats');
  if (text === undefined) return undefined;
  const blocks = new Set(await files.list('/sys/block'));
  const snapshots = await Promise.all(
    text.split('\n').map(async (line): Promise<[string, DiskSnapshot][]> => {
      const [, , device = '', ...rest] = line.trim().split(/\s+/);
      // A driver may have folders in /dev: `cciss/c0d0`.
      const block = device.replaceAll('/', '!');
      const isWhole = blocks.size > 0 ? blocks.has(block) : wholeDisks.test(device);
      if (rest.length < columnCount || !isWhole || notDisks.test(device)) return [];
      const folder = `/sys/block/${block}`;
      const [size, hidden, slaves, mapped] = await Promise.all([
        readNumber(files, `${folder}/size`),
        readNumber(files, `${folder}/hidden`),
        files.list(`${folder}/slaves`),
        files.read(`${folder}/dm/name`),
      ]);
      // A drive without a medium, or one of the paths to another disk.
      if (size === 0 || hidden === 1) return [];
      const isPhysical = slaves.length === 0 && !layered.test(device);
      return [[mapped?.trim() || device, { isPhysical, counters: rest.map(Number) }]];
    }),
  );
  return Object.fromEntries(snapshots.flat());
}

/** Returns the figures between two readings. The average time of a request is missing if there was none. */
export function diskWorkFigures(before: DiskSnapshots, now: DiskSnapshots, seconds: number): Figure[] {
  const grown = (disk: string, column: keyof typeof columns) =>
    increase(before[disk]?.counters[columns[column]], now[disk]?.counters[columns[column]]);
  const rate = (disk: string, column: keyof typeof columns, unit = 1) => {
    const count = grown(disk, column);
    return count === undefined ? undefined : (count * unit) / seconds;
  };
  const perRequest = (disk: string, ms: 'msReading' | 'msWriting', requests: 'reads' | 'writes') => {
    const [time, count] = [grown(disk, ms), grown(disk, requests)];
    return time === undefined || !count ? undefined : time / count;
  };
  const physical = Object.keys(now).filter((disk) => now[disk]?.isPhysical);
  const total = (column: 'sectorsRead' | 'sectorsWritten') => {
    const rates = physical.flatMap((disk) => rate(disk, column, sectorBytes) ?? []);
    return rates.length === 0 ? undefined : rates.reduce((sum, rate) => sum + rate, 0);
  };
  return [
    ...figure('DiskReadBytesPerSecond', total('sectorsRead'), ranks.machine, 0),
    ...figure('DiskWriteBytesPerSecond', total('sectorsWritten'), ranks.machine, 0),
    ...Object.entries(now).flatMap(([disk, { isPhysical }]) => {
      const rank = isPhysical ? ranks.part : ranks.detail;
      return [
        ...figure(`DiskUtilization ${disk}`, percentOf(grown(disk, 'msBusy'), seconds * 1_000), rank),
        ...figure(`DiskReadBytesPerSecond ${disk}`, rate(disk, 'sectorsRead', sectorBytes), rank, 0),
        ...figure(`DiskWriteBytesPerSecond ${disk}`, rate(disk, 'sectorsWritten', sectorBytes), rank, 0),
        ...figure(`DiskReadAwaitMs ${disk}`, perRequest(disk, 'msReading', 'reads'), rank, 2),
        ...figure(`DiskWriteAwaitMs ${disk}`, perRequest(disk, 'msWriting', 'writes'), rank, 2),
        ...figure(`DiskReadsPerSecond ${disk}`, rate(disk, 'reads'), ranks.detail),
        ...figure(`DiskWritesPerSecond ${disk}`, rate(disk, 'writes'), ranks.detail),
        ...figure(`DiskQueue ${disk}`, rate(disk, 'msQueued', 1 / 1_000), ranks.detail, 2),
      ];
    }),
  ];
}
