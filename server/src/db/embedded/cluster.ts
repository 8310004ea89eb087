/** Creates the cluster, all or nothing (an interrupted initdb leaves a useless folder), or checks an existing one's version. */
import { randomBytes } from 'node:crypto';
import { execFile } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { StartError } from '../../platform/start-error.ts';
import { type Binaries, postgresMajor } from './binaries.ts';
import type { ProcessIdentity } from './identity.ts';

export const ownerName = 'cloudfit';
export const databaseName = 'cloudfit';
const passwordFile = 'owner.password';
/** The whole environment of PostgreSQL: no variable of the caller (PGDATA, PGPORT, a locale) reaches it. */
export const cleanEnvironment = { PATH: process.env['PATH'] ?? '', LC_ALL: 'C', TZ: 'UTC' };

export function readPassword(cluster: string): string {
  return readFileSync(join(cluster, passwordFile), 'utf8').trim();
}

export async function ensureCluster(
  cluster: string,
  binaries: Binaries,
  identity: ProcessIdentity,
  log: (line: string) => void,
): Promise<void> {
  const sideName = `${basename(cluster)}.new-`;
  for (const name of readdirSync(dirname(cluster))) {
    if (name.startsWith(sideName)) rmSync(join(dirname(cluster), name), { recursive: true, force: true, maxRetries: 5 });
  }
  if (existsSync(cluster)) return requireMajor(cluster);
  log('Making a new database ...');
  const side = join(dirname(cluster), sideName + randomBytes(4).toString('hex'));
  mkdirSync(side, { mode: 0o700 });
  const password = randomBytes(24).toString('base64url');
  // initdb reads the password from a file only, and needs an empty folder.
  const passwordPath = `${side}.password`;
  writeFileSync(passwordPath, password, { mode: 0o600 });
  if (identity.user) for (const path of [side, passwordPath]) chownSync(path, identity.user.uid, identity.user.gid);
  const run = async (program: string, args: string[], input: string): Promise<void> => {
    const [command = '', ...rest] = [...identity.prefix, program, ...args];
    const running = promisify(execFile)(command, rest, { ...identity.user, cwd: '/', env: cleanEnvironment });
    running.child.stdin?.end(input);
    await running;
  };
  try {
    await run(
      binaries.initdb,
      [
        '-D',
        side,
        '-U',
        ownerName,
        `--pwfile=${passwordPath}`,
        '--auth=scram-sha-256',
        '--encoding=UTF8',
        '--no-locale',
        '--locale-provider=builtin',
        '--builtin-locale=C.UTF-8',
      ],
      '',
    );
    await run(binaries.postgres, ['--single', '-D', side, 'postgres'], `create database ${databaseName};\n`);
    renameSync(passwordPath, join(side, passwordFile));
    renameSync(side, cluster);
  } catch (error) {
    rmSync(side, { recursive: true, force: true, maxRetries: 5 });
    const { stderr = '', message } = error as { stderr?: string; message: string };
    throw new StartError(`The database cannot be made in ${dirname(cluster)}: ${stderr.trim().split('\n').at(-1) || message}`);
  } finally {
    rmSync(passwordPath, { force: true });
  }
}

function requireMajor(cluster: string): void {
  const version = readFileSync(join(cluster, 'PG_VERSION'), 'utf8').trim();
  if (version !== postgresMajor) {
    throw new StartError(
      `${cluster} was written by PostgreSQL ${version}, this is ${postgresMajor}: dump it with the old version and restore it.`,
    );
  }
}
