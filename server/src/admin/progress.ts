/** Stores the progress of a command that an administrator started in the portal. */
import type { RunStep } from '@cloudfit/contract/actions/installation-work.ts';
import { messageOf } from '@cloudfit/contract/errors.ts';
import type { ReportProgress } from '../app/backup/backup-folder.ts';
import { beatMs, endRun, reportRun } from '../features/installation/run.ts';
import type { Db } from '../db/db.ts';
import type { CommandResult, Option } from './command.ts';

/** The option of commands that the portal starts. */
export const runOption: Record<'run', Option> = {
  run: { type: 'string', value: 'ID', about: 'The run of the page Installation to which progress and outcome belong.' },
};

/** Runs `work`; with the id of a run, stores how far it is every few seconds, and its outcome. */
export async function withProgress(
  db: Db,
  run: string,
  work: (progress: ReportProgress) => Promise<CommandResult>,
): Promise<CommandResult> {
  if (run === '') return work(() => undefined);
  let at = { step: 'start' as RunStep, done: 0, all: 0 };
  let report: Promise<void> = Promise.resolve();
  // A sign of life that could not be stored is followed by the next one.
  const tell = (): void => void (report = report.then(() => reportRun(db, run, at)).catch(() => undefined));
  const beat = setInterval(tell, beatMs);
  try {
    const result = await work((step, done = 0, all = 0) => {
      const isNew = step !== at.step;
      at = { step, done, all };
      if (isNew) tell();
    });
    await report;
    await endRun(db, run, 'done', result.lines.join(' '));
    return result;
  } catch (error) {
    await report;
    await endRun(db, run, 'failed', messageOf(error)).catch(() => undefined);
    throw error;
  } finally {
    clearInterval(beat);
  }
}
