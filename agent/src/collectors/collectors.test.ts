import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { createCpuMeter } from './cpu.ts';
import { createSystemCollector } from './system.ts';

const machine = { machineKey: 'k', machineName: 'm', operatingSystem: 'Linux', architecture: 'x64', agentVersion: '1.0.0' };

describe('collectors', () => {
  it('gives plausible figures', async () => {
    const collect = createSystemCollector(machine);
    await sleep(200);
    const { Metrics: metrics = {}, Properties: properties } = await collect();
    expect(Object.keys(metrics)).toEqual(['Cpu', 'Memory', 'Uptime', 'Disk']);
    for (const name of ['Cpu', 'Memory', 'Disk']) expect(metrics[name]).toBeGreaterThanOrEqual(0);
    for (const name of ['Cpu', 'Memory', 'Disk']) expect(metrics[name]).toBeLessThanOrEqual(100);
    expect(metrics['Memory']).toBeGreaterThan(0);
    expect(metrics['Uptime']).toBeGreaterThan(0);
    expect(properties).toEqual({ Hostname: 'm', OperatingSystem: 'Linux', Architecture: 'x64', AgentVersion: '1.0.0' });
  });

  it('shows a busy machine as busy', async () => {
    const cpu = createCpuMeter();
    const spin = 'const end = Date.now() + 2000; while (Date.now() < end);';
    const workers = Array.from({ length: availableParallelism() }, () => new Worker(spin, { eval: true }));
    await sleep(300);
    cpu();
    await sleep(700);
    const busy = cpu();
    await Promise.all(workers.map((worker) => worker.terminate()));
    expect(busy).toBeGreaterThan(70);
  });

  it('measures between two calls and survives counters that stand still or go back', () => {
    const readings = [
      { busy: 100, all: 1_000 },
      { busy: 150, all: 1_100 },
      { busy: 150, all: 1_100 },
      { busy: 10, all: 40 },
      { busy: 40, all: 80 },
    ];
    const cpu = createCpuMeter(() => readings.shift() ?? { busy: 0, all: 0 });
    expect([cpu(), cpu(), cpu(), cpu()]).toEqual([50, 50, 50, 75]);
  });
});
