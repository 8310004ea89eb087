import { and, eq, related } from '@cloudfit/contract/query/build.ts';
import { controlEvidence, controlStatuses } from '@cloudfit/contract/resources/compliance.ts';
import { useList } from '../../rows/use-rows.ts';

const statusOfEvidence = related(controlEvidence, 'controlStatus', controlStatuses);
const maxRows = 1_000;

/** How many pieces of evidence each status of the week has, by the id of the status. */
export function useEvidenceCounts(tenantId: string, monday: string): ReadonlyMap<string, number> {
  const filter = and(eq(controlEvidence, 'tenantId', tenantId), eq(statusOfEvidence, 'checkDate', monday));
  const { data, isPlaceholderData } = useList(
    controlEvidence,
    { filter, select: ['evidenceId', 'controlStatusId'], top: maxRows },
    { enabled: tenantId !== '' },
  );
  const counts = new Map<string, number>();
  if (!isPlaceholderData)
    for (const { controlStatusId } of data?.rows ?? []) counts.set(controlStatusId, (counts.get(controlStatusId) ?? 0) + 1);
  return counts;
}
