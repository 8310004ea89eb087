import { uptime } from 'node:os';
import type { RegisterRequest } from '@cloudfit/contract/agent/messages.ts';
import type { PacketMessage } from '@cloudfit/contract/resources/packets.ts';
import { createCpuMeter } from './cpu.ts';
import { diskPercent } from './disk.ts';
import { memoryPercent } from './memory.ts';

const round = (value: number) => Math.round(value * 100) / 100;

/** Returns a function that measures the machine for one heartbeat; its CPU figure covers the time since the previous call. */
export function createSystemCollector(machine: RegisterRequest): () => Promise<PacketMessage> {
  const cpuPercent = createCpuMeter();
  return async () => {
    const [memory, disk] = await Promise.all([memoryPercent(), diskPercent().catch(() => undefined)]);
    return {
      Metrics: {
        Cpu: round(cpuPercent()),
        Memory: round(memory),
        Uptime: Math.floor(uptime()),
        // If the file system cannot be read, the heartbeat only lacks this figure.
        ...(disk === undefined ? {} : { Disk: round(disk) }),
      },
      Properties: {
        Hostname: machine.machineName,
        OperatingSystem: machine.operatingSystem,
        Architecture: machine.architecture,
        AgentVersion: machine.agentVersion,
      },
    };
  };
}
