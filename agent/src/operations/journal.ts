/** What an agent that was killed needs to know at its next start: the runs under way, and the requests that have begun. */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { agentRun, type AgentRun } from '@cloudfit/contract/agent/runs.ts';
import { messageOf } from '@cloudfit/contract/errors.ts';
import type { Log } from '../log.ts';
import { signalTree } from './process-tree.ts';

export interface Journal {
  /** Records a run before its program starts. */
  started(run: AgentRun): void;
  /** A folder that the run's program may make for its files. */
  folderOf(runId: string): string;
  /** Removes a run, with its folder, after its report is on disk. */
  ended(runId: string): void;
  /** The completion token of the operation's last request that has begun; no request begins twice. */
  lastToken(deviceOperationId: string): string | undefined;
  /** Records that the result of a run is in the outbox, where a kill does not lose it. */
  stored(deviceOperationId: string, runId: string): void;
  /** The operation's last run whose result was stored. */
  lastStored(deviceOperationId: string): string | undefined;
}

const notes = z.record(z.string(), z.string());
const lostText = 'The agent ended during the run.';
const notesMax = 1_000;

/** Opens the journal. Kills programs of runs that a killed agent has left, and passes the runs' reports to `onLost`. */
export function openJournal(stateDir: string, log: Log, now: () => Date, onLost: (run: AgentRun) => void): Journal {
  const folder = join(stateDir, 'runs');
  const tokenFile = join(folder, 'tokens.json');
  const storedFile = join(folder, 'stored.json');
  const fileOf = (runId: string): string => join(folder, `${runId}.run`);
  const folderOf = (runId: string): string => join(folder, `${runId}.files`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const lastTokens = new Map<string, string>(readNotes(tokenFile));
  const lastRuns = new Map<string, string>(readNotes(storedFile));

  function readNotes(file: string): [string, string][] {
    try {
      return Object.entries(notes.parse(JSON.parse(readFileSync(file, 'utf8'))));
    } catch {
      return [];
    }
  }

  /** Notes a value of an operation, among those of the operations that ran last. */
  function note(file: string, values: Map<string, string>, deviceOperationId: string, value: string): void {
    values.delete(deviceOperationId);
    values.set(deviceOperationId, value);
    for (const id of [...values.keys()].slice(0, -notesMax)) values.delete(id);
    write(file, Object.fromEntries(values));
  }

  function noteToken({ deviceOperationId, completionToken }: AgentRun): void {
    if (completionToken !== null) note(tokenFile, lastTokens, deviceOperationId, completionToken);
  }

  function write(file: string, content: object): void {
    try {
      writeFileSync(`${file}.new`, JSON.stringify(content), { mode: 0o600 });
      renameSync(`${file}.new`, file);
    } catch (error) {
      log('warn', `A run cannot be noted on disk (${(error as NodeJS.ErrnoException).code}).`);
    }
  }

  for (const name of readdirSync(folder).filter((file) => file.endsWith('.run'))) {
    try {
      const run = agentRun.parse(JSON.parse(readFileSync(join(folder, name), 'utf8')));
      signalTree(undefined, run.operationRunId, 'SIGKILL');
      noteToken(run);
      const ended = now();
      onLost({
        ...run,
        status: 'Interrupted',
        ended: ended.toISOString(),
        durationMs: Math.max(0, ended.getTime() - Date.parse(run.started)),
        message: lostText,
      });
    } catch (error) {
      log('warn', `The note of a run cannot be read: ${messageOf(error)}`);
    }
    rmSync(join(folder, name), { force: true });
  }

  // Only after the programs of these runs were killed, because they write to the folders.
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.files'))) removeFolder(join(folder, name));

  function removeFolder(path: string): void {
    try {
      rmSync(path, { recursive: true, force: true });
    } catch (error) {
      log('warn', `The folder of a run cannot be removed: ${messageOf(error)}`);
    }
  }

  return {
    folderOf,
    started: (run) => {
      write(fileOf(run.operationRunId), run);
      noteToken(run);
    },
    ended: (runId) => {
      removeFolder(folderOf(runId));
      rmSync(fileOf(runId), { force: true });
    },
    lastToken: (deviceOperationId) => lastTokens.get(deviceOperationId),
    stored: (deviceOperationId, runId) => note(storedFile, lastRuns, deviceOperationId, runId),
    lastStored: (deviceOperationId) => lastRuns.get(deviceOperationId),
  };
}
