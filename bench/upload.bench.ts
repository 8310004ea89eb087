/** Uploads a package of 50 MB to a running server: the time beside that of a copy on the same disk, and the server's memory. */
import { randomBytes } from 'node:crypto';
import { createWriteStream, openAsBlob, readFileSync, writeFileSync } from 'node:fs';
import { copyFile, mkdtemp, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { ZipFile } from 'yazl';
import { serverProcess } from '../server/src/testing/server-process.ts';
import { percentile, type BenchRow } from './load.ts';
import { addToken, findHome } from './site.ts';

const megabytes = 50;
const uploads = 5;

/** The value of a line of `/proc/{pid}/status`, in MiB. */
function memory(pid: number, line: 'VmRSS' | 'VmHWM'): number {
  const match = new RegExp(`${line}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(match?.[1] ?? Number.NaN) / 1_024;
}

async function makeZip(path: string, version: string, size: number): Promise<void> {
  const zip = new ZipFile();
  const manifest = { name: 'Bench', version, type: 'Watcher', executable: 'run.bin', executableType: 'Executable' };
  zip.addBuffer(Buffer.from(JSON.stringify(manifest)), 'cloudfit.json');
  zip.addBuffer(randomBytes(size), 'run.bin', { compress: false });
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(path));
}

async function upload(url: string, token: string, tenantId: string, path: string): Promise<void> {
  const form = new FormData();
  form.set('label', 'bench');
  form.set('tenantId', tenantId);
  form.set('file-1', await openAsBlob(path), 'bench.zip');
  const answer = await fetch(`${url}/v1/packages/upload`, { method: 'POST', headers: { authorization: `Bearer ${token}` }, body: form });
  if (answer.status !== 201) throw new Error(`The upload was answered ${answer.status}: ${await answer.text()}`);
  await answer.arrayBuffer();
}

/** Milliseconds for a copy of the file on the same disk, including fsync. */
async function copyMs(from: string, to: string): Promise<number> {
  const started = performance.now();
  await copyFile(from, to);
  const handle = await open(to, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
  return performance.now() - started;
}

/** Runs the bench. `url` is the address of an empty database for the server under test. */
export async function bench(url: string = process.env['BENCH_DATABASE_URL'] ?? ''): Promise<BenchRow[]> {
  const server = await serverProcess({ databaseUrl: url, env: { EXIT_WITH_PARENT: String(process.pid) } });
  const client = new pg.Client({ connectionString: url });
  let folder = '';
  try {
    await server.start();
    await client.connect();
    folder = await mkdtemp(join(server.dataDir, 'bench-'));
    const home = await findHome(client);
    const token = await addToken(client, home.tenantId);
    const path = join(folder, 'bench.zip');
    for (let n = 0; n < 3; n++) {
      await makeZip(path, `0.0.${n}`, 1_024 ** 2);
      await upload(server.url, token, home.tenantId, path);
    }
    const uploadMs: number[] = [];
    const copied: number[] = [];
    let extra = 0;
    for (let n = 0; n < uploads; n++) {
      await makeZip(path, `1.0.${n}`, megabytes * 1_024 ** 2);
      copied.push(await copyMs(path, join(folder, `copy-${n}`)));
      // Resets the kernel's peak of the resident memory.
      writeFileSync(`/proc/${server.pid()}/clear_refs`, '5');
      const before = memory(server.pid(), 'VmRSS');
      const started = performance.now();
      await upload(server.url, token, home.tenantId, path);
      uploadMs.push(performance.now() - started);
      extra = Math.max(extra, memory(server.pid(), 'VmHWM') - before);
    }
    const [ours, disk] = [percentile(uploadMs, 0.5), percentile(copied, 0.5)];
    return [
      {
        name: `package of ${megabytes} MB uploaded ${uploads} times: received, hashed, read, made safe on disk and recorded`,
        figures: { 'extra MB': extra, 'median ms': ours, 'MB/s': (megabytes / ours) * 1_000, 'copy and sync ms': disk },
      },
    ];
  } finally {
    await client.end();
    await server.remove();
    if (folder) await rm(folder, { recursive: true, force: true });
  }
}

if (process.argv[1] === import.meta.filename) console.log(JSON.stringify(await bench(), null, 2));
