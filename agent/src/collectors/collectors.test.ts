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
    const { Metrics: metrics = {}, Properties: properties, Diagnostics: diagnostics } = await collect();
    const linux = process.platform === 'linux' ? ['CpuIowait', 'CpuSteal'] : [];
    expect(Object.keys(metrics).toSorted()).toEqual(['Cpu', 'Memory', 'Uptime', 'Disk', ...linux].toSorted());
    for (const name of ['Cpu', 'Memory', 'Disk', ...linux]) expect(metrics[name]).toBeGreaterThanOrEqual(0);
    for (const name of ['Cpu', 'Memory', 'Disk', ...linux]) expect(metrics[name]).toBeLessThanOrEqual(100);
    expect(metrics['Memory']).toBeGreaterThan(0);
    expect(metrics['Uptime']).toBeGreaterThan(0);
    expect(properties).toEqual({ Hostname: 'm', OperatingSystem: 'Linux', Architecture: 'x64', AgentVersion: '1.0.0' });
    expect(diagnostics).toBeUndefined();
  });

  it('leaves out what cannot be read, and says so', async () => {
    const collect = createSystemCollector(machine, {
      cpu: () => Promise.resolve(undefined),
      memory: () => Promise.resolve(12.345),
      disk: () => Promise.reject(new Error('EACCES')),
    });
    const { Metrics: metrics, Diagnostics: diagnostics } = await collect();
    expect(metrics).toEqual({ Memory: 12.35, Uptime: expect.any(Number) });
    expect(diagnostics).toEqual({ Message: 'Not read: Cpu, Disk.' });
  });

  it('shows a busy machine as busy', async () => {
    const cpu = createCpuMeter();
    const spin = 'const end = Date.now() + 2000; while (Date.now() < end);';
    const workers = Array.from({ length: availableParallelism() }, () => new Worker(spin, { eval: true }));
    await sleep(300);
    await cpu();
    await sleep(700);
    const use = await cpu();
    await Promise.all(workers.map((worker) => worker.terminate()));
    expect(use?.busy).toBeGreaterThan(70);
  });

  it('measures between two calls, without time that was spent waiting for a disk', async () => {
    const counts = { uptime: 0, cores: {}, counts: {}, limit: undefined };
    // User, nice, system, idle, waiting for disks.
    const snapshots = [
      [100, 0, 0, 900, 0],
      [105, 0, 5, 900, 90],
      [105, 0, 5, 900, 90],
      [10, 0, 0, 30, 0],
      [40, 0, 0, 40, 0],
    ].map((all) => ({ ...counts, all }));
    const cpu = createCpuMeter(() => Promise.resolve(snapshots.shift()));
    expect(await cpu()).toMatchObject({ busy: 10, iowait: 90 });
    // No time has passed, then the counters begin again: there is no figure.
    expect([await cpu(), await cpu()]).toEqual([undefined, undefined]);
    expect(await cpu()).toMatchObject({ busy: 75, iowait: 0 });
    expect(await cpu()).toBeUndefined();
  });
});
