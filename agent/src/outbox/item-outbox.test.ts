/** What listeners have heard, from their files to the server: nothing is lost by a kill, and nothing of a full disk or a new version is fatal. */
import { appendFileSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { AgentItems } from '@cloudfit/contract/agent/items.ts';
import { createClock } from '../connection/clock.ts';
import type { Client } from '../connection/client.ts';
import { openItemOutbox, type ItemOutbox } from './item-outbox.ts';

const operation = '0199aaaa-0000-7000-8000-000000000002';
let stateDir: string;
let outbox: ItemOutbox;
let logged: string[];
let sent: AgentItems['items'];
let answer: (items: AgentItems['items']) => { status: number; body: unknown };
let stopping: AbortController;
let sending: Promise<void>;

const open = (maxBytes = 1_048_576): void => {
  outbox = openItemOutbox({
    stateDir,
    maxBytes,
    clock: createClock(() => undefined),
    log: () => undefined,
    say: (_level, text, id) => void logged.push(`${id}: ${text}`),
  });
};
const fine = (items: AgentItems['items']) => ({ status: 200, body: { stored: items.length, duplicate: 0, refused: 0, problems: [] } });

/** A server that takes items as `answer` says. */
const client: Client = {
  open: () => Promise.reject(new Error('not asked for')),
  request: async (method, _path, _signal, options) => {
    if (method === 'GET') return { status: 200, body: null };
    const { items } = (options?.body ?? { items: [] }) as AgentItems;
    const reply = answer(items);
    if (reply.status === 200) sent.push(...items);
    return reply;
  },
};

function start(): void {
  stopping = new AbortController();
  sending = outbox.send(client, stopping.signal);
}

async function stop(): Promise<void> {
  stopping.abort();
  await sending;
  outbox.close();
}

beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'items-'));
  logged = [];
  sent = [];
  answer = fine;
  open();
  start();
});
afterEach(async () => {
  await stop();
  rmSync(stateDir, { recursive: true, force: true });
});

const fileOf = (n: number): string => join(outbox.folderOf(operation), `1795961600000-77-${String(n).padStart(6, '0')}.ndjson`);
const write = (n: number, ...ids: string[]): void => {
  for (const id of ids) appendFileSync(fileOf(n), `${JSON.stringify({ id, at: Date.now() })}\n`);
};
const ids = (): unknown[] => sent.map(({ item }) => item['id']);
async function until(isMet: () => boolean): Promise<void> {
  for (const end = Date.now() + 10_000; !isMet() && Date.now() < end;) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(isMet()).toBe(true);
}

it('takes what was added since the last time, and removes files of which nothing is left', async () => {
  write(1, 'a', 'b');
  outbox.take(operation);
  write(1, 'c');
  write(2, 'd');
  outbox.take(operation);
  outbox.take(operation);
  await until(() => sent.length >= 4);
  expect(ids()).toEqual(['a', 'b', 'c', 'd']);
  expect([existsSync(fileOf(1)), existsSync(fileOf(2))]).toEqual([false, true]);
  outbox.take(operation, true);
  expect(readdirSync(outbox.folderOf(operation)).filter((name) => name.endsWith('.ndjson'))).toEqual([]);
});

it('goes on after a kill of the agent where it was, and leaves out a line that a kill of the listener has cut', async () => {
  write(1, 'a');
  outbox.take(operation);
  await until(() => sent.length === 1);
  await stop();
  write(1, 'b');
  appendFileSync(fileOf(1), '{"id":"cut');
  open();
  start();
  write(2, 'c');
  outbox.take(operation);
  await until(() => sent.length >= 3);
  expect(ids()).toEqual(['a', 'b', 'c']);
});

it('sends again what a server that is away has not taken, at the time at which it was heard', async () => {
  answer = () => ({ status: 503, body: null });
  const at = Date.now() - 60_000;
  writeFileSync(fileOf(1), `${JSON.stringify({ id: 'early', at })}\n`);
  outbox.take(operation);
  await stop();
  answer = fine;
  open();
  start();
  await until(() => sent.length === 1);
  expect(Math.abs(Date.parse(sent[0]?.timestamp ?? '') - at)).toBeLessThan(2_000);
});

it('drops the oldest when it is full, and says how many in a refusal of its own', async () => {
  answer = () => ({ status: 503, body: null });
  await stop();
  open(4_096);
  const text = 'x'.repeat(200);
  for (let n = 0; n < 40; n += 1) appendFileSync(fileOf(1), `${JSON.stringify({ id: String(n), at: Date.now(), text })}\n`);
  outbox.take(operation);
  answer = fine;
  start();
  await until(() => ids().includes('39'));
  // The next item reports those that the last one has dropped.
  write(1, 'next');
  outbox.take(operation);
  await until(() => ids().includes('next'));
  const counted = sent.reduce((sum, { item }) => sum + (item['refusal'] ? Number(item['count']) : 0), 0);
  const stored = sent.filter(({ item }) => !item['refusal']).length;
  expect(stored).toBeLessThan(40);
  expect(stored + counted).toBe(41);
});

it('says in the log of the operation, once, why the server takes nothing of it', async () => {
  answer = (items) => ({
    ...fine(items),
    body: { stored: 0, duplicate: 0, refused: 1, problems: [{ deviceOperationId: operation, message: 'No source.' }] },
  });
  for (const id of ['a', 'b']) {
    write(1, id);
    outbox.take(operation);
    const before = sent.length;
    await until(() => sent.length > before || ids().includes(id));
  }
  expect(logged).toEqual([`${operation}: The server takes nothing of this listener: No source.`]);
});
