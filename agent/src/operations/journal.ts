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
  /** Removes a run after its report is on disk. */
  ended(runId: string): void;
  /** The completion token of the operation's last request that has begun; no request begins twice. */
  lastToken(deviceOperationId: string): string | undefined;
}

const tokens = z.record(z.string(), z.string());
const lostText = 'The agent ended during the run.';
const tokensMax = 1_000;

/** Opens the journal. Kills programs of runs that a killed agent has left, and passes the runs' reports to `onLost`. */
export function openJournal(stateDir: string, log: Log, now: () => Date, onLost: (run: AgentRun) => void): Journal {
  const folder = join(stateDir, 'runs');
  const tokenFile = join(folder, 'tokens.json');
  const fileOf = (runId: string): string => join(folder, `${runId}.run`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  let lastTokens = new Map<string, string>(readTokens());

  function readTokens(): [string, string][] {
    try {
      return Object.entries(tokens.parse(JSON.parse(readFileSync(tokenFile, 'utf8'))));
    } catch {
      return [];
    }
  }

  function noteToken({ deviceOperationId, completionToken }: AgentRun): void {
    if (completionToken === null) return;
    lastTokens.delete(deviceOperationId);
    lastTokens = new Map([...lastTokens, [deviceOperationId, completionToken] as const].slice(-tokensMax));
    write(tokenFile, Object.fromEntries(lastTokens));
  }

  function write(file: string, content: object): void {
    try {
      writeFileSync(`${file}.new`, JSON.stringify(content), { mode: 0o600 });
      renameSync(`${file}.new`, file);
    } catch (error) {
      log('warn', `A run cannot be noted on disk (${(error as NodeJS.ErrnoException).code}).`);
    }
  }

  for (const name of readdirSync(folder).filter((one) => one.endsWith('.run'))) {
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

  return {
    started: (run) => {
      write(fileOf(run.operationRunId), run);
      noteToken(run);
    },
    ended: (runId) => rmSync(fileOf(runId), { force: true }),
    lastToken: (deviceOperationId) => lastTokens.get(deviceOperationId),
  };
}
