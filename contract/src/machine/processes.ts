/** Processes by `/proc`: what somebody calls them, the unit and the user that they belong to, and whether they live. */
import { startOf } from '../one-line.ts';
import type { KernelFiles } from './kernel-files.ts';

export interface MachineProcess {
  id: number;
  /** What the kernel calls it (15 characters, or a thread), and the program. */
  names: readonly string[];
  /** Name of the program, or the title that it gave itself: `node`, `nginx: worker process`. */
  title: string;
  /** The command line; a secret in it is not masked. */
  commandLine: string;
  /** Unit of systemd, or container; undefined if it belongs to none. */
  unit: string | undefined;
  user: string | undefined;
  /** The letter of the kernel, such as `R`, `S`, or `Z` of one that has ended. */
  state: string;
  memoryBytes: number;
}

export interface ProcessList {
  processes: readonly MachineProcess[];
  /** Whether processes of other users may be hidden from this one. */
  isPartial: boolean;
}

const maxTitleLength = 80;
const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** Splits a command line; some programs write all of it into one argument, as a title or with blanks. */
function programOf(args: readonly string[], kernelName: string): { program: string; title: string } {
  const [first = ''] = args;
  if (first.trim() === '') return { program: kernelName, title: kernelName };
  // `sshd: root@pts/0` and `postgres: writer process` are titles, in which a slash separates no folder.
  const [, titled] = /^(\S+): /.exec(first) ?? [];
  if (titled !== undefined) return { program: baseName(titled), title: startOf(first.trim(), maxTitleLength) };
  const path = args.length === 1 ? (first.split(' -')[0] ?? first) : first;
  // A login shell has a dash before its name.
  const program = baseName(path.trimEnd()).replace(/^-/, '') || kernelName;
  return { program, title: startOf(program, maxTitleLength) };
}

/** Returns the unit of systemd or the container in a text of `/proc/.../cgroup`. */
export function unitOf(groups: string): string | undefined {
  const path = /^0::(.*)$/m.exec(groups)?.[1] ?? /^\d+:name=systemd:(.*)$/m.exec(groups)?.[1] ?? '';
  const parts = path.split('/').filter((part) => part !== '');
  const unit = parts.findLast((part) => /\.(service|scope)$/.test(part)) ?? parts.findLast((part) => /^[\da-f]{64}$/.test(part));
  // A container has its id there, of which twelve characters are usual.
  return unit?.replace(/[\da-f]{64}/, (id) => id.slice(0, 12));
}

/** Returns names of users by their number. */
export function usersOf(passwd: string): ReadonlyMap<string, string> {
  return new Map(
    passwd.split('\n').flatMap((line) => {
      const [name, , id] = line.split(':');
      return name && id ? [[id, name] as const] : [];
    }),
  );
}

async function readProcess(files: KernelFiles, id: string, users: ReadonlyMap<string, string>): Promise<MachineProcess | undefined> {
  const [status, command = '', groups = ''] = await Promise.all(
    ['status', 'cmdline', 'cgroup'].map((name) => files.read(`/proc/${id}/${name}`)),
  );
  if (status === undefined) return undefined;
  const field = (name: string) => new RegExp(`^${name}:\\s+(\\S.*)$`, 'm').exec(status)?.[1] ?? '';
  const kernelName = field('Name');
  const args = command.replace(/\0+$/, '').split('\0');
  const { program, title } = programOf(args, kernelName);
  const userId = field('Uid').split(/\s+/)[0] ?? '';
  return {
    id: Number(id),
    names: [...new Set([kernelName, program])],
    title,
    commandLine: args.join(' ').trim(),
    unit: unitOf(groups),
    user: users.get(userId) ?? (userId || undefined),
    state: field('State').charAt(0),
    memoryBytes: (Number.parseInt(field('VmRSS'), 10) || 0) * 1_024,
  };
}

const idsOf = async (files: KernelFiles): Promise<string[]> => (await files.list('/proc')).filter((name) => /^\d+$/.test(name));

/** Whether /proc is mounted with the option `hidepid`, with which it shows a user only its own processes. */
async function hidesProcesses(files: KernelFiles): Promise<boolean> {
  const mounts = (await files.read('/proc/self/mountinfo')) ?? '';
  if (!/^\S+ \S+ \S+ \S+ \/proc .*\bhidepid=(?:[124]|noaccess|invisible|ptraceable)\b/m.test(mounts)) return false;
  return (await files.read('/proc/1/status')) === undefined;
}

/** Reads all processes; undefined if the kernel's table cannot be read. */
export async function readProcesses(files: KernelFiles): Promise<ProcessList | undefined> {
  const ids = await idsOf(files);
  if (ids.length === 0) return undefined;
  const users = usersOf((await files.read('/etc/passwd')) ?? '');
  const rows = await Promise.all(ids.map((id) => readProcess(files, id, users)));
  return { processes: rows.filter((row) => row !== undefined), isPartial: await hidesProcesses(files) };
}

/** Counts the processes, and those that have ended but are still listed; undefined if some are hidden. */
export async function countProcesses(files: KernelFiles): Promise<{ processes: number; zombies: number } | undefined> {
  const ids = await idsOf(files);
  if (ids.length === 0 || (await hidesProcesses(files))) return undefined;
  const rows = await Promise.all(ids.map((id) => files.read(`/proc/${id}/stat`)));
  const present = rows.filter((row) => row !== undefined);
  // The name before the state may contain brackets and blanks.
  return { processes: present.length, zombies: present.filter((row) => /\) [ZXx] [^)]*$/.test(row)).length };
}

/** Whether a process has ended, and is only listed because nobody has asked for its result. */
export const hasEnded = ({ state }: MachineProcess): boolean => state === 'Z' || state === 'X' || state === 'x';
/** Whether a signal or a debugger has stopped a process. */
export const isSuspended = ({ state }: MachineProcess): boolean => state === 'T' || state === 't';

export interface ProcessPattern {
  name: string;
  /** A part of the command line. */
  commandLine: string;
  unit: string;
  user: string;
}

/** Whether a process is what a pattern describes; an empty text describes all. */
export function fitsPattern({ names, commandLine, unit = '', user }: MachineProcess, pattern: ProcessPattern): boolean {
  const name = pattern.name.toLowerCase();
  return (
    (name === '' || names.some((candidate) => candidate.toLowerCase() === name || candidate.toLowerCase() === `${name}.exe`)) &&
    (pattern.commandLine === '' || commandLine.includes(pattern.commandLine)) &&
    (pattern.unit === '' || unit === pattern.unit || unit === `${pattern.unit}.service`) &&
    (pattern.user === '' || user === pattern.user)
  );
}

const mark = '***';
const secretName = String.raw`[\w.-]*(?:pass|pwd|secret|token|key|credential|auth)[\w.-]*`;

/** Returns a command line without the passwords that stand in it, because it leaves the machine. */
export function maskSecrets(commandLine: string): string {
  return commandLine
    .replaceAll(/(:\/\/[^\s/:@]*):[^\s/@]+@/g, `$1:${mark}@`)
    .replaceAll(new RegExp(`(${secretName}[=:])\\S+`, 'gi'), `$1${mark}`)
    .replaceAll(new RegExp(`(\\s--?${secretName}\\s+)(?!-)\\S+`, 'gi'), `$1${mark}`)
    .replaceAll(/\b(bearer|basic)\s+\S+/gi, `$1 ${mark}`)
    .replaceAll(/(\s(?:-u|--user)\s+[^\s:]+):\S+/g, `$1:${mark}`)
    .replaceAll(/^(\S*(?:mysql|mariadb|sshpass)\S*\s(?:.*\s)?-p)\S+/g, `$1${mark}`);
}
