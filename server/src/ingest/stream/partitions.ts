/** Which process writes which partition of the stream, and how far each is written, as rows of the database. */
import { ApiError } from '@cloudfit/contract/errors.ts';
import { isConnected } from '../../db/listener.ts';
import type { Db } from '../../db/db.ts';
import { partitionCount } from './envelope.ts';

/** A partition that this process owns: the position is that of the stream which it names. */
export interface OwnedPartition {
  partition: number;
  stream: string | null;
  sequence: number;
}

/**
 * Milliseconds without a report after which a process loses its partitions to the others: one whose connection has ended, since a connection may
 * be replaced, and one that is connected, which may just be slow.
 */
const lostAfter = { endedMs: 2_000, stalledMs: 15_000 };

/** SQLSTATE of a batch whose partition another process has taken. */
const lostCode = 'CF001';

const report = `with own as (
  insert into stream_process (process, at) values ($1, now()) on conflict (process) do update set at = excluded.at
), ended as (
  delete from stream_process where at < now() - interval '1 minute' and process <> $1
), alive as materialized (
  select s.process from stream_process s where s.process <> $1
    and s.at > now() - case when ${isConnected('s.process')} then $3::float8 else $2::float8 end * interval '1 millisecond'
)
select p.partition, p.owner, p.owner is null or (p.owner <> $1 and not exists (select from alive a where a.process = p.owner)) as free,
  (select count(*)::int from alive) as others
from stream_partition p order by p.partition`;

interface PartitionRow {
  partition: number;
  owner: string | null;
  free: boolean;
  others: number;
}

/** Makes the rows of the partitions, once in the life of an installation. */
export async function preparePartitions(db: Db): Promise<void> {
  await db.query({
    text: 'insert into stream_partition (partition) select generate_series(0, $1::int - 1) on conflict do nothing',
    values: [partitionCount],
  });
}

/** Reports that the process lives. Returns what it owns, what nobody owns, and how many partitions are its fair share. */
export async function reportProcess(db: Db, process: string): Promise<{ owned: number[]; free: PartitionRow[]; share: number }> {
  const rows = await db.query<PartitionRow>({
    name: 'stream-report',
    text: report,
    values: [process, lostAfter.endedMs, lostAfter.stalledMs],
  });
  return {
    owned: rows.filter(({ owner }) => owner === process).map(({ partition }) => partition),
    free: rows.filter(({ free }) => free),
    share: Math.ceil(rows.length / (1 + (rows[0]?.others ?? 0))),
  };
}

/** Takes partitions that still have the owner that they had. */
export function takePartitions(db: Db, process: string, free: readonly PartitionRow[]): Promise<OwnedPartition[]> {
  return db.query<OwnedPartition>({
    name: 'stream-take',
    text: `update stream_partition p set owner = $1 from unnest($2::smallint[], $3::text[]) as f (partition, owner)
where p.partition = f.partition and p.owner is not distinct from f.owner returning p.partition, p.stream, p.sequence`,
    values: [process, free.map(({ partition }) => partition), free.map(({ owner }) => owner)],
  });
}

/** Gives partitions back, so that others need not wait. */
export async function releasePartitions(db: Db, process: string, partitions: readonly number[]): Promise<void> {
  await db.query({
    name: 'stream-release',
    text: 'update stream_partition set owner = null where owner = $1 and partition = any($2::smallint[])',
    values: [process, partitions],
  });
}

/** Records that the process has ended. */
export async function endProcess(db: Db, process: string): Promise<void> {
  await db.query({ text: 'delete from stream_process where process = $1', values: [process] });
}

/** Returns what the process owns. */
export function ownedPartitions(db: Db, process: string): Promise<OwnedPartition[]> {
  return db.query<OwnedPartition>({
    name: 'stream-owned',
    text: 'select partition, stream, sequence from stream_partition where owner = $1 order by partition',
    values: [process],
  });
}

/** Begins a partition at the first message of a stream in which its position means nothing. */
export async function beginStream(db: Db, process: string, partition: number, stream: string): Promise<void> {
  await db.query({
    name: 'stream-begin',
    text: 'update stream_partition set stream = $3, sequence = 0 where partition = $1 and owner = $2',
    values: [partition, process, stream],
  });
}

/** From which to which message a batch writes a partition. */
export interface Advance {
  partition: number;
  stream: string;
  from: number;
  to: number;
}

/** Moves the positions of partitions; the transaction fails when one has another owner or another position. */
export async function advance(tx: Db, process: string, advances: readonly Advance[]): Promise<void> {
  const sorted = advances.toSorted((a, b) => a.partition - b.partition);
  await tx.defer({
    name: 'stream-advance',
    text: `with moved as (
  update stream_partition p set sequence = a.upto from unnest($2::smallint[], $3::text[], $4::bigint[], $5::bigint[]) as a (partition, stream, since, upto)
  where p.partition = a.partition and p.owner = $1 and p.stream = a.stream and p.sequence = a.since returning 1
)
select expect_rows((select count(*) from moved), cardinality($2::smallint[]), '${lostCode}')`,
    values: [
      process,
      sorted.map(({ partition }) => partition),
      sorted.map(({ stream }) => stream),
      sorted.map(({ from }) => from),
      sorted.map(({ to }) => to),
    ],
  });
}

/** Whether a batch failed because another process has taken a partition. */
export function isLost(error: unknown): boolean {
  return error instanceof ApiError && (error.cause as { code?: unknown } | undefined)?.code === lostCode;
}

/** How far each partition is written, and by whom. */
export function positions(db: Db): Promise<(OwnedPartition & { owner: string | null })[]> {
  return db.query<OwnedPartition & { owner: string | null }>({
    name: 'stream-positions',
    text: 'select partition, owner, stream, sequence from stream_partition order by partition',
  });
}
