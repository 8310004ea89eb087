/** Checks that an address leads to a standby of the database, for callers whom its policies bind. */
import pg from 'pg';
import { StartError } from '../../platform/start-error.ts';
import { requireSessions } from '../pooler.ts';

const setting = 'DATABASE_READ_URL';
/** A standby that does not answer is left alone, so that a start does not wait for it. */
const patienceMs = 3_000;

export const whichSystem = 'select system_identifier::text as system from pg_control_system()';

/** The system identifier of a PostgreSQL, which a standby shares with its primary alone. */
export async function systemOf(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url, application_name: 'cloudfit check' });
  await client.connect();
  try {
    const { rows } = await client.query<{ system: string }>(whichSystem);
    return rows[0]?.system ?? '';
  } finally {
    await client.end();
  }
}

/**
 * Throws a StartError when `url` leads to a pooler that shares sessions, to a copy of another database, or signs in a user who may not take
 * the roles of callers; another error when it leads nowhere. Returns whether it is a standby at present.
 */
export async function checkStandby(url: string, system: string): Promise<boolean> {
  await requireSessions(url, setting, patienceMs);
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: patienceMs,
    query_timeout: patienceMs,
    application_name: 'cloudfit check',
  });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<{ system: string; standby: boolean }>(
      'select system_identifier::text as system, pg_is_in_recovery() as standby from pg_control_system()',
    );
    if (rows[0]?.system !== system)
      throw new StartError(
        `${setting} leads to a PostgreSQL that is no copy of the one of DATABASE_URL. Name a streaming standby of it, as pg_basebackup -R makes, or leave ${setting} out.`,
      );
    await client.query('set role app_scoped; set role app_global; reset role').catch((error: unknown) => {
      if (!(error instanceof pg.DatabaseError) || error.code !== '42501') throw error;
      throw new StartError(`The user of ${setting} may not take the roles of callers. Name the user of DATABASE_URL there too.`);
    });
    return rows[0].standby;
  } finally {
    await client.end().catch(() => undefined);
  }
}
