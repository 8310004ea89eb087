import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { arch, hostname, release, version } from 'node:os';
import { join } from 'node:path';
import type { MachineFacts } from '@cloudfit/contract/agent/machine-facts.ts';
import type { RegisterRequest } from '@cloudfit/contract/agent/messages.ts';
import { SettingsError } from './settings.ts';
import { agentVersion } from './version.ts';

const guid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Describes this machine and this process for the registration. */
export function readMachine(stateDir: string, facts: MachineFacts): RegisterRequest & { instanceId: string } {
  return {
    machineKey: readMachineKey(stateDir) ?? renewMachineKey(stateDir),
    machineName: hostname().slice(0, 200) || 'unnamed',
    operatingSystem: operatingSystem().slice(0, 200),
    architecture: arch(),
    agentVersion,
    instanceId: randomUUID(),
    facts,
  };
}

/** Stores and returns a new key, by which the server takes this machine for a new one. */
export function renewMachineKey(stateDir: string): string {
  const file = keyFile(stateDir);
  const newKey = randomUUID();
  writeFileSync(`${file}.new`, `${newKey}\n`, { mode: 0o600, flush: true });
  renameSync(`${file}.new`, file);
  return newKey;
}

const keyFile = (stateDir: string): string => join(stateDir, 'machine-key');

/** Creates the state folder and the machine's key in it, unless they are there. */
export function prepareStateFolder(stateDir: string): void {
  try {
    mkdirSync(stateDir, { recursive: true, mode: 0o700 });
    if (readMachineKey(stateDir) === undefined) renewMachineKey(stateDir);
  } catch (error) {
    throw new SettingsError(`The state folder ${stateDir} cannot be written: ${(error as NodeJS.ErrnoException).code}.`, { cause: error });
  }
}

function readMachineKey(stateDir: string): string | undefined {
  const storedKey = readIfExists(keyFile(stateDir))?.trim();
  return storedKey !== undefined && guid.test(storedKey) ? storedKey : undefined;
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
