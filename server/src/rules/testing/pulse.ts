/** For tests of silence: while the installation is down, no silence counts. */
import type { Db } from '../../db/db.ts';

/**
 * Records that the installation has been up until now. Call it before each test, because thirty seconds without a pulse are an
 * outage.
 */
export async function keepUp(db: Db): Promise<void> {
  await db.query({
    text: 'insert into installation_pulse (at) values (now()) on conflict (one) do update set at = excluded.at',
  });
}
