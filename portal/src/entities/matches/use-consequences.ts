/** The consequences of matches: the work units that they opened or joined, and the outcomes of their actions. */
import { and, eq, oneOf } from '@cloudfit/contract/query/build.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { resultStatus } from '@cloudfit/contract/enums.ts';
import { actionHistories } from '@cloudfit/contract/resources/action-histories.ts';
import { unitMatches } from '@cloudfit/contract/resources/unit-matches.ts';
import { workUnitRelations } from '@cloudfit/contract/resources/work-unit-relations.ts';
import { mayNow, useMay } from '../../api/lookups.ts';
import { fetchPage, useList } from '../../rows/use-rows.ts';

/** The number of matches in one call: as many as the largest page on offer has. */
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
  /** Why actions were recorded and not run, such as `late`; each reason once. */
  suppressed: readonly string[];
}

const reasonOf = (detail: unknown): string => {
  const reason = typeof detail === 'object' && detail !== null && 'reason' in detail ? detail.reason : undefined;
  return typeof reason === 'string' ? reason : '';
};

const unitsQuery = (ids: readonly string[]) => ({
  filter: and(eq(workUnitRelations, 'referenceType', 'RuleMatch'), oneOf(workUnitRelations, 'referenceId', ids)),
  expand: ['workUnit'] as const,
  orderBy: 'workUnitRelationId asc' as const,
  top: maxRows,
});
const joinedQuery = (ids: readonly string[]) => ({
  filter: oneOf(unitMatches, 'ruleMatchId', ids),
  expand: ['workUnit'] as const,
  top: maxRows,
});
const executionsQuery = (ids: readonly string[]) => ({
  filter: oneOf(actionHistories, 'referenceId', ids),
  select: ['referenceId', 'resultStatusId', 'resultDetail', 'nextTry', 'keptSince'] as const,
  top: maxRows,
});

interface ConsequenceRows {
  units?: readonly { referenceId: string; workUnit: OpenedUnit | null }[] | undefined;
  joined?: readonly { ruleMatchId: string; workUnit: OpenedUnit | null }[] | undefined;
  executions?:
    | readonly Pick<Row<typeof actionHistories>, 'referenceId' | 'resultStatusId' | 'resultDetail' | 'nextTry' | 'keptSince'>[]
    | undefined;
}

export interface MatchConsequences {
  unitsOf: (ruleMatchId: string) => readonly OpenedUnit[];
  actionsOf: (ruleMatchId: string) => ActionTally | undefined;
}

/** The matches without a relation to a work unit: in a group, only the first match has the relation. */
function withoutUnit(ids: readonly string[], units: ConsequenceRows['units']): readonly string[] {
  const opened = new Set(units?.map(({ referenceId }) => referenceId));
  return units ? ids.filter((id) => !opened.has(id)) : [];
}

function consequencesOf({ units = [], joined = [], executions = [] }: ConsequenceRows): MatchConsequences {
  return {
    unitsOf: (ruleMatchId) => [
      ...units.flatMap(({ referenceId, workUnit }) => (referenceId === ruleMatchId && workUnit ? [workUnit] : [])),
      ...joined.flatMap((match) => (match.ruleMatchId === ruleMatchId && match.workUnit ? [match.workUnit] : [])),
    ],
    actionsOf: (ruleMatchId) => {
      const rows = executions.filter((execution) => execution.referenceId === ruleMatchId);
      if (rows.length === 0) return undefined;
      return {
        all: rows.length,
        failed: rows.filter((row) => row.resultStatusId === resultStatus.failure || row.resultStatusId === resultStatus.enqueueFailure)
          .length,
        waiting: rows.filter((row) => row.nextTry !== null || row.keptSince !== null).length,
        suppressed: [
          ...new Set(rows.filter((row) => row.resultStatusId === resultStatus.suppressed).map((row) => reasonOf(row.resultDetail))),
        ],
      };
    },
  };
}

export function useConsequences(ruleMatchIds: readonly string[]): MatchConsequences {
  const may = useMay();
  const ids = ruleMatchIds.slice(0, maxMatches);
  const units = useList(workUnitRelations, unitsQuery(ids), { enabled: ids.length > 0 && may('WorkUnits', 'view') });
  const others = withoutUnit(ids, units.data?.rows);
  const joined = useList(unitMatches, joinedQuery(others), { enabled: others.length > 0 });
  const executions = useList(actionHistories, executionsQuery(ids), { enabled: ids.length > 0 && may('ActionDefinitions', 'view') });
  return consequencesOf({ units: units.data?.rows, joined: joined.data?.rows, executions: executions.data?.rows });
}

/** Reads the consequences of the matches of an export, in as many calls as necessary. */
export async function readConsequences(ruleMatchIds: readonly string[]): Promise<MatchConsequences> {
  const [maySeeUnits, maySeeActions] = [await mayNow('WorkUnits', 'view'), await mayNow('ActionDefinitions', 'view')];
  const parts = [];
  for (let from = 0; from < ruleMatchIds.length; from += maxMatches) {
    const ids = ruleMatchIds.slice(from, from + maxMatches);
    const units = maySeeUnits ? (await fetchPage(workUnitRelations, unitsQuery(ids))).rows : undefined;
    const others = withoutUnit(ids, units);
    const joined = others.length > 0 ? (await fetchPage(unitMatches, joinedQuery(others))).rows : [];
    const executions = maySeeActions ? (await fetchPage(actionHistories, executionsQuery(ids))).rows : [];
    parts.push({ units: units ?? [], joined, executions });
  }
  return consequencesOf({
    units: parts.flatMap((part) => part.units),
    joined: parts.flatMap((part) => part.joined),
    executions: parts.flatMap((part) => part.executions),
  });
}
