import { useQuery } from '@tanstack/react-query';
import { callJson } from '../../../api/client.ts';
import type { Names } from '../inputs/field-value.ts';

export interface UnitAt {
  unit: Readonly<Record<string, unknown>>;
  names: Names;
}

/** The unit as it was right after an entry of its feed: what is past does not change. */
export function useUnitAt(id: number, entryId: number) {
  return useQuery({
    queryKey: ['workUnitAt', String(id), entryId],
    queryFn: ({ signal }) => callJson<UnitAt>(`/v1/workunits/GetWorkUnitAt(workUnitId=${id},entryId=${entryId})`, { signal, quiet: true }),
    staleTime: Infinity,
  });
}
