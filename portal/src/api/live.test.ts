import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { act, renderHook } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import type { ChangeEvent } from '@cloudfit/contract/actions/live.ts';
import { queryClient } from './query-client.ts';
import { makeInvalidator, pageId, startLive, useLive, useMarks, type LiveRules } from './live.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const noRules: LiveRules = { shownIn: {}, debounceMs: {}, unmarked: [], byRow: [] };
const changeOf = (entity: string, id = '7'): ChangeEvent => ({ entity, id, verb: 'update', tenantId: null });

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

/** A client with loaded queries, and a function that returns those that were refreshed since its last call. */
function loaded(...keys: readonly string[]) {
  const client = new QueryClient();
  const load = (key: string) => client.setQueryData(key.split(' '), []);
  keys.forEach(load);
  const refreshed = () => {
    const names = keys.filter((key) => client.getQueryState(key.split(' '))?.isInvalidated);
    names.forEach(load);
    return names;
  };
  return { client, refreshed };
}

it('refreshes what changed while the page was hidden once it is visible, each time and only once', () => {
  vi.useFakeTimers();
  const hidden = vi.spyOn(document, 'hidden', 'get');
  const show = (isVisible: boolean) => {
    hidden.mockReturnValue(!isVisible);
    document.dispatchEvent(new Event('visibilitychange'));
  };
  const { client, refreshed } = loaded('devices list', 'rules list', 'workUnitPresence 7', 'workUnitPresence 8');
  const tell = makeInvalidator(client, { ...noRules, byRow: ['workUnitPresence'] });
  show(false);
  for (const change of [changeOf('devices'), changeOf('workUnitPresence', '8')]) tell(change);
  vi.advanceTimersByTime(60_000);
  tell(changeOf('devices', '8'));
  vi.advanceTimersByTime(60_000);
  show(false);
  expect(refreshed()).toEqual([]);
  show(true);
  expect(refreshed()).toEqual(['devices list', 'workUnitPresence 8']);
  show(true);
  expect(refreshed()).toEqual([]);
  show(false);
  tell(changeOf('rules'));
  vi.advanceTimersByTime(60_000);
  show(true);
  expect(refreshed()).toEqual(['rules list']);
  // A page that is visible again refreshes after the delay, as before.
  tell(changeOf('devices'));
  expect(refreshed()).toEqual([]);
  vi.advanceTimersByTime(250);
  expect(refreshed()).toEqual(['devices list']);
});

it('refreshes once for changes that come together, after the delay of the first, and again for the next', () => {
  vi.useFakeTimers();
  const { client, refreshed } = loaded('devices list');
  const refresh = vi.spyOn(client, 'invalidateQueries');
  const tell = makeInvalidator(client, noRules);
  tell(changeOf('devices', '7'));
  vi.advanceTimersByTime(249);
  tell(changeOf('devices', '8'));
  expect(refreshed()).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(refreshed()).toEqual(['devices list']);
  vi.advanceTimersByTime(1_000);
  expect(refresh).toHaveBeenCalledTimes(1);
  tell(changeOf('devices', '8'));
  vi.advanceTimersByTime(250);
  expect(refreshed()).toEqual(['devices list']);
});

it('leaves out its own changes and queries that do not follow, and refreshes all others when it missed too much', () => {
  vi.useFakeTimers();
  const { client, refreshed } = loaded('devices list', 'devices still', 'rules list');
  client.setQueryDefaults(['devices', 'still'], { meta: { live: false } });
  client.removeQueries({ queryKey: ['devices', 'still'] });
  client.setQueryData(['devices', 'still'], []);
  const tell = makeInvalidator(client, noRules);
  tell({ ...changeOf('devices'), page: pageId });
  vi.advanceTimersByTime(1_000);
  expect(refreshed()).toEqual([]);
  tell({ ...changeOf('devices'), page: 'another' });
  vi.advanceTimersByTime(1_000);
  expect(refreshed()).toEqual(['devices list']);
  tell(changeOf('*', ''));
  vi.advanceTimersByTime(1_000);
  expect(refreshed()).toEqual(['devices list', 'rules list']);
});

it('marks each changed row for a moment, in the list of its entity alone', () => {
  vi.useFakeTimers();
  const tell = makeInvalidator(new QueryClient(), { ...noRules, unmarked: ['packets'] });
  const marks = (entity: string) => {
    const { result } = renderHook(() => ['7', '8'].filter(useMarks(entity)));
    return () => result.current;
  };
  const [places, rules, packets] = [marks('locations'), marks('rules'), marks('packets')];
  act(() => {
    tell(changeOf('locations', '7'));
    tell(changeOf('packets', '7'));
    tell({ ...changeOf('locations', '8'), page: pageId });
  });
  expect([places(), rules(), packets()]).toEqual([['7'], [], []]);
  act(() => void vi.advanceTimersByTime(2_000));
  act(() => tell(changeOf('locations', '8')));
  expect(places()).toEqual(['7', '8']);
  act(() => void vi.advanceTimersByTime(500));
  expect(places()).toEqual(['8']);
  act(() => void vi.advanceTimersByTime(2_000));
  expect(places()).toEqual([]);
});

/** An active query; the test ends each load by calling a function of `answers`. */
function firstLoad(client: QueryClient, queryKey: readonly string[]) {
  const answers: ((rows: string) => void)[] = [];
  const observer = new QueryObserver<string>(client, { queryKey, queryFn: () => new Promise((resolve) => answers.push(resolve)) });
  const stop = observer.subscribe(() => undefined);
  return { answers, stop, shown: () => observer.getCurrentResult().data };
}

it('loads again what was being loaded for the first time when it changed', async () => {
  const { answers, shown, stop } = firstLoad(queryClient, ['workUnits', 'list']);
  makeInvalidator(queryClient, { shownIn: {}, debounceMs: { workUnits: 0 }, unmarked: [], byRow: [] })({
    entity: 'workUnits',
    id: '7',
    verb: 'update',
    tenantId: null,
  });
  const refreshed = vi.spyOn(queryClient, 'invalidateQueries');
  await expect.poll(() => refreshed.mock.calls.length).toBeGreaterThan(0);
  answers[0]?.('before the change');
  await expect.poll(() => answers.length).toBe(2);
  answers[1]?.('after the change');
  await expect.poll(shown).toBe('after the change');
  stop();
});

it('loads once where whoever asks to refresh would rather keep the load that runs', async () => {
  const { answers, shown, stop } = firstLoad(queryClient, ['workUnits', 'other']);
  const refreshed = queryClient.invalidateQueries({ queryKey: ['workUnits', 'other'] }, { cancelRefetch: false });
  answers[0]?.('first');
  await refreshed;
  expect([shown(), answers.length]).toEqual(['first', 1]);
  stop();
});

it('asks for what changed while the page loaded, then for what follows, and reads again what the stream does not repeat', async () => {
  const addresses: string[] = [];
  const bodies: ReadableStreamDefaultController<Uint8Array>[] = [];
  const fetched = vi.spyOn(globalThis, 'fetch').mockImplementation((input) => {
    addresses.push(String(input));
    return Promise.resolve(new Response(new ReadableStream({ start: (body) => void bodies.push(body) })));
  });
  const { answers, stop } = firstLoad(queryClient, ['workUnitPresence', '7']);
  const other = firstLoad(queryClient, ['devices', 'list']);
  const live = renderHook(() => useLive());
  expect(live.result.current).toBe(false);
  const stopLive = startLive(queryClient, { shownIn: {}, debounceMs: {}, unmarked: [], byRow: ['workUnitPresence'] });
  await expect.poll(() => bodies.length).toBe(1);
  await act(async () => {
    await expect.poll(() => live.result.current).toBe(true);
  });
  answers[0]?.('nobody');
  other.answers[0]?.('none');
  await expect.poll(() => answers.length).toBe(2);
  expect(other.answers).toHaveLength(1);
  bodies[0]?.enqueue(new TextEncoder().encode('id: 7-1\n\n'));
  bodies[0]?.close();
  await expect.poll(() => bodies.length).toBe(2);
  await act(async () => {
    await expect.poll(() => live.result.current).toBe(true);
  });
  // Once for each opening, and not when the connection was lost.
  await expect.poll(() => answers.length).toBe(3);
  expect(addresses).toEqual([expect.stringMatching(/^\/v1\/changes\?seconds=[1-9]\d*$/), '/v1/changes']);
  act(stopLive);
  expect(live.result.current).toBe(false);
  stop();
  other.stop();
  fetched.mockRestore();
});
