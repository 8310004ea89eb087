import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase, type Database, type Db } from '../../db/connection.ts';
import { testDatabase, type TestDatabase } from '../../testing/database.ts';
import { setPassword } from './one-time-link.ts';
import { hashPassword } from './passwords.ts';
import { checkPassword } from '../provider/check-sign-in.ts';
import { beginAttempt } from './sign-in-attempts.ts';

let test: TestDatabase;
let database: Database;
let db: Db;

beforeAll(async () => {
  test = await testDatabase();
  database = openDatabase({ url: test.url, max: 5, onError: () => undefined });
  db = database.scoped('all');
  const [row] = await db.query<{ person_id: string }>({
    text: "insert into person (name, user_name) values ('Ada', 'ada@example.org') returning person_id",
  });
  await setPassword(db, String(row?.person_id), await hashPassword('violet tractor lantern'));
});

afterAll(async () => {
  await database.close();
  await test.close();
});

beforeEach(() => db.query({ text: 'delete from sign_in_attempt' }));

const waits = async (count: number, userName: string | undefined, address: string): Promise<number[]> => {
  const seconds: number[] = [];
  for (let i = 0; i < count; i++) seconds.push((await beginAttempt(db, userName, address)).waitSeconds);
  return seconds;
};

/** As if the attempts had been made earlier. */
const pass = (seconds: number) =>
  db.query({ text: "update sign_in_attempt set last_attempt = last_attempt - $1 * interval '1 second'", values: [seconds] });

describe('guessing a password', () => {
  it('has to pause longer and longer after five attempts, about ten in the first minute', async () => {
    expect(await waits(6, 'ada@example.org', '192.0.2.1')).toEqual([0, 0, 0, 0, 0, 1]);
    const pauses: number[] = [];
    for (let i = 0; i < 9; i++) {
      const { waitSeconds } = await beginAttempt(db, 'ada@example.org', '192.0.2.1');
      pauses.push(waitSeconds);
      await pass(waitSeconds);
      expect((await beginAttempt(db, 'ADA@example.org ', '192.0.2.1')).waitSeconds).toBe(0);
    }
    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
  });

  it('does not lock the account for others, nor for its owner elsewhere', async () => {
    await waits(8, 'ada@example.org', '192.0.2.1');
    expect(await waits(1, 'ada@example.org', '192.0.2.2')).toEqual([0]);
    expect(await waits(1, 'ben@example.org', '192.0.2.1')).toEqual([0]);
  });

  it('counts a whole IPv6 network as one address', async () => {
    await waits(5, 'ada@example.org', '2001:db8:1:2::1');
    expect(await waits(1, 'ada@example.org', '2001:db8:1:2:ffff::9')).toEqual([1]);
    expect(await waits(1, 'ada@example.org', '2001:db8:1:3::1')).toEqual([0]);
  });

  it('of many accounts from one address has to pause too, but never for long', async () => {
    for (let i = 0; i < 50; i++) expect((await beginAttempt(db, `person-${i}`, '192.0.2.3')).waitSeconds).toBe(0);
    expect((await beginAttempt(db, 'person-50', '192.0.2.3')).waitSeconds).toBe(1);
    await db.query({ text: 'update sign_in_attempt set attempts = 1000 where attempts >= 50' });
    expect((await beginAttempt(db, undefined, '192.0.2.3')).waitSeconds).toBeLessThanOrEqual(10);
  });

  it('is forgotten after 15 quiet minutes, and by the right password', async () => {
    await waits(8, 'ada@example.org', '192.0.2.1');
    await pass(15 * 60 + 1);
    expect(await waits(5, 'ada@example.org', '192.0.2.1')).toEqual([0, 0, 0, 0, 0]);
    await pass(2);
    const attempt = await beginAttempt(db, 'ada@example.org', '192.0.2.1');
    await attempt.succeeded();
    expect(await waits(5, 'ada@example.org', '192.0.2.1')).toEqual([0, 0, 0, 0, 0]);
  });

  it('gains nothing by asking at the same moment', async () => {
    const all = await Promise.all(Array.from({ length: 20 }, () => beginAttempt(db, 'ada@example.org', '192.0.2.4')));
    expect(all.filter(({ waitSeconds }) => waitSeconds === 0)).toHaveLength(5);
  });
});

describe('a wrong password', () => {
  it('gets the same answer as an unknown name, after the same work', async () => {
    const timed = async (userName: string) => {
      await db.query({ text: 'delete from sign_in_attempt' });
      const began = performance.now();
      const answer = await checkPassword(db, userName, 'a wrong password', '192.0.2.9');
      return { answer, ms: performance.now() - began };
    };
    const [existing, unknown]: [number[], number[]] = [[], []];
    for (let i = 0; i < 7; i++) {
      const one = await timed('ada@example.org');
      const other = await timed('nobody@example.org');
      expect(other.answer).toEqual(one.answer);
      existing.push(one.ms);
      unknown.push(other.ms);
    }
    // Compares the fastest of each, because other load only adds time. Without the hash it would take a tenth.
    const ratio = Math.min(...unknown) / Math.min(...existing);
    expect(ratio).toBeGreaterThan(0.6);
    expect(ratio).toBeLessThan(1.7);
  });
});
