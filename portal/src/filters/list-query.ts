/** Builds the query of a grid from its state. */
import { and, compare, contains, oneOf, searchFilter, searchOrder } from '@cloudfit/contract/query/build.ts';
import type { FieldOrder, Resource } from '@cloudfit/contract/resource.ts';
import type { FieldPath } from '@cloudfit/contract/resources/expanded.ts';
import type { ListQuery } from '@cloudfit/contract/query/query-string.ts';
import { referenceTo } from '@cloudfit/contract/resources/references.ts';
import { instantAt } from '../theme/times.ts';
import { initialState, isOneText, type ListState } from './list-state.ts';
import { exactCount } from '../components/count.ts';
import type { Listing } from './listing.ts';
import { relationOf } from '../rows/row.ts';
import type { ChosenScope } from '../rows/use-scope.ts';

/** The instant at which a day (`YYYY-MM-DD` in the viewer's time zone) begins or ends. */
function instant(day: string, end: boolean): string | undefined {
  const date = instantAt(`${day}T${end ? '23:59:59.999' : '00:00:00'}`);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/** An age: `>2d` is more than two days ago. */
export const ageFilter = /^([<>])(\d{1,4})([hdw])$/;

const durationOf = (amount: string, unit: string | undefined): string =>
  unit === 'h' ? `PT${amount}H` : `P${unit === 'w' ? Number(amount) * 7 : amount}D`;

function filterClause(resource: Resource, name: string, values: readonly string[]): string | undefined {
  const field = resource.fields[name];
  if (!field || values.length === 0) return undefined;
  if (field.kind === 'timestamp') {
    const [, direction, amount, unit] = ageFilter.exec(values[0] ?? '') ?? [];
    if (amount !== undefined) return `${name} ${direction === '>' ? 'lt' : 'gt'} now() sub duration'${durationOf(amount, unit)}'`;
    const [from = '', until = ''] = (values[0] ?? '').split('..');
    const [start, end] = [instant(from, false), instant(until, true)];
    return and(start ? compare(resource, name, 'ge', start) : undefined, end ? compare(resource, name, 'le', end) : undefined);
  }
  if (isOneText(field)) return contains(resource, name, values[0] ?? '');
  return oneOf(
    resource,
    name,
    values.map((value) => (value === 'null' ? null : value)),
  );
}

/** Where a filter names tenants, they take the place of the chosen one: a row is never of both. */
const narrowed = (scope: ChosenScope, { tenantId = [] }: ListState['filters']): ChosenScope =>
  tenantId.length > 0 ? { ...scope, tenantId: null, subscriptionId: null } : scope;

export function listFilter(
  listing: Listing,
  state: Pick<ListState, 'filters' | 'quick' | 'search' | 'exact'>,
  scope: ChosenScope,
): string | undefined {
  const within = narrowed(scope, state.filters);
  return and(
    ...(listing.base?.(within, state.quick, state.filters) ?? []),
    ...Object.entries(state.filters).map(([name, values]) => filterClause(listing.resource, name, values)),
    ...(listing.quick ?? []).filter((quick) => state.quick.includes(quick.id)).map((quick) => quick.clause(within)),
    searchFilter(listing.resource, state.search, state.exact, listing.searchIn),
  );
}

/**
 * The sort path of a column. A reference that the list expands is sorted by the name of the referenced row. References to
 * tenants and to rows with numeric keys are sorted by the key, with which the indexes of the largest lists begin.
 */
function sortPath(resource: Resource, id: string, expand: readonly string[]): string {
  const field = resource.fields[id];
  const relation = field?.ref && field.kind === 'guid' && !referenceTo(field.ref).scopesRows ? relationOf(resource, id) : undefined;
  const to = relation && expand.includes(relation) ? resource.relations[relation]?.to : undefined;
  return to ? `${relation}/${referenceTo(to).title}` : id;
}

/** Whether a sort key names a field, or a field of a row that the list expands (`usage/viewed`). */
function isSortable(resource: Resource, id: string, expand: readonly string[]): boolean {
  const [relation = '', field] = id.split('/');
  return field === undefined ? Object.hasOwn(resource.fields, id) : expand.includes(relation) && /^\w+$/.test(field);
}

/** The sort order of a list. Sort keys come from the address, so names of unknown fields are dropped. */
export function sortKeys<R extends Resource>(
  resource: R,
  sort: ListState['sort'],
  expand: readonly string[] = [],
): readonly FieldOrder<FieldPath<R>>[] {
  return sort
    .filter(({ id }) => isSortable(resource, id, expand))
    .map(({ id, desc }) => `${sortPath(resource, id, expand) as FieldPath<R>} ${desc ? 'desc' : 'asc'}` as const);
}

/** What a search finds best comes first, until a person sorts the list. */
function foundFirst<R extends Resource>(
  listing: Listing & { resource: R },
  { search, exact, sort }: ListState,
): FieldOrder<FieldPath<R>>[] {
  const isSorted = JSON.stringify(sort) !== JSON.stringify(initialState(listing).sort);
  const best = exact || isSorted ? undefined : searchOrder(listing.resource, search);
  return best === undefined ? [] : [best as FieldOrder<FieldPath<R>>];
}

export function listQuery<R extends Resource, Item extends string = never>(
  listing: Listing & { resource: R; expand?: readonly Item[] },
  state: ListState,
  scope: ChosenScope,
): ListQuery & { expand: readonly Item[] | undefined; select?: undefined; orderBy: readonly FieldOrder<FieldPath<R>>[] } {
  return {
    filter: listFilter(listing, state, scope),
    expand: listing.expand,
    orderBy: [...foundFirst(listing, state), ...sortKeys(listing.resource, state.sort, listing.expand)],
    top: state.rows,
    skip: state.page * state.rows,
    count: true,
    // Counts exactly up to `exactCount`; on pages beyond that, only to the end of the next page.
    countUpTo: Math.max(exactCount, (state.page + 2) * state.rows),
  };
}
