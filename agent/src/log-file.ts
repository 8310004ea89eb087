import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

const maxBytes = 5_000_000;

/** Returns a function that appends lines to a file, for services whose output nobody collects. Rotates a full file to `.1`. */
export function openLogFile(file: string): (line: string) => void {
  mkdirSync(dirname(file), { recursive: true });
  return (line) => {
    try {
      if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > maxBytes) renameSync(file, `${file}.1`);
      appendFileSync(file, `${line}\n`, { mode: 0o600 });
    } catch {
      // A full disk must not stop the agent; the server receives the log too.
    }
  };
}
