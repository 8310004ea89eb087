import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { arch, hostname, release, version } from 'node:os';
import { join } from 'node:path';
import type { RegisterRequest } from '@cloudfit/contract/agent/messages.ts';
import { SettingsError } from './settings.ts';
import { agentVersion } from './version.ts';

const guid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Describes this machine for its registration. At the first start, creates the state folder and the machine's key in it. */
export function readMachine(stateDir: string): RegisterRequest {
  return {
    machineKey: readMachineKey(stateDir),
    machineName: hostname().slice(0, 200) || 'unnamed',
    operatingSystem: operatingSystem().slice(0, 200),
    architecture: arch(),
    agentVersion,
  };
}

function readMachineKey(stateDir: string): string {
  const file = join(stateDir, 'machine-key');
  try {
    mkdirSync(stateDir, { recursive: true, mode: 0o700 });
    const storedKey = readIfExists(file)?.trim();
    if (storedKey !== undefined && guid.test(storedKey)) return storedKey;
    const newKey = randomUUID();
    writeFileSync(`${file}.new`, `${newKey}\n`, { mode: 0o600, flush: true });
    renameSync(`${file}.new`, file);
    return newKey;
  } catch (error) {
    throw new SettingsError(`The state folder ${stateDir} cannot be written: ${(error as NodeJS.ErrnoException).code}.`, { cause: error });
  }
}

function readIfExists(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function operatingSystem(): string {
  if (process.platform === 'win32') return `${version()} ${release()}`;
  if (process.platform === 'darwin') return `macOS (Darwin ${release()})`;
  if (process.platform !== 'linux') return `${process.platform} ${release()}`;
  const name = /^PRETTY_NAME="?([^"\n]+)/m.exec(readIfExists('/etc/os-release') ?? '')?.[1] ?? `Linux ${release()}`;
  return /linux/i.test(name) ? name : `Linux, ${name}`;
}
