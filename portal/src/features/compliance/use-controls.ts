/** Control sets, and the controls of a set with the tenant's statuses in a week. */
import { and, eq, oneOf } from '@cloudfit/contract/query/build.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { type controls, controlSets, controlStatuses } from '@cloudfit/contract/resources/compliance.ts';
import type { ExpandedRow } from '@cloudfit/contract/resources/expanded.ts';
import { useList, type RowsQuery } from '../../rows/use-rows.ts';

/** Maximum number of control sets, and of controls of a set (COMP-021). */
const maxRows = 1_000;

export type ControlStatus = Row<typeof controlStatuses>;
export type WeekControl = ExpandedRow<typeof controls, 'controlStatuses'>;
/** The `$expand` of a set's controls and their statuses, filtered by tenant and week. */
type WeekExpand = `controls($expand=controlStatuses($filter=${string});$top=${number})`;
export type WeekQuery = RowsQuery<typeof controlSets, WeekExpand>;
export type SetOfWeek = ExpandedRow<typeof controlSets, WeekExpand>;

export const useControlSets = () => useList(controlSets, { select: ['id', 'name'], orderBy: 'name asc', top: maxRows });

/** Returns the query of a set with its controls, and their statuses of a tenant and week (API-086, API-087). */
export function weekQuery(setId: string, tenantId: string, monday: string): WeekQuery {
  const ofWeek = and(eq(controlStatuses, 'tenantId', tenantId), eq(controlStatuses, 'checkDate', monday));
  return {
    filter: oneOf(controlSets, 'id', [setId]),
    expand: [`controls($expand=controlStatuses($filter=${ofWeek ?? ''});$top=${maxRows})`],
    top: maxRows,
  };
}

export function useControls(query: WeekQuery, enabled: boolean) {
  const { data, isPlaceholderData, error, refetch } = useList(controlSets, query, { enabled });
  // Data of another week is not used as a placeholder.
  return { controls: isPlaceholderData ? undefined : data?.rows[0]?.controls, isGone: data?.rows.length === 0, error, refetch };
}
