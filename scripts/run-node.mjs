/** Runs a script of the project with the Node that npm installed, which is newer than the one that may have started this. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { root } from './install.mjs';

const newest = 24;

/** Path of a Node that runs TypeScript. */
export function modernNode() {
  const [platform, ending] = process.platform === 'win32' ? ['win', '.exe'] : [process.platform, ''];
  const installed = join(root, `node_modules/node-${platform}-${process.arch}/bin/node${ending}`);
  if (existsSync(installed)) return installed;
  if (Number(process.versions.node.split('.')[0]) >= newest) return process.execPath;
  console.error(
    `Node ${newest} or newer is needed; this is ${process.versions.node}, and npm has none for ${process.platform}-${process.arch}.`,
  );
  process.exit(1);
}

/** Environment in which every tool runs with that Node and uses its compile cache. */
export function modernEnvironment(more = {}) {
  return {
    ...process.env,
    PATH: `${join(root, 'node_modules/.bin')}${delimiter}${process.env.PATH}`,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(root, 'node_modules/.cache/compiled'),
    ...more,
  };
}

/**
 * Runs `node script args` in place of this process. With `server`, the script gets the ids of the processes to watch
 * (server/src/app/parent.ts), so that not even kill -9 of npm leaves it running.
 */
export function runNode(script, args, { server = false } = {}) {
  const node = modernNode();
  const command = [join(root, script), ...args];
  const building = server ? { AGENT_BUILD: process.env.AGENT_BUILD ?? 'on' } : {};
  const watched = server && process.env.npm_lifecycle_event ? npmProcesses() : [];
  if (process.execve && process.platform !== 'win32') {
    process.execve(node, [node, ...command], modernEnvironment({ ...building, EXIT_WITH_PARENT: watched.join(',') }));
  }
  const parents = server ? [process.pid, ...watched] : [];
  // A server is detached from the terminal, because Ctrl-C would reach it twice: from the terminal and from here.
  const child = spawn(node, command, {
    stdio: 'inherit',
    detached: server,
    env: modernEnvironment({ ...building, EXIT_WITH_PARENT: parents.join(',') }),
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => (server || signal !== 'SIGINT') && child.kill(signal));
  child.on('error', (error) => {
    console.error(`Node cannot be started: ${error.message}`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => {
    if (signal) process.removeAllListeners(signal).kill(process.pid, signal);
    else process.exit(code ?? 1);
  });
}

/** The parent process, usually a shell, and npm itself. */
function npmProcesses() {
  try {
    const [, name, , parent] = /^\d+ \((.*)\) (\S) (\d+)/.exec(readFileSync(`/proc/${process.ppid}/stat`, 'utf8'));
    return name.startsWith('npm') ? [process.ppid] : [process.ppid, Number(parent)];
  } catch {
    return [process.ppid];
  }
}
