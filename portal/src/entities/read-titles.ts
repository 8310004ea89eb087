/** Reads the titles of rows by their keys. */
import { oneOf } from '@cloudfit/contract/query/build.ts';
import { referenceTo } from '@cloudfit/contract/resources/references.ts';
import { mayNow } from '../api/lookups.ts';
import { fieldValue } from '../rows/row.ts';
import { fetchUntyped } from '../rows/use-rows.ts';

/** The number of keys in one call, so that its address does not become too long. */
const partKeys = 50;

/** Titles by key of the rows that exist; empty for a person who may not view them. */
export async function readTitles(name: string, keys: Iterable<string>): Promise<ReadonlyMap<string, string>> {
  const reference = referenceTo(name);
  const titles = new Map<string, string>();
  if (!(await mayNow(reference.area, 'view'))) return titles;
  const { key, title } = reference;
  const all = [...new Set(keys)];
  for (let from = 0; from < all.length; from += partKeys) {
    const part = all.slice(from, from + partKeys);
    const { rows } = await fetchUntyped(name, {
      filter: oneOf(reference, key, part),
      select: [...new Set([key, title])],
      top: part.length,
    });
    for (const row of rows) titles.set(String(fieldValue(row, key)), String(fieldValue(row, title)));
  }
  return titles;
}
