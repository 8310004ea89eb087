/**
 * The list of work units in the address. An address without filters gets the filters of the last visit; on the first visit, the
 * filter by the state New.
 */
import { listAddress, namesFilters, type ListAddress, type ListState } from '../../filters/list-state.ts';
import { workUnitsView } from './work-units.view.tsx';

type AddressFilters = Pick<ListState, 'filters' | 'quick'>;

export const firstFilters: AddressFilters = { filters: { stateId: ['New'] }, quick: [] };
const storageKey = `cloudfit.filters.${workUnitsView.resource.name}`;
const usual = listAddress(workUnitsView);

function rememberedFilters(): AddressFilters {
  try {
    const text = localStorage.getItem(storageKey);
    return text ? { ...firstFilters, ...(JSON.parse(text) as Partial<AddressFilters>) } : firstFilters;
  } catch {
    return firstFilters;
  }
}

/** Stores the filters for the next visit. */
export function rememberFilters({ filters, quick }: AddressFilters): void {
  localStorage.setItem(storageKey, JSON.stringify({ filters, quick }));
}

export const isFiltered = ({ filters, quick }: AddressFilters) =>
  quick.length > 0 || Object.values(filters).some((values) => values.length > 0);

export const workUnitsAddress: ListAddress = {
  read: (params) => ({ ...usual.read(params), ...(namesFilters(params) ? {} : rememberedFilters()) }),
  write: (params, state) => {
    const next = usual.write(params, state);
    if (!isFiltered(state)) next.set('f', '');
    return next;
  },
};
