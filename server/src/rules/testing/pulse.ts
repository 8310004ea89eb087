/** For tests of silence, which is none while the installation is down. */
import type { Db } from '../../db/db.ts';

/** As if the installation had been up until now. Before each test, because thirty seconds without a pulse are an outage. */
export async function keepUp(db: Db): Promise<void> {
  await db.query({
    text: 'insert into installation_pulse (at) values (now()) on conflict (one) do update set at = excluded.at',
  });
}
