/**
 * Drops the partitions of days that are past retention. Nobody waits for it: a partition is first detached concurrently, which
 * locks neither packets nor readers out, and then dropped as a table that nobody uses. `spans.ts` has the tables of which no time may be
 * without a partition.
 */
import pg from 'pg';
import type { Db } from './db.ts';

/** Tables with a partition for each day, and for how many days it is kept. */
export type KeptDays = Readonly<Record<'packet' | 'series_minute', number>>;

/** A partition that is to be dropped. */
interface OldPartition {
  parent: string;
  name: string;
  /** `detaching`: an earlier try was interrupted, or gave up while it waited for readers; `detached`: only the drop is missing. */
  state: 'attached' | 'detaching' | 'detached';
}

/** How long a statement waits for readers. Nobody waits behind it; but at the next try it goes on from where it gave up. */
const patience = '200ms';

/** Marks a table before it is detached, so that one that somebody detached in order to keep it is not dropped. */
export const droppedMark = 'Past retention: is being dropped.';

const oldPartitions = `select p.name as parent, c.relname as name,
  case when i.inhrelid is null then 'detached' when i.inhdetachpending then 'detaching' else 'attached' end as state
from unnest($1::text[], $2::int[]) as p (name, days)
join pg_class c on c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname ~ ('^' || p.name || '_[0-9]{8}$')
left join pg_inherits i on i.inhrelid = c.oid and i.inhparent = to_regclass(p.name)
where case when i.inhrelid is null then obj_description(c.oid, 'pg_class') = $3
  else i.inhdetachpending or c.relname < p.name || '_' || to_char(current_date - p.days, 'YYYYMMDD') end
order by coalesce(i.inhdetachpending, false) desc, c.relname`;

/** Returns the partitions that are to be dropped; one that is being detached comes first, because a table can have only one. */
export function readOldPartitions(db: Pick<Db, 'query'>, keptDays: KeptDays): Promise<OldPartition[]> {
  return db.query<OldPartition>({ text: oldPartitions, values: [Object.keys(keptDays), Object.values(keptDays), droppedMark] });
}

async function drop(client: pg.Client, { parent, name, state }: OldPartition): Promise<void> {
  const [table, partition] = [client.escapeIdentifier(parent), client.escapeIdentifier(name)];
  if (state === 'attached') {
    await client.query(`comment on table ${partition} is ${client.escapeLiteral(droppedMark)}`);
    await client.query(`alter table ${table} detach partition ${partition} concurrently`);
  }
  if (state === 'detaching') await client.query(`alter table ${table} detach partition ${partition} finalize`);
  await client.query(`drop table ${partition}`);
}

/** Whether a statement gave up because others use what it needs. */
export const isLockTimeout = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === '55P03';

/**
 * Drops these partitions on a connection of the owner. Gives up while somebody reads one of them; the next call goes on.
 * `detach concurrently` cannot run in a transaction or a function, which is why the login of the server cannot be given it.
 */
export async function dropPartitions(ownerUrl: string, partitions: readonly OldPartition[]): Promise<void> {
  const client = new pg.Client({ connectionString: ownerUrl, application_name: 'cloudfit partitions' });
  await client.connect();
  try {
    await client.query(`set lock_timeout = '${patience}'`);
    for (const partition of partitions) await drop(client, partition);
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
  } finally {
    await client.end();
  }
}
