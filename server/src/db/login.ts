/** The role with which the server connects to PostgreSQL: it owns nothing and may only switch to the two roles of callers. */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { advisoryLocks } from './advisory-locks.ts';

/** The login role of the embedded PostgreSQL. */
const loginName = 'cloudfit_login';

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/**
 * Creates the role by which the server signs in to the embedded database, or sets a new password for it. Nobody has to store
 * the password, because each start sets a new one. Returns the address with role and password. Call this after the
 * migrations.
 */
export async function makeLogin(ownerUrl: string): Promise<string> {
  const password = randomBytes(24).toString('base64url');
  await withClient(ownerUrl, async (client) => {
    const { rows } = await client.query(`select 1 from pg_roles where rolname = '${loginName}'`);
    await client.query(`${rows.length === 0 ? 'create' : 'alter'} role ${loginName}
      login noinherit nosuperuser nocreatedb nocreaterole noreplication nobypassrls password '${password}'`);
    await client.query(`grant app_scoped, app_global to ${loginName} with inherit false, set true`);
  });
  const url = new URL(ownerUrl);
  url.username = loginName;
  url.password = password;
  return url.href;
}

/** Allows the user of `url`, created by the database's administrator, to switch to the roles of callers. */
export async function admitLogin(ownerUrl: string, url: string): Promise<void> {
  const user = await withClient(url, async (client) => (await client.query<{ name: string }>('select session_user as name')).rows[0]?.name);
  await withClient(ownerUrl, async (client) => {
    // Servers that start together take turns; the lock is released when the connection closes.
    await client.query(`select pg_advisory_lock(${advisoryLocks.login})`);
    const { rows } = await client.query<{ missing: boolean }>(
      "select not (pg_has_role($1, 'app_scoped', 'set') and pg_has_role($1, 'app_global', 'set')) as missing",
      [user],
    );
    if (rows[0]?.missing)
      await client.query(`grant app_scoped, app_global to ${pg.escapeIdentifier(String(user))} with inherit false, set true`);
  });
}

/**
 * Returns why an attacker with SQL injection could circumvent row-level security; undefined when the user of `url` has
 * no more privileges than it needs.
 */
export function loginProblem(url: string): Promise<string | undefined> {
  return withClient(url, async (client) => {
    const { rows } = await client.query<{ name: string; passes: boolean; owns: boolean }>(
      `select session_user as name, r.rolsuper or r.rolbypassrls as passes,
        exists (select from pg_class c where c.relnamespace = 'public'::regnamespace and pg_has_role(session_user, c.relowner, 'usage')) as owns
      from pg_roles r where r.rolname = session_user`,
    );
    const [user] = rows;
    if (!user || (!user.passes && !user.owns)) return undefined;
    return `The server signs in to PostgreSQL as ${user.name}, ${user.passes ? 'whom row-level security does not bind' : 'who owns the tables'}.`;
  });
}
