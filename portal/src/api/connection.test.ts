/** Whether the server answers, asked when a call does not get an answer. */
import { act, renderHook } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { loadAgain } from '../testing/load-again.ts';

/** The status of the answer to each question; 0: none. The last one stays. */
let answers: number[] = [];
let questions: { path: string; headers: unknown; cache: unknown }[] = [];

beforeEach(() => {
  vi.useFakeTimers();
  localStorage.clear();
  [answers, questions] = [[200], []];
  vi.stubGlobal('fetch', (path: string, { headers, cache }: RequestInit) => {
    questions.push({ path, headers, cache });
    const status = (answers.length > 1 ? answers.shift() : answers[0]) ?? 0;
    return status === 0 ? Promise.reject(new TypeError('Failed to fetch')) : Promise.resolve({ status });
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

async function openPage() {
  const page = await loadAgain(() => import('./connection.ts'));
  const { result } = renderHook(() => page.useConnection());
  return { ...page, shown: () => result.current };
}
const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

it('takes what a proxy answers instead of the server for no answer', async () => {
  const { isAnswer } = await openPage();
  const statuses = [0, 200, 401, 500, 501, 502, 503, 504, 505];
  expect(statuses.filter((status) => isAnswer(status))).toEqual([200, 401, 500, 501, 505]);
});

it('asks once when a call has no answer, as the person who is signed in, and loses nothing when the server answers', async () => {
  const page = await openPage();
  act(page.noteSilence);
  act(page.noteSilence);
  expect(page.shown()).toMatchObject({ isLost: false, isTrying: true });
  await pass(0);
  expect(page.shown()).toMatchObject({ isLost: false, isTrying: false });
  expect(questions).toEqual([{ path: '/v1/currentUser', headers: {}, cache: 'no-store' }]);
  localStorage.setItem('oidc.user:http://localhost/idp:portal', JSON.stringify({ access_token: 'secret' }));
  act(page.noteSilence);
  await pass(60_000);
  expect(questions).toHaveLength(2);
  expect(questions[1]?.headers).toEqual({ authorization: 'Bearer secret' });
});

it('asks every five seconds while the server does not answer, and again when it is lost a second time', async () => {
  const page = await openPage();
  for (const round of [1, 2]) {
    [answers, questions] = [[0, 503, 200], []];
    act(page.noteSilence);
    await pass(0);
    expect([round, page.shown().isLost, page.shown().isTrying, questions.length]).toEqual([round, true, false, 1]);
    act(page.noteSilence);
    await pass(4_999);
    expect(questions).toHaveLength(1);
    await pass(1);
    expect([page.shown().isLost, questions.length]).toEqual([true, 2]);
    await pass(5_000);
    expect(page.shown()).toEqual({ isLost: false, isTrying: false, answeredAt: Date.now() });
    await pass(60_000);
    expect(questions).toHaveLength(3);
  }
});

it('asks no more when a call is answered meanwhile, and remembers when', async () => {
  answers = [0];
  const page = await openPage();
  act(page.noteSilence);
  await pass(1_000);
  act(page.noteAnswer);
  const answeredAt = Date.now();
  expect(page.shown()).toEqual({ isLost: false, isTrying: false, answeredAt });
  await pass(60_000);
  expect(questions).toHaveLength(1);
  // Later answers are remembered too, for when the server is lost.
  act(page.noteAnswer);
  const last = Date.now();
  act(page.noteSilence);
  await pass(0);
  expect(page.shown()).toEqual({ isLost: true, isTrying: false, answeredAt: last });
});

it('asks at once when somebody tries, and then every five seconds from there', async () => {
  answers = [0];
  const page = await openPage();
  act(page.noteSilence);
  await pass(3_000);
  act(() => void page.tryConnection());
  await pass(4_000);
  expect(questions).toHaveLength(2);
  await pass(1_000);
  expect(questions).toHaveLength(3);
});

it('does not ask for a hidden page', async () => {
  vi.spyOn(document, 'hidden', 'get').mockReturnValue(true);
  const page = await openPage();
  act(page.noteSilence);
  await pass(60_000);
  expect(questions).toEqual([]);
});

it('is lost as soon as the browser is offline, and asks as soon as it is online again', async () => {
  answers = [0, 200];
  const page = await openPage();
  act(() => void window.dispatchEvent(new Event('offline')));
  await pass(1_000);
  expect([page.shown().isLost, questions.length]).toEqual([true, 1]);
  act(() => void window.dispatchEvent(new Event('online')));
  await pass(0);
  expect([page.shown().isLost, questions.length]).toEqual([false, 2]);
  act(() => void window.dispatchEvent(new Event('online')));
  await pass(0);
  expect(questions).toHaveLength(2);
});

it('is lost when the browser goes offline during a question, or before a late answer to a call', async () => {
  answers = [200, 0];
  const onLine = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(true);
  const page = await openPage();
  act(page.noteSilence);
  onLine.mockReturnValue(false);
  act(() => void window.dispatchEvent(new Event('offline')));
  await pass(0);
  expect([page.shown().isLost, questions.length]).toEqual([true, 2]);
  act(page.noteAnswer);
  await pass(0);
  expect(page.shown()).toEqual({ isLost: true, isTrying: false, answeredAt: Date.now() });
  expect(questions).toHaveLength(3);
});

it('is connected to a server that answers, though the browser sees no network', async () => {
  answers = [0, 0, 200];
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
  const page = await openPage();
  act(page.noteSilence);
  await pass(0);
  await pass(5_000);
  expect([page.shown().isLost, questions.length]).toEqual([true, 2]);
  act(page.noteAnswer);
  await pass(0);
  expect([page.shown().isLost, questions.length]).toEqual([false, 3]);
});

it('asks again while the browser sees no network, because the first answer may have been the last one', async () => {
  answers = [200, 0];
  const onLine = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
  const page = await openPage();
  act(() => void window.dispatchEvent(new Event('offline')));
  await pass(0);
  expect([page.shown().isLost, questions.length]).toEqual([false, 1]);
  await pass(10_000);
  expect([page.shown().isLost, questions.length]).toEqual([true, 2]);
  answers = [200];
  onLine.mockReturnValue(true);
  await pass(5_000);
  expect([page.shown().isLost, questions.length]).toEqual([false, 3]);
  await pass(60_000);
  expect(questions).toHaveLength(3);
});

it('says whether the server was away while somebody waited for it', async () => {
  const page = await openPage();
  const there = page.untilAnswered();
  await pass(0);
  expect(await there).toBe(false);
  answers = [0, 0, 200];
  const back = page.untilAnswered();
  // Who comes while it is asked waits for the same.
  const other = page.untilAnswered();
  let isBack = false;
  void back.then(() => (isBack = true));
  await pass(6_000);
  expect(isBack).toBe(false);
  await pass(6_000);
  expect([await back, await other]).toEqual([true, true]);
});
