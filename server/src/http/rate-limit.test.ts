/** Token buckets, slots for lists, and named limits that all servers share. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAction } from '@cloudfit/contract/action.ts';
import { ApiError } from '@cloudfit/contract/errors.ts';
import type { Ctx } from '../context/ctx.ts';
import { openDatabase } from '../db/connection.ts';
import { implement } from '../resources/action.ts';
import { createWorld, holder, type TestWorld } from '../testing/world.ts';
import { countCall, createBuckets, createListSlots, usualRates } from './rate-limit.ts';

const person = (id: string): Ctx => ({ actor: { kind: 'person', id, name: '', userName: '' } }) as Ctx;
const anonymous = (address: string): Ctx => ({ actor: { kind: 'system', id: null, name: 'anonymous' }, address }) as Ctx;

describe('buckets', () => {
  it('let a burst pass, then so many a second, for each caller alone', () => {
    let now = 0;
    const take = createBuckets(usualRates, () => now);
    for (let i = 0; i < 200; i++) take(person('a'));
    expect(() => take(person('a'))).toThrow('Too many requests');
    take(person('b'));
    take(anonymous('10.0.0.1'));
    now = 1_000;
    for (let i = 0; i < 50; i++) take(person('a'));
    expect(() => take(person('a'))).toThrow('Too many requests');
  });

  it('count callers without a sign-in by network', () => {
    const take = createBuckets({ ...usualRates, anonymous: { perSecond: 1, burst: 2 } }, () => 0);
    take(anonymous('2001:db8::1'));
    take(anonymous('2001:db8::2'));
    expect(() => take(anonymous('2001:db8::3'))).toThrow(ApiError);
    take(anonymous('2001:db9::1'));
  });

  it('count sign-ins of agents apart from those of the people in the same network', () => {
    const take = createBuckets({ ...usualRates, agentSignIn: { perSecond: 1, burst: 2 } }, () => 0);
    for (let i = 0; i < 2; i++) take(anonymous('10.0.0.1'), true);
    expect(() => take(anonymous('10.0.0.1'), true)).toThrow(ApiError);
    take(anonymous('10.0.0.1'));
  });
});

describe('places for lists', () => {
  it('run four of a person at once, the next ones in order, and turn away who lets dozens wait', async () => {
    const inPlace = createListSlots();
    const ends: (() => void)[] = [];
    let max = 0;
    let running = 0;
    const work = async (): Promise<void> => {
      max = Math.max(max, ++running);
      await new Promise<void>((resolve) => ends.push(resolve));
      running -= 1;
    };
    const all = Array.from({ length: 36 }, () => inPlace(person('a'), work));
    await expect(inPlace(person('a'), work)).rejects.toMatchObject({ code: 'TooManyRequests' });
    const other = inPlace(person('b'), work);
    let done = false;
    void Promise.all([...all, other]).then(() => (done = true));
    while (!done) {
      ends.splice(0).forEach((end) => end());
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(max).toBe(5);
    await inPlace(person('a'), () => Promise.resolve());
  });

  it('run four of a token at once too: no tenant holds all connections', async () => {
    const inPlace = createListSlots();
    const token: Ctx = { ...person('t'), actor: { kind: 'token', id: 't', name: 't', scopes: [] } };
    let running = 0;
    const open = Array.from({ length: 260 }, () => inPlace(token, () => ((running += 1), new Promise<void>(() => undefined))));
    await expect(inPlace(token, () => Promise.resolve())).rejects.toMatchObject({ code: 'TooManyRequests' });
    expect([open.length, running]).toEqual([260, 4]);
  });
});

describe('over HTTP', () => {
  let world: TestWorld;
  let ran = 0;
  const ask = implement(
    defineAction({ name: 'ask', method: 'POST', path: '/v1/ask', access: 'anonymous', limit: 'access-request', input: z.object({}) }),
    () => {
      ran += 1;
      return { ran };
    },
  );
  beforeAll(async () => {
    world = await createWorld({ actions: [ask] });
  });
  afterAll(() => world.close());

  it('turns a person away with 429 and Retry-After, in the error form', async () => {
    const me = { ...holder('all'), actor: { kind: 'person', id: crypto.randomUUID(), name: 'P', userName: 'p' } as const };
    const answers = await Promise.all(Array.from({ length: 260 }, () => world.call(me, 'GET', '/v1/permissions')));
    const refused = answers.filter((answer) => answer.status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]?.headers).toMatchObject({
      'retry-after': '1',
      'ratelimit-policy': '"person";q=200;w=4',
      ratelimit: '"person";r=0;t=1',
    });
    expect(refused[0]?.body['error']).toMatchObject({ message: expect.stringContaining('200, and then 50 a second') });
    expect(refused[0]?.body['error']).toMatchObject({ code: 'TooManyRequests', innererror: { requestId: expect.any(String) } });
  });

  it('lets five calls of a named limit pass from one address within the hour', async () => {
    const statuses: number[] = [];
    for (let i = 0; i < 7; i++) statuses.push((await world.call(null, 'POST', '/v1/ask', {})).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429]);
    const { headers } = await world.call(null, 'POST', '/v1/ask', {});
    expect(headers).toMatchObject({ 'ratelimit-policy': '"access-request";q=5;w=3600', ratelimit: '"access-request";r=0;t=600' });
    expect(ran).toBe(5);
  });

  it('lets a person look up people thirty times a minute, and others meanwhile', async () => {
    const person = (n: number): Ctx => ({
      ...world.ctx({ tenants: [], permissions: new Map() }),
      actor: { kind: 'person', id: `00000000-0000-7000-8000-00000000000${n}`, name: 'P', userName: 'p' },
    });
    const tries = await Promise.allSettled(Array.from({ length: 33 }, () => countCall(person(1), 'people-lookup')));
    expect(tries.filter((item) => item.status === 'fulfilled')).toHaveLength(30);
    await expect(countCall(person(1), 'people-lookup')).rejects.toMatchObject({ code: 'TooManyRequests', retryAfterSeconds: 20 });
    await countCall(person(2), 'people-lookup');
    await world.system.db.query({ text: "update call_limit set calls = array(select t - interval '61 seconds' from unnest(calls) t)" });
    await countCall(person(1), 'people-lookup');
  });

  it('counts on two servers together, up to a hundred of all addresses', async () => {
    const second = openDatabase({ url: world.url, max: 4, onError: () => undefined });
    const from = (n: number): Ctx => ({
      ...world.ctx({ tenants: [], permissions: new Map() }),
      address: `10.1.${n}.1`,
      db: (n % 2 ? second : world.database).scoped([]),
    });
    const tries = await Promise.allSettled(Array.from({ length: 120 }, (_, n) => countCall(from(n), 'access-request')));
    // Five of the hundred were used above.
    expect(tries.filter((item) => item.status === 'fulfilled')).toHaveLength(95);
    await world.system.db.query({ text: "update call_limit set calls = array(select t - interval '61 minutes' from unnest(calls) t)" });
    await countCall(from(1), 'access-request');
    await second.close();
  });
});
