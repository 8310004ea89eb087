/** The state of a grid in the address: search, filters, sort, page. */
import type { Field, Resource } from '@cloudfit/contract/resource.ts';
import { isPageSize } from '../components/table/pager.tsx';
import type { SortKey } from '../components/table/table-column.ts';
import type { ChosenFilters, Listing } from './listing.ts';

export interface ListState {
  search: string;
  exact: boolean;
  filters: ChosenFilters;
  quick: readonly string[];
  sort: readonly SortKey[];
  /** Zero-based; one-based in the address. */
  page: number;
  rows: number;
}

/** Reads and writes the state of a list in the address. */
export interface ListAddress {
  read: (params: URLSearchParams) => ListState;
  /** Writes the state into the parameters; keeps other parameters. */
  write: (params: URLSearchParams, state: ListState) => URLSearchParams;
}

const defaultRows = 10;
const prefix = 'f.';
const names = ['f', 'q', 'search', 'exact', 'sort', 'page', 'rows'];

/** Whether a filter of the field is one text, commas included, that the value must contain, and not a list of values. */
export function isOneText(field: Field | undefined): boolean {
  return field?.kind === 'text' && !field.choices && !field.sharedValues;
}

/** Values are separated by commas; commas inside values are escaped. */
const printValue = (value: string) => value.replaceAll('%', '%25').replaceAll(',', '%2C');
const readValue = (text: string) => text.replaceAll('%2C', ',').replaceAll('%25', '%');

export function parseSort(text: string): SortKey[] {
  return text
    .split(',')
    .filter(Boolean)
    .map((part) => {
      const [id = '', direction] = part.trim().split(/\s+/);
      return id.startsWith('-') ? { id: id.slice(1), desc: true } : { id, desc: direction === 'desc' };
    });
}

function printSort(sort: readonly SortKey[]): string {
  return sort.map((key) => `${key.desc ? '-' : ''}${key.id}`).join(',');
}

/** Whether the address specifies filters (an empty `f` means: no filters). */
export function namesFilters(params: URLSearchParams): boolean {
  return [...params.keys()].some((key) => key.startsWith(prefix) || key === 'f' || key === 'q');
}

/** Whether the address says anything about the rows: filters, search or sort. */
export function namesState(params: URLSearchParams): boolean {
  return namesFilters(params) || ['search', 'exact', 'sort'].some((name) => params.has(name));
}

/** The initial state of a list: without search and filters, in the default order, on the first page. */
export function initialState({ resource, rows = defaultRows }: { resource: Resource; rows?: number }): ListState {
  return { search: '', exact: false, filters: {}, quick: [], sort: parseSort(resource.orderBy), page: 0, rows };
}

/** Maps a list's state to the address: each filter is a parameter `f.name`; flags and quick filters share the parameter `q`. */
export function listAddress(listing: Listing): ListAddress {
  const { resource, flags = [], quick: quickFilters = [], filters: filtered = [] } = listing;
  const initial = initialState(listing);
  const quickIds = [...flags, ...quickFilters.map((quick) => quick.id)];
  const read = (params: URLSearchParams): ListState => {
    const filters = Object.fromEntries(
      [...params]
        .filter(([key, value]) => key.startsWith(prefix) && value && filtered.includes(key.slice(prefix.length)))
        .map(([key, value]) => {
          const name = key.slice(prefix.length);
          return [name, isOneText(resource.fields[name]) ? [value] : value.split(',').map(readValue)];
        }),
    );
    const rows = Number(params.get('rows'));
    const sort = parseSort(params.get('sort') ?? '');
    return {
      search: params.get('search') ?? '',
      exact: params.get('exact') === '1',
      filters,
      quick: (params.get('q') ?? '').split(',').filter((id) => quickIds.includes(id)),
      sort: sort.length > 0 ? sort : initial.sort,
      page: Math.max(0, (Number(params.get('page')) || 1) - 1),
      rows: isPageSize(rows) ? rows : initial.rows,
    };
  };
  const write = (params: URLSearchParams, state: ListState): URLSearchParams => {
    const next = new URLSearchParams([...params].filter(([key]) => !key.startsWith(prefix) && !names.includes(key)));
    const filters = Object.entries(state.filters).filter(([, values]) => values.length > 0);
    for (const [name, values] of filters)
      next.set(prefix + name, isOneText(resource.fields[name]) ? values.join(',') : values.map(printValue).join(','));
    if (state.quick.length > 0) next.set('q', state.quick.join(','));
    if (state.search) next.set('search', state.search);
    if (state.exact) next.set('exact', '1');
    const sort = printSort(state.sort);
    if (sort && sort !== printSort(initial.sort)) next.set('sort', sort);
    if (state.page > 0) next.set('page', String(state.page + 1));
    if (state.rows !== initial.rows) next.set('rows', String(state.rows));
    return next;
  };
  return { read, write };
}
