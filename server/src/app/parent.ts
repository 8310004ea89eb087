/** Ends the server when whoever started it is gone, so that kill -9 of npm leaves nothing running. */
import { readFileSync } from 'node:fs';

/**
 * Calls `stop` once when one of the processes that `npm start` named in EXIT_WITH_PARENT is gone; does nothing when it named none.
 * The process must handle its signals itself.
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
  // After Ctrl-C npm's shell goes first: that is no second reason to stop.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => clearInterval(timer));
}

function parentOf(pid: number): number | undefined {
  try {
    return Number(/^\d+ \(.*\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]);
  } catch {
    return undefined;
  }
}
