/** Removes what a process left half made when it was killed: folders whose names end in the id of that process. */
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../platform/config.ts';
import { backupsFolder } from './places.ts';

/** A process on another machine that shares the folder has no id here, but it goes on writing. */
const quietMs = 60_000;

function isAlive(pid: number): boolean {
  // In a container, each start may get the id of the one before.
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Removes the folders in `parent` whose names match; the first group of `name` is the id of the process. */
async function removeDead(parent: string, name: RegExp, now: number): Promise<void> {
  for (const entry of await readdir(parent).catch(() => [])) {
    const pid = name.exec(entry)?.[1];
    if (pid === undefined || isAlive(Number(pid))) continue;
    const { mtimeMs } = await stat(join(parent, entry)).catch(() => ({ mtimeMs: now }));
    if (now - mtimeMs > quietMs) await rm(join(parent, entry), { recursive: true, force: true });
  }
}

export const upgradesFolder = (config: Pick<Config, 'dataDir'>): string => join(config.dataDir, 'upgrades');

const draft = /^\..+\.(\d+)$/;

/** Removes half copies from before an upgrade, half backups in their usual folder, and the places of drills. */
export async function removeLeftovers(config: Pick<Config, 'dataDir' | 'backupDir'>, now = Date.now()): Promise<void> {
  await removeDead(upgradesFolder(config), draft, now);
  await removeDead(backupsFolder(config), draft, now);
  await removeDead(config.dataDir, /^verify-(\d+)$/, now);
}

/** Removes all half copies from before an upgrade: whoever prepares the database is alone in that. */
export async function removeHalfCopies(config: Pick<Config, 'dataDir'>): Promise<void> {
  const folder = upgradesFolder(config);
  for (const entry of await readdir(folder).catch(() => []))
    if (draft.test(entry)) await rm(join(folder, entry), { recursive: true, force: true });
}
