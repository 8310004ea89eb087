import { platform } from 'node:os';
import { fitFigures } from '@cloudfit/contract/machine/figures.ts';
import { maskSecrets } from '@cloudfit/contract/machine/processes.ts';
import { diskHealth } from './disk-health.mjs';
import { linuxMetrics, linuxProcesses } from './linux.mjs';
import { macMetrics, macProcesses } from './mac.mjs';
import { number, report, run } from './operation.mjs';
import { windowsMetrics, windowsProcessList } from './windows.mjs';

/** A packet may have 500 keys; the rest is for states, diagnostics and what the agent adds. */
const maxFigures = 440;
/** A listed process has six keys. */
const maxListed = 75;
const maxCommandLength = 200;

const system = {
  linux: { metrics: linuxMetrics, processes: linuxProcesses },
  win32: { metrics: windowsMetrics, processes: windowsProcessList },
}[platform()] ?? { metrics: macMetrics, processes: macProcesses };

const sentences = (parts) => {
  const text = parts.filter(Boolean).join(' ');
  return text === '' ? {} : { message: text };
};

async function systemMetrics() {
  const { figures, unread, unavailable } = await system.metrics();
  const { metrics, message } = fitFigures(figures, maxFigures);
  report({
    // Null says that the figure is missing; without a value, the one before would seem to be current.
    value: metrics.Cpu ?? null,
    metrics,
    ...(unavailable.length > 0 && { diagnostics: { NotAvailable: unavailable } }),
    ...sentences([unread.length > 0 && `Not read: ${unread.join(', ')}.`, message]),
  });
}

async function largestProcesses() {
  const count = number('Count', { fallback: 10, min: 1, max: 100 });
  const { processes, isPartial } = await system.processes();
  const listed = Math.min(count, maxListed);
  const largest = processes.toSorted((a, b) => b.memoryBytes - a.memoryBytes).slice(0, listed);
  report({
    value: processes.length,
    metrics: { Processes: processes.length },
    diagnostics: {
      processes: largest.map(({ id, title, commandLine, unit, user, memoryBytes }) => ({
        id,
        name: title,
        ...(commandLine !== '' && { command: maskSecrets(commandLine).slice(0, maxCommandLength) }),
        ...(unit && { unit }),
        ...(user && { user }),
        memoryBytes,
      })),
    },
    ...sentences([
      isPartial && 'This machine hides the processes of other users from the agent.',
      count > listed && `Only ${listed} processes fit into a packet.`,
    ]),
  });
}

await run({ 'System metrics': systemMetrics, 'Largest processes': largestProcesses, 'Disk health': diskHealth });
