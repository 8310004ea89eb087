/**
 * The server's public keys for packages. The agent stores those of its first registration, so that another server cannot
 * hand out packages later.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

export interface KeyFile {
  read(): readonly string[];
  /** Stores the keys if none are stored yet. Returns false if one of `keys` is not among the stored keys. */
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
