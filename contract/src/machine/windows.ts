/**
 * Windows by its performance counters. The script reads them twice as raw numbers through CIM, whose names are not translated
 * as those of Get-Counter are.
 */
import { figure, percentOf, ranks, type Figure } from './figures.ts';
import { listAt, numberAt, textAt, valueAt } from './json.ts';
import type { MachineProcess } from './processes.ts';

const maxCores = 64;

/** PowerShell that prints two readings of the counters as JSON. */
export const windowsCounterScript = `
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'
[Console]::OutputEncoding = [Text.Encoding]::UTF8
function Read-Counters {
  @{
    processors = @(Get-CimInstance Win32_PerfRawData_Counters_ProcessorInformation | Select-Object Name, PercentProcessorTime, PercentUserTime, PercentPrivilegedTime, PercentInterruptTime, PercentDPCTime, Timestamp_Sys100NS)
    disks = @(Get-CimInstance Win32_PerfRawData_PerfDisk_PhysicalDisk | Select-Object Name, DiskReadBytesPersec, DiskWriteBytesPersec, DiskReadsPersec, DiskWritesPersec, AvgDisksecPerRead, AvgDisksecPerRead_Base, AvgDisksecPerWrite, AvgDisksecPerWrite_Base, PercentIdleTime, PercentIdleTime_Base, CurrentDiskQueueLength, Timestamp_PerfTime, Frequency_PerfTime)
    interfaces = @(Get-CimInstance Win32_PerfRawData_Tcpip_NetworkInterface | Select-Object Name, BytesReceivedPersec, BytesSentPersec, PacketsReceivedPersec, PacketsSentPersec, PacketsReceivedErrors, PacketsOutboundErrors, PacketsReceivedDiscarded, PacketsOutboundDiscarded, CurrentBandwidth, Timestamp_PerfTime, Frequency_PerfTime)
    system = Get-CimInstance Win32_PerfRawData_PerfOS_System | Select-Object ContextSwitchesPersec, ProcessorQueueLength, Processes, Timestamp_PerfTime, Frequency_PerfTime
    memory = Get-CimInstance Win32_PerfRawData_PerfOS_Memory | Select-Object CommittedBytes, CommitLimit, CacheBytes
  }
}
$before = Read-Counters
Start-Sleep -Milliseconds 1000
@{
  before = $before
  now = Read-Counters
  volumes = @(Get-CimInstance Win32_Volume -Filter 'DriveType = 3' | Select-Object Name, Capacity, FreeSpace)
  pageFiles = @(Get-CimInstance Win32_PageFileUsage | Select-Object AllocatedBaseSize, CurrentUsage)
  adapters = @(Get-CimInstance -Namespace root/StandardCimv2 MSFT_NetAdapter -ErrorAction SilentlyContinue | Select-Object InterfaceDescription, HardwareInterface, MediaConnectState)
} | ConvertTo-Json -Compress -Depth 4
`;

/** PowerShell may begin its output with the mark of UTF-8. */
const parseJson = (output: string): unknown => JSON.parse(output.replace(/^\uFEFF/, ''));

/** The rows of a table of both readings with the same name. */
interface RowPair {
  name: string;
  before: unknown;
  now: unknown;
}

function pairsOf(json: unknown, table: string): RowPair[] {
  const earlier = new Map(listAt(json, 'before', table).map((row) => [textAt(row, 'Name') ?? '', row]));
  return listAt(json, 'now', table).map((now) => {
    const name = textAt(now, 'Name') ?? '';
    return { name, before: earlier.get(name), now };
  });
}

const grown = ({ before, now }: RowPair, counter: string): number | undefined => {
  const [earlier, later] = [numberAt(before, counter), numberAt(now, counter)];
  return earlier === undefined || later === undefined || later < earlier ? undefined : later - earlier;
};

/** The value of a counter for each second, of the type PERF_COUNTER_BULK_COUNT. */
const perSecond = (pair: RowPair, counter: string): number | undefined => {
  const [count, ticks, frequency] = [grown(pair, counter), grown(pair, 'Timestamp_PerfTime'), numberAt(pair.now, 'Frequency_PerfTime')];
  return count === undefined || !ticks || !frequency ? undefined : (count * frequency) / ticks;
};

/** The milliseconds of one request, of the type PERF_AVERAGE_TIMER; undefined if there was none. */
const average = (pair: RowPair, counter: string): number | undefined => {
  const [ticks, count, frequency] = [grown(pair, counter), grown(pair, `${counter}_Base`), numberAt(pair.now, 'Frequency_PerfTime')];
  return ticks === undefined || !count || !frequency ? undefined : (1_000 * ticks) / frequency / count;
};

const shareOf = (pairs: readonly RowPair[], counter: string): number | undefined => {
  const shares = pairs.flatMap((pair) => percentOf(grown(pair, counter), grown(pair, 'Timestamp_Sys100NS')) ?? []);
  return shares.length === 0 ? undefined : shares.reduce((sum, share) => sum + share, 0) / shares.length;
};

/** The counter of the time in use counts the idle time (PERF_100NSEC_TIMER_INV). */
const busyOf = (pairs: readonly RowPair[]): number | undefined => {
  const idle = shareOf(pairs, 'PercentProcessorTime');
  return idle === undefined ? undefined : 100 - idle;
};

function processorFigures(json: unknown): Figure[] {
  // `0,3` is the fourth processor of the first group; `_Total` and `0,_Total` are sums.
  const processors = pairsOf(json, 'processors').filter(({ name }) => /^\d+,\d+$/.test(name));
  const system: RowPair = { name: '', before: valueAt(json, 'before', 'system'), now: valueAt(json, 'now', 'system') };
  return [
    ...figure('Cpu', busyOf(processors), ranks.machine),
    ...figure('CpuUser', shareOf(processors, 'PercentUserTime'), ranks.machine),
    ...figure('CpuSystem', shareOf(processors, 'PercentPrivilegedTime'), ranks.machine),
    ...figure('CpuIrq', shareOf(processors, 'PercentInterruptTime'), ranks.machine),
    ...figure('CpuSoftirq', shareOf(processors, 'PercentDPCTime'), ranks.machine),
    ...figure('CpuCores', processors.length || undefined, ranks.machine),
    ...figure('ContextSwitchesPerSecond', perSecond(system, 'ContextSwitchesPersec'), ranks.machine, 0),
    ...figure('ProcessesRunnable', numberAt(system.now, 'ProcessorQueueLength'), ranks.machine),
    ...figure('Processes', numberAt(system.now, 'Processes'), ranks.machine),
    ...processors.slice(0, maxCores).flatMap((pair) => figure(`Cpu ${pair.name.replace(/^0,/, '')}`, busyOf([pair]), ranks.core)),
  ];
}

function memoryFiguresOf(json: unknown): Figure[] {
  const memory = valueAt(json, 'now', 'memory');
  const files = listAt(json, 'pageFiles');
  const mebibytes = (field: string) =>
    files.length === 0 ? undefined : files.reduce<number>((sum, file) => sum + (numberAt(file, field) ?? Number.NaN), 0);
  return [
    ...figure('Swap', percentOf(mebibytes('CurrentUsage'), mebibytes('AllocatedBaseSize')), ranks.machine),
    ...figure('CommittedMemory', percentOf(numberAt(memory, 'CommittedBytes'), numberAt(memory, 'CommitLimit')), ranks.machine),
    ...figure('MemoryCacheBytes', numberAt(memory, 'CacheBytes'), ranks.machine),
  ];
}

function volumeFigures(json: unknown): Figure[] {
  return listAt(json, 'volumes').flatMap((volume) => {
    const [name, capacity, free] = [textAt(volume, 'Name'), numberAt(volume, 'Capacity'), numberAt(volume, 'FreeSpace')];
    // A volume without a letter or a folder has a name that nobody recognizes, such as the one for the start of the machine.
    if (name === undefined || name.startsWith('\\\\?\\') || capacity === undefined || free === undefined) return [];
    return [
      ...figure(`Disk ${name}`, percentOf(capacity - free, capacity), ranks.part),
      ...figure(`DiskFreeBytes ${name}`, free, ranks.part),
      ...figure(`DiskTotalBytes ${name}`, capacity, ranks.detail),
    ];
  });
}

function diskFiguresOf(json: unknown): Figure[] {
  return pairsOf(json, 'disks').flatMap((pair) => {
    const isTotal = pair.name === '_Total';
    const suffix = isTotal ? '' : ` ${pair.name}`;
    const rank = isTotal ? ranks.machine : ranks.part;
    const rates = [
      ...figure(`DiskReadBytesPerSecond${suffix}`, perSecond(pair, 'DiskReadBytesPersec'), rank, 0),
      ...figure(`DiskWriteBytesPerSecond${suffix}`, perSecond(pair, 'DiskWriteBytesPersec'), rank, 0),
    ];
    if (isTotal) return rates;
    const idle = percentOf(grown(pair, 'PercentIdleTime'), grown(pair, 'PercentIdleTime_Base'));
    return [
      ...rates,
      ...figure(`DiskUtilization${suffix}`, idle === undefined ? undefined : 100 - idle, rank),
      ...figure(`DiskReadAwaitMs${suffix}`, average(pair, 'AvgDisksecPerRead'), rank, 2),
      ...figure(`DiskWriteAwaitMs${suffix}`, average(pair, 'AvgDisksecPerWrite'), rank, 2),
      ...figure(`DiskReadsPerSecond${suffix}`, perSecond(pair, 'DiskReadsPersec'), ranks.detail),
      ...figure(`DiskWritesPerSecond${suffix}`, perSecond(pair, 'DiskWritesPersec'), ranks.detail),
      ...figure(`DiskQueue${suffix}`, numberAt(pair.now, 'CurrentDiskQueueLength'), ranks.detail),
    ];
  });
}

/** The counters write some characters of an adapter's description in another way. */
const instanceName = (description: string): string =>
  description
    .replaceAll('(', '[')
    .replaceAll(')', ']')
    .replaceAll(/[#/\\]/g, '_');

function interfaceFigures(json: unknown): Figure[] {
  const adapters = new Map(listAt(json, 'adapters').map((row) => [instanceName(textAt(row, 'InterfaceDescription') ?? ''), row]));
  const isHardware = ({ name }: RowPair) => valueAt(adapters.get(name), 'HardwareInterface') === true;
  const all = pairsOf(json, 'interfaces').filter(({ name }) => !/isatap|teredo|6to4|loopback|pseudo-interface|wan miniport/i.test(name));
  // Teams of adapters and switches of Hyper-V show again what passes an adapter.
  const counted = all.some(isHardware) ? all.filter(isHardware) : all;
  const total = (counter: string) => {
    const rates = counted.flatMap((pair) => perSecond(pair, counter) ?? []);
    return rates.length === 0 ? undefined : rates.reduce((sum, rate) => sum + rate, 0);
  };
  return [
    ...figure('NetworkInBytesPerSecond', total('BytesReceivedPersec'), ranks.machine, 0),
    ...figure('NetworkOutBytesPerSecond', total('BytesSentPersec'), ranks.machine, 0),
    ...all.flatMap((pair) => {
      const rank = counted.includes(pair) ? ranks.part : ranks.detail;
      const rate = (name: string, counter: string, digits: number, ofRank: number) =>
        figure(`Interface${name}PerSecond ${pair.name}`, perSecond(pair, counter), ofRank, digits);
      const connected = numberAt(adapters.get(pair.name), 'MediaConnectState');
      const bandwidth = numberAt(pair.now, 'CurrentBandwidth');
      return [
        ...rate('InBytes', 'BytesReceivedPersec', 0, rank),
        ...rate('OutBytes', 'BytesSentPersec', 0, rank),
        // 0 is a state that is not known, 2 a missing cable.
        ...figure(`InterfaceUp ${pair.name}`, connected === 1 ? 1 : connected === 2 ? 0 : undefined, rank),
        ...rate('InErrors', 'PacketsReceivedErrors', 3, rank),
        ...rate('OutErrors', 'PacketsOutboundErrors', 3, rank),
        ...rate('InDrops', 'PacketsReceivedDiscarded', 3, rank),
        ...rate('OutDrops', 'PacketsOutboundDiscarded', 3, rank),
        ...rate('InPackets', 'PacketsReceivedPersec', 1, ranks.detail),
        ...rate('OutPackets', 'PacketsSentPersec', 1, ranks.detail),
        ...figure(`InterfaceSpeedMbit ${pair.name}`, bandwidth ? bandwidth / 1e6 : undefined, ranks.detail),
      ];
    }),
  ];
}

/** Returns the figures in the output of `windowsCounterScript`. Throws if it is not JSON. */
export function windowsFigures(output: string): Figure[] {
  const json = parseJson(output);
  return [processorFigures, memoryFiguresOf, volumeFigures, diskFiguresOf, interfaceFigures].flatMap((figuresOf) => figuresOf(json));
}

/** PowerShell that prints the processes, and which services they run, as JSON. */
export const windowsProcessScript = `
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'
[Console]::OutputEncoding = [Text.Encoding]::UTF8
@{
  processes = @(Get-CimInstance Win32_Process | Select-Object Name, ProcessId, CommandLine, WorkingSetSize)
  services = @(Get-CimInstance Win32_Service -Filter 'ProcessId > 0' | Select-Object Name, ProcessId)
} | ConvertTo-Json -Compress -Depth 3
`;

/** Returns the processes in the output of `windowsProcessScript`. Windows lists no process that has ended. */
export function windowsProcesses(output: string): MachineProcess[] {
  const json = parseJson(output);
  const services = new Map<number, string>();
  for (const service of listAt(json, 'services')) {
    const [id = 0, name = ''] = [numberAt(service, 'ProcessId'), textAt(service, 'Name')];
    services.set(id, [services.get(id), name].filter(Boolean).join(', '));
  }
  return listAt(json, 'processes').flatMap((row) => {
    const [id, name] = [numberAt(row, 'ProcessId'), textAt(row, 'Name')];
    // 0 stands for the time in which no process runs.
    if (id === undefined || id === 0 || name === undefined) return [];
    const commandLine = textAt(row, 'CommandLine') ?? '';
    const memoryBytes = numberAt(row, 'WorkingSetSize') ?? 0;
    return [{ id, names: [name], title: name, commandLine, unit: services.get(id), user: undefined, state: '', memoryBytes }];
  });
}
