/**
 * The run that an administrator started on the page Installation, a backup or a trial restore: one at a time, stored as a
 * setting. Its process says every few seconds that it lives.
 */
import type { InstallationRun, RunStep } from '@cloudfit/contract/actions/installation-work.ts';
import type { Db } from '../../db/db.ts';

export const runSetting = 'installationWork';

/** Milliseconds between two signs of life of a run. */
export const beatMs = 5_000;
/** Seconds without a sign of life after which a run has ended without an outcome: somebody killed its process. */
const silentSeconds = 60;

const isSilent = `(setting.value ->> 'beatAt')::timestamptz < now() - interval '${silentSeconds} seconds'`;

type Begun = Pick<InstallationRun, 'id' | 'kind' | 'by' | 'folder'>;

/** Stores the run, unless another one is under way; returns whether it did. */
export async function beginRun(db: Db, begun: Begun): Promise<boolean> {
  const run = { ...begun, state: 'running', endedAt: null, step: 'start', done: 0, all: 0, outcome: null };
  const rows = await db.query({
    text: `insert into setting (name, value) values ($1, $2::jsonb || jsonb_build_object('beganAt', now(), 'beatAt', now()))
      on conflict (name) do update set value = excluded.value where setting.value ->> 'state' <> 'running' or ${isSilent} returning name`,
    values: [runSetting, JSON.stringify(run)],
  });
  return rows.length > 0;
}

async function change(db: Db, id: string, values: Partial<InstallationRun>): Promise<void> {
  await db.query({
    text: `update setting set value = value || $3::jsonb || jsonb_build_object('beatAt', now()) where name = $1 and value ->> 'id' = $2 and value ->> 'state' = 'running'`,
    values: [runSetting, id, JSON.stringify(values)],
  });
}

/** Says how far a run is, and that it lives. */
export async function reportRun(db: Db, id: string, progress: { step: RunStep; done: number; all: number }): Promise<void> {
  await change(db, id, progress);
}

/** Stores the outcome of a run; does nothing when it has one. */
export async function endRun(db: Db, id: string, state: 'done' | 'failed', outcome: string): Promise<void> {
  await change(db, id, { state, outcome, endedAt: new Date().toISOString() });
}

export async function readRun(db: Db): Promise<InstallationRun | null> {
  const [row] = await db.query<{ value: InstallationRun & { beatAt: string }; silent: boolean }>({
    name: 'installation-run',
    text: `select value, value ->> 'state' = 'running' and ${isSilent} as silent from setting where name = $1`,
    values: [runSetting],
  });
  if (!row) return null;
  const { beatAt, ...run } = row.value;
  const iso = (text: string): string => new Date(text).toISOString();
  const times = { beganAt: iso(run.beganAt), endedAt: run.endedAt };
  if (!row.silent) return { ...run, ...times };
  return { ...run, ...times, state: 'failed', endedAt: iso(beatAt), outcome: 'Its process was stopped before it had an outcome.' };
}
