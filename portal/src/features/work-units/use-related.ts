import { useQuery } from '@tanstack/react-query';
import { oneOf } from '@cloudfit/contract/query/build.ts';
import { devices } from '@cloudfit/contract/resources/devices.ts';
import { ruleMatches } from '@cloudfit/contract/resources/rule-matches.ts';
import { guidSchema, type Row } from '@cloudfit/contract/resource.ts';
import { fetchPage } from '../../resource/use-rows.ts';
import type { WorkUnit } from './work-unit.rules.ts';

export type RelatedMatch = Row<typeof ruleMatches> & { rule?: { ruleId: string; name: string } | null };
export type RelatedDevice = Row<typeof devices>;

/** WU-075. */
const most = 100;

/** Ids of one kind that a unit points to; what is no id is not asked for. */
export function relatedIds(unit: WorkUnit, type: string): string[] {
  return (unit.relations ?? [])
    .filter((relation) => relation.referenceType === type && guidSchema.safeParse(relation.referenceId).success)
    .map((relation) => relation.referenceId)
    .slice(0, most);
}

export function useRelatedMatches(unit: WorkUnit) {
  const ids = relatedIds(unit, 'RuleMatch');
  return useQuery({
    queryKey: [ruleMatches.name, 'related', ids],
    queryFn: async ({ signal }) =>
      (
        await fetchPage<RelatedMatch>(
          ruleMatches,
          { filter: oneOf('ruleMatchId', ids, 'guid'), expand: 'rule', orderBy: 'created desc', top: most },
          signal,
        )
      ).rows,
    enabled: ids.length > 0,
  });
}

export function useRelatedDevices(unit: WorkUnit) {
  const ids = relatedIds(unit, 'Device');
  return useQuery({
    queryKey: [devices.name, 'related', ids],
    queryFn: async ({ signal }) =>
      (await fetchPage<RelatedDevice>(devices, { filter: oneOf('deviceId', ids, 'guid'), top: most }, signal)).rows,
    enabled: ids.length > 0,
  });
}
