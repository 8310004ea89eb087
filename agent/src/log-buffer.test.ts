import { expect, it, vi } from 'vitest';
import { agentLogsMax, type AgentLogEntry } from '@cloudfit/contract/agent/messages.ts';
import type { Client } from './connection/client.ts';
import { createLogBuffer, logsPath, sendLogs } from './log-buffer.ts';
import { createSignal } from './signal.ts';

const waits: number[] = [];
vi.mock('./wait.ts', () => ({ wait: (ms: number) => Promise.resolve(void waits.push(ms)) }));

const now = () => new Date('2026-11-21T10:00:00.000Z');
const textsOf = (entries: readonly AgentLogEntry[]) => entries.map(({ detail }) => detail);

it('keeps the newest lines, of each as much as the server takes, and gives the oldest first', () => {
  const notified = vi.fn<() => void>();
  const lines = createLogBuffer({ ...createSignal(), notify: notified }, now);
  lines.add('warn', 'x'.repeat(5_000), 'op-1');
  expect(lines.peek()).toEqual([
    { created: '2026-11-21T10:00:00.000Z', entryType: 'Warning', detail: 'x'.repeat(4_000), deviceOperationId: 'op-1' },
  ]);
  // Half of a character, or NUL, would make the server refuse all lines of the call.
  lines.markSent(lines.peek());
  lines.add('info', `a\0${'b'.repeat(3_998)}😀`);
  expect(textsOf(lines.peek())).toEqual([`a${'b'.repeat(3_998)}\ufffd`]);
  for (let n = 0; n < 2_000; n += 1) lines.add('info', `line ${n}`);
  expect(notified).toHaveBeenCalledTimes(2_002);
  const first = lines.peek();
  expect([first.length, first[0]]).toEqual([
    agentLogsMax,
    { created: '2026-11-21T10:00:00.000Z', entryType: 'Information', detail: 'line 0' },
  ]);
  // Lines that come while others are sent stay.
  lines.add('error', 'meanwhile');
  lines.markSent(first);
  const left: string[] = [];
  for (let batch = lines.peek(); batch.length > 0; batch = lines.peek()) {
    left.push(...textsOf(batch));
    lines.markSent(batch);
  }
  expect([left[0], left.at(-1), left.length]).toEqual([`line ${agentLogsMax}`, 'meanwhile', 2_001 - agentLogsMax]);
});

it('sends lines in batches, waits while there is no device for them, and sends again what was not taken then', async () => {
  const [added, stopping] = [createSignal(), new AbortController()];
  const lines = createLogBuffer(added, now);
  for (let n = 0; n <= agentLogsMax; n += 1) lines.add('trace', `line ${n}`);
  const sent: { path: string; texts: string[] }[] = [];
  const statuses = [404, 200, 413];
  const request = (_method: string, path: string, _signal: AbortSignal, options: { body?: unknown }) => {
    sent.push({ path, texts: textsOf((options.body as { entries: AgentLogEntry[] }).entries) });
    const status = statuses.shift();
    if (statuses.length === 0) stopping.abort();
    return Promise.resolve(status === undefined ? null : { status });
  };
  await sendLogs(lines, { request } as unknown as Client, added, stopping.signal);
  expect(sent.map(({ path, texts }) => [path, texts.length, texts[0]])).toEqual([
    [logsPath, agentLogsMax, 'line 0'],
    [logsPath, agentLogsMax, 'line 0'],
    [logsPath, 1, `line ${agentLogsMax}`],
  ]);
  expect(waits[0]).toBe(5_000);
  expect(lines.peek()).toEqual([]);
});

it('gives no more lines at once than a body of the server may have', () => {
  const lines = createLogBuffer(createSignal(), now);
  for (let n = 0; n < 300; n += 1) lines.add('info', '\u00e9'.repeat(4_000));
  let left = 300;
  for (let batch = lines.peek(); batch.length > 0; batch = lines.peek()) {
    expect(Buffer.byteLength(JSON.stringify({ entries: batch }))).toBeLessThan(1_048_576);
    left -= batch.length;
    lines.markSent(batch);
  }
  expect(left).toBe(0);
});
