/**
 * Opens a work unit for a rule match. If a unit of the same rule and subject is open, the match is added to it, unless the rule
 * says otherwise.
 */
import { isInvisible, oneLine, startOf } from '@cloudfit/contract/one-line.ts';
import { workUnitType } from '@cloudfit/contract/enums.ts';
import { defaultSeverity, severities } from '@cloudfit/contract/enums.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import type { Ctx } from '../context/ctx.ts';
import type { Db } from '../db/db.ts';
import { assigneeProblem } from '../features/work-units/assignee.ts';
import { createWorkUnit, type OpenedWorkUnit } from '../features/work-units/create.ts';
import { writeHistory } from '../features/work-units/feed/history.ts';
import { relate } from '../features/work-units/related/relate.ts';
import { workUnitOfSubject } from '../features/work-units/subject.ts';
import type { MatchOfExecution, QueuedExecution } from './execution.ts';
import { lockGroup, rememberUnitOfGroup } from './groups/group-unit.ts';
import type { Try } from './tries.ts';
import { changesDuring, oneStepUp, raiseAdded, raisedText, type ChangeOfMatch } from './units/raise-in-change.ts';
import { rememberUnit, reopenEndedUnit, unitOfEarlierMatch } from './units/rule-unit.ts';
import { ActionFailure, type ActionResult } from './action-result.ts';

const longestTitle = 500;

export function severityOf(value: unknown): (typeof severities)[number] {
  if (value === undefined || value === null || value === '') return defaultSeverity;
  const severity = severities.find((severity) => severity === value);
  if (!severity) throw new ActionFailure(`${String(value)} is not a severity.`);
  return severity;
}

function numberOf(value: unknown): number | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  const number = Number(value);
  if (!Number.isInteger(number)) throw new ActionFailure(`${String(value)} is not a work unit type.`);
  return number;
}

/** Parameters with texts for the unit, each with its field; placeholders in them are filled. */
const textParameters = {
  Title: 'title',
  Description: 'description',
  Category: 'category',
  AssignmentGroup: 'assignmentGroup',
  AssignedTo: 'assignedTo',
} as const;

function textsOf({ parameters, values }: QueuedExecution): Partial<OpenedWorkUnit> {
  const texts = Object.entries(textParameters).flatMap(([name, field]) => {
    const filled = String((parameters[name] ?? '') === '' ? '' : (values[name] ?? ''));
    const text = field === 'description' && !isInvisible(filled) ? filled.trim() : oneLine(filled);
    return text === '' ? [] : [[field, startOf(text, workUnits.fields[field].max)]];
  });
  return Object.fromEntries(texts) as Partial<OpenedWorkUnit>;
}

/** Relations to the match, its subject, and the device to which the subject belongs. */
function relationsOf({ ruleMatchId, subjectId, subject }: MatchOfExecution): { referenceId: string; referenceType: string }[] {
  const related = [
    { referenceId: ruleMatchId, referenceType: 'RuleMatch' },
    { referenceId: String(workUnitOfSubject(subjectId) ?? subjectId), referenceType: subject.type },
  ];
  const { device } = subject;
  return device && device.id !== subjectId ? [...related, { referenceId: device.id, referenceType: 'Device' }] : related;
}

/** The title of the unit: the cause, if it is known for a group; otherwise the rule and what its matches share. */
function titleOf({ group, ruleName, label }: MatchOfExecution): string {
  if (!group || group.kind === 'Subject') return label;
  return group.statement ?? `${ruleName}: ${group.label}`;
}

function inputOf(execution: QueuedExecution): OpenedWorkUnit {
  const { match, parameters, tenantId } = execution;
  const requestedTenantId = parameters['TenantId'];
  if (requestedTenantId && String(requestedTenantId).toLowerCase() !== tenantId)
    throw new ActionFailure('A rule opens work units only in its own tenant. Choose that tenant.');
  const protocolId = parameters['ProtocolId'] || match?.protocolId;
  const common = {
    tenantId,
    severityId: severityOf(parameters['SeverityId']),
    workUnitTypeId: numberOf(parameters['WorkUnitTypeId']) ?? workUnitType.incident,
    ...(parameters['WorkUnitCategoryId'] ? { workUnitCategoryId: String(parameters['WorkUnitCategoryId']) } : {}),
    ...(protocolId ? { protocolId: String(protocolId) } : {}),
  };
  if (execution.isTest)
    return { ...common, title: 'Test of the action Create Work Unit', ...textsOf(execution), openedByRuleMatchId: execution.messageId };
  if (!match) throw new ActionFailure('The rule match is no longer there.');
  return {
    ...common,
    title: startOf(oneLine(titleOf(match)), longestTitle),
    description: startOf(String(execution.values['Facts'] ?? ''), workUnits.fields.description.max),
    ...textsOf(execution),
    relations: relationsOf(match),
    // An expiration action runs after the match closed, so it opens a separate unit; so does a match that goes on.
    openedByRuleId: match.ruleId,
    openedByRuleMatchId: execution.phase === 'match' && execution.endedUnitId === undefined ? match.ruleMatchId : execution.messageId,
  };
}

/** Relates the unit to the change, and raises its severity by one step. */
function raisedBy({ workUnitId }: ChangeOfMatch, input: OpenedWorkUnit): OpenedWorkUnit {
  const relation = { referenceId: String(workUnitId), referenceType: 'WorkUnit' };
  return { ...input, severityId: oneStepUp(input.severityId), relations: [...(input.relations ?? []), relation] };
}

/** Why the unit opens without the assignee of the action, because the alarm must not be lost; undefined if it has none or gets it. */
async function whyNotAssigned(db: Db, { tenantId = '', assignedTo }: OpenedWorkUnit): Promise<string | undefined> {
  const problem = assignedTo ? await assigneeProblem(db, tenantId, assignedTo) : undefined;
  return problem && `Not assigned to ${assignedTo}: ${problem}`;
}

const already = { reason: 'This match has opened a work unit already.' };

/** Opens a unit, or adds the match to that of an earlier match; returns the detail of the execution's outcome. */
async function openOrAdd(ctx: Ctx, execution: QueuedExecution, input: OpenedWorkUnit): Promise<Record<string, unknown>> {
  const { match, tenantId, isTest } = execution;
  const ofRule = isTest ? undefined : match;
  const { endedUnitId } = execution;
  let change: ChangeOfMatch | undefined;
  if (ofRule) {
    await lockGroup(ctx.db, execution);
    const [earlier, changes] = await Promise.all([
      endedUnitId === undefined ? unitOfEarlierMatch(ctx, execution, ofRule) : reopenEndedUnit(ctx, execution, ofRule, endedUnitId),
      changesDuring(ctx.db, [ofRule.ruleMatchId]),
    ]);
    [change] = changes;
    if (earlier?.change === 'none') return endedUnitId === undefined ? already : { reason: 'The work unit is open again already.' };
    if (earlier?.change === 'added') await raiseAdded(ctx, [ofRule.ruleMatchId], earlier.workUnitId);
    if (earlier) await rememberUnitOfGroup(ctx, execution, earlier.workUnitId);
    if (earlier) return { workUnitId: earlier.workUnitId, publicWorkUnitId: earlier.publicWorkUnitId, [earlier.change]: true };
  }
  const notAssigned = await whyNotAssigned(ctx.db, input);
  const accepted = notAssigned === undefined ? input : { ...input, assignedTo: null };
  // Matches that joined a group before look whether the change has raised the unit.
  const relationsAre = match?.group ? 'written' : 'late';
  const unit = await createWorkUnit(ctx, change ? raisedBy(change, accepted) : accepted, relationsAre);
  if (!unit) return already;
  const inPlaceOf = endedUnitId === undefined ? '' : ' It still matches after its work unit has ended.';
  const detail = ofRule ? `Opened by the rule ${ofRule.ruleName}.${inPlaceOf}` : 'Opened by a test of the action Create Work Unit.';
  await writeHistory(ctx, { ...unit, tenantId }, [{ historyType: 'WorkUnitEvent', detail }]);
  if (notAssigned !== undefined) await writeHistory(ctx, { ...unit, tenantId }, [{ historyType: 'WorkUnitEvent', detail: notAssigned }]);
  if (change) {
    const raised = raisedText(input.severityId ?? defaultSeverity, change);
    await writeHistory(ctx, { ...unit, tenantId }, [{ historyType: 'WorkUnitEvent', detail: raised }]);
    const opened = `Unexpected during change #${change.publicWorkUnitId}: #${unit.publicWorkUnitId} ${input.title}`;
    await writeHistory(ctx, { ...change, tenantId }, [{ historyType: 'WorkUnitEvent', detail: opened }]);
  }
  if (endedUnitId !== undefined)
    await relate(ctx, [{ workUnitId: unit.workUnitId, tenantId, referenceId: String(endedUnitId), referenceType: 'WorkUnit' }]);
  if (ofRule) {
    await rememberUnit(ctx.db, execution, ofRule, unit.workUnitId, false);
    await rememberUnitOfGroup(ctx, execution, unit.workUnitId);
  }
  return { ...unit, ...(notAssigned === undefined ? {} : { notAssigned }) };
}

/** Opens the unit of a match, or adds the match to an open one. */
export async function openWorkUnit(ctx: Ctx, execution: QueuedExecution, attempt: Try): Promise<ActionResult> {
  const input = inputOf(execution);
  const by = execution.match ? `Rule ${execution.match.ruleName}` : 'Automation';
  return attempt.inOne({ target: 'A new work unit', sent: input.title }, async (db) => {
    const inside: Ctx = { ...ctx, db, hops: execution.hops + 1, actor: { kind: 'system', id: null, name: startOf(by, 200) } };
    return { succeeded: true, detail: await openOrAdd(inside, execution, input) };
  });
}
