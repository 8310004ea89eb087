/**
 * Tables with a partition for each quarter, month or week. Together, their partitions have all times, so that no row is refused because a partition
 * is missing: `_before` has what is older than all others, `_after` what no partition was made for yet. A partition is dropped when all
 * of it is past retention.
 */
import pg from 'pg';
import type { Db } from './db.ts';
import { isLockTimeout } from './partitions.ts';

interface SpanRule {
  /** The column by which rows are divided. */
  at: string;
  /** The part of a time at which a partition begins, and how long it is. */
  unit: 'week' | 'month' | 'quarter';
  step: string;
}

/** How each table is divided; the migrations that divided it say the same. */
export const spans = {
  audit: { at: 'at', unit: 'quarter', step: '3 months' },
  rule_evaluation: { at: 'at', unit: 'month', step: '1 month' },
  device_log: { at: 'created', unit: 'week', step: '1 week' },
} as const satisfies Readonly<Record<string, SpanRule>>;

export type SpanTable = keyof typeof spans;

export const isSpanTable = (table: string): table is SpanTable => Object.hasOwn(spans, table);

/** For how many days the rows of each table are stored. */
export type KeptSpans = Readonly<Record<SpanTable, number>>;

/** A table whose partitions are to be changed. */
interface DueSpan {
  name: SpanTable;
  /** The partitions that are past retention, without `_before`, and the end of the last one. */
  old: string[];
  end: string | null;
  /** The beginning of `_after`, and whether what comes next has no partition but that. */
  after: string;
  isShort: boolean;
}

const lower = (partition: string): string =>
  `substring(pg_get_expr(${partition}.relpartbound, ${partition}.oid) from 'FROM \\(''([^'']+)''\\)')`;
const upper = (partition: string): string =>
  `substring(pg_get_expr(${partition}.relpartbound, ${partition}.oid) from 'TO \\(''([^'']+)''\\)')`;

/** The end of `_before` in SQL: rows before it are deleted one by one, because what a table had before its partitions is there. */
export const endOfBefore = (table: SpanTable): string =>
  `(select ${upper('c')}::timestamptz from pg_class c where c.oid = to_regclass('public.${table}_before'))`;

const dueText = `select p.name, coalesce(array_agg(c.relname::text) filter (where o.is_old), '{}') as old,
  max(${upper('c')}::timestamptz) filter (where o.is_old)::text as "end", s.after::text, s.after < now() + p.step::interval as "isShort"
from unnest($1::text[], $2::text[], $3::int[]) as p (name, step, days)
join pg_inherits i on i.inhparent = to_regclass('public.' || p.name) join pg_class c on c.oid = i.inhrelid
cross join lateral (select ${lower('c')} is not null and ${upper('c')}::timestamptz <= now() - make_interval(days => p.days) as is_old) o
cross join lateral (select ${lower('a')}::timestamptz as after from pg_class a where a.oid = to_regclass('public.' || p.name || '_after')) s
group by p.name, p.step, s.after having bool_or(o.is_old) or s.after < now() + p.step::interval order by 1`;

const dueQuery = (retention: Partial<KeptSpans>): { text: string; values: unknown[] } => {
  const names = Object.keys(spans).filter((name) => isSpanTable(name) && retention[name] !== undefined) as SpanTable[];
  return { text: dueText, values: [names, names.map((name) => spans[name].step), names.map((name) => retention[name])] };
};

/** Returns the tables with a partition that is past retention, or with none for what comes next. */
export async function readDueSpans(db: Pick<Db, 'query'>, retention: KeptSpans): Promise<SpanTable[]> {
  return (await db.query<DueSpan>(dueQuery(retention))).map(({ name }) => name);
}

/**
 * How long others wait at most while the partitions of a table change, which takes milliseconds. A reader of an hour only delays the change,
 * for which there is a week at least.
 */
const patience = '50ms';

interface SpanTurn {
  client: pg.Client;
  table: SpanTable;
}

async function add({ client, table }: SpanTurn, name: string, bounds: string): Promise<void> {
  await client.query(`create table ${name} (like ${table} including all excluding indexes excluding identity)`);
  await client.query(`alter table ${table} attach partition ${name} for values ${bounds}`);
}

/** Drops what is past retention, and makes a `_before` that ends where the others begin. */
async function giveUpOld(turn: SpanTurn, { old, end }: DueSpan): Promise<void> {
  const before = `${turn.table}_before`;
  await turn.client.query(`drop table ${[...old, before].join(', ')}`);
  await add(turn, before, `from (minvalue) to ('${end}')`);
}

/**
 * `_after` becomes the partition of its time, up to the end of the next span, and gets a successor. It has rows when no worker ran for so
 * long; those of a later time, from a clock that was wrong, go into the successor.
 */
async function makeNext({ client, table }: SpanTurn, { after: from }: DueSpan): Promise<void> {
  const { at, unit, step } = spans[table];
  const { rows } = await client.query<{ name: string; to: string }>(
    `select $1 || to_char($2::timestamptz, '_YYYYMMDD') as name, (date_trunc('${unit}', now()) + 2 * interval '${step}')::text as to`,
    [table, from],
  );
  const { name = '', to = '' } = rows[0] ?? {};
  const after = `${table}_after`;
  await client.query(`alter table ${table} detach partition ${after}`);
  await client.query(`alter table ${after} rename to ${name}`);
  await add({ client, table }, after, `from ('${to}') to (maxvalue)`);
  await client.query(
    `with late as (delete from ${name} where ${at} >= $1::timestamptz returning *) insert into ${after} overriding system value select * from late`,
    [to],
  );
  await client.query(`alter table ${table} attach partition ${name} for values from ('${from}') to ('${to}')`);
}

async function turn(client: pg.Client, table: SpanTable, days: number): Promise<void> {
  await client.query(
    `set local lock_timeout = '${patience}'; set local timezone = 'UTC'; lock table only ${table} in access exclusive mode`,
  );
  // Another worker may have been here in the meantime.
  const due = (await client.query<DueSpan>(dueQuery({ [table]: days }))).rows[0];
  if (due && due.end !== null) await giveUpOld({ client, table }, due);
  if (due?.isShort) await makeNext({ client, table }, due);
}

/**
 * Changes the partitions of tables, each in one transaction, on a connection of the owner. Gives a table up until the next time while
 * somebody reads it. Unlike `detach ... concurrently`, it leaves no moment in which a time has no partition.
 */
export async function turnSpans(ownerUrl: string, tables: readonly SpanTable[], retention: KeptSpans): Promise<void> {
  const client = new pg.Client({ connectionString: ownerUrl, application_name: 'cloudfit partitions' });
  await client.connect();
  try {
    for (const table of tables) {
      await client.query('begin');
      try {
        await turn(client, table, retention[table]);
        await client.query('commit');
      } catch (error) {
        await client.query('rollback');
        if (!isLockTimeout(error)) throw error;
        continue;
      }
      // PostgreSQL counts partitions by itself, but not the table that they make up.
      await client.query(`analyze only ${table}`);
    }
  } finally {
    await client.end();
  }
}
