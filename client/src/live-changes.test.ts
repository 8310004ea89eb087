import { afterEach, expect, it, vi } from 'vitest';
import { createClient } from './client.ts';
import type { LiveChange } from './live-changes.ts';

/** Streams that the test writes, one for each connection. */
function streams(statuses: readonly number[] = []) {
  const connections: {
    url: string;
    after: string | null;
    send: (text: string) => void;
    end: () => void;
    signal: AbortSignal | undefined;
  }[] = [];
  const fetch: typeof globalThis.fetch = (url, init) => {
    const status = statuses[connections.length] ?? 200;
    let body: ReadableStreamDefaultController<Uint8Array> | undefined;
    const stream = new ReadableStream<Uint8Array>({ start: (control) => void (body = control) });
    const after = new Headers(init?.headers).get('last-event-id');
    const signal = init?.signal ?? undefined;
    signal?.addEventListener('abort', () => body?.error(signal.reason));
    connections.push({
      url: String(url),
      after,
      signal,
      send: (text) => body?.enqueue(new TextEncoder().encode(text)),
      end: () => body?.close(),
    });
    return Promise.resolve(
      status === 200
        ? new Response(stream, { headers: { 'content-type': 'text/event-stream' } })
        : Response.json({ error: { message: 'No.' } }, { status }),
    );
  };
  return { client: createClient({ server: 'http://localhost', token: 't', fetch }), connections };
}

afterEach(() => vi.useRealTimers());

it('yields changes, and goes on after the last position when the server ends the stream', async () => {
  const { client, connections } = streams();
  const changes = client.changes({ seconds: 30 });
  const first = changes.next();
  await expect.poll(() => connections.length).toBe(1);
  connections[0]?.send('id: 7-1\n\nid: 7-2\ndata: {"entity":"devices","id":"9","verb":"update","tenantId":"t"}\n\n');
  expect((await first).value).toEqual({ entity: 'devices', id: '9', verb: 'update', tenantId: 't', position: '7-2' } satisfies LiveChange);
  const second = changes.next();
  connections[0]?.send('id: 7-5\n\n');
  connections[0]?.end();
  await expect.poll(() => connections.length).toBe(2);
  connections[1]?.send('id: 7-6\ndata: {"entity":"*","id":"","verb":"update","tenantId":null}\n\n');
  expect((await second).value).toMatchObject({ entity: '*', position: '7-6' });
  expect(connections.map(({ url, after }) => [url, after])).toEqual([
    ['http://localhost/v1/changes?seconds=30', null],
    ['http://localhost/v1/changes', '7-5'],
  ]);
  await changes.return(undefined as never);
  expect(connections[1]?.signal?.aborted).toBe(true);
});

it('connects again after an outage and after a silence', async () => {
  vi.useFakeTimers();
  const { client, connections } = streams([502, 200, 200]);
  const failures: (string | undefined)[] = [];
  const changes = client.changes({ onInterruption: (failure) => failures.push(failure?.message) });
  const first = changes.next();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(connections).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(49_000);
  expect(connections).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(3_000);
  expect(connections).toHaveLength(3);
  connections[2]?.send('id: 8\ndata: {"entity":"devices","id":"1","verb":"create","tenantId":null}\n\n');
  await vi.advanceTimersByTimeAsync(1);
  expect((await first).value).toMatchObject({ id: '1' });
  expect(failures).toEqual(['No.', undefined]);
});

it('ends when the caller may not read, and with its signal', async () => {
  const forbidden = streams([403]);
  await expect(forbidden.client.changes().next()).rejects.toMatchObject({ status: 403, message: 'No.' });
  const page = createClient({ server: 'http://localhost', token: 't', fetch: () => Promise.resolve(new Response('<html>Hotel</html>')) });
  await expect(page.changes().next()).rejects.toThrow('not as CloudFit does');
  const leaving = new AbortController();
  const { client, connections } = streams();
  const next = client.changes({ signal: leaving.signal }).next();
  await expect.poll(() => connections.length).toBe(1);
  leaving.abort();
  await expect(next).rejects.toMatchObject({ name: 'AbortError' });
});
