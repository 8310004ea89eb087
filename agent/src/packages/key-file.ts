/** The server's keys for packages: kept from the first registration, so that another server cannot hand out packages later. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

export interface KeyFile {
  read(): readonly string[];
  /** Stores the keys unless some are stored already; returns whether these are the stored ones. */
  pin(keys: readonly string[]): boolean;
}

const stored = z.array(z.string()).min(1);

export function openKeyFile(stateDir: string): KeyFile {
  const file = join(stateDir, 'package-keys');
  const read = (): readonly string[] => {
    try {
      return stored.parse(JSON.parse(readFileSync(file, 'utf8')));
    } catch {
      return [];
    }
  };
  return {
    read,
    pin: (keys) => {
      const pinned = read();
      if (keys.length === 0) return true;
      if (pinned.length > 0) return keys.every((key) => pinned.includes(key));
      writeFileSync(`${file}.new`, JSON.stringify(keys), { mode: 0o600, flush: true });
      renameSync(`${file}.new`, file);
      return true;
    },
  };
}
