/** The share of time in which programs had to wait for processors, memory or disks, by `/proc/pressure`. */
import { figure, ranks, type Figure } from './figures.ts';
import type { KernelFiles } from './kernel-files.ts';

const resources = ['cpu', 'memory', 'io'] as const;

/** Returns the averages of the last minute: `Some` if any program waited, `Full` if all did. Empty if the kernel has none. */
export async function pressureFigures(files: KernelFiles): Promise<Figure[]> {
  const texts = await Promise.all(resources.map((resource) => files.read(`/proc/pressure/${resource}`)));
  return resources.flatMap((resource, n) =>
    [...(texts[n] ?? '').matchAll(/^(some|full) .*\bavg60=([\d.]+)/gm)].flatMap(([, share = '', average]) => {
      // All programs of a machine never wait for processors at the same time; the line exists for control groups.
      if (resource === 'cpu' && share === 'full') return [];
      const name = [resource, share].map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`).join('');
      return figure(`Pressure${name}`, Number(average), ranks.machine, 2);
    }),
  );
}
