/** Every setting of the server: read by `loadConfig`, printed by `--help` and listed in docs/OPERATIONS.md. */
import { join, resolve } from 'node:path';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';

export interface Setting<T> {
  name: string;
  /** The default as text; undefined for an optional setting without default. */
  initial?: string;
  about: string;
  /** Parses the text of the environment variable; an unset or empty variable is parsed as `initial`. */
  schema: z.ZodType<T, string | undefined>;
}

const projectRoot = join(import.meta.dirname, '../../..');

const path = z.string().transform((value) => resolve(value));
const onOff = z.enum(['on', 'off'], { error: 'must be on or off' }).transform((value) => value === 'on');
const text = (longest: number) => z.string().max(longest, `must be at most ${longest} characters`);
const whole = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, `must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be a whole number from ${min} to ${max}`);
const list = z.string().transform((value) =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean),
);

function url(...protocols: string[]): z.ZodType<string, string> {
  const error = `must be an address that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`;
  return z.string().refine((value) => protocols.includes(URL.parse(value)?.protocol ?? ''), error);
}

/** A folder, or a bucket with a prefix. */
const archiveAddress = z
  .string()
  .refine(
    (value) => !value.startsWith('s3:') || /^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](?:\/[\w.-]+)*\/?$/.test(value),
    'must be a folder, or s3://bucket/prefix of letters, digits, dots, hyphens, underscores and slashes',
  )
  .transform((value) => (value.startsWith('s3:') ? value.replace(/\/$/, '') : resolve(value)));

const masterKey = z
  .string()
  .refine((value) => value.split(',').every((key) => Buffer.from(key.trim(), 'base64').length === 32), 'must be 32 bytes in base64');

/** Addresses of pages as browsers send them in `Origin`, or `*`. */
const origins = list.refine(
  (items) => items.every((item) => item === '*' || (/^https?:/.test(item) && URL.parse(item)?.origin === item)),
  'must be * or origins such as https://board.example.com, without a path',
);

/** Whether every proxy is trusted (on) or none (off), or the addresses and networks of trusted proxies. */
const proxies = list
  .transform((items): boolean | string[] => (items.length === 1 && (items[0] === 'on' || items[0] === 'off') ? items[0] === 'on' : items))
  .refine(
    (items) => typeof items === 'boolean' || items.every((item) => ipaddr.isValid(item) || ipaddr.isValidCIDR(item)),
    'must be on, off, or addresses and networks such as 10.0.0.0/8',
  );

const rolesError = 'must be api, worker, ingest, or several of them separated by commas';
const roles = list.pipe(z.array(z.enum(['api', 'worker', 'ingest'], { error: rolesError })).min(1, rolesError));

/** Servers of one NATS. */
const streamServers = z
  .string()
  .refine(
    (value) => value.split(',').every((item) => ['nats:', 'tls:'].includes(URL.parse(item.trim())?.protocol ?? '')),
    'must be addresses that start with nats:// or tls://, separated by commas',
  );

const processesError = 'must be a number from 1 to 64, or a number of processes for each role, such as api:3,worker:1';
const processCount = /^(?:[1-9]|[1-5]\d|6[0-4])$/;
/** How many processes one command runs, or how many of each role. */
const processes = list.transform((items, context): number | Map<z.infer<typeof roles>[number], number> => {
  if (items.length === 1 && processCount.test(items[0] ?? '')) return Number(items[0]);
  const counts = new Map<z.infer<typeof roles>[number], number>();
  for (const item of items) {
    const [name = '', count = '', ...more] = item.split(':');
    const role = roles.safeParse(name).data?.[0];
    if (role === undefined || counts.has(role) || more.length > 0 || !processCount.test(count)) {
      context.addIssue(processesError);
      return z.NEVER;
    }
    counts.set(role, Number(count));
  }
  return counts;
});

function setting<T>(name: string, schema: z.ZodType<T, string>, initial: string, about: string): Setting<T> {
  return { name, schema: schema as z.ZodType<T, string | undefined>, initial, about };
}

function optional<T>(name: string, schema: z.ZodType<T, string>, about: string): Setting<T | undefined> {
  return { name, schema: schema.optional(), about };
}

export const settings = {
  port: setting('PORT', whole(1, 65_535), '8080', 'Port of the portal and the API.'),
  host: setting(
    'HOST',
    text(253),
    '127.0.0.1',
    'Address to listen on; only this machine by default, because the connection is not encrypted. 0.0.0.0 opens it to the network: put TLS in front.',
  ),
  publicUrl: optional(
    'PUBLIC_URL',
    url('http:', 'https:').transform((value) => value.replace(/\/+$/, '')),
    'Address under which people and agents reach the server; http://localhost:PORT when left out.',
  ),
  trustProxy: setting(
    'TRUST_PROXY',
    proxies,
    'off',
    'Whose X-Forwarded-* headers are believed: off, on, or the addresses of the proxies, separated by commas.',
  ),
  roles: setting(
    'ROLES',
    roles,
    'api,worker,ingest',
    'What this process does: api answers requests, worker runs jobs and periodic work, ingest writes the packets of the stream of STREAM_URL; without a stream, api writes packets itself.',
  ),
  processes: setting(
    'PROCESSES',
    processes,
    '1',
    'How many processes this command runs: a number, which is divided among ROLES, or a number for each role, such as api:3,worker:2. They share the port and the database. Also as npm start -- --processes 4.',
  ),
  dataDir: setting('DATA_DIR', path, join(projectRoot, '.data'), 'Folder of the embedded database, generated keys and uploads.'),
  databaseUrl: optional(
    'DATABASE_URL',
    url('postgres:', 'postgresql:'),
    'A PostgreSQL 18 to use instead of the embedded one. Without DATABASE_OWNER_URL its user must own the database and may create roles.',
  ),
  databaseOwnerUrl: optional(
    'DATABASE_OWNER_URL',
    url('postgres:', 'postgresql:'),
    'The same database as its owner, who may create roles: runs migrations and commands, so that the user of DATABASE_URL needs no rights.',
  ),
  databaseReadUrl: optional(
    'DATABASE_READ_URL',
    url('postgres:', 'postgresql:'),
    'A streaming standby of the database of DATABASE_URL, with the same user: lists, counts, series, explanations, backtests and reports are read there while it is close behind.',
  ),
  standbyMaxLagSeconds: setting(
    'STANDBY_MAX_LAG_SECONDS',
    whole(1, 3_600),
    '5',
    'How many seconds the standby of DATABASE_READ_URL may be behind before the primary is read instead.',
  ),
  dbPool: setting(
    'DB_POOL',
    whole(2, 500),
    '20',
    'Maximum number of connections that this command opens to the database; several processes divide them, and get at least 4 each.',
  ),
  cachedEntities: setting(
    'CACHED_ENTITIES',
    whole(1_000, 10_000_000),
    '200000',
    'Devices, operations and blocks that a process with the role api or ingest remembers, with the latest packet of each; about 1 kB each.',
  ),
  streamUrl: optional(
    'STREAM_URL',
    streamServers,
    'A NATS with JetStream, as nats://user:password@host:4222, that takes packets before they are written; several servers of it separated by commas. Packets are written at once when left out.',
  ),
  streamCaFile: optional(
    'STREAM_CA_FILE',
    path,
    'File with the certificates of the authorities, in PEM, that sign for a NATS of yours at tls://; those that Node trusts when left out.',
  ),
  streamMaxMb: setting(
    'STREAM_MAX_MB',
    whole(64, 100_000_000),
    '4096',
    'Size of the stream of STREAM_URL. When so much waits, packets are refused until some are written.',
  ),
  streamReplicas: setting(
    'STREAM_REPLICAS',
    whole(1, 5),
    '1',
    'On how many servers of a NATS cluster the stream of STREAM_URL keeps each packet.',
  ),
  outboundSlots: setting(
    'OUTBOUND_SLOTS',
    whole(4, 512),
    '64',
    'Calls and mails that a worker makes at once; work inside has its own places.',
  ),
  drainSeconds: setting(
    'DRAIN_SECONDS',
    whole(0, 300),
    '5',
    'Seconds for which a server that gets SIGTERM says on /readyz that it stops, and still answers everything, before it closes its port. Longer than a balancer needs to notice; 0 without one.',
  ),
  copyBeforeUpgrade: setting(
    'COPY_BEFORE_UPGRADE',
    onOff,
    'on',
    'Whether the database is copied into the data folder before migrations change it: on or off. Turn it off for large databases that have backups of their own.',
  ),
  backupDir: optional(
    'BACKUP_DIR',
    path,
    'Folder, preferably on another disk, of the backups that administrators make on the page Installation; backups in the data folder when left out.',
  ),
  archiveDir: optional(
    'ARCHIVE_DIR',
    archiveAddress,
    'Folder, preferably on another disk, or s3://bucket/prefix, that gets the log and daily copies of the embedded database, for restoring to a point in time; none when left out.',
  ),
  archiveS3Endpoint: optional(
    'AWS_ENDPOINT_URL_S3',
    url('http:', 'https:').transform((value) => value.replace(/\/+$/, '')),
    'S3-compatible store of an ARCHIVE_DIR that begins with s3://, as https://minio.example.com; that of AWS in AWS_REGION when left out.',
  ),
  archiveS3Region: setting('AWS_REGION', text(60), 'us-east-1', 'Region of the store of the archive.'),
  archiveS3AccessKeyId: setting('AWS_ACCESS_KEY_ID', text(200), '', 'Access key of the store of the archive.'),
  archiveS3SecretAccessKey: setting('AWS_SECRET_ACCESS_KEY', text(200), '', 'Secret of that access key.'),
  archiveS3SessionToken: optional(
    'AWS_SESSION_TOKEN',
    text(4_000),
    'Session token, where that access key is a temporary one; when the key expires, the log waits until a start with a new one.',
  ),
  masterKey: optional(
    'MASTER_KEY',
    masterKey,
    'Key that wraps all secrets, 32 bytes in base64; wins over MASTER_KEY_FILE. More keys, separated by commas, only open.',
  ),
  masterKeyFile: optional(
    'MASTER_KEY_FILE',
    path,
    'File that holds the master key; master.key in the data folder, made at the first start, when left out.',
  ),
  oidcAuthority: optional(
    'OIDC_AUTHORITY',
    url('http:', 'https:'),
    'OpenID Connect provider to sign in with; the embedded one when left out.',
  ),
  oidcClientId: setting('OIDC_CLIENT_ID', text(200), 'cloudfit-portal', 'Client ID of the portal at the provider.'),
  oidcDeviceClientId: optional(
    'OIDC_DEVICE_CLIENT_ID',
    text(200),
    'Client ID by which the command cloudfit signs people in with a device code, at a provider of yours; the embedded one has its own.',
  ),
  oidcAudience: setting('OIDC_AUDIENCE', text(200), 'cloudfit', 'Audience that access tokens must carry.'),
  oidcScope: setting('OIDC_SCOPE', text(500), 'openid profile email', 'Scopes that the portal asks for.'),
  oidcExtraParams: setting(
    'OIDC_EXTRA_PARAMS',
    z.string().transform((value): Record<string, string> => Object.fromEntries(new URLSearchParams(value))),
    '',
    'More parameters of the sign-in request, as resource=https%3A%2F%2Fapi.example&audience=cloudfit.',
  ),
  oidcGroupsClaim: setting('OIDC_GROUPS_CLAIM', text(200), 'groups', "Claim that holds a person's groups, for grants by group."),
  oidcTrustEmail: setting(
    'OIDC_TRUST_EMAIL',
    onOff,
    'off',
    'Whether addresses of a provider that never says email_verified, such as Entra ID, count as verified: on or off.',
  ),
  adminEmail: setting(
    'ADMIN_EMAIL',
    text(320),
    'admin@localhost',
    'User name of the first administrator, made at the first start with the embedded provider.',
  ),
  smtpUrl: optional(
    'SMTP_URL',
    url('smtp:', 'smtps:'),
    'Mail server, as smtp://user:password@host:587; mails are kept in the outbox when left out.',
  ),
  aliveUrl: optional(
    'ALIVE_URL',
    url('http:', 'https:'),
    "Address of a dead man's switch outside, such as one of healthchecks.io or the push monitor of Uptime Kuma: a worker calls it each minute while packets are taken, rules are evaluated and jobs run; when the calls stop, the receiver raises the alarm.",
  ),
  mailFrom: setting('MAIL_FROM', text(320), 'CloudFit <cloudfit@localhost>', 'Sender of mails.'),
  personPauseSeconds: setting(
    'PERSON_PAUSE_SECONDS',
    whole(0, 3600),
    '60',
    'Seconds between two messages of rules and protocols to one person; what comes meanwhile goes out as one. Up to five messages about units of Sev0 do not wait. 0 sends each by itself.',
  ),
  outboundAllow: setting(
    'OUTBOUND_ALLOW',
    list,
    '',
    'Private networks and host names that actions may call, separated by commas, such as 10.1.0.0/16,hooks.internal.',
  ),
  corsOrigins: setting(
    'CORS_ORIGINS',
    origins,
    '',
    'Origins of other web pages that may call the API with a token, separated by commas, such as https://board.example.com; * is every origin. Empty: none.',
  ),
  tokenMaxYears: setting(
    'TOKEN_MAX_YEARS',
    whole(0, 3),
    '0',
    'Longest life of new tokens in years; 0 also allows tokens that never expire. Existing tokens keep theirs.',
  ),
  packetRetentionDays: setting('PACKET_RETENTION_DAYS', whole(1, 3650), '30', 'Days for which packets are kept.'),
  seriesMinuteRetentionDays: setting('SERIES_MINUTE_RETENTION_DAYS', whole(1, 3650), '30', 'Days for which metrics are kept by minute.'),
  seriesHourRetentionDays: setting('SERIES_HOUR_RETENTION_DAYS', whole(31, 36_500), '730', 'Days for which metrics are kept by hour.'),
  seriesDayRetentionDays: setting('SERIES_DAY_RETENTION_DAYS', whole(31, 36_500), '3650', 'Days for which metrics are kept by day.'),
  recordRetentionDays: setting(
    'RECORD_RETENTION_DAYS',
    whole(7, 3650),
    '400',
    'Days for which matches that are over, evaluations and executions are kept.',
  ),
  auditRetentionDays: setting('AUDIT_RETENTION_DAYS', whole(30, 36_500), '1095', 'Days for which the audit is kept.'),
  uploadMaxMb: setting('UPLOAD_MAX_MB', whole(1, 4_096), '256', 'Largest file of a package that may be uploaded, in MiB.'),
  noteFileMaxMb: setting('NOTE_FILE_MAX_MB', whole(1, 1_024), '20', 'Largest image or file of a note, in MiB.'),
  s3Endpoint: optional(
    'S3_ENDPOINT',
    url('http:', 'https:'),
    'S3-compatible store for uploaded files, as https://s3.eu-central-1.amazonaws.com; the data folder when left out.',
  ),
  s3Bucket: setting('S3_BUCKET', text(63), 'cloudfit', 'Bucket of uploaded files in that store, for nothing else.'),
  s3Region: setting('S3_REGION', text(60), 'us-east-1', 'Region of that store.'),
  s3AccessKeyId: setting('S3_ACCESS_KEY_ID', text(200), '', 'Access key of that store.'),
  s3SecretAccessKey: setting('S3_SECRET_ACCESS_KEY', text(200), '', 'Secret of that access key.'),
  agent: setting('AGENT', onOff, 'on', "Whether this machine's own agent is started beside the server: on or off."),
  agentBuild: setting(
    'AGENT_BUILD',
    onOff,
    'off',
    "Whether a server that starts builds the agent's executables for machines of its own kind and, with a way to npm, for Windows: on or off; npm start sets it on.",
  ),
  accessRequestTenant: optional(
    'ACCESS_REQUEST_TENANT',
    z.uuid('must be the id of a tenant'),
    'Tenant that gets access requests as work units; the oldest one when left out.',
  ),
  environmentName: setting('ENVIRONMENT_NAME', text(40), 'Local', 'Name of the environment in the header.'),
  environmentColor: setting(
    'ENVIRONMENT_COLOR',
    z.string().regex(/^#[0-9a-f]{6}$/i, 'must be a colour such as #1f6feb'),
    '#1f6feb',
    'Colour of the environment in the header.',
  ),
  agentDownloadUrl: optional(
    'AGENT_DOWNLOAD_URL',
    url('http:', 'https:'),
    'Address of the Windows agent that the home page offers instead of the one built here.',
  ),
  licencePublicKey: optional(
    'LICENCE_PUBLIC_KEY',
    z.string().regex(/^[A-Za-z0-9+/]{59}=$/, 'must be an Ed25519 public key, SPKI in base64'),
    "Key that licences are checked with instead of the product's own.",
  ),
  metricsPort: optional('METRICS_PORT', whole(1, 65_535), 'Port of /metrics for Prometheus; no metrics when left out.'),
  metricsHost: setting(
    'METRICS_HOST',
    text(253),
    '127.0.0.1',
    'Address on which /metrics listens; it asks for no sign-in, so open it only to the network of your Prometheus.',
  ),
  logLevel: setting(
    'LOG_LEVEL',
    z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
      error: 'must be fatal, error, warn, info, debug, trace or silent',
    }),
    'warn',
    'Lowest level that is logged: fatal, error, warn, info, debug, trace or silent.',
  ),
};

const defaultText = ({ initial }: Setting<unknown>): string => (initial ?? '').replace(`${projectRoot}/`, '');

/** The table of docs/OPERATIONS.md. */
export function settingsTable(): string {
  const rows = Object.values(settings).map((s) => `| \`${s.name}\` | ${defaultText(s) ? `\`${defaultText(s)}\`` : ''} | ${s.about} |`);
  return ['| setting | default | what it is |', '| --- | --- | --- |', ...rows].join('\n');
}

/** The text that `npm start -- --help` prints. */
export function settingsHelp(): string {
  const longest = Math.max(...Object.values(settings).map((s) => s.name.length));
  const lines = Object.values(settings).map(
    (s) => `  ${s.name.padEnd(longest)}  ${s.about}${defaultText(s) ? ` [${defaultText(s)}]` : ''}`,
  );
  return [
    'Usage: npm start [-- --processes 4]',
    '',
    'Settings come from environment variables, as in PORT=9000 npm start:',
    '',
    ...lines,
  ].join('\n');
}
