/** Ends the server when whoever started it is gone, so that kill -9 of npm leaves nothing running. */

/** Calls `stop` once when the parent that `npm start` named in EXIT_WITH_PARENT no longer is; does nothing otherwise. */
export function exitWithParent(stop: () => void): void {
  const parent = Number(process.env['EXIT_WITH_PARENT']);
  delete process.env['EXIT_WITH_PARENT'];
  if (!parent) return;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    stop();
  }, 250);
  timer.unref();
}
