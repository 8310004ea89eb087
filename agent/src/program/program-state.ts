/**
 * Which executable of the agent runs: the installed one, or one that came as a package. Every change is one rename, so that a
 * process that is killed during a change leaves either the old or the new state.
 */
import { randomUUID } from 'node:crypto';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';

/** The maximum number of starts in a trial, among them restarts of the machine, or of the agent by a service manager. */
const maxStarts = 3;

const program = z.object({ version: z.string(), file: z.string() });
const stateSchema = z.object({
  /** Null: the installed executable. */
  current: z.nullable(program),
  candidate: z.nullable(
    program.extend({ packageId: z.string(), packageVersionId: z.string(), since: z.nullable(z.int()), starts: z.int() }),
  ),
  /** The last version that was tried and did not report to the server. */
  refused: z.nullable(
    z.object({ version: z.string(), packageId: z.string(), packageVersionId: z.string(), reason: z.string(), isReported: z.boolean() }),
  ),
  /** The handovers since the last report of an agent: from the installed supervisor to that of the version in use. */
  handovers: z.optional(z.int()),
});
type State = z.infer<typeof stateSchema>;

const nothing: State = { current: null, candidate: null, refused: null };

/** The maximum of `handovers`; after it, the installed supervisor starts the agent. */
const maxHandovers = 3;

/** The executable to start; `file` is null for the installed one. */
export interface Plan {
  file: string | null;
  version: string;
  /** Milliseconds that remain for the trial of a new version. */
  trialLeftMs?: number;
}

export const lateReason = (trialMs: number): string => `It did not report within ${trialMs / 1_000} s.`;

export function openProgramState(stateDir: string) {
  const folder = join(stateDir, 'program');
  const stateFile = join(folder, 'state.json');

  function read(): State {
    try {
      return stateSchema.parse(JSON.parse(readFileSync(stateFile, 'utf8')));
    } catch {
      return nothing;
    }
  }

  function change(changes: Partial<State>): void {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(`${stateFile}.new`, JSON.stringify({ ...read(), ...changes }), { mode: 0o600, flush: true });
    renameSync(`${stateFile}.new`, stateFile);
  }

  /** Removes executables that are neither current nor candidate, such as those of an interrupted `propose`. */
  function sweep(): void {
    const { current, candidate } = read();
    const named = new Set([current, candidate].map((item) => item && basename(dirname(item.file))));
    if (!existsSync(folder)) return;
    for (const entry of readdirSync(folder, { withFileTypes: true }))
      if (entry.isDirectory() && !named.has(entry.name)) rmSync(join(folder, entry.name), { recursive: true, force: true });
  }

  const refuse = (reason: string): void => {
    const { candidate } = read();
    if (!candidate) return;
    const { version, packageId, packageVersionId } = candidate;
    change({ candidate: null, refused: { version, packageId, packageVersionId, reason, isReported: false } });
  };

  return {
    /** Copies an executable and makes the copy the candidate of the next trial. */
    propose: (source: string, next: { version: string; packageId: string; packageVersionId: string }): void => {
      sweep();
      const newFolder = join(folder, randomUUID());
      mkdirSync(newFolder, { recursive: true, mode: 0o700 });
      const file = join(newFolder, process.platform === 'win32' ? 'cloudfit-agent.exe' : 'cloudfit-agent');
      copyFileSync(source, file);
      chmodSync(file, 0o700);
      const { version, packageId, packageVersionId } = next;
      change({ candidate: { version, file, packageId, packageVersionId, since: null, starts: 0 } });
    },
    /**
     * Returns the version whose supervisor is to replace the installed supervisor, if any. Counts handovers; returns `failed`
     * when the last ones led to no report of an agent.
     */
    handOver: (installedVersion: string): { file: string; version: string } | 'failed' | undefined => {
      const { current, handovers = 0 } = read();
      if (!current || !existsSync(current.file) || !isNewer(current.version, installedVersion)) return undefined;
      if (handovers >= maxHandovers) return 'failed';
      change({ handovers: handovers + 1 });
      return current;
    },
    /** Returns the executable to start now. `installedVersion`: version of the installed one. `trialMs`: length of a trial. */
    plan: (installedVersion: string, trialMs: number): Plan => {
      const installed: Plan = { file: null, version: installedVersion };
      const { candidate } = read();
      if (candidate) {
        const since = candidate.since ?? Date.now();
        // Limited to `trialMs`, because a clock that was set back must not make the trial longer.
        const leftMs = Math.min(trialMs, since + trialMs - Date.now());
        if (existsSync(candidate.file) && leftMs > 0 && candidate.starts < maxStarts) {
          change({ candidate: { ...candidate, since, starts: candidate.starts + 1 } });
          return { file: candidate.file, version: candidate.version, trialLeftMs: leftMs };
        }
        refuse(candidate.starts < maxStarts ? lateReason(trialMs) : `It ended ${maxStarts} times before it reported.`);
      }
      const { current } = read();
      if (!current) return installed;
      // The stored executable is missing, or somebody has installed a newer one by hand: the installed one runs again.
      if (!existsSync(current.file) || isNewer(installedVersion, current.version)) {
        change({ current: null });
        return installed;
      }
      return current;
    },
    /** Call this when the running version has reported to the server. A candidate becomes the current version. */
    confirm: (): void => {
      const { candidate, handovers } = read();
      if (handovers) change({ handovers: 0 });
      if (!candidate) return;
      change({ current: { version: candidate.version, file: candidate.file }, candidate: null, refused: null });
      sweep();
    },
    isOnTrial: (): boolean => read().candidate !== null,
    refuse,
    refused: () => read().refused,
    /**
     * Call this after the refusal was reported to the server (`reported`), or when no wish names the version any more, so that
     * the version may be tried again (`forgotten`).
     */
    noteRefused: (next: 'reported' | 'forgotten'): void => {
      const { refused } = read();
      if (refused) change({ refused: next === 'reported' ? { ...refused, isReported: true } : null });
    },
  };
}

export type ProgramState = ReturnType<typeof openProgramState>;

/** Whether `version` is newer than `than`; compares only major, minor and patch. */
export function isNewer(version: string, than: string): boolean {
  const numbers = (text: string) => (text.split('-')[0] ?? '').split('.').map(Number);
  const [left, right] = [numbers(version), numbers(than)];
  const at = [0, 1, 2].find((place) => (left[place] ?? 0) !== (right[place] ?? 0));
  return at !== undefined && (left[at] ?? 0) > (right[at] ?? 0);
}
