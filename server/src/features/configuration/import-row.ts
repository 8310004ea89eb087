/** Imports one row of a configuration through the engine's create and update. */
import { guidsIn } from '@cloudfit/contract/configuration/differences.ts';
import { ApiError, validationFailed } from '@cloudfit/contract/errors.ts';
import type { ImportOutcome } from '@cloudfit/contract/configuration.ts';
import type { Ctx } from '../../context/ctx.ts';
import { columnName } from '../../db/column-name.ts';
import { compile } from '../../db/compile.ts';
import { sql } from '../../db/sql.ts';
import { create } from '../../resources/create.ts';
import { servedOf } from '../../resources/served.ts';
import { update } from '../../resources/update.ts';
import { sameValue, type Keys } from './keys.ts';
import { isExported, portableFields, type PortableResource } from './portable.ts';
import type { PortableRow } from './rows-in.ts';

export type ImportChange = ImportOutcome['changes'][number];

/** Returns the row without fields that nobody may set, with its key and references changed to keys of this installation. */
export function translated(resource: PortableResource, row: PortableRow, keys: Keys): PortableRow {
  const fields = new Map(portableFields(resource));
  return Object.fromEntries(
    Object.entries(row).flatMap(([name, value]) => {
      if (name === resource.key) return [[name, keys.translate(value)]];
      const field = fields.get(name);
      if (!field) return name in resource.fields ? [] : [[name, value]];
      if (field.ref && field.nullable && typeof value === 'string' && keys.leftOut(value) !== undefined) return [[name, null]];
      return [[name, field.ref && typeof value === 'number' ? keys.numberOf(field.ref, value) : keys.translate(value)]];
    }),
  );
}

/** Throws 400 when the row names what is left out, other than in a list or a field that may be empty. */
export function requireNothingLeftOut(resource: PortableResource, row: PortableRow, keys: Keys): void {
  for (const [name, value] of Object.entries(row)) {
    const left =
      name === resource.key
        ? undefined
        : guidsIn(value)
            .map(keys.leftOut)
            .find((item) => item !== undefined);
    if (left !== undefined) throw validationFailed([{ target: name, message: `${left} is left out, but this row needs it.` }]);
  }
}

/**
 * Returns the fields whose stored value differs from the document, compared after the field has parsed the document's value.
 */
function differences(resource: PortableResource, before: PortableRow, row: PortableRow): ImportChange['fields'] {
  return Object.entries(row).flatMap(([field, value]) => {
    if (field === resource.key) return [];
    const parsed = resource.fields[field]?.schema().safeParse(value);
    const after = parsed?.success ? parsed.data : value;
    return sameValue(before[field], after) ? [] : [{ field, before: before[field] ?? null, after }];
  });
}

/** The key of the row marked as deleted that has this key, or else of the last one deleted that has the same names. */
async function deletedLike({ db }: Ctx, resource: PortableResource, row: PortableRow, guid: unknown): Promise<unknown> {
  const { softDelete, portable } = resource;
  // A machine that has the name of a deleted one is another machine.
  const byName = isExported(resource);
  if (!softDelete || (!byName && guid === undefined)) return undefined;
  const key = sql.ref(columnName(resource.key));
  const isKey = sql`${key} is not distinct from ${guid ?? null}::uuid`;
  const same = portable.by.map((name) => sql`${sql.ref(columnName(name))}::text is not distinct from ${row[name] ?? null}::text`);
  const [deleted] = await db.query<{ key: unknown }>(
    compile(sql`select ${key} as key from ${sql.table(servedOf(resource).table)} where ${sql.ref(columnName(softDelete))}
      and (${isKey}${byName ? sql` or ${sql.join(same, sql` and `)}` : sql``}) order by ${isKey} desc, modified desc limit 1`),
  );
  return deleted?.key;
}

/**
 * Creates the row under its key if that is free, or brings back the deleted row that has the key or the names, so that its history
 * goes on; undefined if the key is in use elsewhere.
 */
export async function addUnderKey(ctx: Ctx, resource: PortableResource, row: PortableRow): Promise<PortableRow | undefined> {
  const served = servedOf(resource);
  const { [resource.key]: key, ...body } = row;
  const field = resource.fields[resource.key];
  if (field?.write !== 'never') return create(ctx, served, row);
  if (field.kind !== 'guid') return create(ctx, served, body);
  const guid = field.schema().safeParse(key).success ? key : undefined;
  const column = columnName(resource.key);
  const deleted = await deletedLike(ctx, resource, row, guid);
  if (deleted !== undefined) {
    const revived = await create(ctx, served, body, { columns: { [column]: deleted }, revives: true });
    if (revived) return revived;
  }
  return create(ctx, served, body, guid === undefined ? {} : { columns: { [column]: guid }, unlessExists: true });
}

/** Creates the row; one whose key another row has, as a copy of a row of this installation has, gets a new key. */
async function add(ctx: Ctx, resource: PortableResource, row: PortableRow): Promise<PortableRow> {
  const { [resource.key]: _, ...body } = row;
  return (await addUnderKey(ctx, resource, row)) ?? create(ctx, servedOf(resource), body);
}

export interface AppliedRow {
  key: string | number;
  /** The row as it is now. */
  row: PortableRow;
  change?: ImportChange;
}

/** Creates or updates the row; `before` is the stored row that it stands for. */
export async function applyRow(
  ctx: Ctx,
  resource: PortableResource,
  row: PortableRow,
  before: PortableRow | undefined,
): Promise<AppliedRow> {
  const { unique } = resource.portable;
  const name = String(row[resource.title] ?? before?.[resource.title] ?? '');
  if (!before) {
    const created = await add(ctx, resource, row);
    const fields = differences(resource, {}, row).filter(({ after }) => after !== null);
    const key = created[resource.key] as string | number;
    return { key, row: created, change: { resource: resource.name, verb: 'add', name, key, fields } };
  }
  const fields = differences(resource, before, row).filter(({ field }) => field !== unique);
  const key = before[resource.key] as string | number;
  if (fields.length === 0) return { key, row: before };
  const now = await update(ctx, servedOf(resource), key, () => Object.fromEntries(fields.map(({ field, after }) => [field, after])));
  return { key, row: now, change: { resource: resource.name, verb: 'change', name, key, fields } };
}

/** Whether the row may be tried again without its unique value, which another row of the installation has. */
export function isTaken({ portable: { unique } }: PortableResource, row: PortableRow, error: unknown): boolean {
  return unique !== undefined && Boolean(row[unique]) && error instanceof ApiError && error.code === 'Conflict' && error.target === unique;
}
