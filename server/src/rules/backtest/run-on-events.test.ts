/** Which recorded matches a backtest of a rule of type Correlation reads. The test supplies the record. */
import { minuteMs } from '@cloudfit/contract/durations.ts';
import { describe, expect, it } from 'vitest';
import { compileRule, ruleTypeId } from '@cloudfit/contract/rules/compile.ts';
import type { Db } from '../../db/db.ts';
import type { Entity } from '../run/entity.ts';
import { indexOf, ruleOf, web } from '../testing/hits.ts';
import type { Backtest } from './backtest.ts';
import { runBacktest } from './run-backtest.ts';

const from = Date.parse('2026-02-01T00:00:00.000Z');
const to = from + 600 * minuteMs;
const device = (id: string): Entity => ({ ...web, id, name: id, device: { id, name: id } });
const operation = (id: string, of: string): Entity => ({ ...device(of), id, kind: 'operation' });

let count = 0;
const match = (created: number, extra: object = {}) => ({
  ruleMatchId: `m${++count}`,
  ruleId: 'a',
  subjectId: 'd1',
  created,
  firstMatch: created,
  lastMatch: created,
  closed: created + minuteMs,
  matchCount: 1,
  ...extra,
});

async function run(matches: object[], extra: Partial<Backtest> & { operator?: number; of?: string } = {}) {
  const entities = new Map([device('d1'), device('d2'), operation('o1', 'd1')].map((item) => [item.id, item]));
  const looks: [number, number][] = [];
  const { of = 'a', operator = 1 } = extra;
  const result = await runBacktest({ query: () => Promise.resolve(matches) } as unknown as Db, {
    draft: compileRule(
      ruleOf({
        ruleId: 'draft',
        ruleTypeId: ruleTypeId.correlation,
        conditions: [{ Type: 'And', LeftOperand: 80, Operator: operator, RightOperand: of }],
      }),
    ),
    inForce: undefined,
    maintenance: indexOf(),
    entities: {
      find: (ids) => Promise.resolve(new Map([...ids].flatMap((id) => (entities.has(id) ? [[id, entities.get(id) as Entity]] : [])))),
      onChange: () => undefined,
      stop: () => Promise.resolve(),
    },
    entityIds: undefined,
    period: { from, to },
    tenantId: 't1',
    goOn: (progress, looked) => {
      looks.push([progress, looked]);
      return Promise.resolve(true);
    },
    ...extra,
  });
  return {
    looks,
    notes: result?.notes.slice(1),
    result,
    lines: result?.draft.list.map((listed) => `${listed.entityId} ${(Date.parse(listed.firstMatch) - from) / minuteMs}`),
  };
}

describe('a backtest on matches', () => {
  it('looks at those of the rules that it names, as they opened within the period', async () => {
    const matches = [match(from), match(from + 10 * minuteMs, { ruleId: 'b' }), match(to - 1), match(to)];
    expect((await run(matches)).lines).toEqual(['d1 0', `d1 ${600 - 1 / minuteMs}`]);
    expect((await run(matches, { ruleId: 'a' })).lines).toEqual([]);
    expect((await run(matches, { of: 'b' })).lines).toEqual(['d1 10']);
  });

  it('takes a match of an operation as one of its device, and none of what is not there any more', async () => {
    const matches = [
      match(from, { subjectId: 'o1' }),
      match(from + minuteMs, { subjectId: 'lost' }),
      match(from + 9 * minuteMs, { subjectId: 'd2' }),
    ];
    expect((await run(matches)).lines).toEqual(['d1 0', 'd2 9']);
    expect((await run(matches, { entityIds: ['d2'] })).lines).toEqual(['d2 9']);
    expect((await run(matches, { entityIds: ['d1'] })).lines).toEqual(['d1 0']);
  });

  it('counts the matches of one rule and device in one moment once', async () => {
    const twice = [match(from), match(from, { subjectId: 'o1' }), match(from, { subjectId: 'd2' })];
    const { result } = await run(twice);
    expect(result?.draft.list.map(({ entityId, matchCount }) => [entityId, matchCount])).toEqual([
      ['d1', 1],
      ['d2', 1],
    ]);
  });

  it('can be stopped every thousand events, and says how far it is', async () => {
    const matches = Array.from({ length: 1_000 }, (_, n) => match(from + n * 100, { closed: null }));
    const { looks, notes } = await run(matches);
    // The replay begins an hour before the period.
    expect(looks).toEqual([[(60 * minuteMs + 999 * 100) / (660 * minuteMs), 1_000]]);
    expect(notes).toHaveLength(1);
    expect((await run(matches.slice(1))).looks).toEqual([[1, 999]]);
    // Matches before the replay, at the end of the period, or of other rules do not count.
    const with999 = async (...more: object[]) => (await run([...more, ...matches.slice(1)])).looks.at(-1)?.[1];
    const begin = from - 60 * minuteMs;
    const still = { closed: null };
    expect([await with999(match(begin, still)), await with999(match(begin - 1, still)), await with999(match(to, still))]).toEqual([
      1_000, 999, 999,
    ]);
    expect(await with999(match(from, { ...still, ruleId: 'b' }))).toBe(999);
    expect((await run(matches, { goOn: () => Promise.resolve(false) })).result).toBeUndefined();
  });
});
