/** Changes work units in one way and tells what came of it: done with an undo, refused, or taken by somebody else first. */
import { and, eq, oneOf } from '@cloudfit/contract/query/build.ts';
import type { FieldName, Row } from '@cloudfit/contract/resource.ts';
import { workUnitNotes } from '@cloudfit/contract/resources/work-unit-notes.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { choiceText } from '@cloudfit/contract/messages/choices.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { massEditTexts } from '@cloudfit/contract/messages/mass-edit.en.ts';
import { unitOutcomeTexts as t } from '@cloudfit/contract/messages/unit-outcomes.en.ts';
import { answerMs, RequestFailed } from '../../../api/client.ts';
import { namesArrived, personName } from '../../../api/people-names.ts';
import { queryClient } from '../../../api/query-client.ts';
import { patchRow } from '../../../api/row-calls.ts';
import { toast } from '../../../components/toasts.tsx';
import { sendEdits } from '../../../entities/work-units/send-edits.ts';
import { asStored, bodyOf, isConflict, requestsOf, type UnitEdit } from '../../../entities/work-units/unit-edits.ts';
import { undoEdits } from '../../../entities/work-units/undo-edits.ts';
import { tellOfRow } from '../../../hooks/tell-of-row.ts';
import { toastFailure } from '../../../hooks/toast-failure.ts';
import { choiceLabel } from '../../../rows/cells.tsx';
import { labelOf, sameValue } from '../../../rows/row.ts';
import { fetchPage, type RowsPage } from '../../../rows/use-rows.ts';
import { patchOf, saveFailureText, type PanelWorkUnit } from '../work-unit.rules.ts';
import { markPending } from './pending.ts';

const { changedMeanwhile } = massEditTexts;

type VerbField = FieldName<typeof workUnits>;
/** The most units that are read at once. */
const maxRead = 100;

export type NewUnitValues = Partial<Row<typeof workUnits>>;

/** How long the message of a verb offers its undo, and one without an answer to try again. */
const [undoMs, unconfirmedMs] = [20_000, 120_000];

/** Shows the stored rows in every list and panel that has them. */
export function showRows(rows: readonly Row<typeof workUnits>[]): void {
  const byId = new Map(rows.map((row) => [row.workUnitId, row]));
  queryClient.setQueriesData<RowsPage<PanelWorkUnit>>({ queryKey: [workUnits.name, 'list'] }, (page) =>
    page?.rows?.some(({ workUnitId }) => byId.has(workUnitId))
      ? { ...page, rows: page.rows.map((row) => ({ ...row, ...byId.get(row.workUnitId) })) }
      : page,
  );
  for (const row of rows)
    queryClient.setQueriesData<PanelWorkUnit>({ queryKey: [workUnits.name, 'row', String(row.workUnitId)] }, (shown) =>
      shown ? { ...shown, ...row } : shown,
    );
}

/**
 * Reads again what the changes may have moved or added: lists and histories, and of the rows, which `showRows` has, those that
 * are being read, because that may have begun before the change.
 */
export function refreshAround(ids: readonly number[]): void {
  const shown = new Set(ids.map(String));
  void queryClient.invalidateQueries({
    predicate: ({ queryKey: [name, part, id], state }) =>
      name === workUnits.name && !(part === 'row' && shown.has(String(id)) && state.fetchStatus === 'idle'),
  });
}

/** Who changed one of the fields of each unit last, by the id of the unit. */
async function changers(ids: readonly number[], fields: readonly string[]): Promise<ReadonlyMap<number, string>> {
  const filter = and(oneOf(workUnitNotes, 'workUnitId', ids), oneOf(workUnitNotes, 'field', fields));
  const query = { filter, orderBy: 'workUnitNoteId asc', select: ['workUnitId', 'createdBy'], top: 500 } as const;
  const { rows } = await fetchPage(workUnitNotes, query);
  for (const { createdBy } of rows) personName(createdBy);
  await namesArrived();
  return new Map(rows.map(({ workUnitId, createdBy }) => [workUnitId, personName(createdBy) || createdBy]));
}

/** What the unit says now about the field that somebody else has changed, as part of a sentence. */
async function nowOf(unit: Row<typeof workUnits>, field: VerbField): Promise<string> {
  if (field === 'stateId') return choiceText(unit.stateId);
  if (field !== 'assignedTo') return t.valueNow(workUnits.fields[field].label, choiceLabel(workUnits.fields[field], unit[field]) || t.none);
  if (unit.assignedTo === null) return t.nobodyNow;
  personName(unit.assignedTo);
  await namesArrived();
  return t.assignedNow(personName(unit.assignedTo) || unit.assignedTo);
}

/** The message after somebody else was faster: who, and what the unit says now. */
export async function wasFirst(unit: PanelWorkUnit, fields: readonly VerbField[]): Promise<string> {
  const [who, page] = await Promise.all([
    changers([unit.workUnitId], fields),
    fetchPage(workUnits, { filter: eq(workUnits, 'workUnitId', unit.workUnitId), top: 1 }),
  ]);
  const now = page.rows[0];
  const field = fields.find((name) => now && !sameValue(now[name], unit[name])) ?? fields[0] ?? 'stateId';
  return t.wasFirst(
    who.get(unit.workUnitId) ?? t.somebody,
    unit.publicWorkUnitId,
    now ? await nowOf(now, field) : choiceText(unit.stateId),
  );
}

async function tellFailure(
  error: unknown,
  units: readonly PanelWorkUnit[],
  fields: readonly VerbField[],
  texts: ChangeTexts,
  again: () => void,
): Promise<void> {
  const [first] = units;
  if (!first) return;
  console.warn(error);
  if (error instanceof RequestFailed && error.status === 0) {
    // Whoever waits for a network looks away meanwhile.
    toastFailure(error, texts.unconfirmed?.(first) ?? t.unconfirmed(units.length, first.publicWorkUnitId), {
      durationMs: unconfirmedMs,
      action: { label: en.common.retry, run: again },
    });
  } else if (isConflict(error) && units.length === 1) {
    toastFailure(error, await wasFirst(first, fields).catch(() => saveFailureText(error)));
  } else toastFailure(error, saveFailureText(error));
}

/** Tells which units of a selection the server refused, and why: who was first, or what is wrong. */
async function tellSkipped(edits: readonly UnitEdit[], refused: ReadonlyMap<number, string>): Promise<void> {
  const left = edits.filter(({ id }) => refused.has(id));
  if (left.length === 0) return;
  const fields = [...new Set(left.flatMap(({ newState }) => Object.keys(newState)))];
  const who = await changers(
    left.map(({ id }) => id),
    fields,
  ).catch(() => new Map<number, string>());
  const reasons = left.slice(0, 5).map(({ id, number }) => {
    const reason = refused.get(id) ?? '';
    const name = who.get(id);
    return t.reason(
      number,
      name && fields.some((field) => reason.includes(changedMeanwhile(labelOf(workUnits, field)))) ? t.changedBy(name) : reason,
    );
  });
  toast.warning(t.skipped(left.length, reasons.join(' ')));
}

interface ChangeTexts {
  pending: string;
  nothing?: string;
  done: (n: number, unit: PanelWorkUnit) => string;
  unconfirmed?: ((unit: PanelWorkUnit) => string) | undefined;
}

export function editOf(unit: PanelWorkUnit, values: NewUnitValues): UnitEdit | undefined {
  const changed = (Object.keys(values) as VerbField[]).filter((name) => !sameValue(unit[name], values[name]));
  if (changed.length === 0) return undefined;
  return {
    id: unit.workUnitId,
    number: unit.publicWorkUnitId,
    tenantId: unit.tenantId,
    typeId: unit.workUnitTypeId,
    previousState: Object.fromEntries(changed.map((name) => [name, unit[name] ?? null])),
    newState: Object.fromEntries(changed.map((name) => [name, values[name] ?? null])),
  };
}

/** Offers to revert the edits, by the values that the server stored. */
export function undoAction(edits: readonly UnitEdit[]) {
  return { durationMs: undoMs, action: { label: t.undo, run: () => void undoEdits(queryClient, edits, t.undoTexts) } };
}

/** The units as the server has them now, shown in every list and panel that has them. */
export async function unitsNow(units: readonly PanelWorkUnit[]): Promise<readonly PanelWorkUnit[]> {
  const ids = units.map(({ workUnitId }) => workUnitId);
  const now: PanelWorkUnit[] = [];
  for (let from = 0; from < ids.length; from += maxRead)
    now.push(
      ...(await fetchPage(workUnits, { filter: oneOf(workUnits, 'workUnitId', ids.slice(from, from + maxRead)), top: maxRead })).rows,
    );
  showRows(now);
  return now;
}

/** Tries a change again whose outcome is not known: by the values that the units have now, so what was done is not done twice. */
async function changeAgain(...[units, valuesOf, texts]: Parameters<typeof changeUnits>): Promise<void> {
  let now: readonly PanelWorkUnit[];
  try {
    now = await unitsNow(units);
  } catch (error) {
    void tellFailure(error, units, [], texts, () => void changeAgain(units, valuesOf, texts));
    return;
  }
  await changeUnits(now, valuesOf, texts);
}

/**
 * Changes the units to the values that `valuesOf` returns; units that need no change are left out. Resolves when the server has
 * answered, to whether a unit was changed.
 */
export async function changeUnits(
  units: readonly PanelWorkUnit[],
  valuesOf: (unit: PanelWorkUnit) => NewUnitValues,
  texts: ChangeTexts,
): Promise<boolean> {
  const edits = units.flatMap((unit) => editOf(unit, valuesOf(unit)) ?? []);
  const [first] = edits;
  if (!first) {
    toast.info(texts.nothing ?? t.nothing.other);
    return false;
  }
  const changing = units.filter(({ workUnitId }) => edits.some(({ id }) => id === workUnitId));
  const fieldsOf = ({ newState }: UnitEdit) => Object.keys(newState) as VerbField[];
  const unmark = markPending(new Map(edits.map((edit) => [edit.id, { text: texts.pending, fields: fieldsOf(edit) }])));
  const saved: { edit: UnitEdit; row: Row<typeof workUnits> | undefined }[] = [];
  try {
    if (edits.length === 1) {
      const steps = patchOf(first.previousState, first.newState, fieldsOf(first));
      saved.push({ edit: first, row: await patchRow(workUnits, first.id, steps, { limitMs: answerMs }) });
    } else
      for (const request of requestsOf(edits)) {
        const sent = await sendEdits(request, bodyOf);
        saved.push(...sent.saved);
        void tellSkipped(request, sent.refused);
      }
  } catch (error) {
    const savedIds = new Set(saved.map(({ edit }) => edit.id));
    void tellFailure(
      error,
      changing.filter(({ workUnitId }) => !savedIds.has(workUnitId)),
      fieldsOf(first),
      texts,
      () => void changeAgain(units, valuesOf, texts),
    );
  }
  showRows(saved.flatMap(({ row }) => row ?? []));
  unmark();
  refreshAround(saved.map(({ edit }) => edit.id));
  const unit = changing.find(({ workUnitId }) => workUnitId === saved[0]?.edit.id);
  if (unit)
    tellOfRow(
      saved.map(({ edit }) => edit),
      texts.done(saved.length, unit),
      undoAction(saved.map(({ edit, row }) => asStored(edit, row))),
    );
  return unit !== undefined;
}
