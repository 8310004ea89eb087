import { useQuery } from '@tanstack/react-query';
import { callJson } from '../../../api/client.ts';
import type { NamesById } from '../inputs/field-value.ts';

export interface UnitAt {
  unit: Readonly<Record<string, unknown>>;
  names: NamesById;
}

/** The version of the unit after an entry of its feed. It never changes, so it is cached. */
export function useUnitAt(id: number, entryId: number) {
  return useQuery({
    queryKey: ['workUnitAt', String(id), entryId],
    queryFn: ({ signal }) => callJson<UnitAt>(`/v1/workunits/GetWorkUnitAt(workUnitId=${id},entryId=${entryId})`, { signal, quiet: true }),
    staleTime: Infinity,
  });
}
