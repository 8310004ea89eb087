import { spawn } from 'node:child_process';
import { platform } from 'node:os';
import { report, required, run } from './operation.mjs';

const outputMax = 64 * 1_024;

/** Passes the script on standard input, so that the list of processes does not show it. */
function execute(command, args, script) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'], windowsHide: true });
    let [output, errors] = ['', ''];
    child.stdout.on('data', (part) => (output = (output + part.toString()).slice(0, outputMax)));
    child.stderr.on('data', (part) => (errors = (errors + part.toString()).slice(-outputMax)));
    child.stdin.on('error', () => undefined);
    child.once('error', (error) => reject(new Error(error.code === 'ENOENT' ? `This machine has no ${command}.` : error.message)));
    child.once('close', (code) => resolve({ code: code ?? -1, output, errors }));
    child.stdin.end(script);
  });
}

async function runScript(command, args) {
  const startedAt = performance.now();
  const { code, output, errors } = await execute(command, args, `${required('Script')}\n`);
  report({
    value: output.trimEnd(),
    metrics: { ExitCode: code, Seconds: Number(((performance.now() - startedAt) / 1_000).toFixed(3)) },
    ...(errors.trim() === '' ? {} : { diagnostics: { errors: errors.trimEnd().slice(-4_000) } }),
  });
  if (code !== 0) {
    process.stderr.write(errors || `The script ended with exit code ${code}.\n`);
    process.exitCode = 1;
  }
}

await run({
  'Shell script': () => runScript('sh', ['-s']),
  'PowerShell script': () => runScript(platform() === 'win32' ? 'powershell' : 'pwsh', ['-NoProfile', '-NonInteractive', '-Command', '-']),
});
