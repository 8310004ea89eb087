import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { constants, platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { report, required, round, run } from './operation.mjs';

/** The maximum length of each half of an output: its beginning and its end. */
const halfMax = 32 * 1_024;
/** Milliseconds after the end of the script for which output of processes that it started is still read. */
const leftoverMs = 500;

/** Makes a folder that only this account can enter. The agent removes its folder of the run, however the run ends. */
function privateFolder() {
  const folder = process.env['CLOUDFIT_RUN_FOLDER'];
  try {
    if (folder) mkdirSync(folder, { mode: 0o700 });
    if (folder) return folder;
  } catch {
    // Another account, in the run mode Interactive, cannot enter the folder of the agent.
  }
  const temporary = mkdtempSync(join(tmpdir(), 'cloudfit-script-'));
  const remove = () => rmSync(temporary, { recursive: true, force: true });
  process.once('exit', remove);
  process.once('SIGTERM', () => process.exit(128 + constants.signals.SIGTERM));
  return temporary;
}

/** Collects a text; of a long one, its beginning and its end. */
function collect(stream) {
  let [head, tail, length] = ['', '', 0];
  stream.setEncoding('utf8').on('data', (part) => {
    length += part.length;
    const room = halfMax - head.length;
    head += part.slice(0, room);
    if (room < part.length) tail = (tail + part.slice(Math.max(room, 0))).slice(-halfMax);
  });
  return () => (length > 2 * halfMax ? `${head}\n... ${length - 2 * halfMax} characters are left out ...\n${tail}` : head + tail);
}

/** Runs a program without standard input, so that nothing in the script can read the rest of the script. */
function execute([command, ...args]) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true });
    const [output, errors] = [collect(child.stdout), collect(child.stderr)];
    let timer;
    child.once('error', (error) => reject(new Error(error.code === 'ENOENT' ? `This machine has no ${command}.` : error.message)));
    child.once('exit', () => {
      timer = setTimeout(() => {
        child.stdout.destroy();
        child.stderr.destroy();
      }, leftoverMs);
    });
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      resolve({ code: code ?? 128 + (constants.signals[signal] ?? 0), output: output(), errors: errors() });
    });
  });
}

/** Writes the script to a private file, because the list of processes shows arguments. */
function fileOf(name, script) {
  const path = join(privateFolder(), name);
  writeFileSync(path, script, { mode: 0o600, flag: 'wx' });
  return path;
}

/** Returns the interpreter that the first line of a script names, with its argument; sh without such a line. */
function interpreterOf(script) {
  const [, interpreter, argument] = /^#!\s*(\S+)[^\S\n]*([^\n]*?)\s*(?:\n|$)/.exec(script) ?? [];
  if (interpreter === undefined) return ['sh'];
  return argument === '' ? [interpreter] : [interpreter, argument];
}

async function runScript(command) {
  const startedAt = performance.now();
  const { code, output, errors } = await execute(command);
  report({
    value: output.trimEnd(),
    metrics: { ExitCode: code, Seconds: round((performance.now() - startedAt) / 1_000, 3) },
    ...(errors.trim() === '' ? {} : { diagnostics: { errors: errors.trimEnd().slice(-4_000) } }),
  });
  if (code === 0) return;
  process.stderr.write(errors || `The script ended with exit code ${code}.\n`);
  process.exitCode = code;
}

function runShell() {
  // Line breaks of Windows are part of the words for a shell.
  const script = `${required('Script').replaceAll('\r\n', '\n')}\n`;
  return runScript([...interpreterOf(script), fileOf('script', script)]);
}

function runPowerShell() {
  // Windows PowerShell reads a file without a byte order mark in the code page of the machine.
  const path = fileOf('script.ps1', `\ufeff${required('Script')}\n`);
  const command = platform() === 'win32' ? 'powershell' : 'pwsh';
  return runScript([command, '-NoProfile', '-NonInteractive', '-ExecutionPolicy', 'Bypass', '-File', path]);
}

await run({ 'Shell script': runShell, 'PowerShell script': runPowerShell });
