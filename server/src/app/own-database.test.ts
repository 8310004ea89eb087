import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { expect, it } from 'vitest';
import { startOwnDatabase } from './own-database.ts';

it('removes what a killed process left before anything is started, because the disk may be full of it', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'cloudfit-leftovers-'));
  // No process has this id, so nobody works in the folder.
  const leftover = join(dataDir, 'verify-4194999');
  mkdirSync(leftover);
  const longAgo = new Date(Date.now() - 120_000);
  utimesSync(leftover, longAgo, longAgo);
  const config = { dataDir, databaseUrl: 'postgres://127.0.0.1:1/none', archiveDir: join(dataDir, 'archive'), backupDir: undefined };
  await expect(startOwnDatabase(config, pino({ level: 'silent' }))).rejects.toThrow('ARCHIVE_DIR is for the embedded database');
  expect(existsSync(leftover)).toBe(false);
  rmSync(dataDir, { recursive: true });
});
