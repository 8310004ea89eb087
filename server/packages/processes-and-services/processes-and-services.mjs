import { execFile } from 'node:child_process';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { platform } from 'node:os';
import { basename } from 'node:path';
import { promisify } from 'node:util';
import { kernelFilesOf } from '@cloudfit/contract/machine/kernel-files.ts';
import { fitsPattern, hasEnded, isSuspended, readProcesses } from '@cloudfit/contract/machine/processes.ts';
import { systemdReport, windowsReport } from '@cloudfit/contract/machine/services.ts';
import { windowsProcesses, windowsProcessScript } from '@cloudfit/contract/machine/windows.ts';
import { CouldNotLook, report, reportUnknown, required, run, text } from './operation.mjs';

const execute = promisify(execFile);
const maxBuffer = 64 * 1024 ** 2;

async function windowsList() {
  const encoded = Buffer.from(windowsProcessScript, 'utf16le').toString('base64');
  const args = ['-NoProfile', '-NonInteractive', '-ExecutionPolicy', 'Bypass', '-EncodedCommand', encoded];
  const { stdout } = await execute('powershell', args, { timeout: 45_000, maxBuffer, windowsHide: true }).catch((error) => {
    throw new CouldNotLook(
      `PowerShell does not list the processes: ${
        String(error.stderr || error.message)
          .trim()
          .split('\n')[0]
      }`,
    );
  });
  return { processes: windowsProcesses(stdout), isPartial: false };
}

async function macList() {
  const { stdout } = await execute('ps', ['-axwwo', 'pid=,rss=,stat=,user=,comm='], { maxBuffer });
  const processes = [...stdout.matchAll(/^\s*(\d+)\s+(\d+)\s+(\S)\S*\s+(\S+)\s+(.+)$/gm)].map(([, id, rss, state, user, path]) => ({
    id: Number(id),
    names: [path, basename(path)],
    commandLine: path,
    user,
    state,
    memoryBytes: Number(rss) * 1_024,
  }));
  return { processes, isPartial: false };
}

async function linuxList() {
  const list = await readProcesses(kernelFilesOf({ readFile, readdir, readlink }));
  if (!list) throw new CouldNotLook('The processes of this machine cannot be read');
  return list;
}

const list = { linux: linuxList, win32: windowsList }[platform()] ?? macList;

async function processState() {
  const pattern = { name: text('Name'), commandLine: text('Command line'), unit: text('Unit'), user: text('User') };
  if (Object.values(pattern).every((item) => item === '')) throw new Error('Name, Command line, Unit or User is required.');
  if (platform() === 'win32' && pattern.user !== '') throw new Error('User is read on Linux and macOS only.');
  const { processes, isPartial } = await list();
  const all = processes.filter((process) => fitsPattern(process, pattern));
  const living = all.filter((item) => !hasEnded(item));
  const suspended = living.filter(isSuspended);
  if (living.length === 0 && isPartial) throw new CouldNotLook('This machine hides the processes of other users from the agent (hidepid)');
  const isUp = living.length > suspended.length;
  const ended = all.length - living.length;
  report({
    value: living.length,
    metrics: {
      Up: isUp ? 1 : 0,
      Processes: living.length,
      Suspended: suspended.length,
      Zombies: ended,
      MemoryBytes: living.reduce((sum, item) => sum + item.memoryBytes, 0),
    },
    states: { Process: isUp ? 'Running' : living.length > 0 ? 'Suspended' : 'Stopped' },
    ...(ended > 0 && { message: `${ended} more have ended, but their parent has not taken their exit code (zombies).` }),
  });
}

async function windowsService(name) {
  const { stdout, code } = await execute('sc.exe', ['query', name]).catch((error) => ({
    stdout: String(error.stdout ?? ''),
    code: error.code,
  }));
  return windowsReport(stdout, Number(code ?? 0));
}

async function systemdService(name) {
  const { stdout } = await execute('systemctl', ['show', '--property=LoadState,ActiveState,SubState', '--', name]).catch((error) => {
    throw new CouldNotLook(error.code === 'ENOENT' ? 'This machine has no systemd' : (error.stderr || error.message).trim());
  });
  return systemdReport(stdout);
}

async function serviceState() {
  const name = required('Name');
  const { state, isUp, states, message } = platform() === 'win32' ? await windowsService(name) : await systemdService(name);
  if (isUp === undefined) return reportUnknown('Service', message, { states });
  report({ value: state, metrics: { Up: isUp ? 1 : 0 }, states: { Service: state, ...states } });
}

// The state of each operation has its name.
await run({ Process: processState, Service: serviceState }, process.env['CLOUDFIT_OPERATION']);
