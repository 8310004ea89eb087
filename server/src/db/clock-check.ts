/** Compares the clock of this machine with that of the database. */
import type { Logger } from 'pino';
import { clockDifference, noteClockDifference } from '../platform/clock.ts';
import type { Database } from './connection.ts';
import type { Db } from './db.ts';

const everyMs = 5_000;
/** An answer that takes longer says too little about the time. */
const slowestMs = 1_000;

/** Measures the difference once; true if it is noticeably another one than before. */
export async function measureClock(db: Db): Promise<boolean> {
  const [wall, begun] = [Date.now(), performance.now()];
  const [row] = await db.query<{ at: number }>({
    name: 'clock',
    text: 'select (extract(epoch from clock_timestamp()) * 1000)::float8 as at',
  });
  const tookMs = performance.now() - begun;
  // A clock that was set while the database answered is measured the next time.
  if (!row || tookMs > slowestMs || Math.abs(Date.now() - wall - tookMs) > slowestMs) return false;
  return noteClockDifference(wall + tookMs / 2 - row.at);
}

/** Begins to measure, and to say when the difference changes; resolves after the first measurement. */
export async function startClockCheck(database: Database, log: Logger): Promise<{ stop(): void }> {
  const db = database.scoped('all');
  async function once(): Promise<void> {
    try {
      if (!(await measureClock(db))) return;
      const seconds = Math.round(clockDifference() / 1_000);
      if (seconds === 0) log.info('The clock of this machine agrees with that of the database again.');
      else
        log.warn(
          { seconds },
          `The clock of this machine is ${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} that of the database, whose time is used. Set the clock of this machine.`,
        );
    } catch (error) {
      log.warn({ err: error }, 'The clock of the database could not be read.');
    }
  }
  await once();
  const timer = setInterval(() => void once(), everyMs);
  return { stop: () => clearInterval(timer) };
}
