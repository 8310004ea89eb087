/** The filter of a view for counting its rows: stored with marks in place of whoever saves it, read with the reader in place of them. */
import { readerMarks } from '@cloudfit/contract/views/screens.ts';
import { listFilter } from '../filters/list-query.ts';
import type { Listing } from '../filters/listing.ts';
import type { ListState } from '../filters/list-state.ts';
import type { ChosenScope } from '../rows/use-scope.ts';

export function filterToStore(listing: Listing, state: ListState, scope: ChosenScope): string | null {
  const marked: ChosenScope = {
    ...scope,
    tenantId: scope.tenantId && readerMarks.tenantId,
    subscriptionId: scope.subscriptionId && readerMarks.subscriptionId,
    user: scope.user && { ...scope.user, userName: readerMarks.userName },
  };
  return listFilter(listing, state, marked) ?? null;
}

interface Reader {
  tenantId: string | null;
  subscriptionId: string | null;
  userName: string | undefined;
}

/** The filter for the reader; undefined while it needs something of the reader that there is not. */
export function filterForReader(filter: string | null, { tenantId, subscriptionId, userName }: Reader): string | null | undefined {
  if (filter === null) return null;
  const values = [
    [readerMarks.tenantId, tenantId],
    [readerMarks.subscriptionId, subscriptionId],
    // Within a literal, a quote is written twice.
    [readerMarks.userName, userName?.replaceAll("'", "''")],
  ] as const;
  if (values.some(([mark, value]) => filter.includes(mark) && !value)) return undefined;
  return values.reduce((text, [mark, value]) => text.replaceAll(mark, () => value ?? ''), filter);
}
