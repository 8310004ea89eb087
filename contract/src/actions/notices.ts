/** Calls about the installation for administrators: notices, backups, health, a test mail and settings. */
import { z } from 'zod';
import { defineAction } from '../action.ts';
import { mailAddressSchema } from '../mail-address.ts';
import { guidSchema } from '../resource.ts';

/** What of a tenant or of the installation has stopped working and waits for a person. */
const faultKinds = [
  'mailbox',
  'mails',
  'source',
  'rule',
  'events',
  'eventsEnded',
  'eventsGivenUp',
  'report',
  'failing',
  'destination',
  'undelivered',
  'untold',
  'left',
  'jobs',
  'campaign',
] as const;
export type FaultKind = (typeof faultKinds)[number];

const notice = z.discriminatedUnion('kind', [
  /** Mails of the tenant wait because no mail server is set. For people who may edit the settings of the tenant. */
  z.object({ kind: z.literal('keptMails'), count: z.number() }),
  /** No mail server is set, so that no mail reaches anybody. For people who may edit the settings of all tenants. */
  z.object({ kind: z.literal('noMailServer') }),
  /** The mail server has accepted no mail of an action yet, and nobody sent a test mail. For the same people. */
  z.object({ kind: z.literal('mailUntried') }),
  /** The mail server fails for the tenant; `isDisabled` after a day of it. For people who may edit the settings of the tenant. */
  z.object({ kind: z.literal('mailFails'), since: z.string(), isDisabled: z.boolean() }),
  /** Little or no space is left on the disk of the data folder. For people who may edit the settings of all tenants. */
  z.object({ kind: z.literal('storage'), level: z.enum(['low', 'full']), freeBytes: z.number(), sizeBytes: z.number() }),
  /** The write-ahead log cannot be archived. For people who may edit the settings of all tenants. */
  z.object({
    kind: z.literal('archive'),
    archivedAt: z.nullable(z.string()),
    walBytes: z.nullable(z.number()),
    /** Why the server cannot send the write-ahead log to the archive; null if PostgreSQL fails to archive the log. */
    error: z.nullable(z.string()),
  }),
  /** Somebody signed in with an emergency account in the last week. For people who may edit the settings of all tenants. */
  z.object({ kind: z.literal('emergency'), userName: z.string(), at: z.string() }),
  /** Base copies or uploads cannot be kept in the archive. For people who may edit the settings of all tenants. */
  z.object({ kind: z.literal('archiveCopies'), since: z.string(), error: z.string() }),
  /** How many of a kind have stopped working, and the first of them. For people who may edit the settings of the tenant; `jobs`: of all. */
  z.object({
    kind: z.literal('fault'),
    of: z.enum(faultKinds),
    count: z.int(),
    name: z.string(),
    problem: z.string(),
    since: z.string(),
  }),
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

export const backupState = defineAction({
  name: 'backupState',
  method: 'GET',
  path: '/v1/installation/backups',
  access: 'signed-in',
  about: 'The last backups and the last restore test; empty for callers who may not edit the settings of all tenants.',
  input: z.object({}),
  output: backups,
});

/** What a process has last said of itself. */
const vitals = z.object({
  /** Its name among the processes of one command, as `api-1`, or its roles. */
  name: z.string(),
  pid: z.int(),
  startedAt: z.string(),
  memoryBytes: z.number(),
  /** By how many milliseconds its event loop was late at worst in the last ten seconds. */
  lagMs: z.int(),
});

/** One process of the installation: a server, a worker, or both. `vitals` is null until it has spoken, and for earlier versions. */
const serverProcess = z.object({ version: z.string(), role: z.string(), host: z.string(), vitals: z.nullable(vitals) });

/** The queued work of one tenant, or of the installation itself. */
const queueOfTenant = z.object({
  tenantId: z.nullable(z.string()),
  tenantName: z.nullable(z.string()),
  waiting: z.int(),
  /** Seconds for which the oldest due job has waited for a worker to lease it. */
  oldestSeconds: z.number(),
  callsWaiting: z.int(),
  deadLetters: z.int(),
  keptMails: z.int(),
});

const health = z.object({
  at: z.string(),
  version: z.string(),
  startedAt: z.string(),
  processes: z.array(serverProcess),
  database: z.object({
    version: z.string(),
    bytes: z.nullable(z.number()),
    walBytes: z.nullable(z.number()),
    connections: z.object({ open: z.int(), idle: z.int(), waiting: z.int() }),
    tables: z.array(z.object({ name: z.string(), rows: z.number(), bytes: z.number() })),
  }),
  /** The standby of DATABASE_READ_URL as the answering process sees it, and what it has read since its start; null without one. */
  standby: z.nullable(
    z.object({
      isRead: z.boolean(),
      problem: z.nullable(z.enum(['lost', 'behind', 'noStandby', 'refused'])),
      /** Why it was refused. */
      reason: z.nullable(z.string()),
      lagSeconds: z.nullable(z.number()),
      /** Statements that were read there, and that could have been but were read from the primary. */
      reads: z.object({ standby: z.int(), primary: z.int() }),
    }),
  ),
  /** By how much the clock of the answering process is ahead of the database's; negative if behind, 0 if that is not noticeable. */
  clock: z.object({ aheadSeconds: z.number() }),
  /** The disk of the data folder; null where this process cannot see that disk. */
  disk: z.nullable(z.object({ level: z.enum(['ok', 'low', 'full']), freeBytes: z.number(), sizeBytes: z.number() })),
  archive: z.nullable(z.object({ level: z.enum(['ok', 'failing']), archivedAt: z.nullable(z.string()), error: z.nullable(z.string()) })),
  /** Entities that reported in the last five minutes, and the delay between time and receipt of their latest packets. */
  ingest: z.object({
    entities: z.int(),
    medianSeconds: z.nullable(z.number()),
    p95Seconds: z.nullable(z.number()),
    lastAt: z.nullable(z.string()),
  }),
  /** Packets that were accepted and wait to be written; null without a stream. */
  stream: z.nullable(
    z.object({
      isConnected: z.boolean(),
      waiting: z.int(),
      oldestSeconds: z.number(),
      /** Partitions that no process writes. */
      withoutOwner: z.int(),
      partitions: z.array(
        z.object({ partition: z.int(), waiting: z.int(), oldestSeconds: z.number(), bytes: z.number(), process: z.nullable(z.string()) }),
      ),
    }),
  ),
  rules: z.object({
    /** Seconds since the end of the oldest match whose end is not processed. */
    oldestEndSeconds: z.number(),
    openMatches: z.int(),
    /** Rules whose latest evaluation failed. */
    failing: z.int(),
  }),
  queues: z.array(queueOfTenant),
  /** Periodic work that is late or has failed. */
  work: z.array(z.object({ name: z.string(), due: z.string(), error: z.nullable(z.string()) })),
  /** The latest ten times in which the installation took no packets, the newest first. */
  outages: z.array(z.object({ from: z.string(), until: z.string() })),
  backups,
  mail: z.object({ isSet: z.boolean(), kept: z.int() }),
  licence: z.object({ isTrial: z.boolean(), expires: z.string() }),
});

export type InstallationHealth = z.infer<typeof health>;

export const installationHealth = defineAction({
  name: 'installationHealth',
  method: 'GET',
  path: '/v1/installation/health',
  access: { area: 'Settings', verb: 'edit' },
  about: 'The state of the installation. For people who may edit the settings of all tenants.',
  input: z.object({}),
  output: health,
});

export const sendTestMail = defineAction({
  name: 'sendTestMail',
  method: 'POST',
  path: '/v1/installation/testMail',
  access: { area: 'Settings', verb: 'edit' },
  about: 'Hands a mail to the mail server at once and answers what it said. For people who may edit the settings of all tenants.',
  input: z.object({ to: mailAddressSchema('Please enter one mail address.') }),
  output: z.object({
    isSent: z.boolean(),
    /** What the mail server answered, or why it could not be reached. */
    answer: z.string(),
  }),
});

export const notices = defineAction({
  name: 'notices',
  method: 'GET',
  path: '/v1/notices',
  access: 'signed-in',
  about: 'What administrators should know about the installation; empty for others.',
  input: z.object({ tenantId: guidSchema }),
  output: z.object({ value: z.array(notice) }),
});

const processSetting = z.object({
  name: z.string(),
  about: z.string(),
  /** Credentials are replaced by ***. Null if the setting is not set and has no default. */
  value: z.nullable(z.string()),
  source: z.enum(['environment', 'default']),
});

export const installationSettings = defineAction({
  name: 'installationSettings',
  method: 'GET',
  path: '/v1/installation/settings',
  access: { area: 'Settings', verb: 'edit' },
  about: 'The settings that are environment variables, as the process that answers has them. Nobody changes them here.',
  input: z.object({}),
  output: z.object({ value: z.array(processSetting) }),
});
