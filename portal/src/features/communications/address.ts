/**
 * The list of communications in the address: `search` is JSON with the page, the sorting, the filters and the searched text
 * (COMM-003, COMM-010).
 */
import { communicationStatuses } from '@cloudfit/contract/enums.ts';
import { guidSchema } from '@cloudfit/contract/resource.ts';
import { workUnitCommunications } from '@cloudfit/contract/resources/work-unit-communications.ts';
import { pageSizes } from '../../components/table/pager.tsx';
import type { SortKey } from '../../components/table/table-column.ts';
import type { ChosenFilters } from '../../filters/listing.ts';
import { initialState, type ListAddress, type ListState } from '../../filters/list-state.ts';

type FilterModel = Record<string, string>;

/** Fields with a filter by a range of days. Key: the name of the range in the address. */
const ranges = { created: 'created', nextUpdate: 'nextUpdate', resolved: 'eventResolved' } as const;

const day = /^\d{4}-\d{2}-\d{2}$/;
const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
const dayOf = (value: unknown): string => (isText(value) && day.test(value.slice(0, 10)) ? value.slice(0, 10) : '');

function readFilters(model: unknown): ChosenFilters {
  if (!isRecord(model)) return {};
  const listed = (value: unknown, isKnown: (one: string) => boolean) => (isText(value) ? value.split(',').filter(isKnown) : []);
  const filters: Record<string, readonly string[]> = {
    tenantId: listed(model['tenantId'], (item) => guidSchema.safeParse(item).success),
    status: listed(model['status'], (item) => communicationStatuses.some(({ value }) => value === item)),
  };
  for (const [name, field] of Object.entries(ranges)) {
    const [from, until] = [dayOf(model[`${name}StartDate`]), dayOf(model[`${name}EndDate`])];
    if (from || until) filters[field] = [`${from}..${until}`];
  }
  return Object.fromEntries(Object.entries(filters).filter(([, values]) => values.length > 0));
}

function writeFilters(filters: ChosenFilters): FilterModel {
  const model: FilterModel = {};
  for (const name of ['tenantId', 'status']) if (filters[name]?.length) model[name] = filters[name].join(',');
  for (const [name, field] of Object.entries(ranges)) {
    const [from, until] = (filters[field]?.[0] ?? '').split('..');
    if (from) model[`${name}StartDate`] = from;
    if (until) model[`${name}EndDate`] = until;
  }
  return model;
}

function readSort(model: unknown): SortKey[] {
  const keys: unknown[] = Array.isArray(model) ? model : [model];
  return keys.flatMap((key) => {
    const field = isRecord(key) ? key['field'] : undefined;
    const isSortable = isText(field) && Object.entries(workUnitCommunications.fields).some(([name, { sort }]) => name === field && sort);
    return isSortable && isRecord(key) ? [{ id: field, desc: key['sort'] === 'desc' }] : [];
  });
}

function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : { search: text };
  } catch {
    // Not JSON: somebody typed a search text into the address.
    return { search: text };
  }
}

const initial = initialState({ resource: workUnitCommunications });

function read(params: URLSearchParams): ListState {
  const text = params.get('search');
  if (!text) return initial;
  const parsed = parse(text);
  const sort = readSort(parsed['sortModel']);
  const page = Number(parsed['pageNumber']);
  return {
    ...initial,
    search: isText(parsed['search']) ? parsed['search'] : '',
    exact: parsed['useExactMatch'] === true,
    filters: readFilters(parsed['filterModel']),
    sort: sort.length > 0 ? sort : initial.sort,
    page: Number.isInteger(page) && page > 0 ? page : 0,
    rows: pageSizes.find((size) => size === parsed['rowCount']) ?? initial.rows,
  };
}

function asText(state: ListState): string {
  return JSON.stringify({
    rowCount: state.rows,
    pageNumber: state.page,
    sortModel: state.sort.map(({ id, desc }) => ({ field: id, sort: desc ? 'desc' : 'asc' })),
    filterModel: writeFilters(state.filters),
    search: state.search,
    ...(state.exact ? { useExactMatch: true } : {}),
  });
}

function write(params: URLSearchParams, state: ListState): URLSearchParams {
  const next = new URLSearchParams(params);
  const text = asText(state);
  if (text === asText(initial)) next.delete('search');
  else next.set('search', text);
  return next;
}

export const communicationAddress: ListAddress = { read, write };
