/** The health of the installation, for people who may edit the settings of all tenants. */
import { installationHealth, type InstallationHealth } from '@cloudfit/contract/actions/notices.ts';
import { forbidden } from '@cloudfit/contract/errors.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { may } from '../../context/ctx.ts';
import type { Database } from '../../db/connection.ts';
import { processesStatement } from '../../db/listener.ts';
import type { Db } from '../../db/db.ts';
import { clockDifference } from '../../platform/clock.ts';
import { meters } from '../../platform/meters.ts';
import { implement } from '../../resources/action.ts';
import { readBackups } from './backups.action.ts';

const editSettings = permission('Settings', 'edit');
const maxTenants = 50;

const queues = `with waiting as (
  select tenant_id, count(*) filter (where dead_at is null and destination is null)::int as waiting,
    coalesce(extract(epoch from now() - min(run_at) filter (where dead_at is null and destination is null and run_at <= now() and (leased_until is null or leased_until < now()))), 0)::float8 as oldest,
    count(*) filter (where dead_at is null and destination is not null)::int as calls, count(*) filter (where dead_at is not null)::int as dead
  from job group by tenant_id
), mails as (
  select tenant_id, count(*)::int as kept from outbox_message group by tenant_id
)
select coalesce(w.tenant_id, m.tenant_id) as "tenantId", t.name as "tenantName", coalesce(w.waiting, 0) as waiting, coalesce(w.oldest, 0) as "oldestSeconds",
  coalesce(w.calls, 0) as "callsWaiting", coalesce(w.dead, 0) as "deadLetters", coalesce(m.kept, 0) as "keptMails"
from waiting w full join mails m using (tenant_id) left join tenant t on t.tenant_id = coalesce(w.tenant_id, m.tenant_id)
order by coalesce(w.oldest, 0) desc, coalesce(w.waiting, 0) + coalesce(w.calls, 0) + coalesce(w.dead, 0) + coalesce(m.kept, 0) desc limit ${maxTenants}`;

// The daily partitions of packets count as one table.
const tables = `select name, sum(greatest(reltuples, 0))::float8 as rows, sum(pg_total_relation_size(oid))::float8 as bytes from (
  select c.oid, c.reltuples, coalesce(p.relname, c.relname)::text as name
  from pg_class c left join pg_inherits i on i.inhrelid = c.oid left join pg_class p on p.oid = i.inhparent
  where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
) t group by name order by bytes desc limit 8`;

const lag = `select count(*)::int as entities, percentile_cont(0.5) within group (order by seconds)::float8 as "medianSeconds",
  percentile_cont(0.95) within group (order by seconds)::float8 as "p95Seconds", (select max(received_timestamp) from latest_packet) as "lastAt"
from (select greatest(0, extract(epoch from received_timestamp - timestamp)) as seconds from latest_packet where received_timestamp > now() - interval '5 minutes') l`;

const ruleState = `select
  coalesce((select extract(epoch from now() - min(expires)) from rule_match where not completion_processed and expires <= now()), 0)::float8 as "oldestEndSeconds",
  (select count(*)::int from rule_match where closed is null) as "openMatches",
  (select count(*)::int from rule where evaluation_failure is not null) as failing`;

const lateWork = `select name, next_run as due, last_error as error from schedule
where last_error is not null or next_run < now() - interval '30 seconds' order by name`;

const outages = `select gap_start as "from", gap_end as until from installation_gap where not partial order by gap_end desc limit 10`;

interface HealthSettings {
  database: Database;
  version: string;
  mailServerIsSet: boolean;
  /** How much waits in the stream of packets; absent without one. */
  stream?: (() => Promise<ShownLag>) | undefined;
  /** When the licence ends. */
  licence: (db: Db, now: Date) => Promise<InstallationHealth['licence']>;
}

const startedAt = new Date().toISOString();

/** What waits in the stream in front of ingest, as the room that writes it tells. */
interface ShownLag extends Omit<NonNullable<InstallationHealth['stream']>, 'partitions'> {
  partitions: readonly { partition: number; waiting: number; oldestSeconds: number; bytes: number; owner: string | null | undefined }[];
}

/** `processes` are the texts of running processes, each with the id by which a partition names its owner. */
function streamOf({ partitions, ...lag }: ShownLag, processes: readonly { process: string }[]): InstallationHealth['stream'] {
  const hostOf = (owner: string | null | undefined): string | null =>
    processes
      .map(({ process }) => process.split(' '))
      .find((words) => owner != null && words.includes(owner))
      ?.at(-1) ??
    owner ??
    null;
  return { ...lag, partitions: partitions.map(({ owner, ...partition }) => ({ ...partition, process: hostOf(owner) })) };
}

const vitals = `select process, name, pid, started, memory_bytes as "memoryBytes", lag_ms as "lagMs" from server_process`;

interface VitalsRow {
  process: string;
  name: string;
  pid: number;
  started: string;
  memoryBytes: number;
  lagMs: number;
}

/** `vitalsById`: what processes have said of themselves, by their ids. */
function processOf(process: string, vitalsById: ReadonlyMap<string, VitalsRow>): InstallationHealth['processes'][number] {
  // Before the host stands the id of the process, except in earlier versions.
  const [version = '', role = '', ...others] = process.split(' ');
  const row = vitalsById.get(others[0] ?? '');
  const { name = '', pid = 0, started = '', memoryBytes = 0, lagMs = 0 } = row ?? {};
  return { version, role, host: others.at(-1) ?? '', vitals: row ? { name, pid, startedAt: started, memoryBytes, lagMs } : null };
}

export const healthAction = ({ database, version, mailServerIsSet, licence, stream }: HealthSettings) =>
  implement(installationHealth, async (ctx): Promise<InstallationHealth> => {
    if (!may(ctx, editSettings, null)) throw forbidden();
    const { db } = ctx;
    const [processes, vitalsRows, databaseVersion, tableSizes, ingest, rules, tenantQueues, work, gaps, backups, licenceEnd, streamLag] =
      await Promise.all([
        db.query<{ process: string }>({ name: 'health-processes', text: processesStatement }),
        db.query<VitalsRow>({ name: 'health-vitals', text: vitals }),
        db.query<{ version: string }>({ name: 'health-version', text: `select current_setting('server_version') as version` }),
        db.query<InstallationHealth['database']['tables'][number]>({ name: 'health-tables', text: tables }),
        db.query<InstallationHealth['ingest']>({ name: 'health-lag', text: lag }),
        db.query<InstallationHealth['rules']>({ name: 'health-rules', text: ruleState }),
        db.query<InstallationHealth['queues'][number]>({ name: 'health-queues', text: queues }),
        db.query<InstallationHealth['work'][number]>({ name: 'health-work', text: lateWork }),
        db.query<InstallationHealth['outages'][number]>({ name: 'health-outages', text: outages }),
        readBackups(ctx),
        licence(db, ctx.now()),
        stream?.(),
      ]);
    const storage = database.storage?.state();
    const vitalsById = new Map(vitalsRows.map((row) => [row.process, row]));
    return {
      at: ctx.now().toISOString(),
      version,
      startedAt,
      processes: processes.map(({ process }) => processOf(process, vitalsById)),
      database: {
        version: databaseVersion[0]?.version ?? '',
        bytes: storage?.databaseBytes ?? null,
        walBytes: storage?.walBytes ?? null,
        connections: database.load(),
        tables: tableSizes,
      },
      standby: database.standby
        ? {
            ...database.standby.state(),
            reads: { standby: meters.readsOfStandby, primary: meters.readsAfterWrites + meters.readsWithoutStandby },
          }
        : null,
      clock: { aheadSeconds: Math.round(clockDifference() / 1_000) },
      disk: storage ? { level: storage.level, freeBytes: storage.freeBytes, sizeBytes: storage.sizeBytes } : null,
      archive: storage?.archive ?? null,
      ingest: ingest[0] ?? { entities: 0, medianSeconds: null, p95Seconds: null, lastAt: null },
      stream: streamLag ? streamOf(streamLag, processes) : null,
      rules: rules[0] ?? { oldestEndSeconds: 0, openMatches: 0, failing: 0 },
      queues: tenantQueues,
      work,
      outages: gaps,
      backups,
      mail: { isSet: mailServerIsSet, kept: tenantQueues.reduce((sum, tenantQueue) => sum + tenantQueue.keptMails, 0) },
      licence: licenceEnd,
    };
  });
