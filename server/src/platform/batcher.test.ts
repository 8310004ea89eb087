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

  /** A batcher of one batch at a time, whose callers may share a batch where their first letters are equal. */
  function sharing(run: (items: readonly string[]) => Promise<string[]>, maxItems = 4) {
    const batches: string[] = [];
    const batcher = newBatcher({
      maxRunning: 1,
      maxRunningPerKey: 1,
      maxItems,
      keyOf: (caller: string) => caller,
      mayShare: (caller, other) => caller[0] === other[0],
      ...waits(10_000),
      run: async (_caller, items: readonly string[]) => {
        batches.push(items.join(' '));
        await tick();
        return run(items);
      },
    });
    return { batches, batcher, send: (caller: string, ...items: string[]) => addToBatch(batcher, caller, items) };
  }
  const echo = (items: readonly string[]) => Promise.resolve(items.map((item) => item.toUpperCase()));

  it('takes the requests of keys that may share a batch in turn, and answers each its own results', async () => {
    const { batches, send } = sharing(echo);
    const answers = [
      send('t1', '0'),
      send('t1', 'a', 'b'),
      send('t1', 'c'),
      send('t1', 'd'),
      send('t2', 'p'),
      send('u', 'x'),
      send('t3', 'q'),
      send('t3', 'r'),
    ];
    expect(await Promise.all(answers)).toEqual([['0'], ['A', 'B'], ['C'], ['D'], ['P'], ['X'], ['Q'], ['R']]);
    // The first letters differ: u is alone. One request of a key comes before the second of another.
    expect(batches).toEqual(['0', 'a b p q', 'x', 'c d r']);
  });

  it('keeps a key whose requests fail from the batches of others, for a minute', async () => {
    const now = vi.spyOn(performance, 'now').mockReturnValue(0);
    const { batches, send } = sharing((items) => (items.includes('bad') ? Promise.reject(new Error('bad')) : echo(items)));
    const round = async () => {
      await tick();
      batches.length = 0;
      const sent = [send('t1', '0'), send('t2', 'bad'), send('t2', 'good'), send('t3', 'q')];
      return (await Promise.allSettled(sent)).map((result) => (result.status === 'fulfilled' ? result.value[0] : 'failed'));
    };
    expect(await round()).toEqual(['0', 'failed', 'GOOD', 'Q']);
    expect(batches).toEqual(['0', 'bad good q', 'bad good', 'q', 'bad', 'good']);
    expect(await round()).toEqual(['0', 'failed', 'GOOD', 'Q']);
    expect(batches).toEqual(['0', 'bad good', 'bad', 'good', 'q']);
    now.mockReturnValue(60_001);
    await round();
    expect(batches[1]).toBe('bad good q');
    now.mockRestore();
  });

  it('keeps a key apart while a batch of it runs for long', async () => {
    const now = vi.spyOn(performance, 'now').mockReturnValue(0);
    const ends: (() => void)[] = [];
    const batches: string[] = [];
    const batcher = newBatcher({
      maxRunning: 2,
      maxRunningPerKey: 2,
      maxItems: 9,
      keyOf: (caller: string) => caller,
      mayShare: () => true,
      ...waits(10_000),
      run: async (_caller, items: readonly string[]) => {
        batches.push(items.join(' '));
        await new Promise<void>((resolve) => ends.push(resolve));
        return [...items];
      },
    });
    const send = (caller: string, item: string) => addToBatch(batcher, caller, [item]);
    const stuck = send('slow', '1');
    const answers = [send('a', '2'), send('slow', '3'), send('b', '4'), send('c', '5')];
    now.mockReturnValue(501);
    ends[1]?.();
    await tick();
    expect(batches).toEqual(['1', '2', '3']);
    ends[2]?.();
    await tick();
    expect(batches.slice(3)).toEqual(['4 5']);
    for (const end of ends) end();
    expect((await Promise.all([stuck, ...answers])).flat().join('')).toBe('12345');
    now.mockRestore();
  });

  it('keeps no key apart when all fail', async () => {
    let isDown = true;
    const { batches, send } = sharing((items) => (isDown ? Promise.reject(new Error('down')) : echo(items)));
    const round = () => Promise.allSettled([send('t1', '0'), send('t2', 'p'), send('t3', 'q')]);
    await round();
    await tick();
    isDown = false;
    batches.length = 0;
    await round();
    expect(batches).toEqual(['0', 'p q']);
  });

  it('takes no request of a key that has its share of the running batches', async () => {
    const ends: (() => void)[] = [];
    const batches: string[] = [];
    const batcher = newBatcher({
      maxRunning: 3,
      maxRunningPerKey: 1,
      maxItems: 4,
      keyOf: (caller: string) => caller,
      mayShare: () => true,
      ...waits(10_000),
      run: async (_caller, items: readonly string[]) => {
        batches.push(items.join(' '));
        await new Promise<void>((resolve) => ends.push(resolve));
        return [...items];
      },
    });
    const answers = [addToBatch(batcher, 'a', ['1']), addToBatch(batcher, 'a', ['2']), addToBatch(batcher, 'b', ['3'])];
    await tick();
    expect(batches).toEqual(['1', '3']);
    while (ends.length > 0) {
      ends.shift()?.();
      await tick();
    }
    expect(await Promise.all(answers)).toEqual([['1'], ['2'], ['3']]);
  });

  it('lets a batch beside others wait until it is full or for a moment', async () => {
    vi.useFakeTimers();
    const ends: (() => void)[] = [];
    const batches: string[] = [];
    const batcher = newBatcher({
      maxRunning: 3,
      maxRunningPerKey: 3,
      eager: { batches: 1, lingerMs: 5, gatherMs: 2 },
      maxItems: 3,
      keyOf: () => '',
      ...waits(10_000),
      run: async (_caller: null, items: readonly string[]) => {
        batches.push(items.join(' '));
        await new Promise<void>((resolve) => ends.push(resolve));
        return [...items];
      },
    });
    const send = (...items: string[]) => addToBatch(batcher, null, items);
    const answers = [send('a'), send('b')];
    await vi.advanceTimersByTimeAsync(4);
    expect(batches).toEqual(['a']);
    answers.push(send('c'));
    await vi.advanceTimersByTimeAsync(1);
    expect(batches).toEqual(['a', 'b c']);
    answers.push(send('d', 'e'), send('f'));
    expect(batches).toEqual(['a', 'b c', 'd e f']);
    answers.push(send('g'));
    await vi.advanceTimersByTimeAsync(20);
    expect(batches).toHaveLength(3);
    for (const end of ends.splice(0, 3)) end();
    // Who was answered sends again.
    await vi.advanceTimersByTimeAsync(1);
    answers.push(send('h'));
    expect(batches).toHaveLength(3);
    await vi.advanceTimersByTimeAsync(1);
    expect(batches[3]).toBe('g h');
    for (const end of ends) end();
    expect((await Promise.all(answers)).flat().join('')).toBe('abcdefgh');
    vi.useRealTimers();
  });
});
