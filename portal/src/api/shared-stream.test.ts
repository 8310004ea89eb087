/** Pages of one browser share a stream: who reads it, what the others hear, and who takes over from a page that is gone or hangs. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { ChangeEvent } from '@cloudfit/contract/actions/live.ts';
import * as stream from './change-stream.ts';
import { followChanges } from './shared-stream.ts';

interface Request {
  run: () => Promise<unknown>;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

/** The Web Locks of one name, as the browser has them. */
function fakeLocks() {
  let holder: Request | undefined;
  const queue: Request[] = [];
  const next = () => {
    const request = queue.shift();
    if (!request) return;
    holder = request;
    void request.run().then((value) => {
      request.resolve(value);
      if (holder !== request) return;
      holder = undefined;
      next();
    });
  };
  return {
    request: (_name: string, options: { steal?: boolean; signal?: AbortSignal }, run: () => Promise<unknown>) =>
      new Promise((resolve, reject) => {
        const request = { run, resolve, reject };
        if (options.steal) {
          holder?.reject(new DOMException('stolen', 'AbortError'));
          holder = undefined;
          queue.unshift(request);
        } else queue.push(request);
        options.signal?.addEventListener('abort', () => {
          const at = queue.indexOf(request);
          if (at < 0) return;
          queue.splice(at, 1);
          reject(options.signal?.reason);
        });
        if (!holder) next();
      }),
  };
}

/** Channels hear each other while their page is not hung. */
class FakeChannel {
  static open = new Set<FakeChannel>();
  static hung = new Set<FakeChannel>();
  onmessage: ((event: { data: unknown }) => void) | undefined;
  constructor() {
    FakeChannel.open.add(this);
  }
  postMessage(data: unknown) {
    if (FakeChannel.hung.has(this)) return;
    for (const other of FakeChannel.open) if (other !== this && !FakeChannel.hung.has(other)) other.onmessage?.({ data });
  }
  close() {
    FakeChannel.open.delete(this);
  }
}

type StreamOptions = Parameters<typeof stream.readChanges>[0];
/** The streams that were opened; those that are open now. */
let opened: StreamOptions[] = [];
let open: StreamOptions[] = [];
let stops: (() => void)[] = [];

const change = (id: string): ChangeEvent => ({ entity: 'workUnits', id, verb: 'update', tenantId: null });

function openPage(page: string) {
  const notified: string[] = [];
  const states: boolean[] = [];
  const stop = followChanges({
    page,
    onOpen: (isOpen) => states.push(isOpen),
    onChange: ({ entity, id }) => notified.push(entity === '*' ? '*' : id),
  });
  stops.push(stop);
  const channel = [...FakeChannel.open].at(-1);
  return { notified, stop, isLive: () => states.at(-1) ?? false, hang: () => channel && FakeChannel.hung.add(channel) };
}
const settle = () => vi.advanceTimersByTimeAsync(0);

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(performance, 'now').mockReturnValue(2_000);
  vi.spyOn(performance, 'timeOrigin', 'get').mockReturnValue(Date.now() - 2_000);
  vi.stubGlobal('BroadcastChannel', FakeChannel);
  Object.defineProperty(navigator, 'locks', { configurable: true, value: fakeLocks() });
  vi.spyOn(stream, 'readChanges').mockImplementation(
    (options) =>
      new Promise((resolve) => {
        opened.push(options);
        open.push(options);
        options.onOpen();
        options.signal.addEventListener('abort', () => {
          open = open.filter((item) => item !== options);
          resolve();
        });
      }),
  );
});
afterEach(() => {
  for (const stop of stops) stop();
  [opened, open, stops] = [[], [], []];
  FakeChannel.open.clear();
  FakeChannel.hung.clear();
  Reflect.deleteProperty(navigator, 'locks');
  vi.unstubAllGlobals();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

it('opens one stream for thirty pages, all of which hear each change', async () => {
  const pages = Array.from({ length: 30 }, (_, at) => openPage(`p${at}`));
  await settle();
  expect(open).toHaveLength(1);
  open[0]?.onMessage({ id: '7-1', change: change('a') });
  expect(pages.map(({ notified }) => notified.at(-1))).toEqual(pages.map(() => 'a'));
  expect(pages.every(({ isLive }) => isLive())).toBe(true);
});

it('is read by the next page once its reader is closed, from where the reader was', async () => {
  const [first, second] = [openPage('p1'), openPage('p2')];
  await settle();
  open[0]?.onMessage({ id: '7-1' });
  // What a page has missed is passed to it without a position, which must not make it forget its own.
  open[0]?.onMessage({ change: change('missed') });
  first.stop();
  await settle();
  expect(open.map(({ after }) => after)).toEqual(['7-1']);
  open[0]?.onMessage({ id: '7-2', change: change('b') });
  expect(second.notified.at(-1)).toBe('b');
  expect(second.isLive()).toBe(true);
});

it('tells a page that opens later what changed while it loaded', async () => {
  openPage('p1');
  await settle();
  vi.spyOn(performance, 'now').mockReturnValue(60_000);
  open[0]?.onMessage({ id: '7-1', change: change('before') });
  await vi.advanceTimersByTimeAsync(20_000);
  open[0]?.onMessage({ id: '7-2', change: change('while it loaded') });
  vi.spyOn(performance, 'now').mockReturnValue(10_000);
  vi.spyOn(performance, 'timeOrigin', 'get').mockReturnValue(Date.now() - 10_000);
  const late = openPage('p2');
  await settle();
  expect(late.notified).toEqual(['while it loaded']);
  expect(opened).toHaveLength(1);
});

/** A page loads: its age is that of both clocks. */
function age(seconds: number) {
  vi.spyOn(performance, 'now').mockReturnValue(seconds * 1_000);
  vi.spyOn(performance, 'timeOrigin', 'get').mockReturnValue(Date.now() - seconds * 1_000);
}

it('tells changes that a page missed to that page alone', async () => {
  const [reader, other] = [openPage('p1'), openPage('p2')];
  await settle();
  reader?.notified.splice(0);
  open[0]?.onMessage({ id: '7-1', change: change('a') });
  age(1);
  const late = openPage('p3');
  await settle();
  expect([reader?.notified, other?.notified, late.notified]).toEqual([['a'], ['a'], ['a']]);
});

it.each([
  ['longer ago than changes are kept', 61, 120, 1],
  ['longer than the reader has run', 10, 5, 1],
  ['more changes than are kept', 10, 120, 1_000],
])('tells a page to read all again that missed %s', async (_, ageOfLate, ageOfReader, changes) => {
  openPage('p1');
  await settle();
  for (let n = 0; n < changes; n += 1) open[0]?.onMessage({ id: `7-${n}`, change: change('a') });
  const reader = [...FakeChannel.open][0];
  const late = openPage('p2');
  await settle();
  late.notified.length = 0;
  age(ageOfReader);
  reader?.onmessage?.({ data: { kind: 'ask', from: 'p2', seconds: ageOfLate } });
  expect(late.notified).toEqual(['*']);
});

it('is taken over from a hidden page that has had no stream twice, and not at once again', async () => {
  openPage('p1');
  const reader = [...FakeChannel.open][0];
  const other = openPage('p2');
  await settle();
  const takeOvers = () => opened.length - 1;
  const tell = (state: { isOpen: boolean; isHidden: boolean }) => reader?.postMessage({ kind: 'state', ...state });
  tell({ isOpen: false, isHidden: true });
  tell({ isOpen: false, isHidden: false });
  tell({ isOpen: false, isHidden: true });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(takeOvers()).toBe(0);
  tell({ isOpen: false, isHidden: true });
  tell({ isOpen: false, isHidden: true });
  expect(other.isLive()).toBe(false);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(takeOvers()).toBe(1);
  expect(other.isLive()).toBe(true);
});

it('is taken over, by one page, from a reader that no longer answers', async () => {
  const [hung, ...others] = [openPage('p1'), openPage('p2'), openPage('p3')];
  await settle();
  hung?.hang();
  await vi.advanceTimersByTimeAsync(21_000);
  expect(open).toHaveLength(1);
  open[0]?.onMessage({ id: '7-3', change: change('c') });
  expect(others.map(({ notified }) => notified.at(-1))).toEqual(['c', 'c']);
});

it('is heard again by a page that has lost it while it hung', async () => {
  const [hung, other] = [openPage('p1'), openPage('p2')];
  await settle();
  hung.hang();
  await vi.advanceTimersByTimeAsync(21_000);
  FakeChannel.hung.clear();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(open).toHaveLength(1);
  open[0]?.onMessage({ id: '7-1', change: change('c') });
  expect([hung.notified.at(-1), other.notified.at(-1), hung.isLive()]).toEqual(['c', 'c', true]);
});

it('is passed on by a page that the browser freezes, which catches up when it goes on, each time', async () => {
  const page = openPage('p1');
  const seconds: number[] = [];
  const other = new FakeChannel();
  other.onmessage = ({ data }) => {
    const note = data as { kind: string; seconds: number };
    if (note.kind === 'ask') seconds.push(note.seconds);
  };
  await settle();
  seconds.length = 0;
  for (const away of [20, 7]) {
    document.dispatchEvent(new Event('freeze'));
    await settle();
    expect(open).toHaveLength(0);
    expect(page.isLive()).toBe(false);
    // It asks nothing until it goes on, and what it missed is counted from the first of two signs.
    await vi.advanceTimersByTimeAsync(away * 1_000);
    window.dispatchEvent(new Event('pagehide'));
    document.dispatchEvent(new Event('resume'));
    window.dispatchEvent(new Event('pageshow'));
    await settle();
    expect(open).toHaveLength(1);
    expect(page.isLive()).toBe(true);
  }
  expect(seconds).toEqual([20, 7]);
});

it('is opened again when it ends: after a second at first, then after twice as long, at most 30 seconds', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
  vi.spyOn(console, 'debug').mockReturnValue();
  const starts: number[] = [];
  const ways: ('fails' | 'opens')[] = ['fails', 'fails', 'fails', 'fails', 'fails', 'fails', 'fails', 'opens', 'fails'];
  vi.mocked(stream.readChanges).mockImplementation(({ onOpen }) => {
    starts.push(Date.now());
    const way = ways.shift();
    if (way === 'opens') onOpen();
    return way === 'fails' ? Promise.reject(new Error('Lost')) : way === 'opens' ? Promise.resolve() : new Promise(() => undefined);
  });
  const page = openPage('p1');
  await vi.advanceTimersByTimeAsync(200_000);
  expect(starts.slice(1).map((at, n) => (at - (starts[n] ?? 0)) / 1_000)).toEqual([1, 2, 4, 8, 16, 30, 30, 1, 2]);
  expect(page.isLive()).toBe(false);
});

it('is read by each page itself in a browser without locks', async () => {
  Reflect.deleteProperty(navigator, 'locks');
  const pages = [openPage('p1'), openPage('p2')];
  await settle();
  expect([open.length, FakeChannel.open.size]).toEqual([2, 0]);
  open[0]?.onMessage({ id: '7-1', change: change('a') });
  expect(pages.map(({ notified }) => notified)).toEqual([['a'], []]);
  pages[0]?.stop();
  await settle();
  expect([open.length, pages.map(({ isLive }) => isLive())]).toEqual([1, [false, true]]);
});
