/**
 * Writes a row and its record in one statement: the audit row with the states before and after, and the change row that
 * live pages and automation read.
 */
import { sql, type RawBuilder } from '../db/sql.ts';
import type { Resource, Row, RowInput, WriteVerb } from '@cloudfit/contract/resource.ts';
import { actorName, type Ctx } from '../context/ctx.ts';
import { columnName } from '../db/column-name.ts';
import { selectList } from '../query/columns.ts';
import { compile } from '../db/compile.ts';
import type { Statement } from '../db/db.ts';
import { endsWithRow, type AnyServed, type RowChange, type Served } from './served.ts';
import { rememberVersion } from './get.ts';
import { ApiError, validationFailed } from '@cloudfit/contract/errors.ts';

interface RestOfRecord {
  /** Further inserts in the same statement, see `along` of `Served`. */
  along?: readonly RawBuilder<unknown>[];
  /** Whether the transaction ends with the statement. */
  isLast?: boolean;
}

/** The parts that hooks add to the statement of a change. */
export async function restOf(ctx: Ctx, served: AnyServed, change: RowChange): Promise<RestOfRecord> {
  return { along: (await served.along?.(ctx, change)) ?? [], isLast: endsWithRow(served, change) };
}

/** Returns the statement of `writeRecorded`. */
function recorded<R extends Resource>(
  ctx: Ctx,
  served: Served<R>,
  verb: WriteVerb,
  write: RawBuilder<unknown>,
  before: RowInput<R> | null,
  along: readonly RawBuilder<unknown>[] = [],
): Statement {
  const { name, key, scope } = served.resource;
  const tenant = scope.kind === 'installation' ? sql`null::uuid` : sql.ref(columnName(scope.field));
  const after = verb === 'delete' ? sql`null::jsonb` : sql`json_strip_nulls(json)::jsonb`;
  const beforeFields = sql`${JSON.stringify(before)}::jsonb`;
  const was = before ? sql`jsonb_strip_nulls(${verb === 'update' ? sql`after || ${beforeFields}` : beforeFields})` : sql`null::jsonb`;
  // A row that moves to another tenant has an entry in each: in the old one the row as it was, in the new one as it is, because people of
  // either may not read of the other. Both are told of the change.
  const isOfTenant = scope.kind !== 'installation' && scope.field !== key;
  const left = before && isOfTenant && verb === 'update' && scope.field in before ? (before[scope.field] ?? null) : undefined;
  const isMoved = left === undefined ? sql`false` : sql`tenant_id is distinct from ${left}::uuid`;
  const entry = sql`${ctx.actor.kind}, ${ctx.actor.id}, ${actorName(ctx)}, case when ${isMoved} then 'move' else ${verb} end, ${name}, entity_id`;
  const cause = sql`${ctx.correlationId}::uuid, ${ctx.address ?? null}`;
  const leftEntry =
    left === undefined
      ? sql``
      : sql`select ${left}::uuid, ${entry}, jsonb_strip_nulls(${beforeFields}), null::jsonb, ${cause} from wire where ${isMoved} union all `;
  const leaving =
    left === undefined
      ? sql``
      : sql` union all select ${left}::uuid, ${verb}, ${name}, entity_id, ${ctx.correlationId}::uuid from wire where ${isMoved}`;
  const more = sql.join(
    along.map((insert, n) => sql`, ${sql.ref(`along${n}`)} as (${insert})`),
    sql``,
  );
  return compile(sql`with written as (${write}),
    sent as materialized (select ${tenant} as tenant_id, ${sql.ref(columnName(key))}::text as entity_id,
      (select row_to_json(r) from (select ${selectList(served.resource, 'written')}) r) as json from written),
    wire as materialized (select *, ${after} as after from sent),
    audited as (insert into audit (tenant_id, actor_kind, actor_id, actor_name, verb, entity, entity_id, before, after, correlation_id, address)
      ${leftEntry}select tenant_id, ${entry}, ${left === undefined ? was : sql`case when not ${isMoved} then ${was} end`}, after, ${cause} from wire),
    changed as (insert into change (tenant_id, verb, entity, entity_id, correlation_id)
      select tenant_id, ${verb}, ${name}, entity_id, ${ctx.correlationId}::uuid from wire${leaving})${more}
    select json, pg_current_xact_id()::xid::text as version from wire`);
}

/** Creates rows as `writeRecorded` does, together with the commit: nothing later in the transaction may read them. */
export async function createLater<R extends Resource>(ctx: Ctx, served: Served<R>, write: RawBuilder<unknown>): Promise<void> {
  await ctx.db.defer(recorded(ctx, served, 'create', write, null));
}

/**
 * Runs `write` (an insert, update or delete that returns all columns) and returns the row as it is sent, which the audit stores
 * too; undefined when nothing was written. The row is read as one JSON value, which is cheaper than reading seventy columns.
 * @param before the row before the write; for an update the changed fields are enough.
 */
export async function writeRecorded<R extends Resource>(
  ctx: Ctx,
  served: Served<R>,
  verb: WriteVerb,
  write: RawBuilder<unknown>,
  before: RowInput<R> | null,
  { along = [], isLast = false }: RestOfRecord = {},
): Promise<Row<R> | undefined> {
  try {
    const send = isLast ? ctx.db.last : ctx.db.query;
    const [row] = await send<{ json: Row<R>; version: string }>(recorded(ctx, served, verb, write, before, along));
    return row && rememberVersion(row.json, row.version);
  } catch (error) {
    throw explainConstraint(served, error);
  }
}

function fieldsIn(served: AnyServed, constraint: string): string[] {
  return Object.keys(served.resource.fields).filter((name) => constraint.includes(columnName(name)));
}

/** Rewords a constraint violation: an unknown reference as an invalid value, a duplicate as a conflict at the unique field. */
export function explainConstraint(served: AnyServed, error: unknown): unknown {
  if (!(error instanceof ApiError) || error.code !== 'Conflict' || !error.target) return error;
  const { resource } = served;
  const names = fieldsIn(served, error.target);
  // Takes the longest match: the name work_unit_work_unit_type_id_fkey contains `work_unit_id` too.
  const field = names.toSorted((a, b) => b.length - a.length)[0];
  const label = field ? resource.fields[field]?.label : undefined;
  if (error.target.endsWith('_fkey')) {
    return field && label && error.target.startsWith(`${served.table}_`)
      ? validationFailed([{ target: field, message: `${label} was not found.` }])
      : new ApiError('Conflict', `This ${resource.label.toLowerCase()} cannot be deleted while something else uses it.`);
  }
  return new ApiError('Conflict', `There is already a ${resource.label.toLowerCase()} with this ${label?.toLowerCase() ?? 'value'}.`, {
    target: field,
  });
}
