import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { readChanges, type StreamMessage } from './change-stream.ts';
import * as connection from './connection.ts';
import * as session from './session.ts';

/** The calls that were made, and the stream of the last one. */
let calls: { path: string; headers: Headers; signal: AbortSignal }[] = [];
let body: ReadableStreamDefaultController<Uint8Array> | undefined;
let messages: StreamMessage[] = [];
let leaving = new AbortController();
const opened = vi.fn<() => void>();

const streamed = (): Response => new Response(new ReadableStream({ start: (control) => void (body = control) }));
let answer: () => Response = streamed;
const send = (text: string) => body?.enqueue(new TextEncoder().encode(text));
const read = (after?: string) =>
  readChanges({ after, seconds: 12, signal: leaving.signal, onOpen: opened, onMessage: (message) => messages.push(message) });

beforeEach(() => {
  [calls, messages, leaving, answer] = [[], [], new AbortController(), streamed];
  opened.mockReset();
  vi.spyOn(session, 'accessToken').mockResolvedValue('secret');
  vi.spyOn(connection, 'noteAnswer').mockReturnValue();
  vi.spyOn(connection, 'noteSilence').mockReturnValue();
  vi.spyOn(globalThis, 'fetch').mockImplementation((path, init) => {
    const signal = init?.signal as AbortSignal;
    calls.push({ path: String(path), headers: new Headers(init?.headers), signal });
    const response = answer();
    signal.addEventListener('abort', () => body?.error(new DOMException('ended', 'AbortError')));
    return Promise.resolve(response);
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

it('reads what changed while the page loaded, or what follows a position, until the server ends it', async () => {
  const first = read();
  await expect.poll(() => opened.mock.calls.length).toBe(1);
  send('id: 7-1\n\nid: 7-2\ndata: {"entity":"devices",');
  await expect.poll(() => messages.length).toBe(1);
  send('"id":"9"}\n\n');
  body?.close();
  await first;
  expect(messages).toEqual([
    { id: '7-1', change: undefined },
    { id: '7-2', change: { entity: 'devices', id: '9' } },
  ]);
  expect(connection.noteAnswer).toHaveBeenCalledTimes(3);
  expect(connection.noteSilence).not.toHaveBeenCalled();

  vi.mocked(session.accessToken).mockResolvedValue(undefined);
  const next = read('7-2');
  await expect.poll(() => opened.mock.calls.length).toBe(2);
  body?.close();
  await next;
  expect(calls.map(({ path, headers }) => [path, headers.get('authorization'), headers.get('last-event-id')])).toEqual([
    ['/v1/changes?seconds=12', 'Bearer secret', null],
    ['/v1/changes', null, '7-2'],
  ]);
});

it('is no stream when the answer is a refusal', async () => {
  answer = () => new Response('Please wait.', { status: 503 });
  await expect(read()).rejects.toThrow('The change stream answered 503.');
  expect(opened).not.toHaveBeenCalled();
  expect(connection.noteSilence).toHaveBeenCalledTimes(1);
});

it('ends a stream that is silent for 50 seconds, counted from its last message', async () => {
  vi.useFakeTimers();
  const ended = read().then(
    () => 'ended by the server',
    () => 'ended here',
  );
  await vi.advanceTimersByTimeAsync(49_000);
  send('id: 7-1\n\n');
  await vi.advanceTimersByTimeAsync(49_000);
  expect([calls[0]?.signal.aborted, messages]).toEqual([false, [{ id: '7-1', change: undefined }]]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await ended).toBe('ended here');
  expect(connection.noteSilence).toHaveBeenCalledTimes(1);
});

it('ends with its page, which says nothing about the server', async () => {
  const ended = read().catch(() => 'ended here');
  await expect.poll(() => opened.mock.calls.length).toBe(1);
  leaving.abort();
  expect(await ended).toBe('ended here');
  expect(calls[0]?.signal.aborted).toBe(true);
  expect(connection.noteSilence).not.toHaveBeenCalled();
});
