/** Positions in PostgreSQL's write-ahead log, as numbers that compare. */
import type { Db } from '../db.ts';

/** The number of a position that PostgreSQL prints as `16/B374D848`. */
export function positionOf(text: string): bigint {
  const [high, low] = text.split('/');
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`);
}

/**
 * The position up to which the log of the primary is on its disk. What was committed before this is asked is at or before it; the end of the
 * written log would also contain what no standby gets yet.
 */
export async function primaryPosition(primary: Db): Promise<bigint> {
  const [row] = await primary.query<{ position: string | null }>({
    name: 'log-position',
    text: 'select pg_current_wal_flush_lsn()::text as position',
  });
  return positionOf(row?.position ?? '0/0');
}
