/** Notices for administrators: one list, which the home page shows. */
import { z } from 'zod';
import { defineAction } from '../action.ts';
import { guidSchema } from '../resource.ts';

const notice = z.discriminatedUnion('kind', [
  /** Mails of the tenant that wait because no mail server is set. For people who may edit its settings. */
  z.object({ kind: z.literal('keptMails'), count: z.number() }),
  /** Little or no space is left on the disk of the data folder. For people who may edit the settings of all tenants. */
  z.object({ kind: z.literal('storage'), level: z.enum(['low', 'full']), freeBytes: z.number(), sizeBytes: z.number() }),
  /** The write-ahead log cannot be archived. For people who may edit the settings of all tenants. */
  z.object({ kind: z.literal('archive'), archivedAt: z.nullable(z.string()), walBytes: z.nullable(z.number()) }),
  /** Base copies or uploads cannot be kept in the archive. For people who may edit the settings of all tenants. */
  z.object({ kind: z.literal('archiveCopies'), since: z.string(), error: z.string() }),
]);

export type Notice = z.infer<typeof notice>;

const drill = z.object({ at: z.string(), what: z.string(), failed: z.optional(z.string()) });

const backups = z.object({
  isVisible: z.boolean(),
  /** When the command line last wrote a backup. */
  backupAt: z.nullable(z.string()),
  /** When the archive last got a base copy. */
  baseCopyAt: z.nullable(z.string()),
  restoreDrill: z.nullable(drill),
});

export type BackupState = z.infer<typeof backups>;

/** The last backups and the last trial of restoring one; empty for callers who may not edit the settings of all tenants. */
export const backupState = defineAction({
  name: 'backupState',
  method: 'GET',
  path: '/v1/installation/backups',
  access: 'signed-in',
  input: z.object({}),
  output: backups,
});

/** Empty for callers who are not administrators. */
export const notices = defineAction({
  name: 'notices',
  method: 'GET',
  path: '/v1/notices',
  access: 'signed-in',
  input: z.object({ tenantId: guidSchema }),
  output: z.object({ value: z.array(notice) }),
});

const processSetting = z.object({
  name: z.string(),
  about: z.string(),
  /** Credentials are replaced by ***; null: not set, and without a default. */
  value: z.nullable(z.string()),
  source: z.enum(['environment', 'default']),
});

export type ProcessSetting = z.infer<typeof processSetting>;

/** The settings that are environment variables, as the process that answers has them. Nobody changes them here. */
export const installationSettings = defineAction({
  name: 'installationSettings',
  method: 'GET',
  path: '/v1/installation/settings',
  access: { area: 'Settings', verb: 'edit' },
  input: z.object({}),
  output: z.object({ value: z.array(processSetting) }),
});
