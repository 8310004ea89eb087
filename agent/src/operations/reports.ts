/** Reports of runs: kept on disk until the server has them, and sent in batches. */
import { join } from 'node:path';
import { agentRun, agentRunsMax, runMessageMax, runOutputMax, runValueMax, type AgentRun } from '@cloudfit/contract/agent/runs.ts';
import type { Client } from '../connection/client.ts';
import type { Log } from '../log.ts';
import { openOutbox } from '../outbox/outbox.ts';
import { sendOutbox } from '../outbox/sender.ts';
import { storable } from '../storable.ts';
import { createSignal, type Signal } from '../signal.ts';

/** Milliseconds for which reports that are not urgent are collected, so that many short runs cost few calls. */
const collectMs = 2_000;

/** Returns a function that notifies `signal`: at once if urgent, otherwise once for all calls within two seconds. */
export function collecting(signal: Signal): (isUrgent: boolean) => void {
  let timer: NodeJS.Timeout | undefined;
  return (isUrgent) => {
    if (!isUrgent) {
      timer ??= setTimeout(() => {
        timer = undefined;
        signal.notify();
      }, collectMs);
      timer.unref();
      return;
    }
    clearTimeout(timer);
    timer = undefined;
    signal.notify();
  };
}

/** Reduces a long text to its beginning and end, because the cause of a failure is usually at one of them. */
export function shortened(text: string, max: number): string {
  if (text.length <= max) return text;
  const half = Math.floor(max / 2) - 40;
  return storable(`${text.slice(0, half)}\n... ${text.length - 2 * half} characters are left out ...\n${text.slice(-half)}`);
}

export interface RunReports {
  /** Adds the report of a run. `isUrgent`: somebody may be waiting for the report. */
  add(run: AgentRun, isUrgent: boolean): void;
  send(client: Client, signal: AbortSignal): Promise<void>;
  close(): void;
}

export function openRunReports(stateDir: string, maxBytes: number, log: Log): RunReports {
  const outbox = openOutbox({ folder: join(stateDir, 'run-reports'), maxBytes, log, schema: agentRun });
  const added = createSignal();
  const notify = collecting(added);
  return {
    add: (run, isUrgent) => {
      outbox.append({
        ...run,
        value: run.value === null ? null : storable(run.value, runValueMax),
        message: run.message === null ? null : storable(run.message, runMessageMax),
        output: run.output === null ? null : shortened(storable(run.output), runOutputMax),
      });
      notify(isUrgent);
    },
    send: (client, signal) =>
      sendOutbox(
        {
          outbox,
          added,
          what: 'reports of runs',
          maxBatch: agentRunsMax,
          post: (runs) => client.request('POST', '/v1/agent/runs', signal, { body: { runs } }),
          isTaken: ({ status }) => status === 200,
          log,
        },
        signal,
      ),
    close: () => outbox.close(),
  };
}
