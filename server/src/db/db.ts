/** How the server asks the database: statements of one caller, within its tenant scope. */

/** Tenants whose rows a caller may see; `all` also writes global rows, and rows of several tenants. */
export type TenantScope = 'all' | readonly string[];

/** A SQL statement. `name` makes it a prepared statement: use it only for texts that repeat. */
export interface Statement {
  text: string;
  values?: readonly unknown[];
  name?: string;
  /** For a deferred statement: workers look for jobs after the commit if it returns a row. */
  wakesJobs?: true;
}

/**
 * The database as one caller sees it. `transaction` passes a `Db` that runs inside the transaction; a nested call joins the
 * transaction.
 */
export interface Db {
  query<T = object>(statement: Statement): Promise<T[]>;
  /**
   * A write without a result: in a transaction it is sent together with the commit, and if it fails, the commit fails. Nothing
   * later in the transaction may depend on it.
   */
  defer(statement: Statement): Promise<void>;
  /**
   * The last statement of a transaction: it is sent together with the commit, or without a transaction if it is the only
   * statement. No statement may follow it. In a transaction that joined another one it is an ordinary statement.
   */
  last<T = object>(statement: Statement): Promise<T[]>;
  transaction<T>(work: (db: Db) => Promise<T>): Promise<T>;
}
