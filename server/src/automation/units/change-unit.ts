/** The actions that resolve the unit of a match, lower its severity, assign it, or add a note. */
import { severities } from '@cloudfit/contract/enums.ts';
import { startOf } from '@cloudfit/contract/one-line.ts';
import type { RowInput } from '@cloudfit/contract/resource.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import type { Ctx } from '../../context/ctx.ts';
import { assigneeProblem } from '../../features/work-units/assignee.ts';
import { writeHistory } from '../../features/work-units/feed/history.ts';
import { isEnded } from '../../features/work-units/state.rules.ts';
import { servedOf } from '../../resources/served.ts';
import { update } from '../../resources/update.ts';
import type { QueuedExecution } from '../execution.ts';
import { ActionFailure, type ActionResult } from '../action-result.ts';
import type { Try } from '../tries.ts';
import { isOn, leftAlone, lockUnit, obstacle, type UnitToChange } from './unit-of-match.ts';

/** Changes the unit of the match. */
async function changing(
  ctx: Ctx,
  execution: QueuedExecution,
  attempt: Try,
  change: (ctx: Ctx, unit: UnitToChange | undefined) => Promise<ActionResult>,
): Promise<ActionResult> {
  if (!execution.match) throw new ActionFailure('Only a rule can run this action: it changes the work unit of a match.');
  const by = startOf(`Rule ${execution.match.ruleName}`, 200);
  return attempt.inOne({ target: 'The work unit of the match' }, async (db) => {
    const inside: Ctx = { ...ctx, db, hops: execution.hops + 1, actor: { kind: 'system', id: null, name: by } };
    return change(inside, await lockUnit(db, execution));
  });
}

const changed = ({ workUnitId, publicWorkUnitId }: UnitToChange, fields: object): ActionResult => ({
  succeeded: true,
  detail: { workUnitId, publicWorkUnitId, ...fields },
});

/** Returns a parameter with its placeholders filled; undefined if it is empty. */
function textOf({ parameters, values }: QueuedExecution, name: string): string | undefined {
  const text = String((parameters[name] ?? '') === '' ? '' : (values[name] ?? '')).trim();
  return text === '' ? undefined : text;
}

export function resolveUnit(ctx: Ctx, execution: QueuedExecution, attempt: Try): Promise<ActionResult> {
  return changing(ctx, execution, attempt, async (inside, unit) => {
    const reason = obstacle(unit, isOn(execution.parameters['EvenIfTaken'])) ?? (unit?.isMatching ? 'stillMatching' : undefined);
    if (!unit || reason) return leftAlone(reason ?? 'noWorkUnit', unit);
    const resolution = textOf(execution, 'Resolution') ?? `The rule ${execution.match?.ruleName ?? ''} no longer matches.`;
    const fields = { stateId: 'Resolved', resolution: startOf(resolution, workUnits.fields.resolution.max) } as const;
    await update(inside, servedOf(workUnits), unit.workUnitId, fields);
    return changed(unit, { stateId: 'Resolved' });
  });
}

function severityOf(value: unknown): (typeof severities)[number] | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  const severity = severities.find((severity) => severity === value);
  if (!severity) throw new ActionFailure(`${String(value)} is not a severity.`);
  return severity;
}

export function changeUnit(ctx: Ctx, execution: QueuedExecution, attempt: Try): Promise<ActionResult> {
  return changing(ctx, execution, attempt, async (inside, unit) => {
    if (!unit) return leftAlone('noWorkUnit');
    const note = textOf(execution, 'Note');
    if (note && !isEnded(unit.stateId)) {
      const of = { workUnitId: unit.workUnitId, tenantId: execution.tenantId };
      await writeHistory(inside, of, [{ historyType: 'WorkUnitEvent', detail: startOf(note, 4_000) }]);
    }
    const reason = obstacle(unit, isOn(execution.parameters['EvenIfTaken']));
    const severity = severityOf(execution.parameters['SeverityId']);
    const [assignedTo, assignmentGroup] = [textOf(execution, 'AssignedTo'), textOf(execution, 'AssignmentGroup')];
    const problem = assignedTo && !reason ? await assigneeProblem(inside.db, execution.tenantId, assignedTo) : undefined;
    const notAssigned = problem && `Not assigned to ${assignedTo}: ${problem}`;
    const fields: RowInput<typeof workUnits> = {
      // Severity is only lowered: Sev4 is the lowest.
      ...(severity && severity > unit.severityId ? { severityId: severity } : {}),
      ...(assignedTo && !notAssigned ? { assignedTo } : {}),
      ...(assignmentGroup ? { assignmentGroup } : {}),
    };
    if (reason) return note && reason !== 'unitEnded' ? changed(unit, { note, left: reason }) : leftAlone(reason, unit);
    if (Object.keys(fields).length > 0) await update(inside, servedOf(workUnits), unit.workUnitId, fields);
    if (notAssigned)
      await writeHistory(inside, { workUnitId: unit.workUnitId, tenantId: execution.tenantId }, [
        { historyType: 'WorkUnitEvent', detail: notAssigned },
      ]);
    return changed(unit, { ...fields, ...(note ? { note } : {}), ...(notAssigned ? { notAssigned } : {}) });
  });
}
