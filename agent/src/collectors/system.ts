import { uptime } from 'node:os';
import type { RegisterRequest } from '@cloudfit/contract/agent/messages.ts';
import type { PacketMessage } from '@cloudfit/contract/resources/packets.ts';
import { createCpuMeter } from './cpu.ts';
import { diskPercent } from './disk.ts';
import { usedMemoryPercent } from './memory.ts';

const round = (value: number) => Math.round(value * 100) / 100;

interface SystemFigures {
  cpu: ReturnType<typeof createCpuMeter>;
  memory: typeof usedMemoryPercent;
  disk: () => Promise<number | undefined>;
}

/**
 * Returns a function that measures the machine for one heartbeat; its CPU figures cover the time since the previous call. What
 * cannot be read is left out and named in the diagnostics.
 */
export function createSystemCollector(
  machine: RegisterRequest,
  { cpu, memory, disk }: SystemFigures = { cpu: createCpuMeter(), memory: usedMemoryPercent, disk: diskPercent },
): () => Promise<PacketMessage> {
  const read = <T>(measure: () => Promise<T | undefined>) => measure().catch(() => undefined);
  return async () => {
    const [use, usedMemory, usedDisk] = await Promise.all([read(cpu), read(memory), read(disk)]);
    const figures = { Cpu: use?.busy, CpuIowait: use?.iowait, CpuSteal: use?.steal, Memory: usedMemory, Disk: usedDisk };
    const measured = Object.entries(figures).flatMap(([name, value]) => (value === undefined ? [] : [[name, round(value)] as const]));
    const unread = (['Cpu', 'Memory', 'Disk'] as const).filter((name) => figures[name] === undefined);
    return {
      Metrics: { ...Object.fromEntries(measured), Uptime: Math.floor(uptime()) },
      Properties: {
        Hostname: machine.machineName,
        OperatingSystem: machine.operatingSystem,
        Architecture: machine.architecture,
        AgentVersion: machine.agentVersion,
      },
      ...(unread.length > 0 && { Diagnostics: { Message: `Not read: ${unread.join(', ')}.` } }),
    };
  };
}
