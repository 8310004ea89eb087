/** Refuses a pooler that shares sessions or drops their settings: tenant scopes are set per connection. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { StartError } from '../platform/start-error.ts';

/**
 * Settings that each connection starts with, as PostgreSQL prints them. All calls share one statement timeout: a timeout per
 * kind of call would cost a round trip on each list.
 */
export const sessionSettings = {
  timezone: 'UTC',
  statement_timeout: '10s',
  idle_in_transaction_session_timeout: '30s',
  lock_timeout: '5s',
} as const;

export const sessionOptions = Object.entries(sessionSettings)
  .map(([name, value]) => `-c ${name}=${value}`)
  .join(' ');

/** A busy pooler may by chance assign the same sessions again; several rounds make that unlikely. */
const rounds = 6;
const note = 'cloudfit.pooler_check';
/** The SQLSTATE with which PgBouncer refuses a transaction in statement mode. */
const protocolViolation = '08P01';

interface ServerSession {
  note: string | null;
  pid: number;
}

async function sessionOf(client: pg.Client): Promise<ServerSession> {
  const { rows } = await client.query<ServerSession>(`select current_setting('${note}', true) as note, pg_backend_pid() as pid`);
  return rows[0] ?? { note: null, pid: 0 };
}

/**
 * Returns whether `one` and `other` get the same server session at different times, or one of them different sessions. A
 * pooler that keeps no transaction together, as in statement mode, refuses to begin one.
 */
async function sharesSessions(one: pg.Client, other: pg.Client): Promise<boolean> {
  const text = randomUUID();
  await one.query(`set ${note} = '${text}'`);
  const before = await sessionOf(one);
  // While this transaction is open, it occupies the server session that the pooler assigned.
  try {
    await other.query('begin');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === protocolViolation) return true;
    throw error;
  }
  try {
    const beside = await sessionOf(other);
    const after = await sessionOf(one);
    return before.note !== text || after.note !== text || beside.note === text || beside.pid === before.pid || after.pid !== before.pid;
  } finally {
    await other.query('rollback');
  }
}

/** Returns the settings that do not have their value on this connection, each as `alter role` sets it, and the role. */
async function missingSettings(client: pg.Client): Promise<{ role: string; missing: string[] }> {
  const { rows } = await client.query<{ role: string; name: string; value: string }>(
    'select quote_ident(session_user) as role, n as name, current_setting(n) as value from unnest($1::text[]) n',
    [Object.keys(sessionSettings)],
  );
  const values = new Map(rows.map(({ name, value }) => [name, value]));
  const missing = Object.entries(sessionSettings).filter(([name, value]) => values.get(name) !== value);
  return { role: rows[0]?.role ?? '', missing: missing.map(([name, value]) => `${name} = '${value}'`) };
}

/**
 * Throws when the connections of `url` share sessions, or when their settings have no effect. `setting` is the name of the
 * setting with this address, for the message. Waits for each answer for as long as it takes, or for `answerMs`.
 */
export async function requireSessions(url: string, setting = 'DATABASE_URL', answerMs = 0): Promise<void> {
  const patience = { connectionTimeoutMillis: answerMs, query_timeout: answerMs };
  const clients = [1, 2].map(
    () => new pg.Client({ connectionString: url, options: sessionOptions, application_name: 'cloudfit check', ...patience }),
  );
  const [one, other] = clients;
  if (!one || !other) return;
  // A pooler may close a connection whose statement it refuses; the statement tells.
  for (const client of clients) client.on('error', () => undefined);
  try {
    await Promise.all(clients.map((client) => client.connect()));
    for (let round = 0; round < rounds; round++)
      if (await (round % 2 === 0 ? sharesSessions(one, other) : sharesSessions(other, one)))
        throw new StartError(
          `${setting} leads to a pooler that shares sessions, such as PgBouncer with pool_mode = transaction or statement, which would show tenants the rows of others. Set pool_mode = session for this database, or let ${setting} name PostgreSQL itself.`,
        );
    const { role, missing } = await missingSettings(one);
    if (missing.length > 0)
      throw new StartError(
        `${setting} leads to a pooler that drops the settings of a connection, such as PgBouncer with ignore_startup_parameters = options, and the role does not have them: ${missing.map((item) => `alter role ${role} set ${item}`).join('; ')}. Run these, and let the pooler open new connections (in PgBouncer: RECONNECT); or let ${setting} name PostgreSQL itself.`,
      );
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => undefined)));
  }
}
