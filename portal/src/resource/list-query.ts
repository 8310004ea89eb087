/** Turns what a grid shows into what it asks the server. */
import type { Resource } from '@cloudfit/contract/resource.ts';
import { and, contains, equalsText, oneOf, or, type ListQuery, type Value } from '../api/odata.ts';
import type { ListState } from './list-state.ts';
import type { Scope, View } from './view.ts';

/** A day as `YYYY-MM-DD` in the viewer's zone, as the instant it begins or ends. */
function instant(day: string, end: boolean): string | undefined {
  const date = new Date(`${day}T${end ? '23:59:59.999' : '00:00:00'}`);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

export function filterClause(resource: Resource, name: string, values: readonly string[]): string | undefined {
  const field = resource.fields[name];
  if (!field || values.length === 0) return undefined;
  if (field.kind === 'timestamp') {
    const [from = '', until = ''] = (values[0] ?? '').split('..');
    const [start, end] = [instant(from, false), instant(until, true)];
    return and([start ? `${name} ge ${start}` : undefined, end ? `${name} le ${end}` : undefined]);
  }
  if (field.kind === 'text' && !field.choices) return contains(name, values[0] ?? '');
  const typed: Value[] = values.map((value) => (value === 'null' ? null : value));
  return oneOf(name, typed, field.kind);
}

export function searchClause(view: Pick<View, 'resource' | 'searchAlso'>, text: string, exact: boolean): string | undefined {
  if (!text) return undefined;
  const own = Object.entries(view.resource.fields).filter(([, field]) => field.search).map(([name]) => (exact ? equalsText(name, text) : contains(name, text)));
  return or([...own, ...(view.searchAlso?.(text, exact) ?? [])]);
}

export function listFilter<T>(view: View<T>, state: Pick<ListState, 'filters' | 'quick' | 'search' | 'exact'>, scope: Scope): string | undefined {
  return and([
    ...(view.base?.(scope, state.quick) ?? []),
    ...Object.entries(state.filters).map(([name, values]) => filterClause(view.resource, name, values)),
    ...(view.quick ?? []).filter((quick) => state.quick.includes(quick.id)).map((quick) => quick.clause(scope)),
    searchClause(view as unknown as View, state.search, state.exact),
  ]);
}

export function listQuery<T>(view: View<T>, state: ListState, scope: Scope): ListQuery {
  return {
    filter: listFilter(view, state, scope),
    expand: view.expand,
    orderBy: state.sort.map((key) => `${key.id}${key.desc ? ' desc' : ' asc'}`).join(','),
    top: state.rows,
    skip: state.page * state.rows,
    count: true,
  };
}
