/** What the supervising process and its processes tell each other. */
import type { Config } from '../../platform/config.ts';
import type { DatabaseAddresses } from '../ready-database.ts';

/** What one of several processes is. */
export interface ProcessPart {
  /** Its name among the others, as `api-1`; a process that takes the place of a dead one has the same. */
  name: string;
  /** Whether it also does what only one process may do: it archives the database, and has the agent of this machine. */
  isFirst: boolean;
  database: DatabaseAddresses;
}

export type ToProcess =
  | { type: 'start'; part: ProcessPart; settings: Pick<Config, 'roles' | 'dbPool'> }
  | { type: 'drain' }
  | { type: 'stop' }
  | { type: 'read-metrics'; question: number; isShared: boolean };

export type ToSupervisor =
  /** It listens to messages. */
  | { type: 'hello' }
  | { type: 'ready'; address: string | null; setPasswordLink: string | null }
  /** Sent each second. */
  | { type: 'beat' }
  | { type: 'failed'; message: string }
  | { type: 'metrics'; question: number; text: string };

/** How often a process says that it is alive. */
export const beatMs = 1_000;
