/** How long an import may take. */
import { ApiError } from '@cloudfit/contract/errors.ts';
import { limits } from '@cloudfit/contract/limits.ts';
import type { Db } from '../../db/db.ts';

/** Throws when the import has lasted too long; `at`: the place of the row that comes next. */
export type TimeLimit = (db: Db, at: string) => Promise<void>;

/** Whether somebody waits for what the transaction of `db` has locked. */
async function isWaitedFor(db: Db): Promise<boolean> {
  const [row] = await db.query<{ waits: boolean | null }>({
    text: 'select exists (select from pg_locks l where not l.granted and pg_backend_pid() = any(pg_blocking_pids(l.pid))) as waits',
  });
  return row?.waits ?? false;
}

/**
 * One transaction, also that of a dry run, ends after `soft` seconds; a patient one goes on while nobody waits for its rows, which others
 * cannot change until it ends. An import in turns holds nobody.
 */
export function timeLimit(
  isInTurns: boolean,
  isPatient = false,
  { soft, max }: Readonly<Record<'soft' | 'max', number>> = { soft: limits.importSeconds, max: limits.importTurnsSeconds },
): TimeLimit {
  const hard = isInTurns || isPatient ? max : soft;
  const began = performance.now();
  let looksAt = isInTurns ? hard : soft;
  return async (db, at) => {
    const seconds = (performance.now() - began) / 1_000;
    if (seconds < looksAt) return;
    looksAt = seconds + 1;
    const refusal = (text: string): ApiError => new ApiError('TooComplex', text, { target: at });
    if (isInTurns)
      throw refusal(`This import takes longer than ${hard} seconds. The rows before it were imported; import the others again.`);
    if (seconds >= hard)
      throw refusal(`This import takes longer than ${hard} seconds. Nothing was imported; import it row by row (\`partly\`), or in parts.`);
    if (await isWaitedFor(db))
      throw refusal(
        `This import takes longer than ${soft} seconds, and others wait for rows that it has changed. Nothing was imported; import it row by row (\`partly\`), which holds nobody.`,
      );
  };
}
