/** Reads that begin at one moment: one request, and each with its own answer, error and end. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { whenForbidden } from './client.ts';
import { readTogether } from './read-together.ts';

interface Sent {
  path: string;
  requests: { id: string; method: string; url: string; body?: unknown }[];
  prefer: string | undefined;
}
let sent: Sent[] = [];
let batchStatus = 200;

beforeEach(() => {
  [sent, batchStatus] = [[], 200];
  vi.stubGlobal('fetch', (path: string, { body, headers }: { body?: string; headers: Record<string, string> }) => {
    const { requests = [] } = JSON.parse(body ?? '{}') as Partial<Sent>;
    sent.push({ path, requests, prefer: headers['prefer'] });
    if (path !== '/v1/$batch') return Promise.resolve(Response.json({ path }));
    const answer = (url: string) =>
      url === '/v1/refused' ? { status: 403, body: { error: { message: 'No.' } } } : { status: 200, body: { path: url } };
    const responses = requests.map(({ id, url }) => ({ id, ...answer(url) })).toReversed();
    return Promise.resolve(Response.json(batchStatus === 200 ? { responses } : { error: { message: 'Later.' } }, { status: batchStatus }));
  });
});
afterEach(() => {
  sessionStorage.clear();
  vi.unstubAllGlobals();
});

it('sends the reads of one moment as one batch that goes on after errors, and a single one alone', async () => {
  const both = await Promise.all([readTogether('/v1/a'), readTogether('/v1/b', { method: 'POST', body: { names: ['x'] } })]);
  expect(both).toEqual([{ path: '/v1/a' }, { path: '/v1/b' }]);
  expect(sent).toEqual([
    {
      path: '/v1/$batch',
      prefer: 'continue-on-error',
      requests: [
        { id: '0', method: 'GET', url: '/v1/a' },
        { id: '1', method: 'POST', url: '/v1/b', body: { names: ['x'] } },
      ],
    },
  ]);
  expect(await readTogether('/v1/c')).toEqual({ path: '/v1/c' });
  expect(sent[1]).toMatchObject({ path: '/v1/c', requests: [] });
});

it('refuses one part alone, and tells that unless it is quiet', async () => {
  const onRefusal = vi.fn<() => void>();
  whenForbidden(onRefusal);
  const read = (quiet: boolean) => Promise.allSettled([readTogether('/v1/a'), readTogether('/v1/refused', { quiet })]);
  expect(await read(true)).toMatchObject([{ status: 'fulfilled' }, { status: 'rejected', reason: { status: 403, message: 'No.' } }]);
  expect(onRefusal).not.toHaveBeenCalled();
  await read(false);
  expect(onRefusal).toHaveBeenCalledTimes(1);
});

it('fails every part when the batch fails, and leaves out what nobody waits for any more', async () => {
  batchStatus = 429;
  const failed = await Promise.allSettled([readTogether('/v1/a'), readTogether('/v1/b')]);
  expect(failed).toMatchObject([{ reason: { status: 429 } }, { reason: { status: 429 } }]);
  const leaving = new AbortController();
  const reads = Promise.allSettled([readTogether('/v1/a', { signal: leaving.signal }), readTogether('/v1/b')]);
  await Promise.resolve();
  leaving.abort();
  expect(await reads).toMatchObject([{ status: 'rejected', reason: { name: 'AbortError' } }, { status: 'fulfilled' }]);
  expect(sent[1]).toMatchObject({ path: '/v1/b' });
});

it('sends no batch for an administrator who sees the portal as another person', async () => {
  sessionStorage.setItem('seeAs', JSON.stringify({ seeAsId: 's', name: 'Kim', expires: '2099-01-01T00:00:00Z' }));
  await Promise.all([readTogether('/v1/a'), readTogether('/v1/b')]);
  expect(sent.map(({ path }) => path)).toEqual(['/v1/a', '/v1/b']);
});
