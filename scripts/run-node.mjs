/** Runs a script of the project with the Node that npm installed, because the Node of this process may be older. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { root } from './install.mjs';

const newest = 24;

/** The compile cache of everything that runs from its sources. */
export const compiledFolder = join(root, 'node_modules/.cache/compiled');

/**
 * Flags of a server. Node lets each half of the young generation grow to 64 MiB and never gives it back, so that a server that
 * was busy once stays 100 MB larger. 16 MiB hold what some hundred requests allocate between two collections. A calm server collects
 * by itself (server/src/app/calm-memory.ts).
 */
const serverFlags = ['--max-semi-space-size=16', '--expose-gc'];

/**
 * Settings of a server that somebody may set otherwise. The C library gives each thread a heap of its own, up to eight for each core, which
 * hold 8 MB that the few threads of Node no longer need.
 */
const serverSettings = { AGENT_BUILD: 'on', MALLOC_ARENA_MAX: '2' };

/** Returns the path of a Node that runs TypeScript. */
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

/** Returns the environment in which every tool runs with this Node and its compile cache. */
export function modernEnvironment(more = {}) {
  return {
    ...process.env,
    PATH: `${join(root, 'node_modules/.bin')}${delimiter}${process.env.PATH}`,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? compiledFolder,
    ...more,
  };
}

/**
 * Runs `node script args` in place of this process; if that is impossible, as a child. With `server`, the script gets the
 * ids of the processes to watch (server/src/app/parent.ts), so that the script ends with npm even after kill -9 of npm.
 */
export function runNode(script, args, { server = false, compileCache = compiledFolder } = {}) {
  const node = modernNode();
  const program = resolve(root, script);
  const command = [...(server ? serverFlags : []), program, ...args];
  const cache = { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? compileCache };
  const settings = server ? Object.fromEntries(Object.entries(serverSettings).filter(([name]) => process.env[name] === undefined)) : {};
  const watched = server && process.env.npm_lifecycle_event ? npmProcesses() : [];
  if (process.execve && process.platform !== 'win32') {
    process.execve(node, [node, ...command], modernEnvironment({ ...cache, ...settings, EXIT_WITH_PARENT: watched.join(',') }));
  }
  const parents = server ? [process.pid, ...watched] : [];
  // A server is detached from the terminal, because Ctrl-C would reach it twice: from the terminal and from this process.
  const child = spawn(node, command, {
    stdio: 'inherit',
    detached: server,
    env: modernEnvironment({ ...cache, ...settings, EXIT_WITH_PARENT: parents.join(',') }),
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

/** Returns the ids of npm and, if npm has started a shell, of the shell that started this process. */
function npmProcesses() {
  try {
    const [, name, , parent] = /^\d+ \((.*)\) (\S) (\d+)/.exec(readFileSync(`/proc/${process.ppid}/stat`, 'utf8'));
    return name.startsWith('npm') ? [process.ppid] : [process.ppid, Number(parent)];
  } catch {
    return [process.ppid];
  }
}
