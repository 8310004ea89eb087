import { messageOf } from '@cloudfit/contract/errors.ts';

/** Why a package cannot be installed or removed, in words for the people who look at the device. */
export class PackageFault extends Error {
  override name = 'PackageFault';
}

const spaceCodes = new Set(['ENOSPC', 'EDQUOT']);

/** Returns the reason, for people, of any error that ended an installation. */
export function reasonOf(error: unknown): string {
  if (error instanceof PackageFault) return error.message;
  const code = (error as NodeJS.ErrnoException | null)?.code ?? '';
  if (spaceCodes.has(code)) return 'The disk of this machine is full.';
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return `The agent may not write its files (${code}: ${(error as NodeJS.ErrnoException).path ?? 'unknown path'}).`;
  return messageOf(error);
}
