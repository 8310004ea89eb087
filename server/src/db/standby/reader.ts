/** A caller's access to the database whose reads go to the standby, as far as it has what the caller must see. */
import { ApiError } from '@cloudfit/contract/errors.ts';
import { meters } from '../../platform/meters.ts';
import type { Database } from '../connection.ts';
import type { Db, Statement, TenantScope } from '../db.ts';
import { primaryPosition } from './log-position.ts';
import type { Standby } from './readable.ts';

const writes =
  /^\s*(?:insert|update|delete|merge)\b|\b(?:insert\s+into|delete\s+from|for\s+(?:no\s+key\s+)?update|for\s+(?:key\s+)?share)\b/i;

/** Whether a statement can only run on the primary. Where this errs, the standby refuses the statement. */
export const isWrite = ({ text }: Statement): boolean => writes.test(text);

/** A statement that fails so on the standby fails on the primary too, or has taken as long as a statement may. */
function failsEverywhere(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  return ['TypeMismatch', 'InvalidFilter', 'TooComplex', 'Timeout'].includes(error.code);
}

interface ReaderOptions {
  primary: Db;
  standby: Standby;
  scope: TenantScope;
  /** The position of the log that the standby must have; undefined when any will do. Asked once, at the first read. */
  position: () => Promise<bigint | undefined>;
}

/**
 * Reads go to the standby while it is read and has `position`. After a write, a transaction or a failure, everything goes to the primary, so
 * that nothing later sees less. `primary` decides which writes are allowed.
 */
export function readerOf({ primary, standby, scope, position }: ReaderOptions): Db {
  let staysAtPrimary = false;
  let answer: Promise<boolean> | undefined;
  const atPrimary = (): Db => {
    staysAtPrimary = true;
    return primary;
  };

  async function hasAll(): Promise<boolean> {
    const needed = await position();
    return needed === undefined || standby.reaches(needed);
  }

  async function read<T>(statement: Statement): Promise<T[]> {
    if (!standby.isRead()) {
      meters.readsWithoutStandby += 1;
      return atPrimary().query<T>(statement);
    }
    if (!(await (answer ??= hasAll()))) {
      meters.readsAfterWrites += 1;
      return atPrimary().query<T>(statement);
    }
    if (staysAtPrimary) return primary.query<T>(statement);
    try {
      const rows = await standby.run((database) => database.scoped(scope).query<T>(statement));
      meters.readsOfStandby += 1;
      return rows;
    } catch (error) {
      if (failsEverywhere(error)) throw error;
      meters.readsWithoutStandby += 1;
      return atPrimary().query<T>(statement);
    }
  }

  return {
    query: (statement) => {
      if (staysAtPrimary) return primary.query(statement);
      return isWrite(statement) ? atPrimary().query(statement) : read(statement);
    },
    last: (statement) => atPrimary().last(statement),
    defer: (statement) => atPrimary().defer(statement),
    transaction: (work) => atPrimary().transaction(work),
  };
}

/** Reads for work that nobody waits for: from the standby, if it has what is committed when the work begins. */
export function readerForWork({ standby }: Pick<Database, 'standby'>, primary: Db, scope: TenantScope): Db {
  return standby ? readerOf({ primary, standby, scope, position: () => primaryPosition(primary) }) : primary;
}
