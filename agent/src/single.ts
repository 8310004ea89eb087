/** One agent per state folder: a second one would send the same packets and cut the first one's files. */
import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SettingsError } from './settings.ts';

/** A name that the system frees when its owner dies, however it dies (on macOS a file that may have to be removed). */
function lockName(stateDir: string): string {
  const name = `cloudfit-agent-${createHash('sha256').update(stateDir).digest('hex').slice(0, 24)}`;
  if (process.platform === 'linux') return `\0${name}`;
  return process.platform === 'win32' ? `\\\\.\\pipe\\${name}` : join(tmpdir(), `${name}.sock`);
}

/** Resolves when this process alone holds the folder. An agent that is just ending gets 5 s to do so. */
export async function holdAlone(stateDir: string, patienceMs = 5_000): Promise<() => void> {
  const name = lockName(stateDir);
  for (const until = Date.now() + patienceMs; ;) {
    const release = await tryHold(name);
    if (release) return release;
    if (name.endsWith('.sock') && !(await isAlive(name))) rmSync(name, { force: true });
    if (Date.now() > until) throw new SettingsError(`Another agent uses the state folder ${stateDir}.`);
    await sleep(100);
  }
}

function tryHold(name: string): Promise<(() => void) | undefined> {
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
