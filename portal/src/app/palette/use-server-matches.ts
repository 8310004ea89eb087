/** Matches of the server for the palette: work units by number or title, devices by name. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { devices as deviceResource } from '@cloudfit/contract/resources/devices.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { contains, eq } from '@cloudfit/contract/query/build.ts';
import { useMay } from '../../api/lookups.ts';
import { useDebounced } from '../../hooks/use-debounced.ts';
import { fetchPage } from '../../rows/use-rows.ts';

/** The delay between the last key and the search. */
const debounceMs = 250;
const minLetters = 2;
const maxRows = 5;

function unitFilter(typed: string): string | undefined {
  const number = /^#?(\d{1,15})$/.exec(typed)?.[1];
  return number ? eq(workUnits, 'publicWorkUnitId', Number(number)) : contains(workUnits, 'title', typed);
}

export function useServerMatches(text: string) {
  const may = useMay();
  const typed = useDebounced(text.trim(), debounceMs);
  const isNumber = /^#?\d+$/.test(typed);
  const asks = isNumber || typed.length >= minLetters;
  const options = { placeholderData: keepPreviousData, meta: { live: false } };
  const units = useQuery({
    queryKey: ['workUnits', 'palette', typed],
    queryFn: ({ signal }) => fetchPage(workUnits, { filter: unitFilter(typed), orderBy: 'workUnitId desc', top: maxRows }, signal),
    enabled: asks && may('WorkUnits', 'view'),
    ...options,
  });
  const devices = useQuery({
    queryKey: ['devices', 'palette', typed],
    queryFn: ({ signal }) =>
      fetchPage(deviceResource, { filter: contains(deviceResource, 'name', typed), orderBy: 'name', top: maxRows }, signal),
    enabled: asks && !isNumber && may('Devices', 'view'),
    ...options,
  });
  return {
    isNumber,
    units: asks ? (units.data?.rows ?? []) : [],
    devices: asks && !isNumber ? (devices.data?.rows ?? []) : [],
    isSearching: text.trim() !== typed || units.isFetching || devices.isFetching,
  };
}
