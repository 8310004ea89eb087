import { useQueryClient } from '@tanstack/react-query';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { historyTexts as t } from '@cloudfit/contract/messages/work-unit-history.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { useMay } from '../../../api/lookups.ts';
import { patchRow } from '../../../api/row-calls.ts';
import { confirm } from '../../../components/overlay/confirm.tsx';
import { tellOfRow } from '../../../hooks/tell-of-row.ts';
import { toastFailure } from '../../../hooks/toast-failure.ts';
import { sameValue } from '../../../rows/row.ts';
import { fieldOf, fromHistory, labelOf, spokenOf, type NamesById } from '../inputs/field-value.ts';
import type { HistoryRecord } from './use-work-unit.ts';
import { isConflict } from '../../../entities/work-units/unit-edits.ts';
import { patchOf, saveFailureText, type PanelWorkUnit } from '../work-unit.rules.ts';

/** Whether a change can be undone: `never`, if people may not set the field; `changed`, if the field has changed since. */
export type UndoState = 'yes' | 'never' | 'changed';

export function undoable(unit: PanelWorkUnit, entry: HistoryRecord): UndoState {
  const { field, historyType, newValue } = entry;
  if (!field || (historyType !== 'FieldChange' && historyType !== 'WorkUnitStateChange')) return 'never';
  if (fieldOf(field)?.write !== 'always') return 'never';
  return sameValue(unit[field as keyof PanelWorkUnit], fromHistory(field, newValue)) ? 'yes' : 'changed';
}

/** A state and what a unit on hold waits for change together, so one of them alone could not be set back. */
const together = ['stateId', 'holdReason'];

/** Returns the entry, and those of its change that are set back with it. */
function changesWith(entry: HistoryRecord, entries: readonly HistoryRecord[]): HistoryRecord[] {
  const isWith = ({ id, field, created }: HistoryRecord) => id !== entry.id && together.includes(field ?? '') && created === entry.created;
  return together.includes(entry.field ?? '') ? [entry, ...entries.filter(isWith)] : [entry];
}

/** Reverts one change by a new change, after a confirmation. Changes nothing if the field has changed since. */
export function useUndo(unit: PanelWorkUnit, entries: readonly HistoryRecord[], names?: NamesById) {
  const client = useQueryClient();
  const mayEdit = useMay()('WorkUnits', 'edit');
  const undo = async (entry: HistoryRecord): Promise<void> => {
    const name = entry.field ?? '';
    const back = spokenOf(name, fromHistory(name, entry.oldValue), names);
    const changes = changesWith(entry, entries).flatMap(({ field, oldValue, newValue }) =>
      field ? [{ field, was: fromHistory(field, oldValue), is: fromHistory(field, newValue) }] : [],
    );
    const answer = await confirm({ title: t.undoTitle, text: t.undoQuestion(labelOf(name), back), yes: t.undo, no: en.common.cancel });
    if (!answer.yes) return;
    try {
      await patchRow(
        workUnits,
        unit.workUnitId,
        changes.flatMap(({ field, was, is }) => patchOf({ [field]: is }, { [field]: was }, [field])),
      );
      tellOfRow(unit, t.undone(labelOf(name), back));
    } catch (error) {
      toastFailure(error, isConflict(error) ? t.undoRefused(labelOf(name)) : saveFailureText(error));
    } finally {
      void client.invalidateQueries({ queryKey: [workUnits.name] });
    }
  };
  return mayEdit ? undo : undefined;
}
