import { and, eq, related } from '@cloudfit/contract/query/build.ts';
import { controlEvidence, controlStatuses } from '@cloudfit/contract/resources/compliance.ts';
import { limits } from '@cloudfit/contract/limits.ts';
import { useGroups } from '../../rows/use-rows.ts';

const statusOfEvidence = related(controlEvidence, 'controlStatus', controlStatuses);

/**
 * The number of pieces of evidence of each status in the week, by the id of the status. The server counts, so that none is
 * missing.
 */
export function useEvidenceCounts(tenantId: string, monday: string): ReadonlyMap<string, number> {
  const filter = and(eq(controlEvidence, 'tenantId', tenantId), eq(statusOfEvidence, 'checkDate', monday));
  const { data, isPlaceholderData } = useGroups<{ controlStatusId: string; n: number }>(
    controlEvidence,
    { apply: `filter(${filter})/groupby((controlStatusId),aggregate($count as n))`, top: limits.pageMax },
    { enabled: tenantId !== '' },
  );
  return new Map(isPlaceholderData ? [] : data?.rows.map(({ controlStatusId, n }) => [controlStatusId, n]));
}
