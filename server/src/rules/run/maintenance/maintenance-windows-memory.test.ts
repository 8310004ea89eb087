/** The windows in memory: how they follow changes, and what happens when they cannot be read. The test supplies the rows. */
import { afterEach, expect, it, vi } from 'vitest';
import type { Database } from '../../../db/connection.ts';
import { openMaintenanceWindows } from './maintenance-windows.ts';
import { silent } from '../../testing/flow.ts';

const row = {
  maintenance_window_id: 'w1',
  tenant_id: 't1',
  starts_at: '2026-01-01T00:00:00.000Z',
  ends_at: '2026-01-02T00:00:00.000Z',
  device_ids: ['web'],
};

/** A database that answers reads one by one, when the test says so. */
function fakeDatabase() {
  const reads: { answer: (rows: unknown[]) => void; fail: () => void }[] = [];
  const listening = new Set<() => void>();
  const query = () =>
    new Promise((resolve, reject) => {
      reads.push({ answer: resolve, fail: () => reject(new Error('The database does not answer.')) });
    });
  const listen = (_: string, listener: () => void) => {
    listening.add(listener);
    return Promise.resolve(() => Promise.resolve(listening.delete(listener)));
  };
  return {
    reads,
    listening,
    database: { scoped: () => ({ query }), listen } as unknown as Database,
    change: () => [...listening].forEach((listener) => listener()),
  };
}

/** Opens the windows in memory, and answers the first read. */
async function opened() {
  vi.useFakeTimers();
  const fake = fakeDatabase();
  const opening = openMaintenanceWindows({ database: fake.database, log: silent });
  const early = vi.fn<() => void>();
  void opening.then(early);
  await vi.advanceTimersByTimeAsync(0);
  expect([fake.reads.length, early.mock.calls.length]).toEqual([1, 0]);
  fake.reads[0]?.answer([row]);
  return { ...fake, windows: await opening };
}
afterEach(() => vi.useRealTimers());

it('are there when they have been read', async () => {
  const { windows } = await opened();
  expect(windows.current().size).toBe(1);
});

it('are read once at a time, and once more when they changed during a read', async () => {
  const { windows, reads, change } = await opened();
  for (let i = 0; i < 3; i += 1) change();
  await vi.advanceTimersByTimeAsync(0);
  expect(reads).toHaveLength(2);
  change();
  reads[1]?.answer([]);
  await vi.advanceTimersByTimeAsync(0);
  expect([reads.length, windows.current().size]).toEqual([3, 0]);
  reads[2]?.answer([row, row]);
  await vi.advanceTimersByTimeAsync(0);
  expect([reads.length, windows.current().size]).toEqual([3, 2]);
  change();
  await vi.advanceTimersByTimeAsync(0);
  expect(reads).toHaveLength(4);
});

it('are read again half a second after a failure, and stay as they are until then', async () => {
  const { windows, reads, change } = await opened();
  change();
  reads[1]?.fail();
  await vi.advanceTimersByTimeAsync(499);
  expect([reads.length, windows.current().size]).toEqual([2, 1]);
  await vi.advanceTimersByTimeAsync(1);
  expect(reads).toHaveLength(3);
});

it('are not read any more once they are stopped, which waits for the read under way', async () => {
  const { windows, reads, listening, change } = await opened();
  change();
  const stopped = vi.fn<() => void>();
  void windows.stop().then(stopped);
  await vi.advanceTimersByTimeAsync(0);
  expect([listening.size, stopped.mock.calls.length]).toEqual([0, 0]);
  reads[1]?.fail();
  await vi.advanceTimersByTimeAsync(1_000);
  expect([reads.length, stopped.mock.calls.length]).toEqual([2, 1]);
});
