/** Figures that need two readings of the kernel's counters. */
import { cpuFigures, readCpu, type CpuSnapshot } from './cpu.ts';
import { diskWorkFigures, readDisks, type DiskSnapshots } from './disk-io.ts';
import type { Figure } from './figures.ts';
import type { KernelFiles } from './kernel-files.ts';
import { readSwapTraffic, swapFigures, type SwapTraffic } from './memory.ts';
import { networkFigures, readInterfaces, type InterfaceSnapshots } from './network.ts';

export interface CounterSnapshot {
  /** Identifies the start of the machine: counters begin again with it. */
  boot: string;
  cpu: CpuSnapshot | undefined;
  swap: SwapTraffic;
  interfaces: InterfaceSnapshots | undefined;
  disks: DiskSnapshots | undefined;
}

export async function readCounters(files: KernelFiles): Promise<CounterSnapshot> {
  const [boot, cpu, swap, interfaces, disks] = await Promise.all([
    files.read('/proc/sys/kernel/random/boot_id'),
    readCpu(files),
    readSwapTraffic(files),
    readInterfaces(files),
    readDisks(files),
  ]);
  return { boot: boot?.trim() ?? '', cpu, swap, interfaces, disks };
}

/** Returns the seconds between two readings; undefined if they are not of the same machine since its start. */
export function secondsBetween(before: CounterSnapshot, now: CounterSnapshot): number | undefined {
  if (!before.cpu || !now.cpu || before.boot !== now.boot) return undefined;
  const seconds = now.cpu.uptime - before.cpu.uptime;
  return seconds > 0 ? seconds : undefined;
}

/** Returns all rates between two readings. What could not be read is named in `missing`. */
export function rateFigures(before: CounterSnapshot, now: CounterSnapshot): { figures: Figure[]; missing: string[] } {
  const seconds = secondsBetween(before, now);
  const figures =
    seconds === undefined || !before.cpu || !now.cpu
      ? []
      : [
          ...cpuFigures(before.cpu, now.cpu),
          ...swapFigures(before.swap, now.swap, seconds),
          ...networkFigures(before.interfaces ?? {}, now.interfaces ?? {}, seconds),
          ...diskWorkFigures(before.disks ?? {}, now.disks ?? {}, seconds),
        ];
  const has = (name: string) => figures.some((figure) => figure.name === name);
  const isMissing: readonly (readonly [what: string, isMissing: boolean])[] = [
    ['use of the processors', !has('Cpu')],
    ['network traffic', !has('NetworkInBytesPerSecond')],
    [
      'work of the disks',
      now.disks === undefined || (Object.values(now.disks).some(({ isPhysical }) => isPhysical) && !has('DiskReadBytesPerSecond')),
    ],
  ];
  return { figures, missing: isMissing.flatMap(([what, missing]) => (missing ? [what] : [])) };
}
