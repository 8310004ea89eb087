/** What the rest of the server sees of a standby. */
import type { Db, TenantScope } from '../db.ts';

export interface StandbyState {
  isRead: boolean;
  /** Why it is not read: it does not answer, is too far behind or catches up, is no standby, or was refused for `reason`. */
  problem: 'lost' | 'behind' | 'noStandby' | 'refused' | null;
  reason: string | null;
  /** How long ago the primary was where the standby is; null while it does not answer. */
  lagSeconds: number | null;
}

export interface Standby {
  /** Whether reads go there now. */
  isRead(): boolean;
  /** Runs `work` on the standby; rejects as soon as the standby is lost. */
  run<T>(work: (database: { scoped(scope: TenantScope): Db }) => Promise<T>): Promise<T>;
  /** Whether the standby has the log up to `position`; waits a moment for it. */
  reaches(position: bigint): Promise<boolean>;
  /** Resolves when everything that is committed now can be read, wherever reads go. */
  caughtUp(): Promise<void>;
  state(): StandbyState;
  close(): Promise<void>;
}
