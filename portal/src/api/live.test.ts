import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { expect, it, vi } from 'vitest';
import { readEvents } from './change-stream.ts';
import { makeInvalidator, startLive } from './live.ts';

it('reads whole events and keeps the rest for later', () => {
  const events: [string | undefined, string][] = [];
  const rest = readEvents('id: 7\ndata: {"a":1}\n\n: ping\n\nid: 8\r\ndata: x\r\n\r\nid: 9\nda', (id, data) => events.push([id, data]));
  expect(events).toEqual([
    ['7', '{"a":1}'],
    ['8', 'x'],
  ]);
  expect(rest).toBe('id: 9\nda');
});

it('brings a changed entity up to date wherever it is shown, and presence at its own unit alone', () => {
  vi.useFakeTimers();
  const keys = [
    ['workUnits', 'list'],
    ['workUnitPresence', '7'],
    ['workUnitPresence', '8'],
    ['devices', 'list'],
    ['links', 'list'],
    ['packets', 'list'],
    ['incidents', 'list'],
    ['incidents', 'feed', '7'],
  ];
  const client = new QueryClient();
  for (const queryKey of keys) client.setQueryData(queryKey, []);
  const paths = () => keys.filter((queryKey) => client.getQueryState(queryKey)?.isInvalidated).map((queryKey) => queryKey.join(' '));
  const rules = {
    shownIn: { workUnits: ['links', 'incidents:feed'] },
    debounceMs: { packets: 3_000 },
    unmarked: ['packets'],
    byRow: ['workUnitPresence'],
  };
  const tell = makeInvalidator(client, rules);
  for (const id of ['7', '7', '9']) tell({ entity: 'workUnitPresence', id, verb: 'update', tenantId: null });
  tell({ entity: 'workUnits', id: '7', verb: 'update', tenantId: null });
  tell({ entity: 'packets', id: '1', verb: 'update', tenantId: null });
  vi.advanceTimersByTime(1_000);
  expect(paths().toSorted()).toEqual(['incidents feed 7', 'links list', 'workUnitPresence 7', 'workUnits list']);
  vi.advanceTimersByTime(2_500);
  vi.useRealTimers();
  expect(paths()).toContain('packets list');
});

/** An active query; the test ends each load by calling a function of `answers`. */
function firstLoad(client: QueryClient, queryKey: readonly string[]) {
  const answers: ((rows: string) => void)[] = [];
  const observer = new QueryObserver<string>(client, { queryKey, queryFn: () => new Promise((resolve) => answers.push(resolve)) });
  const stop = observer.subscribe(() => undefined);
  return { answers, stop, shown: () => observer.getCurrentResult().data };
}

it('loads again what was being loaded for the first time when it changed', async () => {
  const client = new QueryClient();
  const { answers, shown, stop } = firstLoad(client, ['workUnits', 'list']);
  makeInvalidator(client, { shownIn: {}, debounceMs: { workUnits: 0 }, unmarked: [], byRow: [] })({
    entity: 'workUnits',
    id: '7',
    verb: 'update',
    tenantId: null,
  });
  const refreshed = vi.spyOn(client, 'invalidateQueries');
  await expect.poll(() => refreshed.mock.calls.length).toBeGreaterThan(0);
  answers[0]?.('before the change');
  await expect.poll(() => answers.length).toBe(2);
  answers[1]?.('after the change');
  await expect.poll(shown).toBe('after the change');
  stop();
});

it('asks for what changed while the page loaded, then for what follows, and reads again what the stream does not repeat', async () => {
  const addresses: string[] = [];
  const bodies: ReadableStreamDefaultController<Uint8Array>[] = [];
  const fetched = vi.spyOn(globalThis, 'fetch').mockImplementation((input) => {
    addresses.push(String(input));
    return Promise.resolve(new Response(new ReadableStream({ start: (body) => void bodies.push(body) })));
  });
  const client = new QueryClient();
  const { answers, stop } = firstLoad(client, ['workUnitPresence', '7']);
  const stopLive = startLive(client, { shownIn: {}, debounceMs: {}, unmarked: [], byRow: ['workUnitPresence'] });
  await expect.poll(() => bodies.length).toBe(1);
  answers[0]?.('nobody');
  await expect.poll(() => answers.length).toBe(2);
  bodies[0]?.enqueue(new TextEncoder().encode('id: 7-1\n\n'));
  bodies[0]?.close();
  await expect.poll(() => bodies.length).toBe(2);
  expect(addresses).toEqual([expect.stringMatching(/^\/v1\/changes\?seconds=[1-9]\d*$/), '/v1/changes']);
  stopLive();
  stop();
  fetched.mockRestore();
});
