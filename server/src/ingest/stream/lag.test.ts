/** How much of the stream waits: by the positions of the database, or by the stream alone where these say nothing. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createFlow, type Flow } from '../../rules/testing/flow.ts';
import { partitionCount } from './envelope.ts';
import { openStreamLag } from './lag.ts';
import { preparePartitions } from './partitions.ts';
import type { PacketStream } from './stream.ts';

let flow: Flow;
beforeAll(async () => {
  flow = await createFlow();
  await preparePartitions(flow.db);
  await flow.rows("update stream_partition set owner = 'me', stream = 's', sequence = 10");
});
afterAll(() => flow.close());

/** A stream of which each partition has ten messages, the last of them number 12. */
function streamOf(name: string): { stream: PacketStream; requests: () => number } {
  const state = vi.fn<PacketStream['state']>((partition) =>
    Promise.resolve({ partition, stream: name, lastSequence: 12, messages: 10, bytes: 5, oldest: Date.now() - 4_000 }),
  );
  const stream = { isConnected: () => true, state } as Partial<PacketStream> as PacketStream;
  return { stream, requests: () => state.mock.calls.length / partitionCount };
}

it('counts what lies behind the position, and all of a stream that is another one', async () => {
  const { waiting, oldestSeconds, withoutOwner } = await openStreamLag(streamOf('s').stream, flow.database)();
  expect([waiting, withoutOwner]).toEqual([2 * partitionCount, 0]);
  expect(oldestSeconds).toBeGreaterThanOrEqual(4);
  expect((await openStreamLag(streamOf('other').stream, flow.database)()).waiting).toBe(10 * partitionCount);
  await flow.rows('update stream_partition set sequence = 12, owner = null where partition = 0');
  const { partitions, withoutOwner: left } = await openStreamLag(streamOf('s').stream, flow.database)();
  expect([partitions[0], left]).toEqual([{ partition: 0, waiting: 0, oldestSeconds: 0, bytes: 5, owner: null }, 1]);
});

it('asks the stream once a second at most, and again after that', async () => {
  const { stream, requests } = streamOf('s');
  const now = vi.spyOn(performance, 'now');
  const lag = openStreamLag(stream, flow.database);
  for (const [at, times] of [
    [1_000, 1],
    [1_900, 1],
    [2_001, 2],
    [2_500, 2],
  ] as const) {
    now.mockReturnValue(at);
    await lag();
    expect([at, requests()]).toEqual([at, times]);
  }
  now.mockRestore();
});
