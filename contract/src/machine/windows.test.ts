import { describe, expect, it } from 'vitest';
import { valuesOf } from '../testing/kernel-tables.ts';
import { windowsFigures, windowsProcesses } from './windows.ts';

/** Ten seconds of a machine, in the units of its counters. */
const seconds = 10;
const ticks = (of: number) => 133_770_000_000_000_000 + of * 1e7;
const frequency = 10_000_000;

/** A table as PowerShell prints it, at the beginning or the end of the ten seconds. */
function tableAt(time: number) {
  const processor = (name: string, idle: number, user: number, kernel: number) => ({
    Name: name,
    PercentProcessorTime: 5e9 + idle * 1e7 * time,
    PercentUserTime: user * 1e7 * time,
    PercentPrivilegedTime: kernel * 1e7 * time,
    PercentInterruptTime: 0.01 * 1e7 * time,
    PercentDPCTime: 0.02 * 1e7 * time,
    Timestamp_Sys100NS: ticks(time),
  });
  const clock = { Timestamp_PerfTime: 7e11 + time * frequency, Frequency_PerfTime: frequency };
  const disk = (name: string, bytes: number) => ({
    Name: name,
    DiskReadBytesPersec: bytes * time,
    DiskWriteBytesPersec: 2 * bytes * time,
    DiskReadsPersec: 20 * time,
    DiskWritesPersec: 0,
    AvgDisksecPerRead: 0.004 * frequency * 20 * time,
    AvgDisksecPerRead_Base: 20 * time,
    AvgDisksecPerWrite: 0,
    AvgDisksecPerWrite_Base: 0,
    PercentIdleTime: 0.75 * 1e7 * time,
    PercentIdleTime_Base: ticks(time),
    CurrentDiskQueueLength: 3,
    ...clock,
  });
  const card = (name: string, bytes: number) => ({
    Name: name,
    BytesReceivedPersec: bytes * time,
    BytesSentPersec: 3 * bytes * time,
    PacketsReceivedPersec: 10 * time,
    PacketsSentPersec: 10 * time,
    PacketsReceivedErrors: time / seconds,
    PacketsOutboundErrors: 0,
    PacketsReceivedDiscarded: 0,
    PacketsOutboundDiscarded: 0,
    CurrentBandwidth: 1_000_000_000,
    ...clock,
  });
  return {
    processors: [
      processor('0,0', 0.25, 0.5, 0.25),
      processor('0,1', 0.75, 0.15, 0.1),
      processor('0,_Total', 0.5, 0, 0),
      processor('_Total', 0.5, 0, 0),
    ],
    disks: [disk('0 C:', 1_000), disk('_Total', 1_000)],
    interfaces: [
      card('Intel[R] Ethernet Connection I219-LM _2', 500),
      card('Hyper-V Virtual Ethernet Adapter', 500),
      card('isatap.example', 9),
    ],
    system: { ContextSwitchesPersec: 4_000 * time, ProcessorQueueLength: 2, Processes: 143, ...clock },
    memory: { CommittedBytes: 6e9, CommitLimit: 12e9, CacheBytes: 5e8 },
  };
}

const recording = {
  before: tableAt(0),
  now: tableAt(seconds),
  volumes: [
    { Name: 'C:\\', Capacity: 100_000_000_000, FreeSpace: 25_000_000_000 },
    { Name: 'D:\\Data\\', Capacity: 1_000, FreeSpace: 0 },
    { Name: '\\\\?\\Volume{8c0e}\\', Capacity: 500, FreeSpace: 1 },
    { Name: 'E:\\', Capacity: null, FreeSpace: null },
  ],
  pageFiles: [{ AllocatedBaseSize: 2_048, CurrentUsage: 512 }],
  adapters: [
    { InterfaceDescription: 'Intel(R) Ethernet Connection I219-LM #2', HardwareInterface: true, MediaConnectState: 1 },
    { InterfaceDescription: 'Hyper-V Virtual Ethernet Adapter', HardwareInterface: false, MediaConnectState: 1 },
  ],
};

describe('Windows', () => {
  it('is measured by its counters', () => {
    expect(valuesOf(windowsFigures(JSON.stringify(recording)))).toEqual({
      Cpu: 50,
      CpuUser: 32.5,
      CpuSystem: 17.5,
      CpuIrq: 1,
      CpuSoftirq: 2,
      CpuCores: 2,
      'Cpu 0': 75,
      'Cpu 1': 25,
      ContextSwitchesPerSecond: 4_000,
      ProcessesRunnable: 2,
      Processes: 143,
      Swap: 25,
      CommittedMemory: 50,
      MemoryCacheBytes: 500_000_000,
      'Disk C:\\': 75,
      'DiskFreeBytes C:\\': 25_000_000_000,
      'DiskTotalBytes C:\\': 100_000_000_000,
      'Disk D:\\Data\\': 100,
      'DiskFreeBytes D:\\Data\\': 0,
      'DiskTotalBytes D:\\Data\\': 1_000,
      DiskReadBytesPerSecond: 1_000,
      DiskWriteBytesPerSecond: 2_000,
      'DiskReadBytesPerSecond 0 C:': 1_000,
      'DiskWriteBytesPerSecond 0 C:': 2_000,
      'DiskUtilization 0 C:': 25,
      'DiskReadAwaitMs 0 C:': 4,
      'DiskReadsPerSecond 0 C:': 20,
      'DiskWritesPerSecond 0 C:': 0,
      'DiskQueue 0 C:': 3,
      NetworkInBytesPerSecond: 500,
      NetworkOutBytesPerSecond: 1_500,
      ...Object.fromEntries(
        ['Intel[R] Ethernet Connection I219-LM _2', 'Hyper-V Virtual Ethernet Adapter'].flatMap((name) => [
          [`InterfaceInBytesPerSecond ${name}`, 500],
          [`InterfaceOutBytesPerSecond ${name}`, 1_500],
          [`InterfaceUp ${name}`, 1],
          [`InterfaceInErrorsPerSecond ${name}`, 0.1],
          [`InterfaceOutErrorsPerSecond ${name}`, 0],
          [`InterfaceInDropsPerSecond ${name}`, 0],
          [`InterfaceOutDropsPerSecond ${name}`, 0],
          [`InterfaceInPacketsPerSecond ${name}`, 10],
          [`InterfaceOutPacketsPerSecond ${name}`, 10],
          [`InterfaceSpeedMbit ${name}`, 1_000],
        ]),
      ),
    });
  });

  it('has no figure for a counter that is missing or damaged', () => {
    const { processors: _, ...rest } = recording.now;
    const names = Object.keys(valuesOf(windowsFigures(JSON.stringify({ ...recording, now: rest }))));
    expect(names.filter((name) => name.startsWith('Cpu'))).toEqual([]);
    expect(windowsFigures('\uFEFF{}')).toEqual([]);
    expect(windowsFigures(JSON.stringify({ before: null, now: { disks: [{ Name: '0 C:' }], processors: [5] } }))).toEqual([]);
    expect(() => windowsFigures('Get-CimInstance : Invalid class')).toThrow('is not valid JSON');
  });

  it('tells processes with their services', () => {
    const output = {
      processes: [
        { Name: 'System Idle Process', ProcessId: 0, CommandLine: null, WorkingSetSize: 8_192 },
        { Name: 'svchost.exe', ProcessId: 900, CommandLine: 'C:\\Windows\\System32\\svchost.exe -k netsvcs', WorkingSetSize: 20_480 },
        { Name: 'lsass.exe', ProcessId: 700, CommandLine: null, WorkingSetSize: 4_096 },
      ],
      services: [
        { Name: 'Schedule', ProcessId: 900 },
        { Name: 'Themes', ProcessId: 900 },
      ],
    };
    expect(windowsProcesses(JSON.stringify(output)).map(({ id, title, unit, memoryBytes }) => [id, title, unit, memoryBytes])).toEqual([
      [900, 'svchost.exe', 'Schedule, Themes', 20_480],
      [700, 'lsass.exe', undefined, 4_096],
    ]);
  });
});
