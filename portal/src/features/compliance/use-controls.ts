/** Control sets, and the controls of one with what the tenant said about them in a week. */
import { and, eq, oneOf } from '@cloudfit/contract/query/build.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { type controls, controlSets, type controlStatuses } from '@cloudfit/contract/resources/compliance.ts';
import type { ListQuery } from '../../api/query-string.ts';
import { useList } from '../../resource/use-rows.ts';

/** COMP-021. */
const maxRows = 1_000;

type ControlSet = Row<typeof controlSets>;
export type ControlStatus = Row<typeof controlStatuses>;
export type Control = Row<typeof controls> & { controlStatuses: readonly ControlStatus[] };
export type SetOfWeek = ControlSet & { controls: readonly Control[] };

export const useControlSets = () => useList<ControlSet>(controlSets, { select: 'id,name', orderBy: 'name asc', top: maxRows });

/** API-086, API-087. */
export function weekQuery(setId: string, tenantId: string, monday: string): ListQuery {
  const ofWeek = and(eq('tenantId', tenantId, 'guid'), eq('checkDate', monday, 'timestamp'));
  return {
    filter: oneOf('id', [setId], 'guid'),
    expand: `controls($expand=controlStatuses($filter=${ofWeek});$top=${maxRows})`,
    top: maxRows,
  };
}

export function useControls(query: ListQuery, enabled: boolean) {
  const { data, isPlaceholderData, error, refetch } = useList<SetOfWeek>(controlSets, query, { enabled });
  // What was said in another week is no preview of this one.
  return { controls: isPlaceholderData ? undefined : data?.rows[0]?.controls, isGone: data?.rows.length === 0, error, refetch };
}
