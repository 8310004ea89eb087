/** A reason why the process cannot start, written for the person who started it: printed as one line, exit code 1. */
export class StartError extends Error {
  override name = 'StartError';
}

/** What PostgreSQL, SQLite and the file system say of a full disk; some of it arrives only as text, as from PostgreSQL's log. */
const noRoom = /No space left on device|ENOSPC|EDQUOT|disk quota exceeded|database or disk is full/i;

/** Returns the error of a start; of a full disk it says what to do, in the words that a running server has for it. */
export function startErrorOf(error: unknown): unknown {
  const message = error instanceof Error ? error.message : '';
  if (!noRoom.test(message)) return error;
  return new StartError(
    `The storage is full: the server cannot start until there is room on the disk of the data folder, or on that of the database. What was acknowledged is there. Make room, then start again. (${message})`,
  );
}
