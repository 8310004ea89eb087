/** What a process sees on its machine that somebody must know of before it stops the installation. */
import { hostname } from 'node:os';
import type { StorageState } from '../../db/storage.ts';

export type TroubleKind = 'storage' | 'archive';

export interface Trouble {
  kind: TroubleKind;
  /** The machine. */
  name: string;
  problem: string;
  since: string;
}

const gigabytes = (bytes: number): string => `${(bytes / 1_000_000_000).toFixed(1)} GB`;

/** Returns what is wrong now; `before` has since when, for what was wrong before. */
export function troublesOf({ level, freeBytes, sizeBytes, archive }: StorageState, before: readonly Trouble[], at: Date): Trouble[] {
  const name = hostname();
  const troubles: Omit<Trouble, 'name' | 'since'>[] = [];
  const free = `${gigabytes(freeBytes)} of ${gigabytes(sizeBytes)} are free.`;
  if (level !== 'ok') troubles.push({ kind: 'storage', problem: level === 'full' ? `Writes are refused. ${free}` : free });
  if (archive?.level === 'failing')
    troubles.push({ kind: 'archive', problem: archive.error ?? 'PostgreSQL cannot write its log to the archive.' });
  return troubles.map(({ kind, problem }) => ({
    kind,
    name,
    problem,
    since: before.find((trouble) => trouble.kind === kind)?.since ?? at.toISOString(),
  }));
}
