/** The level of a log line; `trace` lines are written only while the device is traced. */
export type Level = 'info' | 'warn' | 'error' | 'trace';
export type Log = (level: Level, text: string) => void;

/** Creates a log of one line per event, by default on stdout. Omits repeats of the last text for a minute. */
export function createLog(print: (line: string) => void = (line) => process.stdout.write(`${line}\n`)): Log {
  let last = '';
  let lastAt = 0;
  return (level, text) => {
    const now = Date.now();
    if (text === last && now - lastAt < 60_000) return;
    last = text;
    lastAt = now;
    print(`${new Date(now).toISOString()} ${level} ${text}`);
  };
}
