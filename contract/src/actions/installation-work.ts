/** Backups, trial restores and licences by button: what administrators of the installation start, and how far it is. */
import { z } from 'zod';
import { defineAction } from '../action.ts';

const kind = z.enum(['backup', 'drill']);

/** What a run does at the moment. */
const step = z.enum(['start', 'copy', 'files', 'restore', 'compare', 'ask', 'secrets']);

const run = z.object({
  id: z.string(),
  kind,
  state: z.enum(['running', 'done', 'failed']),
  /** The sign-in name of the person who started it. */
  by: z.string(),
  beganAt: z.string(),
  endedAt: z.nullable(z.string()),
  step,
  /** How many of `all` parts of the step are done; `all` is 0 for a step without parts. */
  done: z.int(),
  all: z.int(),
  /** The folder that the backup makes, or that the trial restores; null for a trial of the archive. */
  folder: z.nullable(z.string()),
  /** The outcome for people: what was done, or why it failed. */
  outcome: z.nullable(z.string()),
});

export type InstallationRun = z.infer<typeof run>;
export type RunKind = InstallationRun['kind'];
export type RunStep = InstallationRun['step'];

const work = z.object({
  run: z.nullable(run),
  /** Where backups go, on the machine of the server that answers. */
  backupFolder: z.string(),
});

export type InstallationWork = z.infer<typeof work>;

const access = { area: 'Settings', verb: 'edit' } as const;

export const installationWork = defineAction({
  name: 'installationWork',
  method: 'GET',
  path: '/v1/installation/work',
  access,
  about: 'The last backup or trial restore that was started here. For people who may edit the settings of all tenants.',
  input: z.object({}),
  output: work,
});

export const startInstallationWork = defineAction({
  name: 'startInstallationWork',
  method: 'POST',
  path: '/v1/installation/work',
  access,
  about:
    'Starts a backup, or a trial restore of the archive or of the newest backup; one at a time. For people who may edit the settings of all tenants.',
  input: z.object({ kind }),
  output: run,
});

export const installLicence = defineAction({
  name: 'installLicence',
  method: 'POST',
  path: '/v1/installation/licence',
  access,
  about:
    'Installs a licence; it takes the place of the trial or of an earlier licence. For people who may edit the settings of all tenants.',
  input: z.object({ text: z.string().max(10_000, 'A licence is shorter than this file.') }),
  output: z.object({ customer: z.string(), expires: z.string() }),
});
