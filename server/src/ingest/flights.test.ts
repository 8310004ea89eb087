import { describe, expect, it } from 'vitest';
import { inFlights } from './flights.ts';

const tick = () => new Promise((resolve) => setTimeout(resolve, 1));

const patient = { patienceMs: 10_000, refusal: () => new Error('late') };

describe('flights', () => {
  it('take along what comes while as many as may are under way, and answer each caller its own', async () => {
    const flown: string[][] = [];
    const ends: (() => void)[] = [];
    const send = inFlights(
      { total: 2, perKey: 1, items: 4, keyOf: (caller: string) => caller, ...patient },
      async (_caller, items: readonly string[]) => {
        flown.push([...items]);
        await new Promise<void>((resolve) => ends.push(resolve));
        return items.map((item) => item.toUpperCase());
      },
    );
    const answers = [send('a', ['1']), send('a', ['x', 'y']), send('a', ['z']), send('b', ['p']), send('a', ['v', 'w']), send('c', ['q'])];
    await tick();
    expect(flown).toEqual([['1'], ['p']]);
    while (ends.length > 0) {
      ends.shift()?.();
      await tick();
    }
    expect(flown).toEqual([['1'], ['p'], ['x', 'y', 'z'], ['q'], ['v', 'w']]);
    expect(await Promise.all(answers)).toEqual([['1'], ['X', 'Y'], ['Z'], ['P'], ['V', 'W'], ['Q']]);
  });

  it('try each caller alone when the flight that they share fails', async () => {
    const flown: number[][] = [];
    const send = inFlights(
      { total: 1, perKey: 1, items: 10, keyOf: () => '', ...patient },
      async (_caller: null, items: readonly number[]) => {
        flown.push([...items]);
        await tick();
        if (items.includes(13)) throw new Error('13');
        return [...items];
      },
    );
    const sent = await Promise.allSettled([send(null, [1]), send(null, [2]), send(null, [13]), send(null, [3])]);
    expect(sent.map((one) => (one.status === 'fulfilled' ? one.value : (one.reason as Error).message))).toEqual([[1], [2], '13', [3]]);
    expect(flown).toEqual([[1], [2, 13, 3], [2], [13], [3]]);
  });

  it('refuse who has waited too long, and take the others at once', async () => {
    const flown: number[][] = [];
    const impatient = { total: 1, perKey: 1, items: 10, keyOf: () => '', patienceMs: 50, refusal: () => new Error('late') };
    const send = inFlights(impatient, async (_caller: null, items: readonly number[]) => {
      flown.push([...items]);
      await new Promise((resolve) => setTimeout(resolve, 120));
      return [...items];
    });
    const early = [send(null, [1]), send(null, [2])];
    await new Promise((resolve) => setTimeout(resolve, 100));
    const told = await Promise.allSettled([...early, send(null, [3])]);
    expect(told.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(flown).toEqual([[1], [3]]);
  });
});
