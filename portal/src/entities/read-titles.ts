/** Reads the titles of rows by their keys. */
import { oneOf } from '@cloudfit/contract/query/build.ts';
import type { Resource } from '@cloudfit/contract/resource.ts';
import { mayNow } from '../api/lookups.ts';
import { fieldValue } from '../rows/row.ts';
import { fetchPage } from '../rows/use-rows.ts';

/** Short enough for an address. */
const partKeys = 50;

/** Titles by key of the rows that are there; none for a person who may not view them. */
export async function readTitles(resource: Resource, keys: Iterable<string>): Promise<ReadonlyMap<string, string>> {
  const titles = new Map<string, string>();
  if (!(await mayNow(resource.area, 'view'))) return titles;
  const { key, title } = resource;
  const all = [...new Set(keys)];
  for (let from = 0; from < all.length; from += partKeys) {
    const part = all.slice(from, from + partKeys);
    const { rows } = await fetchPage(resource, {
      filter: oneOf(resource, key, part),
      select: [...new Set([key, title])],
      top: part.length,
    });
    for (const row of rows) titles.set(String(fieldValue(row, key)), String(fieldValue(row, title)));
  }
  return titles;
}
