/** Which refusals are audited one by one, and which are only counted. The test supplies clock and database. */
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { minuteMs } from '@cloudfit/contract/durations.ts';
import type { Actor, Ctx } from '../context/ctx.ts';
import type { Database } from '../db/connection.ts';
import type { Statement, TenantScope } from '../db/db.ts';
import { createDenials, denialsPerMinute, type Denials } from './denials.ts';
let now: number;
let written: Record<string, unknown>[];
let denials: Denials;

beforeEach(() => {
  vi.useFakeTimers();
  now = 1_000_000;
  written = [];
  // The order of the values in both audit statements; the first value is the tenant or the person.
  const names = ['about', 'kind', 'id', 'name', 'verb', 'entity', 'entityId', 'before', 'after', 'correlationId', 'address'];
  const query = ({ text, values = [] }: Statement) => {
    const entry = Object.fromEntries(names.map((name, i) => [name, values[i]]));
    written.push({ ...entry, after: JSON.parse(String(entry['after'])) as unknown, ofPerson: text.startsWith('with place') });
    return Promise.resolve([]);
  };
  denials = createDenials({ scoped: () => ({ query }) } as unknown as Database, pino({ level: 'silent' }), () => now);
});
afterEach(async () => {
  await denials.close();
  vi.useRealTimers();
});

const person: Actor = { kind: 'person', id: 'p1', name: 'Vera', userName: 'vera@example.org' };
const token: Actor = { kind: 'token', id: 't1', name: 'agents', scopes: [] };
const ctxOf = (actor: Actor, tenants: TenantScope = ['a'], address?: string): Ctx =>
  ({ actor, tenants, correlationId: 'c1', ...(address ? { address } : {}) }) as unknown as Ctx;
const denial = { method: 'PUT', path: '/v1/locations', entity: 'locations', message: 'No.' };
function note(times = 1, ctx = ctxOf(person), extra: Partial<typeof denial> = {}): void {
  for (let i = 0; i < times; i++) denials.note(ctx, { ...denial, ...extra });
}
const counts = () => written.filter((item) => item['entity'] === 'requests').map((item) => (item['after'] as { more: number }).more);

describe('a refusal', () => {
  it('is audited with its path and its reason, each cut', () => {
    note(1, ctxOf(person, ['a'], '192.0.2.1'), { path: `/${'p'.repeat(400)}`, message: 'm'.repeat(600) });
    expect(written).toEqual([
      {
        about: 'p1',
        kind: 'person',
        id: 'p1',
        name: 'vera@example.org',
        verb: 'denied',
        entity: 'locations',
        entityId: `/${'p'.repeat(299)}`,
        before: null,
        after: { method: 'PUT', reason: 'm'.repeat(500) },
        correlationId: 'c1',
        address: '192.0.2.1',
        ofPerson: true,
      },
    ]);
  });

  it('of a token is one of its tenant, or of the installation where it has several', () => {
    for (const [i, tenants] of ([['a'], ['a', 'b'], [], 'all'] as const).entries()) note(1, ctxOf({ ...token, id: `t${i}` }, tenants));
    expect(written.map(({ about, name, ofPerson }) => [about, name, ofPerson])).toEqual([
      ['a', 'agents', false],
      [null, 'agents', false],
      [null, 'agents', false],
      [null, 'agents', false],
    ]);
  });

  it('of who sees as another person is their own', () => {
    const seer: Actor = { kind: 'person', id: 'p2', name: 'Ann', userName: 'ann@example.org' };
    note(1, { ...ctxOf(person), seer });
    expect(written).toMatchObject([{ about: 'p2', name: 'ann@example.org' }]);
  });

  it('of the system is none', () => {
    note(1, ctxOf({ kind: 'system', id: null, name: 'jobs' }));
    expect(written).toEqual([]);
  });
});

describe('many refusals', () => {
  it('are audited up to a number each minute and caller; the others are counted when the minute is over', async () => {
    note(denialsPerMinute + 3);
    note(1, ctxOf(token));
    expect(written).toHaveLength(denialsPerMinute + 1);
    now += minuteMs - 1;
    note();
    expect(counts()).toEqual([]);
    now += 1;
    note();
    expect(counts()).toEqual([4]);
    expect(written.at(-2)).toMatchObject({ entity: 'requests', entityId: '', after: { more: 4, from: new Date(1_000_000).toISOString() } });
    await denials.flush();
    expect(counts()).toEqual([4]);
  });

  it('are counted within the next quarter of a minute where the caller stops', async () => {
    note(denialsPerMinute + 1);
    await vi.advanceTimersByTimeAsync(minuteMs / 4);
    expect(counts()).toEqual([]);
    now += minuteMs;
    await vi.advanceTimersByTimeAsync(minuteMs / 4 - 1);
    expect(counts()).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(counts()).toEqual([1]);
    await vi.advanceTimersByTimeAsync(minuteMs);
    expect(counts()).toEqual([1]);
  });

  it('are counted at the end, each once', async () => {
    note(denialsPerMinute);
    note(denialsPerMinute + 2, ctxOf(token));
    await denials.flush();
    expect(counts()).toEqual([2]);
    note();
    await denials.close();
    expect(counts()).toEqual([2]);
  });

  it('of more callers than are remembered are counted for the one that began first', () => {
    note(denialsPerMinute + 1);
    for (let i = 1; i < 10_000; i++) note(1, ctxOf({ ...token, id: `t${i}` }));
    expect(counts()).toEqual([]);
    note(1, ctxOf({ ...token, id: 'one more' }));
    expect(counts()).toEqual([1]);
  });
});
