/** What followed from matches: the work units that they opened, and how their actions stand. */
import { and, eq, oneOf } from '@cloudfit/contract/query/build.ts';
import { resultStatus } from '@cloudfit/contract/enums.ts';
import { actionHistories } from '@cloudfit/contract/resources/action-histories.ts';
import { unitMatches } from '@cloudfit/contract/resources/unit-matches.ts';
import { workUnitRelations } from '@cloudfit/contract/resources/work-unit-relations.ts';
import { useMay } from '../../api/lookups.ts';
import { useList } from '../../rows/use-rows.ts';

/** An `in` of the query language takes 200 values; a page of matches has at most 100. */
const maxMatches = 100;
const maxRows = 1_000;

export interface OpenedUnit {
  workUnitId: number;
  publicWorkUnitId: number;
  title: string;
}

interface ActionTally {
  all: number;
  failed: number;
  waiting: number;
  /** Why actions were recorded and not run: `late`, `maintenance`, `stopped`. */
  suppressed: readonly string[];
}

const reasonOf = (detail: unknown): string => {
  const reason = typeof detail === 'object' && detail !== null && 'reason' in detail ? detail.reason : undefined;
  return typeof reason === 'string' ? reason : '';
};

export function useConsequences(ruleMatchIds: readonly string[]) {
  const may = useMay();
  const ids = ruleMatchIds.slice(0, maxMatches);
  const units = useList(
    workUnitRelations,
    {
      filter: and(eq(workUnitRelations, 'referenceType', 'RuleMatch'), oneOf(workUnitRelations, 'referenceId', ids)),
      expand: ['workUnit'],
      orderBy: 'workUnitRelationId asc',
      top: maxRows,
    },
    { enabled: ids.length > 0 && may('WorkUnits', 'view') },
  );
  const opened = new Set(units.data?.rows.map(({ referenceId }) => referenceId));
  const others = units.data ? ids.filter((id) => !opened.has(id)) : [];
  // A match of a group has no relation of its own: the first one opened the unit for all.
  const joined = useList(
    unitMatches,
    { filter: oneOf(unitMatches, 'ruleMatchId', others), expand: ['workUnit'], top: maxRows },
    { enabled: others.length > 0 },
  );
  const executions = useList(
    actionHistories,
    {
      filter: oneOf(actionHistories, 'referenceId', ids),
      select: ['referenceId', 'resultStatusId', 'resultDetail', 'nextTry', 'keptSince'],
      top: maxRows,
    },
    { enabled: ids.length > 0 && may('ActionDefinitions', 'view') },
  );
  return {
    unitsOf: (ruleMatchId: string): readonly OpenedUnit[] => [
      ...(units.data?.rows ?? []).flatMap(({ referenceId, workUnit }) => (referenceId === ruleMatchId && workUnit ? [workUnit] : [])),
      ...(joined.data?.rows ?? []).flatMap((one) => (one.ruleMatchId === ruleMatchId && one.workUnit ? [one.workUnit] : [])),
    ],
    actionsOf: (ruleMatchId: string): ActionTally | undefined => {
      const rows = executions.data?.rows.filter((one) => one.referenceId === ruleMatchId) ?? [];
      if (rows.length === 0) return undefined;
      return {
        all: rows.length,
        failed: rows.filter((one) => one.resultStatusId === resultStatus.failure || one.resultStatusId === resultStatus.enqueueFailure)
          .length,
        waiting: rows.filter((one) => one.nextTry !== null || one.keptSince !== null).length,
        suppressed: [
          ...new Set(rows.filter((one) => one.resultStatusId === resultStatus.suppressed).map((one) => reasonOf(one.resultDetail))),
        ],
      };
    },
  };
}
