/** Starts a program in the session of the person who is signed in at this machine. */
import { execFile } from 'node:child_process';
import { cp, chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { RunError } from './parameters.ts';

const run = promisify(execFile);
const timeout = 5_000;

export const nobodyText = 'Nobody is signed in at this machine, and the run mode of the operation is Interactive.';
const windowsText =
  'The run mode Interactive is not possible on Windows: only a service of the system may start programs in the session of a person. Choose the run mode System.';
const macText = 'The run mode Interactive is not possible on macOS. Choose the run mode System.';

/** Environment variables that a program needs to appear in the person's session. */
const sessionVariables = [
  'DISPLAY',
  'WAYLAND_DISPLAY',
  'XAUTHORITY',
  'XDG_RUNTIME_DIR',
  'XDG_SESSION_TYPE',
  'DBUS_SESSION_BUS_ADDRESS',
  'LANG',
];

interface LoginSession {
  user: string;
  uid: number;
  leader: number;
}

/** Returns the active session of a person; undefined when nobody is signed in. */
async function activeSession(): Promise<LoginSession | undefined> {
  let list: string;
  try {
    list = (await run('loginctl', ['list-sessions', '--no-legend', '--no-pager'], { timeout })).stdout;
  } catch (error) {
    throw new RunError(`The run mode Interactive needs loginctl, which cannot be asked on this machine (${reasonOf(error)}).`, {
      cause: error,
    });
  }
  for (const id of list.split('\n').flatMap((line) => line.trim().split(/\s+/)[0] || [])) {
    const properties = ['Name', 'User', 'Leader', 'Active', 'Class'].flatMap((name) => ['-p', name]);
    const { stdout } = await run('loginctl', ['show-session', id, ...properties], { timeout }).catch(() => ({ stdout: '' }));
    const shown = Object.fromEntries(stdout.split('\n').map((line) => line.split(/=(.*)/s).slice(0, 2)));
    if (shown['Active'] === 'yes' && shown['Class'] === 'user' && shown['Name'])
      return { user: shown['Name'], uid: Number(shown['User']), leader: Number(shown['Leader']) };
  }
  return undefined;
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' ? 'it is not installed' : (message.split('\n')[0] ?? 'no answer');
}

async function environmentOf({ leader, user, uid }: LoginSession): Promise<Record<string, string>> {
  const text = await readFile(`/proc/${leader}/environ`, 'utf8').catch(() => '');
  const all = new Map(
    text.split('\0').flatMap((line) => (line.includes('=') ? [line.split(/=(.*)/s).slice(0, 2) as [string, string]] : [])),
  );
  const entries = sessionVariables.flatMap((name) => {
    const value = all.get(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return { XDG_RUNTIME_DIR: `/run/user/${uid}`, ...Object.fromEntries(entries), USER: user, LOGNAME: user };
}

interface SessionCommand {
  command: readonly string[];
  env: NodeJS.ProcessEnv;
  folder: string;
  /** Removes the copy of the program, if there is one; call it after the run. */
  remove(): Promise<void>;
}

/**
 * Prepares a program to run in the session of the signed-in person. Accounts other than the agent's cannot enter the state
 * folder, so for such an account a copy of the program is made, which only the agent may change.
 */
export async function placeInSession(program: Omit<SessionCommand, 'remove'>): Promise<SessionCommand> {
  if (process.platform === 'win32') throw new RunError(windowsText);
  if (process.platform !== 'linux') throw new RunError(macText);
  const session = await activeSession();
  if (!session) throw new RunError(nobodyText);
  const env = { ...program.env, ...(await environmentOf(session)) };
  const ownUid = process.getuid?.();
  if (ownUid === session.uid) return { ...program, env, remove: async () => undefined };
  if (ownUid !== 0)
    throw new RunError(`${session.user} is signed in, and the agent may not start programs for other people: it does not run as root.`);
  const folder = await mkdtemp(join(tmpdir(), 'cloudfit-session-'));
  await cp(program.folder, folder, { recursive: true });
  await run('chmod', ['-R', 'a+rX,go-w', folder], { timeout });
  await chmod(folder, 0o755);
  const moved = program.command.map((part) => (part.startsWith(program.folder) ? folder + part.slice(program.folder.length) : part));
  return {
    command: ['runuser', '-u', session.user, '--', ...moved],
    env,
    folder,
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
