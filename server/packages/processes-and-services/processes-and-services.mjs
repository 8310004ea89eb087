import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { platform } from 'node:os';
import { basename } from 'node:path';
import { promisify } from 'node:util';
import { report, required, run } from './operation.mjs';

const execute = promisify(execFile);
const maxBuffer = 16 * 1024 ** 2;

/**
 * Lists id, names and memory of each process. The Linux kernel cuts a name to 15 characters, so the command line is read as
 * well.
 */
async function processes() {
  if (platform() === 'linux') {
    const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
    const rows = await Promise.all(
      ids.map(async (id) => {
        const status = await readFile(`/proc/${id}/status`, 'utf8').catch(() => '');
        const command = await readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '');
        const names = [/^Name:\s+(.+)$/m.exec(status)?.[1] ?? '', basename(command.split('\0')[0] ?? '')];
        return { names, memoryBytes: Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) * 1_024 };
      }),
    );
    return rows;
  }
  if (platform() === 'win32') {
    const { stdout } = await execute('tasklist', ['/fo', 'csv', '/nh'], { maxBuffer });
    return [...stdout.matchAll(/^"([^"]+)","\d+","[^"]*","[^"]*","([^"]*)"/gm)].map(([, name, size]) => ({
      names: [name, name.replace(/\.exe$/i, '')],
      memoryBytes: Number(size.replaceAll(/\D/g, '')) * 1_024,
    }));
  }
  const { stdout } = await execute('ps', ['-axo', 'rss=,comm='], { maxBuffer });
  return [...stdout.matchAll(/^\s*(\d+)\s+(.+)$/gm)].map(([, rss, name]) => ({
    names: [name, basename(name)],
    memoryBytes: Number(rss) * 1_024,
  }));
}

async function processState() {
  const name = required('Name').toLowerCase();
  const all = (await processes()).filter(({ names }) => names.some((one) => one.toLowerCase() === name));
  const memoryBytes = all.reduce((sum, one) => sum + one.memoryBytes, 0);
  report({
    value: all.length,
    metrics: { Up: all.length > 0 ? 1 : 0, Processes: all.length, MemoryBytes: memoryBytes },
    states: { Process: all.length > 0 ? 'Running' : 'Stopped' },
  });
}

const windowsStates = { 1: 'Stopped', 2: 'Starting', 3: 'Stopping', 4: 'Running', 7: 'Paused' };

async function windowsService(name) {
  const { stdout } = await execute('sc.exe', ['query', name]).catch((error) => ({ stdout: String(error.stdout ?? '') }));
  // Reads the number of the state, because the label may be translated: `STATE : 4  RUNNING`.
  const [, code] = /^\s+\S+\s+:\s+(\d)\s+[A-Z_]+\s*\r?$/m.exec(stdout.split(/\r?\n/).slice(3).join('\n')) ?? [];
  return code === undefined ? 'Missing' : (windowsStates[code] ?? 'Unknown');
}

async function systemdService(name) {
  const { stdout } = await execute('systemctl', ['show', '--property=LoadState,ActiveState,SubState', '--', name]).catch((error) => {
    throw new Error(error.code === 'ENOENT' ? 'This machine has no systemd.' : (error.stderr || error.message).trim());
  });
  const field = (key) => new RegExp(`^${key}=(.*)$`, 'm').exec(stdout)?.[1] ?? '';
  if (field('LoadState') === 'not-found') return 'Missing';
  return { active: 'Running', failed: 'Failed', activating: 'Starting', deactivating: 'Stopping' }[field('ActiveState')] ?? 'Stopped';
}

async function serviceState() {
  const name = required('Name');
  const state = platform() === 'win32' ? await windowsService(name) : await systemdService(name);
  report({ value: state, metrics: { Up: state === 'Running' ? 1 : 0 }, states: { Service: state } });
}

await run({ Process: processState, Service: serviceState });
