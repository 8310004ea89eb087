/** The figures of the supervising process for Prometheus. */

export interface SupervisorMetrics {
  /** Counts a start in the place of a process that died. */
  restarted(name: string): void;
  read(processes: readonly { name: string; isReady: boolean }[]): Promise<string>;
}

/** The library is loaded here, so that a server without metrics does not load it. */
export async function createSupervisorMetrics(): Promise<SupervisorMetrics> {
  const { Registry, Counter, Gauge, collectDefaultMetrics } = await import('prom-client');
  // The figures of Node have the label of this process, those about other processes have theirs.
  const node = new Registry();
  node.setDefaultLabels({ process: 'supervisor' });
  collectDefaultMetrics({ register: node });
  for (const what of ['handles', 'requests', 'resources']) node.removeSingleMetric(`nodejs_active_${what}_total`);
  const labelNames = ['process'] as const;
  const registers = [new Registry()];
  const up = new Gauge({ name: 'cloudfit_process_up', help: 'Whether the process runs and is ready.', labelNames, registers });
  const restarts = new Counter({
    name: 'cloudfit_process_restarts_total',
    help: 'How often another process took the place of one that ended.',
    labelNames,
    registers,
  });
  return {
    restarted: (name) => restarts.inc({ process: name }),
    async read(processes) {
      for (const { name, isReady } of processes) {
        up.set({ process: name }, Number(isReady));
        restarts.inc({ process: name }, 0);
      }
      return [node, ...registers].reduce<Promise<string>>(
        async (text, registry) => `${await text}${await registry.metrics()}\n`,
        Promise.resolve(''),
      );
    },
  };
}
