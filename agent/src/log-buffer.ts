/** The log of this agent, for the server: a bounded buffer in memory, sent in batches, oldest lines first. */
import { agentLogsMax, type AgentLogEntry } from '@cloudfit/contract/agent/messages.ts';
import type { Client } from './connection/client.ts';
import type { Level } from './log.ts';
import type { Signal } from './signal.ts';
import { storable } from './storable.ts';
import { wait } from './wait.ts';

/** The maximum number of unsent lines; when it is exceeded, the oldest lines are dropped. */
const maxLines = 2_000;
const maxDetailLength = 4_000;
/** The maximum bytes of the lines of a call, below the server's limit of 1 MiB for a body. */
const callBytes = 768 * 1_024;
/** Milliseconds for which lines are collected, to be sent in one call. */
const collectMs = 1_000;

const entryTypes = { info: 'Information', warn: 'Warning', error: 'Error', trace: 'Trace' } as const;

export interface LogBuffer {
  /** Adds a line. `deviceOperationId`: the operation that the line is about. */
  add(level: Level, text: string, deviceOperationId?: string): void;
  /** Returns the oldest lines, as many as one call may contain. */
  peek(): readonly AgentLogEntry[];
  markSent(entries: readonly AgentLogEntry[]): void;
}

export function createLogBuffer(lineAdded: Signal, now: () => Date): LogBuffer {
  let lines: AgentLogEntry[] = [];
  return {
    add: (level, text, deviceOperationId) => {
      lines.push({
        created: now().toISOString(),
        entryType: entryTypes[level],
        detail: storable(text, maxDetailLength),
        ...(deviceOperationId === undefined ? {} : { deviceOperationId }),
      });
      if (lines.length > maxLines) lines = lines.slice(-maxLines);
      lineAdded.notify();
    },
    peek: () => {
      let bytes = 0;
      return lines.slice(0, agentLogsMax).filter((line) => (bytes += Buffer.byteLength(JSON.stringify(line))) <= callBytes);
    },
    markSent: (entries) => {
      const sentEntries = new Set(entries);
      lines = lines.filter((line) => !sentEntries.has(line));
    },
  };
}

export const logsPath = '/v1/agent/logs';

/** Sends the buffered lines until `signal` aborts. A batch whose answer is lost is sent again. */
export async function sendLogs(lines: LogBuffer, client: Client, lineAdded: Signal, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const entries = lines.peek();
    if (entries.length === 0) {
      await lineAdded.wait(60_000, signal);
      await wait(collectMs, signal);
      continue;
    }
    const answer = await client.request('POST', logsPath, signal, { body: { entries } });
    if (answer === null) return;
    // 404: the machine is not promoted yet, so the server has no device for the lines.
    if (answer.status === 404) await wait(5_000, signal);
    else lines.markSent(entries);
  }
}
