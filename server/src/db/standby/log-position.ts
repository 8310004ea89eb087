/** Positions in PostgreSQL's write-ahead log, as numbers that compare. */
import { ApiError } from '@cloudfit/contract/errors.ts';
import type { Db, Statement } from '../db.ts';
import { unreachable } from '../errors.ts';

/** The number of a position that PostgreSQL prints as `16/B374D848`. */
export function positionOf(text: string): bigint {
  const [high, low] = text.split('/');
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`);
}

/**
 * Runs a statement that any primary can run. During a fail-over the address of the primary may lead to a standby for a moment, which refuses
 * it: to the caller, the database is away.
 */
export function askPrimary<T>(primary: Db, statement: Statement): Promise<T[]> {
  return primary.query<T>(statement).catch((error: unknown) => {
    throw error instanceof ApiError && error.code === 'InternalError' ? Object.assign(unreachable(), { cause: error }) : error;
  });
}

/**
 * The position up to which the log of the primary is on its disk. What was committed before this is asked is at or before it; the end of the
 * written log would also contain what no standby gets yet.
 */
export async function primaryPosition(primary: Db): Promise<bigint> {
  const [row] = await askPrimary<{ position: string | null }>(primary, {
    name: 'log-position',
    text: 'select pg_current_wal_flush_lsn()::text as position',
  });
  return positionOf(row?.position ?? '0/0');
}
