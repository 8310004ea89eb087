/** A migrated database of its own for one test file, cloned from the template that `global-setup.ts` made. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';

/** Environment variable with the address of the test server's `postgres` database. */
export const serverVariable = 'TEST_DATABASE_SERVER';

async function administer(text: string): Promise<void> {
  const url = process.env[serverVariable];
  if (!url) throw new Error('No test database server runs; start the tests through vitest.');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}

/** Returns the address with another database name. */
export function withDatabase(url: string, database: string): string {
  const address = new URL(url);
  address.pathname = `/${database}`;
  return address.href;
}

export interface TestDatabase {
  url: string;
  close(): Promise<void>;
}

/** Clones the template to a new database, which the test file closes at its end. */
export async function testDatabase(): Promise<TestDatabase> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  // PostgreSQL refuses to clone a template while another session clones it; then this retries.
  for (let attempt = 0; ; attempt++) {
    try {
      // Copying files costs a tenth of the default strategy here, which writes each page to the WAL as well.
      await administer(`create database ${name} template template_cloudfit strategy file_copy`);
      break;
    } catch (error) {
      if (attempt > 50 || !(error instanceof Error) || !/being accessed/.test(error.message)) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  return {
    url: withDatabase(process.env[serverVariable] ?? '', name),
    close: () => administer(`drop database if exists ${name} with (force)`),
  };
}
