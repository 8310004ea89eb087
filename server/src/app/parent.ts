/** Ends the server when its parent process has ended, so that kill -9 of npm leaves nothing running. */
import { readFileSync } from 'node:fs';

/**
 * Calls `stop` once when one of the processes in EXIT_WITH_PARENT has ended; does nothing if the variable is empty. The process
 * must handle its signals itself.
 */
export function exitWithParent(stop: () => void): void {
  const [parent, ...ancestors] = (process.env['EXIT_WITH_PARENT'] ?? '').split(',').filter(Boolean).map(Number);
  delete process.env['EXIT_WITH_PARENT'];
  if (parent === undefined) return;
  const timer = setInterval(() => {
    if (process.ppid === parent && ancestors.every((pid, i) => parentOf(ancestors[i - 1] ?? parent) === pid)) return;
    clearInterval(timer);
    stop();
  }, 500);
  timer.unref();
  // Stops watching on a signal: after Ctrl-C, npm's shell ends first, which must not stop the server a second time.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => clearInterval(timer));
}

function parentOf(pid: number): number | undefined {
  try {
    return Number(/^\d+ \(.*\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]);
  } catch {
    return undefined;
  }
}
