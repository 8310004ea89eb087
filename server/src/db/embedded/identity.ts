/** Decides which user PostgreSQL runs as: PostgreSQL refuses root, so root starts it as another user. */
import { spawnSync } from 'node:child_process';
import { chownSync, existsSync, lchownSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from '../../platform/start-error.ts';

export interface ProcessIdentity {
  /** Options for spawn; absent when the process keeps its own user. */
  user: { uid: number; gid: number } | undefined;
  /** Command and arguments before the program. */
  prefix: readonly string[];
}

const nobody = 65534;

/** Command prefix that stops PostgreSQL when this process dies for any reason; without setpriv, the next start stops it. */
const dieWithParent = ['/usr/bin/setpriv', '/bin/setpriv']
  .filter((path) => existsSync(path))
  .slice(0, 1)
  .flatMap((path) => [path, '--pdeathsig', 'INT', '--']);

// In a user namespace the files keep their owner, and PostgreSQL sees itself as nobody, a user that exists on every
// machine.
const namespace = ['unshare', '-U', `--map-user=${nobody}`, '--'];

/** Chooses the user and the command prefix. `dataDir` must exist; `cluster` (PostgreSQL's folder in it) need not. */
export function chooseIdentity(dataDir: string, cluster: string, program: string): ProcessIdentity {
  if (process.platform === 'win32') return { user: undefined, prefix: [] };
  const self = process.getuid?.();
  if (self !== 0) {
    // initdb needs a name for its user, which a container's arbitrary uid does not have.
    return { user: undefined, prefix: run(['id', '-un']) ? dieWithParent : [...namespace, ...dieWithParent] };
  }
  const clusterExists = existsSync(cluster);
  const owner = statSync(clusterExists ? cluster : dataDir);
  const user = owner.uid === 0 ? { uid: nobody, gid: nobody } : { uid: owner.uid, gid: owner.gid };
  const reaches = run(['sh', '-c', 'test -x "$0" && test -x "$1"', program, dataDir], user);
  if (reaches && (clusterExists || run(['id', '-un'], user))) {
    changeOwner(cluster, user.uid, user.gid);
    return { user, prefix: dieWithParent };
  }
  // The user cannot reach the data folder or the program, or has no name.
  if (run([...namespace, 'true'])) {
    changeOwner(cluster, 0, 0);
    return { user: undefined, prefix: [...namespace, ...dieWithParent] };
  }
  throw new StartError(
    `PostgreSQL does not run as root, and user ${user.uid} cannot reach ${dataDir} or ${program}: start as an ordinary user, or move both out of folders that only root may enter.`,
  );
}

function run([command = '', ...args]: string[], user?: { uid: number; gid: number }): boolean {
  return spawnSync(command, args, { cwd: '/', stdio: 'ignore', ...user }).status === 0;
}

/** Changes the owner of an existing cluster, for example after the folder was moved. */
function changeOwner(cluster: string, uid: number, gid: number): void {
  if (!existsSync(cluster) || statSync(cluster).uid === uid) return;
  for (const entry of readdirSync(cluster, { recursive: true, encoding: 'utf8' })) lchownSync(join(cluster, entry), uid, gid);
  chownSync(cluster, uid, gid);
}
