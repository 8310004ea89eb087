/** What people do with work units, one or several at once. Loaded when the first verb is about to be used. */
import { resolveWorkUnits } from '@cloudfit/contract/calls.ts';
import type { severities, WorkUnitState } from '@cloudfit/contract/enums.ts';
import { limits } from '@cloudfit/contract/limits.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { workUnitNotes } from '@cloudfit/contract/resources/work-unit-notes.ts';
import { workUnits, type HoldReason } from '@cloudfit/contract/resources/work-units.ts';
import { choiceText } from '@cloudfit/contract/messages/choices.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { unitVerbTexts } from '@cloudfit/contract/messages/unit-verbs.en.ts';
import { unitOutcomeTexts as t } from '@cloudfit/contract/messages/unit-outcomes.en.ts';
import { workUnitTexts } from '@cloudfit/contract/messages/work-unit.en.ts';
import { call } from '../../../api/call.ts';
import { answerMs, failureText, RequestFailed } from '../../../api/client.ts';
import { namesArrived, personName } from '../../../api/people-names.ts';
import { createRow } from '../../../api/row-calls.ts';
import { copyText } from '../../../components/copy.ts';
import { confirm } from '../../../components/overlay/confirm.tsx';
import { toast } from '../../../components/toasts.tsx';
import { tellOfRow } from '../../../hooks/tell-of-row.ts';
import { toastFailure } from '../../../hooks/toast-failure.ts';
import type { PanelWorkUnit } from '../work-unit.rules.ts';
import type { UnitEdit } from '../../../entities/work-units/unit-edits.ts';
import { changeUnits, editOf, refreshAround, showRows, undoAction, unitsNow, wasFirst, type NewUnitValues } from './change-units.ts';
import { markPending } from './pending.ts';
import { isOpen } from './unit-target.ts';

type Units = readonly PanelWorkUnit[];
type Severity = (typeof severities)[number];

/** Acknowledges the New ones and assigns them to the person (WU-101..104). */
export function acknowledge(units: Units, userName: string): Promise<boolean> {
  const ours = (unit: PanelWorkUnit) => (unit.stateId === 'New' ? { stateId: 'Acknowledged' as const, assignedTo: userName } : {});
  return changeUnits(units, ours, {
    pending: t.acknowledgement.pending,
    nothing: t.nothing.acknowledge,
    done: (n, { publicWorkUnitId }) => (n === 1 ? t.acknowledgement.done(publicWorkUnitId) : t.acknowledged(n)),
    unconfirmed: units.length === 1 ? ({ publicWorkUnitId }) => t.acknowledgement.unconfirmed(publicWorkUnitId) : undefined,
  });
}

export async function assign(units: Units, userName: string | null): Promise<boolean> {
  if (userName !== null) {
    personName(userName);
    await namesArrived();
  }
  return changeUnits(units, () => ({ assignedTo: userName }), {
    pending: t.pending.other,
    done: (n, { publicWorkUnitId }) =>
      userName === null ? t.unassigned(n, publicWorkUnitId) : t.assigned(n, publicWorkUnitId, personName(userName) || userName),
  });
}

const changedTo = (name: 'severityId' | 'stateId' | 'assignmentGroup', value: string) => ({
  pending: t.pending.other,
  done: (n: number, { publicWorkUnitId }: PanelWorkUnit) => t.changed(n, publicWorkUnitId, workUnits.fields[name].label, value),
});

export function setSeverity(units: Units, severityId: Severity): Promise<boolean> {
  return changeUnits(units, () => ({ severityId }), changedTo('severityId', severityId));
}

export function setState(units: Units, stateId: WorkUnitState, holdReason: HoldReason | null = null): Promise<boolean> {
  if (stateId === 'Resolved') return resolve(units);
  const value = holdReason === null ? choiceText(stateId) : unitVerbTexts.holdFor(choiceText(holdReason));
  return changeUnits(units, () => ({ stateId, holdReason }), changedTo('stateId', value));
}

/** Opens those that have ended again: whoever had one has it. */
export function reopen(units: Units): Promise<boolean> {
  const again = (unit: PanelWorkUnit) =>
    isOpen(unit) ? {} : { stateId: unit.assignedTo === null ? ('Acknowledged' as const) : ('InProgress' as const) };
  return changeUnits(units, again, {
    pending: t.pending.other,
    nothing: t.nothing.reopen,
    done: (n, { publicWorkUnitId }) => t.reopened(n, publicWorkUnitId),
  });
}

/** Sets the group. Asks whether to remove the assignees, and to return their units to New (WU-105..111). */
export async function setGroup(units: Units, assignmentGroup: string | null): Promise<boolean> {
  const changing = units.filter((unit) => (unit.assignmentGroup ?? null) !== assignmentGroup);
  const assigned = changing.filter((unit) => unit.assignedTo);
  const isNew = assigned.every((unit) => unit.stateId === 'New');
  const [question, several] = [isNew ? workUnitTexts.groupQuestion : workUnitTexts.groupQuestionState, t.groupQuestions(assigned.length)];
  const answer =
    assigned.length > 0 && (await confirm({ title: workUnitTexts.groupTitle, text: assigned.length > 1 ? several : question }));
  const frees = answer !== false && answer.yes;
  return changeUnits(
    units,
    (unit) => ({ assignmentGroup, ...(frees && assigned.includes(unit) ? { assignedTo: null, stateId: 'New' as const } : {}) }),
    changedTo('assignmentGroup', assignmentGroup ?? t.none),
  );
}

/** Asks for the resolution, and resolves the open ones; the server acknowledges the New ones first. */
export async function resolve(units: Units): Promise<boolean> {
  const open = units.filter(isOpen);
  const [first] = open;
  if (!first) {
    toast.info(t.nothing.resolve);
    return false;
  }
  const fresh = open.filter(({ stateId }) => stateId === 'New').length;
  const answer = await confirm({
    title: t.resolveTitle(open.length, first.publicWorkUnitId),
    text: t.resolveText(fresh),
    yes: t.resolveYes,
    no: en.common.cancel,
    inputLabel: t.resolution,
    inputMax: workUnits.fields.resolution.max ?? 4_000,
  });
  if (!answer.yes) return false;
  return sendResolution(open, answer.input);
}

/** What a resolution sets. */
function endOf(row: Row<typeof workUnits> | undefined): NewUnitValues {
  if (!row) return {};
  const { stateId, holdReason, assignedTo, resolution } = row;
  return { stateId, holdReason, assignedTo, resolution };
}

/** Resolves those that are still open, after the server has refused all because one has ended meanwhile. */
async function resolveRest(units: Units, resolution: string): Promise<void> {
  try {
    const open = (await unitsNow(units)).filter(isOpen);
    if (open.length === 0) toast.info(t.nothing.resolve);
    else await sendResolution(open, resolution);
  } catch (error) {
    toastFailure(error, failureText(error), { action: { label: en.common.retry, run: () => void resolveRest(units, resolution) } });
  }
}

/** Adds what somebody wrote about a unit that somebody else has resolved first, so that it is not lost. */
async function noteResolution({ workUnitId, tenantId }: PanelWorkUnit, detail: string): Promise<void> {
  try {
    await createRow(workUnitNotes, { workUnitId, detail });
    tellOfRow([{ tenantId }], workUnitTexts.noteAdded);
  } catch (error) {
    toastFailure(error, workUnitTexts.noteFailed);
  }
}

async function sendResolution(units: Units, resolution: string): Promise<boolean> {
  const [first] = units;
  if (!first) return false;
  const pending = { text: t.pending.resolve, fields: ['stateId', 'resolution'] as const };
  const unmark = markPending(new Map(units.map(({ workUnitId }) => [workUnitId, pending])));
  const again = { action: { label: en.common.retry, run: () => void sendResolution(units, resolution) } };
  const rest = { action: { label: en.common.retry, run: () => void resolveRest(units, resolution) } };
  const asNote = { action: { label: t.resolutionAsNote, run: () => void noteResolution(first, resolution) } };
  const done: PanelWorkUnit[] = [];
  const edits: UnitEdit[] = [];
  try {
    for (let from = 0; from < units.length; from += limits.resolvedUnits) {
      const part = units.slice(from, from + limits.resolvedUnits);
      const ids = part.map(({ workUnitId }) => workUnitId);
      const { value } = await call(resolveWorkUnits, { ids, resolution }, { limitMs: answerMs });
      showRows(value);
      done.push(...part);
      edits.push(...part.flatMap((unit, at) => editOf(unit, endOf(value[at])) ?? []));
    }
    const [unit] = done;
    if (unit) tellOfRow(done, t.resolved(done.length, unit.publicWorkUnitId), undoAction(edits));
  } catch (error) {
    console.warn(error);
    const isUnanswered = error instanceof RequestFailed && error.status === 0;
    const isConflict = error instanceof RequestFailed && error.status === 409;
    const isTaken = isConflict && units.length === 1;
    const text = isUnanswered ? t.unconfirmed(units.length, first.publicWorkUnitId) : failureText(error);
    // The text that was typed is not lost: the message offers to send it again.
    toastFailure(
      error,
      isTaken ? await wasFirst(first, ['stateId']).catch(() => text) : text,
      isTaken ? { durationMs: 60_000, ...asNote } : { durationMs: 60_000, ...(isConflict ? rest : again) },
    );
  } finally {
    unmark();
    refreshAround(done.map(({ workUnitId }) => workUnitId));
  }
  return done.length > 0;
}

export function copyLink({ workUnitId }: PanelWorkUnit): void {
  void copyText(`${window.location.origin}/workunitsv2?workUnitId=${workUnitId}`);
}
