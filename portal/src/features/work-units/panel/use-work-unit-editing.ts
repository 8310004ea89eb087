/** Saves the changed fields of a unit, and resolves conflicts with somebody else's save. */
import { useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { workUnitTexts } from '@cloudfit/contract/messages/work-unit.en.ts';
import { tellOfRow } from '../../../hooks/tell-of-row.ts';
import { toastFailure } from '../../../hooks/toast-failure.ts';
import { showFieldErrors, type ResourceFormState } from '../../../forms/use-resource-form.ts';
import { useUnsavedGuard } from '../../../hooks/use-unsaved-guard.ts';
import { collisionsOf, type Collision } from './collisions.ts';
import { useWorkUnitSave } from './use-work-unit.ts';
import { isConflict } from '../../../entities/work-units/unit-edits.ts';
import { patchOf, saveFailureText, type PanelWorkUnit } from '../work-unit.rules.ts';

export interface WorkUnitEditing {
  /** Names of the fields that differ from what is saved. */
  changed: readonly string[];
  /** Whether the server refused a save because somebody else saved first. */
  conflict: boolean;
  collisions: readonly Collision[];
  /** Decides a collision: keeps the value of somebody else, or overwrites it with the person's value. */
  choose: (collision: Collision, whose: 'mine' | 'theirs') => void;
  isSaving: boolean;
  submit: () => void;
  /** Discards the unsaved values. */
  discard: () => void;
}

export function useWorkUnitEditing(unit: PanelWorkUnit, state: ResourceFormState<typeof workUnits>): WorkUnitEditing {
  const client = useQueryClient();
  const [conflict, setConflict] = useState(false);
  const { update } = useWorkUnitSave();
  const { form } = state;
  const changed = state.names.filter((name) => form.formState.dirtyFields[name]);
  const collisions = changed.length > 0 ? collisionsOf(changed, state.base(), form.getValues(), unit) : [];
  useUnsavedGuard(state.isDirty, 'workUnitId', state.dropDraft);

  const submit = form.handleSubmit(async (values) => {
    const operations = patchOf(state.base(), values, changed);
    if (operations.length === 0) return;
    try {
      await update.mutateAsync({ id: unit.workUnitId, operations });
      setConflict(false);
      // Values that were typed while the request ran are still unsaved.
      state.rebase(Object.fromEntries(changed.map((name) => [name, values[name]])));
      tellOfRow(unit, workUnitTexts.saved);
    } catch (error) {
      setConflict(isConflict(error));
      // Refetches the unit, because collisions are determined by comparison with its present values.
      if (isConflict(error)) void client.invalidateQueries({ queryKey: [workUnits.name] });
      showFieldErrors(state, error);
      toastFailure(error, saveFailureText(error));
    }
  });

  const choose = ({ name, theirs }: Collision, whose: 'mine' | 'theirs') => {
    if (whose === 'theirs') form.setValue(name, theirs ?? null, { shouldDirty: true, shouldValidate: true });
    state.rebase({ [name]: theirs ?? null });
    if (collisions.length <= 1) setConflict(false);
  };

  return {
    changed,
    conflict,
    collisions,
    choose,
    isSaving: update.isPending,
    submit: () => void submit(),
    discard: () => {
      setConflict(false);
      state.restart();
    },
  };
}
