/** What this agent logs, on its way to the server: bounded in memory, sent in batches, oldest first. */
import { agentLogsMax, type AgentLogEntry } from '@cloudfit/contract/agent/messages.ts';
import type { Client } from './connection/client.ts';
import type { Level } from './log.ts';
import { wait, type Bell } from './wait.ts';

/** Lines that the server has not taken; the oldest are dropped when there are more. */
const most = 2_000;
const longestDetail = 4_000;
/** Lines that come close together travel together. */
const gatherMs = 1_000;

const entryTypes = { info: 'Information', warn: 'Warning', error: 'Error', trace: 'Trace' } as const;

export interface LogLines {
  add(level: Level, text: string): void;
  peek(): readonly AgentLogEntry[];
  done(entries: readonly AgentLogEntry[]): void;
}

export function keepLogLines(filled: Bell): LogLines {
  let lines: AgentLogEntry[] = [];
  return {
    add: (level, text) => {
      lines.push({ created: new Date().toISOString(), entryType: entryTypes[level], detail: text.slice(0, longestDetail) });
      if (lines.length > most) lines = lines.slice(-most);
      filled.ring();
    },
    peek: () => lines.slice(0, agentLogsMax),
    done: (entries) => {
      const taken = new Set(entries);
      lines = lines.filter((line) => !taken.has(line));
    },
  };
}

export const logsPath = '/v1/agent/logs';

/** Sends what is kept until `signal` aborts. A batch whose answer is lost is sent again. */
export async function sendLogs(lines: LogLines, client: Client, machineKey: string, filled: Bell, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const entries = lines.peek();
    if (entries.length === 0) {
      await filled.heard(60_000, signal);
      await wait(gatherMs, signal);
      continue;
    }
    const answer = await client.ask('POST', logsPath, signal, { body: { machineKey, entries } });
    if (answer === null) return;
    // Until the machine is promoted no device has a log.
    if (answer.status === 404) await wait(5_000, signal);
    else lines.done(entries);
  }
}
