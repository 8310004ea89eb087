import { extname, join } from 'node:path';
import { executableTypes } from '@cloudfit/contract/enums.ts';
import { scriptCommand } from '../program/script-command.ts';
import type { InstalledPackage } from './installed.ts';

const script = executableTypes.find((type) => type.label === 'Script')?.value;

/** Returns the command that starts a package's executable, and its first arguments. A script's suffix selects what runs it. */
export function packageCommand({ folder, manifest }: Pick<InstalledPackage, 'folder' | 'manifest'>): [command: string, ...args: string[]] {
  const file = join(folder, manifest.executable);
  if (manifest.executableType !== script) return [file];
  const suffix = extname(file).toLowerCase();
  if (suffix === '.sh') return ['sh', file];
  if (suffix === '.ps1')
    return [process.platform === 'win32' ? 'powershell' : 'pwsh', '-NoProfile', '-ExecutionPolicy', 'Bypass', '-File', file];
  if (['.js', '.mjs', '.cjs'].includes(suffix)) return scriptCommand(file);
  return [file];
}
