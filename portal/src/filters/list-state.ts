/** What a grid shows, as it stands in the address: search, filters, sort, page. */
import { isPageSize } from '../components/table/pager.tsx';
import type { Listing } from './listing.ts';
import type { SortKey } from '../components/table/table-column.ts';

export interface ListState {
  search: string;
  exact: boolean;
  filters: Readonly<Record<string, readonly string[]>>;
  quick: readonly string[];
  sort: readonly SortKey[];
  /** Zero-based; one-based in the address. */
  page: number;
  rows: number;
}

const defaultRows = 10;
const prefix = 'f.';

/** Fields whose filter is one text that the value contains, commas included. */
export function isOneText(view: Pick<Listing, 'resource' | 'filterAmong'>, name: string): boolean {
  const field = view.resource.fields[name];
  return field?.kind === 'text' && !field.choices && !view.filterAmong?.includes(name);
}

/** Values stand between commas; their own commas are written otherwise. */
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

export function defaultSort(view: Pick<Listing, 'resource' | 'defaultSort'>): readonly SortKey[] {
  return view.defaultSort ?? parseSort(view.resource.orderBy);
}

/** Whether the address itself says what to filter by (an empty `f` says: by nothing). */
export function namesFilters(params: URLSearchParams): boolean {
  return [...params.keys()].some((key) => key.startsWith(prefix) || key === 'f' || key === 'q');
}

/** Nothing searched, filtered or turned. */
function usualState(view: Listing): ListState {
  const sort = defaultSort(view);
  return { search: '', exact: false, filters: {}, quick: [], sort, page: 0, rows: view.rows ?? defaultRows };
}

export function readListState(view: Listing, params: URLSearchParams, fallback: Pick<ListState, 'filters' | 'quick'>): ListState {
  const usual = usualState(view);
  if (view.address) return view.address.read(params, usual);
  const own = namesFilters(params);
  const filters = Object.fromEntries(
    [...params]
      .filter(([key, value]) => key.startsWith(prefix) && value && view.filters?.includes(key.slice(prefix.length)))
      .map(([key, value]) => {
        const name = key.slice(prefix.length);
        return [name, isOneText(view, name) ? [value] : value.split(',').map(readValue)];
      }),
  );
  const quick = (params.get('q') ?? '').split(',').filter((id) => view.flags?.includes(id) || view.quick?.some((q) => q.id === id));
  const rows = Number(params.get('rows'));
  const sort = parseSort(params.get('sort') ?? '');
  return {
    search: params.get('search') ?? '',
    exact: params.get('exact') === '1',
    filters: own ? filters : fallback.filters,
    quick: own ? quick : fallback.quick,
    sort: sort.length > 0 ? sort : usual.sort,
    page: Math.max(0, (Number(params.get('page')) || 1) - 1),
    rows: (view.sizes?.includes(rows) ?? isPageSize(rows)) ? rows : usual.rows,
  };
}

type Kept = Pick<ListState, 'filters' | 'quick'>;

const keptKey = (name: string) => `cloudfit.filters.${name}`;

/** Filters to start from: those of the last visit, else the view's own. */
function firstFilters(view: Listing): Kept {
  const own: Kept = { filters: view.defaultFilters ?? {}, quick: [] };
  if (!view.savesFilters) return own;
  try {
    const kept = localStorage.getItem(keptKey(view.resource.name));
    return kept ? { ...own, ...(JSON.parse(kept) as Partial<Kept>) } : own;
  } catch {
    return own;
  }
}

/** For the next visit. */
export function keepFilters(view: Listing, { filters, quick }: Kept): void {
  localStorage.setItem(keptKey(view.resource.name), JSON.stringify({ filters, quick }));
}

/** What an address shows; where it names no filters, those to start from. */
export function startState(view: Listing, params: URLSearchParams): ListState {
  return readListState(view, params, namesFilters(params) ? { filters: {}, quick: [] } : firstFilters(view));
}

/** Writes the state over the parameters and leaves those that are not the grid's. */
export function writeListState(view: Listing, params: URLSearchParams, state: ListState): URLSearchParams {
  const usual = usualState(view);
  if (view.address) return view.address.write(params, state, usual);
  const next = new URLSearchParams(
    [...params].filter(([key]) => !key.startsWith(prefix) && !['f', 'q', 'search', 'exact', 'sort', 'page', 'rows'].includes(key)),
  );
  const filters = Object.entries(state.filters).filter(([, values]) => values.length > 0);
  for (const [name, values] of filters)
    next.set(prefix + name, isOneText(view, name) ? values.join(',') : values.map(printValue).join(','));
  if (state.quick.length > 0) next.set('q', state.quick.join(','));
  const hasDefault = Object.keys(view.defaultFilters ?? {}).length > 0 || view.savesFilters === true;
  if (hasDefault && filters.length === 0 && state.quick.length === 0) next.set('f', '');
  if (state.search) next.set('search', state.search);
  if (state.exact) next.set('exact', '1');
  const sort = printSort(state.sort);
  if (sort && sort !== printSort(usual.sort)) next.set('sort', sort);
  if (state.page > 0) next.set('page', String(state.page + 1));
  if (state.rows !== usual.rows) next.set('rows', String(state.rows));
  return next;
}
