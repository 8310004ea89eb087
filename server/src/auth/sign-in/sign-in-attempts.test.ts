import * as crypto from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { openDatabase, type Database } from '../../db/connection.ts';
import type { Db } from '../../db/db.ts';
import { testDatabase, type TestDatabase } from '../../testing/database.ts';
import { setPassword } from './one-time-link.ts';
import { createLine, hashPassword, verifyPassword } from './passwords.ts';
import { beginAttempt, forgetOldAttempts } from './sign-in-attempts.ts';

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

/** Moves all attempts into the past, as if this many seconds had passed. */
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

describe('attempts on an account', () => {
  const attempts = async () =>
    (await db.query<{ attempts: number }>({ text: 'select attempts from sign_in_attempt order by 1' })).map((row) => row.attempts);
  const attempt = (number: number, device?: string) =>
    beginAttempt(db, 'ada@example.org', `192.0.2.${number}`, ...(device === undefined ? [] : [device]));

  it('from all addresses together have to pause too, and one success makes up for one of them', async () => {
    for (let i = 0; i < 20; i++) expect((await attempt(i)).waitSeconds).toBe(0);
    expect((await attempt(20)).waitSeconds).toBe(1);
    await pass(2);
    const right = await attempt(21);
    expect(right.waitSeconds).toBe(0);
    // The highest counter is that of the account over all addresses. A success takes its own attempt back, there and at
    // its address.
    expect((await attempts()).at(-1)).toBe(21);
    await right.succeeded();
    expect((await attempts()).at(-1)).toBe(20);
    expect((await attempts()).filter((attempt) => attempt === 0)).toHaveLength(1);
  });

  it('in a browser that is known count by themselves', async () => {
    const inBrowser = async (device: string) => (await attempt(1, device)).waitSeconds;
    const guessMore = () => db.query({ text: 'update sign_in_attempt set attempts = 15 where attempts between 5 and 9' });
    for (let i = 0; i < 5; i++) await attempt(i);
    await attempt(1);
    for (let i = 0; i < 5; i++) expect(await inBrowser('one')).toBe(0);
    // The counters of the account at address 1, of the browser, of the account over all addresses, and of address 1.
    expect((await attempts()).filter((attempt) => attempt > 1)).toEqual([2, 5, 6, 7]);
    await guessMore();
    expect(await inBrowser('one')).toBeGreaterThan(30);
    expect(await inBrowser('other')).toBe(0);
  });

  it('without an address count for the account, and those without a name for the address', async () => {
    const [nowhere, nameless] = [await beginAttempt(db, 'ada@example.org', undefined), await beginAttempt(db, undefined, '192.0.2.1')];
    expect(await attempts()).toEqual([1, 1, 1]);
    await nameless.succeeded();
    expect(await attempts()).toEqual([0, 1, 1]);
    await nowhere.succeeded();
    expect(await attempts()).toEqual([0, 0]);
  });

  it('that wait are told how long, in whole seconds', async () => {
    for (let i = 0; i < 5; i++) await attempt(1);
    await db.query({ text: 'update sign_in_attempt set attempts = 9 where attempts = 5' });
    const { waitSeconds } = await attempt(1);
    expect(waitSeconds).toBeGreaterThan(8);
    expect(waitSeconds).toBeLessThanOrEqual(16);
    expect(Number.isInteger(waitSeconds)).toBe(true);
    // After 15 minutes the next attempt counts as the first again.
    await pass(15 * 60 + 1);
    expect((await attempt(1)).waitSeconds).toBe(0);
    expect(await attempts()).toEqual([1, 1, 1]);
  });

  it('are deleted when they count no more, as browsers and networks are that were not used for 400 days', async () => {
    await db.query({
      text: `insert into sign_in_attempt (attempt_key, attempts, last_attempt)
        values ('\\x01', 1, now() - interval '15 minutes 2 s'), ('\\x02', 2, now() - interval '14 minutes')`,
    });
    const personId = (await db.query<{ id: string }>({ text: 'select person_id as id from person' }))[0]?.id;
    for (const [days, hash, network] of [
      [401, 'a', '192.0.2.0/24'],
      [399, 'b', '192.0.3.0/24'],
    ] as const) {
      await db.query({
        text: "insert into sign_in_device (person_id, device_hash, last_used) values ($1, $3, now() - $2 * interval '1 day')",
        values: [personId, days, Buffer.from(hash)],
      });
      await db.query({
        text: "insert into sign_in_network (person_id, network, last_used) values ($1, $3, now() - $2 * interval '1 day')",
        values: [personId, days, network],
      });
    }
    await forgetOldAttempts(db);
    expect(await attempts()).toEqual([2]);
    const left = await db.query({
      text: `select round(extract(epoch from now() - d.last_used) / 86400)::int as device, round(extract(epoch from now() - n.last_used) / 86400)::int as network
        from sign_in_device d, sign_in_network n`,
    });
    expect(left).toEqual([{ device: 399, network: 399 }]);
    await db.query({ text: 'delete from sign_in_device' });
    await db.query({ text: 'delete from sign_in_network' });
  });
});

describe('a password', () => {
  it('is stored as argon2id with its cost, and verified for its owner in any case of the name', async () => {
    const stored = await hashPassword('violet tractor lantern');
    expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    const verified = (name: string, secret: string) => verifyPassword(db, name, secret);
    expect(await verified(' ADA@example.org', 'violet tractor lantern')).toMatchObject({
      name: 'Ada',
      userName: 'ada@example.org',
      enabled: true,
    });
    expect([await verified('ada@example.org', 'violet tractor lanterm'), await verified('ben', 'violet tractor lantern')]).toEqual([
      undefined,
      undefined,
    ]);
    const damaged = async (hash: string) => {
      const query = () => Promise.resolve([{ person_id: 'p', name: 'P', user_name: 'p', enabled: true, password_hash: hash }]);
      return verifyPassword({ query } as unknown as Db, 'p', 'violet tractor lantern');
    };
    expect(await damaged(stored)).toMatchObject({ personId: 'p' });
    for (const hash of [stored.slice(0, -4), stored.split('$').slice(0, 5).join('$')]) expect(await damaged(hash)).toBeUndefined();
  });

  it('is hashed two at a time; some wait in line, and more are refused', async () => {
    const inLine = createLine(2, 1);
    const ends: (() => void)[] = [];
    const begin = () => inLine(() => new Promise<number>((resolve) => ends.push(() => resolve(ends.length))));
    const [one, two, three] = [begin(), begin(), begin()];
    expect(ends).toHaveLength(2);
    await expect(begin()).rejects.toMatchObject({ code: 'Unavailable' });
    ends[0]?.();
    await one;
    expect(ends).toHaveLength(3);
    const four = begin();
    expect(ends).toHaveLength(3);
    ends[1]?.();
    ends[2]?.();
    await Promise.all([two, three]);
    ends[3]?.();
    await four;
    // A task that fails frees its slot as well.
    await expect(inLine(() => Promise.reject(new Error('No.')))).rejects.toThrow('No.');
    void begin();
    void begin();
    expect(ends).toHaveLength(6);
    const last = begin();
    expect(ends).toHaveLength(6);
    ends[4]?.();
    ends[5]?.();
    await expect.poll(() => ends).toHaveLength(7);
    ends[6]?.();
    expect(await last).toBe(7);
  });
});

describe('a wrong password', () => {
  // Hashing is nearly all of the work, so the test counts hashes: it loads the password module with a counting `argon2`.
  const hashes = vi.fn<typeof crypto.argon2>(crypto.argon2);
  beforeAll(() => {
    vi.resetModules();
    vi.doMock('node:crypto', () => ({ ...crypto, argon2: hashes }));
  });
  afterAll(() => {
    vi.doUnmock('node:crypto');
    vi.resetModules();
  });

  it('gets the same answer as an unknown name, after the same work', async () => {
    const { checkPassword } = await import('../provider/check-sign-in.ts');
    const refused = { status: 422, error: 'wrong' };
    for (const userName of ['ada@example.org', 'nobody@example.org']) {
      hashes.mockClear();
      expect(await checkPassword(db, userName, 'a wrong password', '192.0.2.9')).toEqual(refused);
      expect(hashes.mock.calls.map(([algorithm, { memory, passes, tagLength }]) => [algorithm, memory, passes, tagLength])).toEqual([
        ['argon2id', 19_456, 2, 32],
      ]);
    }
  });
});
