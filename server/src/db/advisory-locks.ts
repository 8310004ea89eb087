/**
 * The numbers of the advisory locks of PostgreSQL. Each has one owner, because owners that share a number wait for each other, or take the
 * other's work for their own. Functions of migrations lock by the numbers 7401 and 7406 alone, which differ from pairs of numbers.
 */
export const advisoryLocks = {
  /** Migrations and restores: one process at a time prepares a database. */
  preparation: 7400,
  /** The first administrator and, after it, the first tenant. */
  firstAdministrator: 7402,
  firstTenant: 7407,
  /** Removals of administrators. */
  administrators: 7403,
  login: 7404,
  /** With the hash of a tenant's week of compliance. */
  signedWeek: 7405,
  /** With the `lock_key` of a worker. */
  worker: 7406,
  /** Pages of series: one process at a time computes them. */
  series: 7408,
  keyRotation: 7409,
  /** Imports of a configuration; with the hash of a tenant those into it. */
  imports: 7410,
} as const;
