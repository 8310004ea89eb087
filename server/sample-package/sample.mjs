// Starts the script of this operating system. The agent brings the Node that runs this file.
import { spawn } from 'node:child_process';

const [program, ...first] =
  process.platform === 'win32' ? ['powershell', '-NoProfile', '-ExecutionPolicy', 'Bypass', '-File', 'sample.ps1'] : ['sh', 'sample.sh'];

const child = spawn(program, [...first, ...process.argv.slice(2)], { stdio: 'inherit', cwd: import.meta.dirname });
child.on('error', (error) => {
  console.error(`${program} could not be started: ${error.message}`);
  process.exitCode = 1;
});
child.on('exit', (code) => (process.exitCode = code ?? 1));
