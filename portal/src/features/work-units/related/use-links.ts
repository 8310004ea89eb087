/** Links work units to each other, and removes links. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { and, compare, contains, eq, or } from '@cloudfit/contract/query/build.ts';
import { workUnitRelations } from '@cloudfit/contract/resources/work-unit-relations.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { callJson } from '../../../api/client.ts';
import { fetchPage } from '../../../rows/use-rows.ts';
import type { PanelWorkUnit } from '../work-unit.rules.ts';

const maxOffered = 10;

/** Searches other units of the tenant by title and, with a query of its own that uses an index, by number (WU-077). */
export function useUnitSearch(unit: PanelWorkUnit, search: string) {
  const number = /^#?(\d{1,15})$/.exec(search)?.[1];
  const others = and(eq(workUnits, 'tenantId', unit.tenantId), compare(workUnits, 'workUnitId', 'ne', unit.workUnitId));
  const queries = [
    ...(number ? [or(eq(workUnits, 'workUnitId', number), eq(workUnits, 'publicWorkUnitId', number))] : []),
    contains(workUnits, 'title', search),
  ];
  return useQuery({
    queryKey: [workUnits.name, 'search', unit.workUnitId, search],
    queryFn: async ({ signal }) => {
      const ask = (filter: string | undefined) =>
        fetchPage(workUnits, { filter: and(filter, others), orderBy: 'created desc', top: maxOffered }, signal);
      const rows = (await Promise.all(queries.map(ask))).flatMap((page) => page.rows);
      return [...new Map(rows.map((row) => [row.workUnitId, row])).values()].slice(0, maxOffered);
    },
    enabled: search !== '',
    staleTime: 30_000,
  });
}

export function useLinks(unit: PanelWorkUnit) {
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
