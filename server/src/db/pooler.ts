/** Refuses a pooler in transaction mode: tenant scopes are set per connection, so connections must not be shared. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { StartError } from '../platform/start-error.ts';
import { sessionOptions } from './connection.ts';

const rounds = 3;
const note = 'cloudfit.pooler_check';

async function noteOf(client: pg.Client): Promise<string | null> {
  const { rows } = await client.query<{ note: string | null }>(`select current_setting('${note}', true) as note`);
  return rows[0]?.note ?? null;
}

/**
 * Returns whether a setting of one connection is visible on the other one, or no longer visible on the connection that
 * set it.
 */
async function sharesSessions(one: pg.Client, other: pg.Client): Promise<boolean> {
  const text = randomUUID();
  await one.query(`set ${note} = '${text}'`);
  // While this transaction is open, it occupies the server session that the pooler assigned.
  await other.query('begin');
  try {
    return (await noteOf(other)) === text || (await noteOf(one)) !== text;
  } finally {
    await other.query('rollback');
  }
}

/** Throws when sessions are shared, or when connection settings have no effect. */
export async function requireSessions(url: string): Promise<void> {
  const clients = [1, 2].map(() => new pg.Client({ connectionString: url, options: sessionOptions, application_name: 'cloudfit check' }));
  const [one, other] = clients;
  if (!one || !other) return;
  try {
    await Promise.all(clients.map((client) => client.connect()));
    for (let round = 0; round < rounds; round++)
      if (await sharesSessions(one, other))
        throw new StartError(
          'DATABASE_URL leads to a pooler that shares sessions, such as PgBouncer with pool_mode = transaction, which would show tenants the rows of others. Set pool_mode = session for this database, or let DATABASE_URL name PostgreSQL itself.',
        );
    const { rows } = await one.query<{ zone: string; limit: string }>(
      `select current_setting('TimeZone') as zone, current_setting('statement_timeout') as limit`,
    );
    if (rows[0]?.zone !== 'UTC' || rows[0].limit !== '10s')
      throw new StartError(
        'DATABASE_URL leads to a pooler that drops the settings of a connection, such as PgBouncer with ignore_startup_parameters = options. Let it pass options on, or let DATABASE_URL name PostgreSQL itself.',
      );
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => undefined)));
  }
}
