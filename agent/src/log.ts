/** The agent writes `trace` only while the device is traced. */
export type Level = 'info' | 'warn' | 'error' | 'trace';
export type Log = (level: Level, text: string) => void;

/** One line per event on stdout, where a service manager collects it. A line that repeats the last one is left out for a minute. */
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
