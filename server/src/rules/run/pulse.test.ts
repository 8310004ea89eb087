/** Which outages pulses make: of one server, of several, in a crash loop, beside a server of an earlier version. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { openDatabase, type Database } from '../../db/connection.ts';
import type { Db } from '../../db/db.ts';
import { testDatabase } from '../../testing/database.ts';
import { silent } from '../testing/flow.ts';
import { followGaps, notePulse, noteStop, recentGaps } from './pulse.ts';

let url: string;
let closeDatabase: () => Promise<void>;
let database: Database;
let db: Db;
const servers = new Map<string, Database>();

beforeAll(async () => {
  ({ url, close: closeDatabase } = await testDatabase());
  database = openDatabase({ url, max: 2, onError: () => undefined });
  db = database.scoped('all');
});
afterAll(async () => {
  await database.close();
  await closeDatabase();
});
beforeEach(() => db.query({ text: 'delete from installation_gap' }));
beforeEach(() => db.query({ text: 'delete from server_pulse' }));
beforeEach(() => db.query({ text: 'delete from installation_pulse' }));
afterEach(() => Promise.all([...servers.keys()].map(kill)));

/** Starts a server: its connection is there before its first pulse. */
async function connect(id: string): Promise<void> {
  const server = openDatabase({ url, max: 1, process: `1.0.0 api ${id} host:1`, onError: () => undefined });
  await server.listen('nothing', () => undefined);
  servers.set(id, server);
}

async function start(id: string): Promise<void> {
  await connect(id);
  await notePulse(db, id, true);
}

async function kill(id: string): Promise<void> {
  await servers.get(id)?.close();
  servers.delete(id);
  const name = `% ${id} %`;
  for (let left = 1; left > 0;)
    left = (await db.query({ text: 'select 1 from pg_stat_activity where application_name like $1', values: [name] })).length;
}

/** Lets time pass: all that was written is older. */
async function pass(seconds: number): Promise<void> {
  const older = `make_interval(secs => $1)`;
  for (const text of [
    `update installation_pulse set at = at - ${older}`,
    `update server_pulse set at = at - ${older}`,
    `update installation_gap set gap_start = gap_start - ${older}, gap_end = gap_end - ${older}`,
  ])
    await db.query({ text, values: [seconds] });
}

/** Lets time pass while these servers run. */
async function run(seconds: number, ...ids: string[]): Promise<void> {
  for (let left = seconds; left > 0; left -= 5) {
    await pass(5);
    for (const id of ids) await notePulse(db, id, false);
  }
}

/** Expects these outages, as seconds before now; those of one server with a `~`. Some real time has passed as well. */
async function expectOutages(...expected: [from: number, until: number, partial?: '~'][]): Promise<void> {
  const now = Date.now();
  const seconds = (at: number) => (now - at) / 1_000;
  const near = (at: number) => expect.toSatisfy((actual: number) => actual > at - 0.5 && actual < at + 4.5) as number;
  expect((await recentGaps(db)).map(({ from, until, partial }) => [seconds(from), seconds(until), ...(partial ? ['~'] : [])])).toEqual(
    expected.map(([from, until, ...rest]) => [near(from), near(until), ...rest]),
  );
}
const recorded = () => db.query({ text: 'select 1 from installation_gap' });

it('a restart is an outage however short, already before the next start is done', async () => {
  await start('first');
  await pass(3);
  await expectOutages();
  await kill('first');
  await expectOutages([3, 0], [3, 0, '~']);
  await connect('second');
  await pass(1);
  await expectOutages([4, 0], [4, 0, '~']);
  await notePulse(db, 'second', true);
  await expectOutages([4, 0]);
  await pass(5);
  await notePulse(db, 'second', false);
  await expectOutages([9, 5]);
});

it('a server that stops and continues has an outage from two pulses on', async () => {
  await start('first');
  await pass(9);
  await notePulse(db, 'first', false);
  expect(await recorded()).toEqual([]);
  await pass(15);
  await expectOutages([15, 0], [15, 0, '~']);
  await notePulse(db, 'first', false);
  await expectOutages([15, 0]);
});

it('a crash loop is one outage', async () => {
  await start('first');
  await pass(40);
  await notePulse(db, 'first', false);
  await run(60, 'first');
  await expectOutages([100, 60]);
  for (const id of ['second', 'third', 'fourth']) {
    await pass(3);
    await kill(id === 'second' ? 'first' : id === 'third' ? 'second' : 'third');
    await pass(4);
    await start(id);
  }
  await expectOutages([121, 81], [21, 0]);
});

it('one of two servers that ends is a partial outage until another one starts, for a minute at most', async () => {
  await start('first');
  await start('second');
  await pass(4);
  await kill('first');
  await notePulse(db, 'second', false);
  await expectOutages([4, 0, '~']);
  await pass(4);
  await notePulse(db, 'second', false);
  await start('third');
  await expectOutages([8, 0, '~']);

  // A stop is known at once, and one for good ends.
  await noteStop(db, 'third');
  await run(50, 'second');
  await expectOutages([58, 50, '~'], [50, 0, '~']);
  await run(20, 'second');
  await expectOutages([78, 10, '~']);
});

it('one of two servers that hangs is a partial outage', async () => {
  await start('first');
  await start('second');
  await pass(20);
  await db.query({ text: 'update server_pulse set at = now() where process = $1', values: ['second'] });
  await db.query({ text: 'update installation_pulse set at = now()' });
  await expectOutages([20, 0, '~']);
  await notePulse(db, 'first', false);
  await expectOutages([20, 0, '~']);
});

it('a server of an earlier version, which has no row, accepts packets too', async () => {
  await start('first');
  await kill('first');
  await pass(8);
  await db.query({ text: 'update installation_pulse set at = now()' });
  await expectOutages([8, 0, '~']);
  await start('second');
  await expectOutages([8, 0, '~']);
});

it('counts the time for which a process cannot read the outages as one, until it can', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] });
  const waiting: ((rows: unknown[]) => void)[] = [];
  let hangs = false;
  const query = () => (hangs ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve([]));
  const gaps = await followGaps({ query } as unknown as Db, silent);
  try {
    await vi.advanceTimersByTimeAsync(10_000);
    const from = Date.now();
    expect(gaps.current()).toEqual([]);
    hangs = true;
    await vi.advanceTimersByTimeAsync(20_000);
    expect(gaps.current()).toEqual([{ from, until: from + 20_000, partial: false }]);
    hangs = false;
    const recorded = { from: from - 1_000, until: from + 20_000, partial: false };
    for (const answer of waiting) answer([recorded]);
    await vi.advanceTimersByTimeAsync(0);
    // The last of these readings began less than ten seconds ago.
    expect(gaps.current()).toEqual([recorded]);
  } finally {
    gaps.stop();
    vi.useRealTimers();
  }
});
