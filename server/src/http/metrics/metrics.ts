/** Figures for Prometheus: of this process, and of what all processes share, the disk and the database. */
import type { Logger } from 'pino';
import type { Gauge as GaugeOf, Registry } from 'prom-client';
import type { Database } from '../../db/connection.ts';
import type { StorageState } from '../../db/storage.ts';
import type { StreamLag } from '../../ingest/stream/lag.ts';
import { meters } from '../../platform/meters.ts';

export interface AnsweredRequest {
  method: string;
  /** Label of the requested part: the set's name, `idp`, `portal`, ... but never a key. */
  route: string;
  status: number;
  seconds: number;
}

export interface Metrics {
  /** Counts an answer to a request. */
  answered(answer: AnsweredRequest): void;
  /** The figures of this process in the format of Prometheus; if `isShared`, followed by those of the disk and the database. */
  read(isShared: boolean): Promise<string>;
}

const counted: Record<keyof typeof meters, [name: string, help: string]> = {
  packetsStored: ['cloudfit_packets_stored_total', 'Packets stored.'],
  packetsAccepted: ['cloudfit_packets_accepted_total', 'Packets that the stream has taken.'],
  packetsDuplicate: ['cloudfit_packets_duplicate_total', 'Packets that had been stored before.'],
  packetsRefused: ['cloudfit_packets_refused_total', 'Packets refused.'],
  failedSignIns: ['cloudfit_sign_ins_failed_total', 'Sign-ins refused by the embedded provider.'],
  revokedTokenHits: ['cloudfit_revoked_token_hits_total', 'Calls with a token that was revoked.'],
  readsOfStandby: ['cloudfit_reads_standby_total', 'Statements that were read from the standby.'],
  readsAfterWrites: [
    'cloudfit_reads_primary_after_writes_total',
    'Statements that were read from the primary because the standby lacked what the caller had written.',
  ],
  readsWithoutStandby: [
    'cloudfit_reads_primary_without_standby_total',
    'Statements that were read from the primary because the standby failed or was not read.',
  ],
};

// The age of the oldest job shows a delay better than the number of waiting jobs.
const queues = `select
  (select count(*)::int from job where dead_at is null) as "jobsWaiting",
  (select coalesce(extract(epoch from now() - min(run_at)), 0)::float8 from job where dead_at is null and destination is null and run_at <= now() and (leased_until is null or leased_until < now())) as "oldestJobSeconds",
  (select count(*)::int from job where dead_at is null and destination is not null) as "callsWaiting",
  (select count(*)::int from job where dead_at is not null) as "deadLetters",
  (select coalesce(extract(epoch from now() - min(expires)), 0)::float8 from rule_match where not completion_processed and expires <= now()) as "oldestMatchSeconds",
  (select count(*)::int from outbox_message) as "outboxMessages",
  coalesce((select extract(epoch from now() - (value ->> 'at')::timestamptz)::float8 from setting where name = 'baseCopy'), 'NaN') as "baseCopySeconds",
  coalesce((select extract(epoch from now() - (value ->> 'at')::timestamptz)::float8 from setting where name = 'restoreDrill'), 'NaN') as "restoreDrillSeconds"`;

interface TableSize {
  name: string;
  rows: number;
  bytes: number;
}

// The daily partitions of packets count as one table.
const tableSizes = `select name, sum(greatest(reltuples, 0))::float8 as rows, sum(pg_total_relation_size(oid))::float8 as bytes from (
  select c.oid, c.reltuples, coalesce(p.relname, c.relname)::text as name
  from pg_class c left join pg_inherits i on i.inhrelid = c.oid left join pg_class p on p.oid = i.inhparent
  where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
) t group by name`;

const queueGauges = {
  jobsWaiting: ['cloudfit_jobs_waiting', 'Jobs that are queued or running.'],
  oldestJobSeconds: ['cloudfit_oldest_due_job_seconds', 'How long the oldest due internal job that nobody works on has waited.'],
  callsWaiting: ['cloudfit_calls_waiting', 'Calls and mails that are under way or wait for their receiver.'],
  deadLetters: ['cloudfit_dead_letters', 'Jobs that were given up.'],
  oldestMatchSeconds: [
    'cloudfit_oldest_unprocessed_match_seconds',
    'How long ago the oldest rule match whose end is not processed expired.',
  ],
  baseCopySeconds: ['cloudfit_base_copy_age_seconds', 'How long ago the last base copy into ARCHIVE_DIR was complete.'],
  restoreDrillSeconds: ['cloudfit_backup_verified_age_seconds', 'How long ago backup verify last restored a copy and found it whole.'],
  outboxMessages: ['cloudfit_outbox_messages', 'Mails that are kept because no mail server takes them.'],
} as const;

const storageGauges: Record<Exclude<keyof StorageState, 'level' | 'archive'>, [name: string, help: string]> = {
  freeBytes: ['cloudfit_storage_free_bytes', 'Free space on the disk of the data folder.'],
  sizeBytes: ['cloudfit_storage_size_bytes', 'Size of the disk of the data folder.'],
  databaseBytes: ['cloudfit_database_bytes', 'Size of the database.'],
  walBytes: ['cloudfit_wal_bytes', "Size of PostgreSQL's write-ahead log, where it shows it."],
};

type Queues = Record<keyof typeof queueGauges, number>;

/** Registers the gauges of the stream of packets; returns what reads them. */
function streamGauges(Gauge: typeof GaugeOf, registers: Registry[], stream: () => Promise<StreamLag>): () => Promise<void> {
  const up = new Gauge({ name: 'cloudfit_stream_up', help: 'Whether the stream of packets is connected.', registers });
  const labelNames = ['partition'] as const;
  const waiting = new Gauge({
    name: 'cloudfit_stream_waiting',
    help: 'Messages of a partition that wait to be written.',
    labelNames,
    registers,
  });
  const oldest = new Gauge({
    name: 'cloudfit_stream_oldest_seconds',
    help: 'How long the oldest message of a partition has waited.',
    labelNames,
    registers,
  });
  const owned = new Gauge({ name: 'cloudfit_stream_owned', help: 'Whether a process writes a partition.', labelNames, registers });
  return async () => {
    const { isConnected, partitions } = await stream();
    up.set(Number(isConnected));
    for (const one of partitions) {
      const partition = String(one.partition);
      waiting.set({ partition }, one.waiting);
      oldest.set({ partition }, one.oldestSeconds);
      owned.set({ partition }, Number(one.owner !== null));
    }
  };
}

interface MetricsOptions {
  database: Database;
  log: Logger;
  /** The name of this process, if it is one of several: a label of its figures. */
  process?: string | undefined;
  /** How much waits in the stream of packets, if there is one. */
  stream?: (() => Promise<StreamLag>) | undefined;
}

/** Begins to count. The library is loaded here, so that a server without metrics does not load it. */
export async function openMetrics(options: MetricsOptions): Promise<Metrics> {
  const { Registry, Counter, Gauge, Histogram, collectDefaultMetrics } = await import('prom-client');
  const { database, log } = options;
  const ofProcess = new Registry();
  const ofAll = new Registry();
  if (options.process !== undefined) ofProcess.setDefaultLabels({ process: options.process });
  // Includes event loop delay, memory, handles and CPU.
  collectDefaultMetrics({ register: ofProcess });
  // The library names these gauges like counters, which linters of Prometheus refuse; the same numbers by type remain.
  for (const what of ['handles', 'requests', 'resources']) ofProcess.removeSingleMetric(`nodejs_active_${what}_total`);
  for (const [meter, [name, help]] of Object.entries(counted) as [keyof typeof meters, [string, string]][]) {
    let last = 0;
    const counter = new Counter({
      name,
      help,
      registers: [ofProcess],
      collect() {
        this.inc(meters[meter] - last);
        last = meters[meter];
      },
    });
    counter.inc(0);
  }
  for (const state of ['open', 'idle', 'waiting'] as const)
    new Gauge({
      name: `cloudfit_db_connections_${state}`,
      help: `Connections to the database: ${state === 'waiting' ? 'callers that wait for one' : state}.`,
      registers: [ofProcess],
      collect() {
        this.set(database.load()[state]);
      },
    });
  const { standby } = database;
  if (standby) {
    new Gauge({
      name: 'cloudfit_standby_read',
      help: 'Whether the standby of DATABASE_READ_URL is read.',
      registers: [ofProcess],
      collect() {
        this.set(Number(standby.isRead()));
      },
    });
    new Gauge({
      name: 'cloudfit_standby_lag_seconds',
      help: 'How far the standby is behind the primary; NaN while it does not answer.',
      registers: [ofProcess],
      collect() {
        this.set(standby.state().lagSeconds ?? Number.NaN);
      },
    });
  }
  for (const [key, [name, help]] of Object.entries(storageGauges) as [keyof typeof storageGauges, [string, string]][])
    new Gauge({
      name,
      help,
      registers: [ofAll],
      collect() {
        this.set(database.storage?.state()[key] ?? Number.NaN);
      },
    });
  new Gauge({
    name: 'cloudfit_wal_archive_failing',
    help: "Whether PostgreSQL's latest attempt to archive its write-ahead log failed (1) or not (0); NaN without an archive.",
    registers: [ofAll],
    collect() {
      const archive = database.storage?.state().archive;
      this.set(archive ? Number(archive.level === 'failing') : Number.NaN);
    },
  });
  const db = database.scoped('all');
  const gauges = (Object.entries(queueGauges) as [keyof Queues, readonly [string, string]][]).map(
    ([key, [name, help]]) => [key, new Gauge({ name, help, registers: [ofAll] })] as const,
  );
  const up = new Gauge({ name: 'cloudfit_database_up', help: 'Whether the database answered this question.', registers: [ofAll] });
  const requests = new Histogram({
    name: 'cloudfit_http_request_seconds',
    help: 'Time to answer, by what was asked and the status.',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: [0.003, 0.01, 0.03, 0.06, 0.1, 0.3, 1, 3, 10, 30],
    registers: [ofProcess],
  });
  const failures = new Counter({
    name: 'cloudfit_http_errors_total',
    help: 'Answers with a status of 500 or more.',
    registers: [ofProcess],
  });

  const tableRows = new Gauge({
    name: 'cloudfit_table_rows',
    help: 'Rows of a table, as PostgreSQL estimates them.',
    labelNames: ['table'] as const,
    registers: [ofAll],
  });
  const tableBytes = new Gauge({
    name: 'cloudfit_table_bytes',
    help: 'Size of a table with its indexes.',
    labelNames: ['table'] as const,
    registers: [ofAll],
  });

  const readStream = options.stream && streamGauges(Gauge, [ofAll], options.stream);

  async function readTables(): Promise<void> {
    for (const { name, rows, bytes } of await db.query<TableSize>({ name: 'metrics-tables', text: tableSizes })) {
      tableRows.set({ table: name }, rows);
      tableBytes.set({ table: name }, bytes);
    }
  }

  async function readQueues(): Promise<void> {
    try {
      const [row] = await db.query<Queues>({ name: 'metrics-queues', text: queues });
      up.set(1);
      for (const [key, gauge] of gauges) gauge.set(row?.[key] ?? 0);
      await readTables();
    } catch (error) {
      up.set(0);
      log.warn({ err: error }, 'The queues could not be read for metrics.');
    }
  }

  return {
    read: async (isShared) => {
      if (!isShared) return ofProcess.metrics();
      await Promise.all([readQueues(), readStream?.()]);
      return `${await ofProcess.metrics()}\n${await ofAll.metrics()}`;
    },
    answered: ({ method, route, status, seconds }) => {
      requests.observe({ method, route, status: String(status) }, seconds);
      if (status >= 500) failures.inc();
    },
  };
}
