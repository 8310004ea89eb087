import { describe, expect, it, vi } from 'vitest';
import { addToBatch, newBatcher } from '../platform/batcher.ts';

const tick = () => new Promise((resolve) => setTimeout(resolve, 1));

const waits = (maxWaitMs: number) => ({ maxWaitMs, timedOut: () => new Error('late') });

describe('batcher', () => {
  it('coalesces requests while as many batches run as may, and answers each caller its own results', async () => {
    const batches: string[][] = [];
    const ends: (() => void)[] = [];
    const batcher = newBatcher({
      maxRunning: 2,
      maxRunningPerKey: 1,
      maxItems: 4,
      keyOf: (caller: string) => caller,
      ...waits(10_000),
      run: async (_caller, items: readonly string[]) => {
        batches.push([...items]);
        await new Promise<void>((resolve) => ends.push(resolve));
        return items.map((item) => item.toUpperCase());
      },
    });
    const send = (caller: string, items: string[]) => addToBatch(batcher, caller, items);
    const answers = [send('a', ['1']), send('a', ['x', 'y']), send('a', ['z']), send('b', ['p']), send('a', ['v', 'w']), send('c', ['q'])];
    await tick();
    expect(batches).toEqual([['1'], ['p']]);
    while (ends.length > 0) {
      ends.shift()?.();
      await tick();
    }
    expect(batches).toEqual([['1'], ['p'], ['x', 'y', 'z'], ['q'], ['v', 'w']]);
    expect(await Promise.all(answers)).toEqual([['1'], ['X', 'Y'], ['Z'], ['P'], ['V', 'W'], ['Q']]);
  });

  it('runs each request alone when the batch that they share fails', async () => {
    const batches: number[][] = [];
    const batcher = newBatcher({
      maxRunning: 1,
      maxRunningPerKey: 1,
      maxItems: 10,
      keyOf: () => '',
      ...waits(10_000),
      run: async (_caller: null, items: readonly number[]) => {
        batches.push([...items]);
        await tick();
        if (items.includes(13)) throw new Error('13');
        return [...items];
      },
    });
    const sent = await Promise.allSettled([1, 2, 13, 3].map((item) => addToBatch(batcher, null, [item])));
    expect(sent.map((item) => (item.status === 'fulfilled' ? item.value : (item.reason as Error).message))).toEqual([[1], [2], '13', [3]]);
    expect(batches).toEqual([[1], [2, 13, 3], [2], [13], [3]]);
  });

  it('refuses requests that waited too long, and runs the others at once', async () => {
    const batches: number[][] = [];
    const ends: (() => void)[] = [];
    const now = vi.spyOn(performance, 'now').mockReturnValue(0);
    const batcher = newBatcher({
      maxRunning: 1,
      maxRunningPerKey: 1,
      maxItems: 10,
      keyOf: () => '',
      ...waits(50),
      run: async (_caller: null, items: readonly number[]) => {
        batches.push([...items]);
        await new Promise<void>((resolve) => ends.push(resolve));
        return [...items];
      },
    });
    const early = [addToBatch(batcher, null, [1]), addToBatch(batcher, null, [2])];
    now.mockReturnValue(1);
    const late = addToBatch(batcher, null, [3]);
    const answers = Promise.allSettled([...early, late]);
    now.mockReturnValue(51);
    ends[0]?.();
    await tick();
    ends[1]?.();
    expect((await answers).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    now.mockRestore();
    expect(batches).toEqual([[1], [3]]);
  });
});
