/** For tests of silence: while the installation is down, no silence counts. */
import type { Db } from '../../db/db.ts';

/** Records that the installation has been up until now, and stays up for the time of a test. Call it before each test. */
export async function keepUp(db: Db): Promise<void> {
  await db.query({ text: 'delete from server_pulse' });
  await db.query({
    text: `insert into installation_pulse (at) values (now() + interval '10 minutes') on conflict (one) do update set at = excluded.at`,
  });
}
