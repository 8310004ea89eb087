/** Which past matches are read, and in which portions. The test supplies the database's answers. */
import { dayMs } from '@cloudfit/contract/durations.ts';
import { describe, expect, it } from 'vitest';
import type { Db, Statement } from '../../db/db.ts';
import { maxMatches, readMatches } from './past-matches.ts';

const from = Date.parse('2026-02-01T00:00:00.000Z');
const to = from + dayMs;
const time = (at: number) => new Date(at).toISOString();

/** A database with this many matches, one in each millisecond. */
function matchesOf(count: number) {
  const requests: Statement[] = [];
  const query = (statement: Statement) => {
    requests.push(statement);
    const values = statement.values ?? [];
    const first = String(values[4]).startsWith('m') ? Number(String(values[4]).slice(1)) + 1 : 0;
    const size = Math.min(Number(values[6]), count - first);
    return Promise.resolve(Array.from({ length: size }, (_, n) => ({ ruleMatchId: `m${first + n}`, created: from + first + n })));
  };
  return { db: { query } as unknown as Db, requests };
}
const ids = async (count: number) => {
  const { db, requests } = matchesOf(count);
  const matches = await readMatches(db, { tenantId: 't1', from, to });
  return { ids: matches.map((match) => match.ruleMatchId), requests };
};

describe('matches of the past', () => {
  it('are those of a tenant that were written up to a month before, and of subjects where they are named', async () => {
    const { db, requests } = matchesOf(1);
    await readMatches(db, { tenantId: 't1', from, to });
    await readMatches(db, { tenantId: 't1', from, to, subjects: ['a', 'b'] });
    const values = [
      't1',
      time(from - 31 * dayMs),
      time(to),
      time(from - 31 * dayMs),
      '00000000-0000-0000-0000-000000000000',
      time(from),
      5_000,
    ];
    expect(requests.map((request) => request.values)).toEqual([values, [...values, ['a', 'b']]]);
    expect(requests.map((request) => request.text.includes('subject_id = any($8::uuid[])'))).toEqual([false, true]);
  });

  it('are read in portions, each once, from the last one of the portion before', async () => {
    for (const [count, portions] of [
      [0, 1],
      [4_999, 1],
      [5_000, 2],
      [5_001, 2],
      [10_001, 3],
    ] as const) {
      const read = await ids(count);
      expect([read.ids.length, new Set(read.ids).size, read.requests.length]).toEqual([count, count, portions]);
    }
    const { requests } = await ids(5_001);
    expect(requests[1]?.values?.slice(3, 5)).toEqual([time(from + 4_999), 'm4999']);
  });

  it('are so many at most, the oldest', async () => {
    const read = await ids(maxMatches + 1);
    expect([read.ids.length, read.ids.at(-1), read.requests.length]).toEqual([maxMatches, `m${maxMatches - 1}`, maxMatches / 5_000]);
  });
});
