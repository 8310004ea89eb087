/** Finds the row of this installation that matches a row of a document: by its key, or by the fields that identify it. */
import { ApiError } from '@cloudfit/contract/errors.ts';
import type { Ctx } from '../../context/ctx.ts';
import { sameValue } from './keys.ts';
import type { PortableResource } from './portable.ts';
import { rowsIn, type PortableRow } from './rows-in.ts';

/** The stored rows of one resource that rows of a document may stand for. */
export interface StoredRows {
  /** Returns the stored row that this row stands for. Throws 400 if several have the same identifying fields. */
  find(row: PortableRow): PortableRow | undefined;
  /** Remembers a row that was written, for later rows of the document that stand for the same one. */
  remember(row: PortableRow): void;
}

/** The identifying field by which the rows are read: the one with most values, so that few other rows come with them. */
function readBy({ portable }: PortableResource, rows: readonly PortableRow[]): string {
  const counts = portable.by.map((name) => [name, new Set(rows.map((row) => row[name])).size] as const);
  return counts.reduce((best, next) => (next[1] > best[1] ? next : best), counts[0] ?? ['', 0])[0];
}

/** Reads the stored rows for all rows of a document, whose references are keys of this installation already. */
export async function readStoredRows(ctx: Ctx, resource: PortableResource, rows: readonly PortableRow[]): Promise<StoredRows> {
  const { key, fields, portable } = resource;
  const stored = new Map<string, PortableRow>();
  const byIdentity = new Map<string, Set<string>>();
  const keyOf = (row: PortableRow): string => String(row[key]).toLowerCase();
  const identity = (row: PortableRow): string => JSON.stringify(portable.by.map((name) => row[name] ?? null));

  function remember(row: PortableRow): void {
    const id = keyOf(row);
    const before = stored.get(id);
    if (before) byIdentity.get(identity(before))?.delete(id);
    stored.set(id, row);
    const place = identity(row);
    byIdentity.set(place, (byIdentity.get(place) ?? new Set()).add(id));
  }

  const by = readBy(resource, rows);
  const same = await rowsIn(
    ctx,
    resource,
    key,
    rows.map((row) => row[key]),
  );
  const alike = await rowsIn(
    ctx,
    resource,
    by,
    rows.map((row) => row[by]),
  );
  for (const row of [...same, ...alike]) remember(row);

  function find(row: PortableRow): PortableRow | undefined {
    const sameKey = row[key] === undefined || row[key] === null ? undefined : stored.get(keyOf(row));
    // A row with the same key in another tenant, or under another parent, is a different row and does not match.
    const isHere = sameKey && portable.by.every((name) => !fields[name]?.ref || sameValue(sameKey[name], row[name]));
    if (isHere) return sameKey;
    const [match, another] = byIdentity.get(identity(row)) ?? [];
    if (another !== undefined)
      throw new ApiError(
        'ValidationFailed',
        `Two rows of this installation have the same ${portable.by.join(', ')}. Change one of them first.`,
        { target: portable.by.at(-1) },
      );
    return match === undefined ? undefined : stored.get(match);
  }

  return { find, remember };
}
