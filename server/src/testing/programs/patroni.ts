/** PostgreSQL under Patroni as `deploy/patroni` sets it up on one machine, for tests on machines that have its programs. */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../server-process.ts';

const needed = ['/usr/bin/patroni', '/usr/bin/etcd', '/usr/sbin/haproxy', '/usr/lib/postgresql/18/bin/pg_basebackup'];
export const hasPatroni = needed.every((file) => existsSync(file));

const script = join(import.meta.dirname, '../../../../deploy/patroni/patroni.sh');

export interface Patroni {
  /** The settings with which a server uses it. */
  env: Record<'DATABASE_OWNER_URL' | 'DATABASE_URL' | 'DATABASE_READ_URL', string>;
  /** The name of the member that leads, once there is one. */
  leader(): Promise<string>;
  /** Kills the PostgreSQL of a member; with `whole`, its Patroni too, as when the machine is lost. */
  kill(member: string, whole?: boolean): Promise<void>;
  /** Makes the standby the leader. */
  switchOver(): Promise<void>;
  /** Starts what does not run, and resolves when a standby follows the leader. */
  start(): Promise<void>;
  close(): Promise<void>;
}

export async function startPatroni(): Promise<Patroni> {
  const folder = mkdtempSync(join(tmpdir(), 'cloudfit-patroni-'));
  const port = await freePort();
  const run = async (action: string): Promise<string> => {
    const { stdout } = await promisify(execFile)(script, [action, folder], { env: { ...process.env, PORT: String(port) } });
    return stdout;
  };
  const members = ['db0', 'db1'];
  const roleOf = (member: string): Promise<string> =>
    fetch(`http://127.0.0.1:${port + 6 + members.indexOf(member)}/patroni`)
      .then(async (answer) => ((await answer.json()) as { role?: string }).role ?? '')
      .catch(() => '');
  async function leader(): Promise<string> {
    for (;;) {
      for (const member of members) if (['primary', 'master', 'leader'].includes(await roleOf(member))) return member;
      await sleep(100);
    }
  }
  const pidIn = (file: string): number => Number(readFileSync(join(folder, file), 'utf8').split('\n')[0]);
  const settings = await run('start').catch(async (error: unknown) => {
    await run('stop').catch(() => undefined);
    throw error;
  });
  return {
    env: Object.fromEntries([...settings.matchAll(/^(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value])) as Patroni['env'],
    leader,
    kill: (member, whole = false) => {
      if (whole) process.kill(pidIn(`${member}.pid`), 'SIGKILL');
      process.kill(pidIn(`${member}/postmaster.pid`), 'SIGKILL');
      return Promise.resolve();
    },
    switchOver: async () => {
      const [from, config] = [await leader(), join(folder, 'db0.yml')];
      await promisify(execFile)('/usr/bin/patronictl', ['-c', config, 'switchover', '--leader', from, '--force', 'cloudfit']);
    },
    start: async () => void (await run('start')),
    async close() {
      await run('stop').catch(() => undefined);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
