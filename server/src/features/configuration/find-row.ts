/** Finds the row of this installation that matches a row of a document: by its key, or by the fields that identify it. */
import type { Field } from '@cloudfit/contract/resource.ts';
import { ApiError } from '@cloudfit/contract/errors.ts';
import type { Ctx } from '../../context/ctx.ts';
import { list } from '../../resources/list.ts';
import { servedOf } from '../../resources/served.ts';
import { sameValue } from './keys.ts';
import type { PortableResource } from './portable.ts';

type PortableRow = Record<string, unknown>;

function literal(field: Field | undefined, value: unknown): string {
  if (value === null || value === undefined) return 'null';
  return field?.kind === 'text' ? `'${String(value).replaceAll("'", "''")}'` : String(value);
}

async function rowsBy(ctx: Ctx, resource: PortableResource, names: readonly string[], row: PortableRow): Promise<PortableRow[]> {
  const filter = names.map((name) => `${name} eq ${literal(resource.fields[name], row[name])}`).join(' and ');
  return (await list(ctx, servedOf(resource), `$filter=${encodeURIComponent(filter)}&$top=2`)).value;
}

/**
 * Returns the row of this installation that a row of a document stands for. The references of `row` are keys of this
 * installation already. Throws 400 if several rows have the same identifying fields.
 */
export async function findRow(ctx: Ctx, resource: PortableResource, row: PortableRow): Promise<PortableRow | undefined> {
  const { key, fields, portable } = resource;
  if (row[key] !== undefined && fields[key]?.schema().safeParse(row[key]).success) {
    const [byKey] = await rowsBy(ctx, resource, [key], row);
    // A row with the same key in another tenant, or under another parent, is a different row and does not match.
    const isHere = byKey && portable.by.every((name) => !fields[name]?.ref || sameValue(byKey[name], row[name]));
    if (isHere) return byKey;
  }
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
}
