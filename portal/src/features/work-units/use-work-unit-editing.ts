/** Saving what was typed into an existing unit: only what changed, and what happens when somebody else was faster. */
import { useState } from 'react';
import { en } from '@cloudfit/contract/messages/en.ts';
import { toast } from '../../components/toasts.tsx';
import { showFieldErrors, type ResourceFormState } from '../../resource/use-resource-form.ts';
import { useUnsavedGuard } from '../../resource/use-unsaved-guard.ts';
import { useWorkUnitSave } from './use-work-unit.ts';
import { isConflict, patchOf, saveFailureText, type WorkUnit } from './work-unit.rules.ts';

export interface WorkUnitEditing {
  /** Names of the fields that differ from what is saved. */
  changed: readonly string[];
  conflict: boolean;
  isSaving: boolean;
  submit: () => void;
  /** Throws away what was typed. */
  discard: () => void;
}

export function useWorkUnitEditing(unit: WorkUnit, state: ResourceFormState): WorkUnitEditing {
  const [conflict, setConflict] = useState(false);
  const { update } = useWorkUnitSave();
  const { form } = state;
  const changed = state.names.filter((name) => form.formState.dirtyFields[name]);
  useUnsavedGuard(state.isDirty, 'workUnitId');

  const submit = form.handleSubmit(async (values) => {
    const operations = patchOf(state.base(), values, changed);
    if (operations.length === 0) return;
    try {
      await update.mutateAsync({ id: unit.workUnitId, operations });
      setConflict(false);
      form.reset({ ...state.base(), ...values });
      toast.success(en.workUnits.saved);
    } catch (error) {
      setConflict(isConflict(error));
      showFieldErrors(form, state.names, error);
      toast.error(saveFailureText(error));
    }
  });

  return {
    changed,
    conflict,
    isSaving: update.isPending,
    submit: () => void submit(),
    discard: () => {
      setConflict(false);
      state.restart();
    },
  };
}
