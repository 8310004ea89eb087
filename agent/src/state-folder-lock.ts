/** Allows one agent per state folder: a second one would send the same packets and truncate the files of the first. */
import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SettingsError } from './settings.ts';

/**
 * Returns the name of the socket or pipe that is the lock. The system releases the name when the process ends in any way; on
 * systems such as macOS a file may remain, which `lockStateFolder` removes.
 */
function lockName(stateDir: string): string {
  const name = `cloudfit-agent-${createHash('sha256').update(stateDir).digest('hex').slice(0, 24)}`;
  if (process.platform === 'linux') return `\0${name}`;
  return process.platform === 'win32' ? `\\\\.\\pipe\\${name}` : join(tmpdir(), `${name}.sock`);
}

/** Locks the state folder; returns the function that releases it. Waits up to `maxWaitMs` for an agent that is about to end. */
export async function lockStateFolder(stateDir: string, maxWaitMs = 5_000): Promise<() => void> {
  const name = lockName(stateDir);
  for (const giveUpAt = Date.now() + maxWaitMs; ;) {
    const release = await tryLock(name);
    if (release) return release;
    if (name.endsWith('.sock') && !(await isAlive(name))) rmSync(name, { force: true });
    if (Date.now() > giveUpAt) throw new SettingsError(`Another agent uses the state folder ${stateDir}.`);
    await sleep(100);
  }
}

function tryLock(name: string): Promise<(() => void) | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' || error.code === 'EACCES' ? resolve(undefined) : reject(error),
    );
    server.listen(name, () => {
      server.unref();
      resolve(() => void server.close());
    });
  });
}

function isAlive(name: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(name, () => resolve(true));
    socket.on('error', () => resolve(false));
    socket.on('close', () => socket.destroy());
  });
}
