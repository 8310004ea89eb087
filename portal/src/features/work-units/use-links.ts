/** Linking work units to each other, and taking a link away. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { and, compare, contains, eq, or } from '@cloudfit/contract/query/build.ts';
import { workUnitRelations } from '@cloudfit/contract/resources/work-unit-relations.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { callJson } from '../../api/client.ts';
import { fetchPage } from '../../resource/use-rows.ts';
import type { WorkUnit } from './work-unit.rules.ts';

const offered = 10;

/** Units of the same tenant by title, or by number (WU-077). */
export function useUnitSearch(unit: WorkUnit, search: string) {
  const number = /^#?(\d{1,15})$/.exec(search)?.[1] ?? null;
  const found = or(
    contains('title', search),
    number === null ? undefined : eq('workUnitId', number, 'bigint'),
    number === null ? undefined : eq('publicWorkUnitId', number, 'bigint'),
  );
  const filter = and(found, eq('tenantId', unit.tenantId, 'guid'), compare('workUnitId', 'ne', unit.workUnitId, 'bigint'));
  return useQuery({
    queryKey: [workUnits.name, 'search', unit.workUnitId, search],
    queryFn: async ({ signal }) => (await fetchPage<WorkUnit>(workUnits, { filter, orderBy: 'created desc', top: offered }, signal)).rows,
    enabled: search !== '',
    staleTime: 30_000,
  });
}

export function useLinks(unit: WorkUnit) {
  const client = useQueryClient();
  const onSuccess = () => client.invalidateQueries({ queryKey: [workUnits.name] });
  const link = useMutation({
    mutationFn: (other: number) =>
      callJson(`/v1/${workUnitRelations.name}`, {
        method: 'PUT',
        body: { workUnitId: unit.workUnitId, referenceId: String(other), referenceType: 'WorkUnit' },
      }),
    onSuccess,
  });
  const unlink = useMutation({
    mutationFn: (relationId: number) => callJson(`/v1/${workUnitRelations.name}/${relationId}`, { method: 'DELETE' }),
    onSuccess,
  });
  return { link, unlink };
}
