import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { DataFolderInUse, type EmbeddedServer, joinEmbedded, startEmbedded } from './embedded.ts';
import { findBinaries } from './binaries.ts';
import { chooseIdentity } from './identity.ts';
import { readPostmaster } from './leftovers.ts';

const isRoot = process.getuid?.() === 0;
const lines: string[] = [];
const log = (line: string) => void lines.push(line);
const folders: string[] = [];
const running: EmbeddedServer[] = [];

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'cloudfit-embedded-'));
  chmodSync(folder, 0o711);
  folders.push(folder);
  return join(folder, 'data');
}

async function start(dataDir: string): Promise<EmbeddedServer> {
  lines.length = 0;
  const server = await startEmbedded({ dataDir, log });
  running.push(server);
  return server;
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<Record<string, unknown>>(sql);
  await client.end();
  return rows.map((row) => Object.values(row)[0]);
}

/** Starts another process that runs the database; resolves at its first output. */
async function startElsewhere(dataDir: string): Promise<ChildProcess> {
  const program = `import { startEmbedded } from ${JSON.stringify(join(import.meta.dirname, 'embedded.ts'))};
    await startEmbedded({ dataDir: ${JSON.stringify(dataDir)}, log: (line) => console.log(line) });
    console.log('ready'); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return child;
}

async function killHard(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

const isAlive = (pid: number): boolean => {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};

afterEach(async () => {
  for (const server of running.splice(0)) await server.stop();
});

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

describe.runIf(process.platform === 'linux')('embedded PostgreSQL', () => {
  const dataDir = newFolder();
  const cluster = join(dataDir, 'postgres');

  beforeAll(async () => {
    const server = await start(dataDir);
    await query(server.url, 'create table kept (n int)');
    await server.stop();
  });

  it('keeps its rows and leaves no process', async () => {
    const server = await start(dataDir);
    await query(server.url, 'insert into kept values (1)');
    const { pid = 0 } = readPostmaster(cluster) ?? {};
    expect(isAlive(pid)).toBe(true);
    await server.stop();
    expect(isAlive(pid)).toBe(false);
    const again = await start(dataDir);
    expect(await query(again.url, 'select n from kept')).toEqual([1]);
  });

  it('sorts by code point in UTC, may create roles, and keeps its password to itself', async () => {
    const { url } = await start(dataDir);
    expect(
      await query(
        url,
        "select datlocale || ' ' || current_setting('timezone') || ' ' || current_setting('fsync') from pg_database where datname = 'cloudfit'",
      ),
    ).toEqual(['C.UTF-8 UTC on']);
    expect(await query(url, 'select rolcreaterole from pg_roles where rolname = current_user')).toEqual([true]);
    await expect(query(url.replace(/:[^:@]+@/, ':wrong@'), 'select 1')).rejects.toThrow('password authentication failed');
  });

  it('refuses a second server in the same folder, and lets a command join the first', async () => {
    const server = await start(dataDir);
    const second = startEmbedded({ dataDir, log });
    await expect(second).rejects.toThrow(DataFolderInUse);
    await expect(second).rejects.toThrow(`The data folder ${dataDir} is in use by another running server`);
    const joined = await joinEmbedded({ dataDir, log });
    expect(joined.url).toBe(server.url);
    await joined.stop();
    expect(await query(server.url, 'select 1')).toEqual([1]);
  });

  it('starts it again when it is killed, with every committed row', async () => {
    const { url } = await start(dataDir);
    await query(url, 'insert into kept values (2)');
    process.kill(readPostmaster(cluster)?.pid ?? 0, 'SIGKILL');
    await expect.poll(() => lines.some((line) => line.includes('starting it again'))).toBe(true);
    await expect.poll(() => query(url, 'select max(n) from kept').catch(() => undefined)).toEqual([2]);
  });

  it('ends with a server that is killed, and opens again', async () => {
    const child = await startElsewhere(dataDir);
    const { pid = 0 } = readPostmaster(cluster) ?? {};
    await killHard(child);
    await expect.poll(() => isAlive(pid)).toBe(false);
    const { url } = await start(dataDir);
    expect(await query(url, 'select 1')).toEqual([1]);
  });

  it('stops an orphan and takes its place', async () => {
    const { postgres } = findBinaries();
    const { user } = chooseIdentity(dataDir, cluster, postgres);
    const orphan = spawn(postgres, ['-D', cluster, '-k', cluster, '-c', 'listen_addresses='], {
      ...user,
      cwd: '/',
      stdio: 'ignore',
      detached: true,
    });
    await expect.poll(() => readPostmaster(cluster)?.ready).toBe(true);
    const { url } = await start(dataDir);
    expect(lines.join()).toContain(`killed server left running (process `);
    expect(orphan.exitCode).toBe(0);
    expect(await query(url, 'select 1')).toEqual([1]);
  });

  it('is not misled by the lock file of a dead server whose number another program has', async () => {
    writeFileSync(join(cluster, 'postmaster.pid'), `${process.pid}\n${cluster}\n1\n5432\n${cluster}\n\n  1 1\nready   \n`);
    const { url } = await start(dataDir);
    expect(await query(url, 'select 1')).toEqual([1]);
  });

  it('opens after the first start was killed half way', async () => {
    const fresh = newFolder();
    const child = await startElsewhere(fresh);
    await expect.poll(() => readdirSync(fresh).some((name) => name.startsWith('postgres.new-')), { interval: 5 }).toBe(true);
    await killHard(child);
    expect(readdirSync(fresh)).not.toContain('postgres');
    mkdirSync(join(fresh, 'postgres.new-older'));
    const { url } = await start(fresh);
    expect(await query(url, 'select 1')).toEqual([1]);
    expect(readdirSync(fresh)).not.toContain('postgres.new-older');
  });

  it.runIf(isRoot && spawnSync('unshare', ['-U', 'true']).status === 0)(
    'works for root below a folder that only root may enter',
    async () => {
      const hidden = newFolder();
      chmodSync(join(hidden, '..'), 0o700);
      const { url } = await start(hidden);
      expect(await query(url, 'select 1')).toEqual([1]);
      expect(statSync(join(hidden, 'postgres')).uid).toBe(0);
    },
  );

  it('says in one line that a folder cannot be used', async () => {
    const file = join(newFolder(), '..', 'file');
    writeFileSync(file, '');
    await expect(startEmbedded({ dataDir: file, log })).rejects.toThrow(/^The data folder .* cannot be written: [^\n]+$/);
  });

  it('refuses a cluster of another major version', async () => {
    const path = join(cluster, 'PG_VERSION');
    writeFileSync(path, '17\n');
    await expect(start(dataDir)).rejects.toThrow('was written by PostgreSQL 17, this is 18');
    writeFileSync(path, '18\n');
  });
});
