/** Runs a script of the project with the Node that npm installed, which is newer than the one that may have started this. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { root } from './install.mjs';

const newest = 24;

/** Path of a Node that runs TypeScript. */
export function modernNode() {
  const [platform, ending] = process.platform === 'win32' ? ['win', '.exe'] : [process.platform, ''];
  const installed = join(root, `node_modules/node-${platform}-${process.arch}/bin/node${ending}`);
  if (existsSync(installed)) return installed;
  if (Number(process.versions.node.split('.')[0]) >= newest) return process.execPath;
  console.error(`Node ${newest} or newer is needed; this is ${process.versions.node}, and npm has none for ${process.platform}-${process.arch}.`);
  process.exit(1);
}

/** Environment in which every tool runs with that Node. */
export function modernEnvironment(more = {}) {
  return { ...process.env, PATH: `${join(root, 'node_modules/.bin')}${delimiter}${process.env.PATH}`, ...more };
}

/**
 * Becomes `node script args`. With `server`, the script is told to end when whoever started it is gone,
 * so that not even kill -9 of npm leaves it running.
 */
export function runNode(script, args, { server = false } = {}) {
  const node = modernNode();
  const command = [join(root, script), ...args];
  const fromNpm = process.env.npm_lifecycle_event !== undefined;
  if (process.execve && process.platform !== 'win32') {
    process.execve(node, [node, ...command], modernEnvironment(server && fromNpm ? { EXIT_WITH_PARENT: String(process.ppid) } : {}));
  }
  const child = spawn(node, command, { stdio: 'inherit', env: modernEnvironment(server ? { EXIT_WITH_PARENT: String(process.pid) } : {}) });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  const npm = process.ppid;
  if (server && fromNpm) setInterval(() => process.ppid !== npm && child.kill('SIGTERM'), 250).unref();
  child.on('error', (error) => {
    console.error(`Node cannot be started: ${error.message}`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => {
    if (signal) process.removeAllListeners(signal).kill(process.pid, signal);
    else process.exit(code ?? 1);
  });
}
