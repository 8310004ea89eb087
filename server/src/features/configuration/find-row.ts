/** Finds the row of this installation that matches a row of a document: by its key, or by the fields that identify it. */
import type { Field } from '@cloudfit/contract/resource.ts';
import { ApiError } from '@cloudfit/contract/errors.ts';
import type { Ctx } from '../../context/ctx.ts';
import { list } from '../../resources/list.ts';
import { servedOf } from '../../resources/served.ts';
import { sameValue } from './keys.ts';
import type { PortableResource } from './portable.ts';

type PortableRow = Record<string, unknown>;

/** Keys of one statement: as many GUIDs as a filter may have characters. */
const keysAtOnce = 100;

function literal(field: Field | undefined, value: unknown): string {
  if (value === null || value === undefined) return 'null';
  return field?.kind === 'text' ? `'${String(value).replaceAll("'", "''")}'` : String(value);
}

async function rowsBy(ctx: Ctx, resource: PortableResource, names: readonly string[], row: PortableRow): Promise<PortableRow[]> {
  const filter = names.map((name) => `${name} eq ${literal(resource.fields[name], row[name])}`).join(' and ');
  return (await list(ctx, servedOf(resource), `$filter=${encodeURIComponent(filter)}&$top=2`)).value;
}

/** Finds the rows of one resource for the rows of a document. */
export type FindRow = (row: PortableRow) => Promise<PortableRow | undefined>;

/** Reads the rows with these keys in few statements: one for each row would be most of the time of an import. */
async function rowsByKeys(ctx: Ctx, resource: PortableResource, keys: readonly unknown[]): Promise<Map<string, PortableRow>> {
  const storedRows = new Map<string, PortableRow>();
  const { key, fields } = resource;
  for (let i = 0; i < keys.length; i += keysAtOnce) {
    const some = keys.slice(i, i + keysAtOnce).map((value) => literal(fields[key], value));
    const filter = `${key} in (${some.join(',')})`;
    const { value } = await list(ctx, servedOf(resource), `$filter=${encodeURIComponent(filter)}&$top=${keysAtOnce}`);
    for (const row of value as PortableRow[]) storedRows.set(String(row[key]).toLowerCase(), row);
  }
  return storedRows;
}

/**
 * Returns a function that finds the row of this installation that a row of a document stands for; `rows` are all rows of the
 * document. The references of its rows are keys of this installation already. It throws 400 if several rows have the same
 * identifying fields.
 */
export async function openFindRow(ctx: Ctx, resource: PortableResource, rows: readonly PortableRow[]): Promise<FindRow> {
  const { key, fields, portable } = resource;
  const schema = fields[key]?.schema();
  const keyOf = (row: PortableRow): string | undefined =>
    row[key] !== undefined && schema?.safeParse(row[key]).success ? String(row[key]).toLowerCase() : undefined;
  const keys = [...new Set(rows.map(keyOf).filter((item) => item !== undefined))];
  const existing = await rowsByKeys(ctx, resource, keys);
  const looked = new Set<string>();

  /** A key that comes again may be that of a row which this import has added or changed, so it is read again. */
  async function byKey(row: PortableRow): Promise<PortableRow | undefined> {
    const value = keyOf(row);
    if (value === undefined) return undefined;
    if (looked.has(value)) return (await rowsBy(ctx, resource, [key], row))[0];
    looked.add(value);
    return existing.get(value);
  }

  return async (row) => {
    const sameKey = await byKey(row);
    // A row with the same key in another tenant, or under another parent, is a different row and does not match.
    const isHere = sameKey && portable.by.every((name) => !fields[name]?.ref || sameValue(sameKey[name], row[name]));
    if (isHere) return sameKey;
    const invalidField = portable.by.find(
      (name) => row[name] !== undefined && row[name] !== null && !fields[name]?.schema().safeParse(row[name]).success,
    );
    // No stored row has an invalid value. The error is thrown when the row is written.
    if (invalidField !== undefined) return undefined;
    const [match, another] = await rowsBy(ctx, resource, portable.by, row);
    if (another)
      throw new ApiError(
        'ValidationFailed',
        `Two rows of this installation have the same ${portable.by.join(', ')}. Change one of them first.`,
        { target: portable.by.at(-1) },
      );
    return match;
  };
}
