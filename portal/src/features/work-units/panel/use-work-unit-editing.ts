/** Saving what was typed into an existing unit: only what changed, and what happens when somebody else was faster. */
import { useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { workUnitTexts } from '@cloudfit/contract/messages/work-unit.en.ts';
import { toast } from '../../../components/toasts.tsx';
import { toastFailure } from '../../../hooks/toast-failure.ts';
import { showFieldErrors, type ResourceFormState } from '../../../forms/use-resource-form.ts';
import { useUnsavedGuard } from '../../../hooks/use-unsaved-guard.ts';
import { collisionsOf, type Collision } from './collisions.ts';
import { useUnitDraft, type RestoredDraft } from '../drafts/use-unit-draft.ts';
import { useWorkUnitSave } from './use-work-unit.ts';
import { isConflict, patchOf, saveFailureText, type WorkUnit } from '../work-unit.rules.ts';

export interface WorkUnitEditing {
  /** Names of the fields that differ from what is saved. */
  changed: readonly string[];
  /** A save was refused because somebody else was faster. */
  conflict: boolean;
  collisions: readonly Collision[];
  /** Somebody else's value stays, or one's own is saved over it. */
  choose: (collision: Collision, whose: 'mine' | 'theirs') => void;
  /** What was typed before the session ended or the page was loaded anew. */
  restored: RestoredDraft | undefined;
  isSaving: boolean;
  submit: () => void;
  /** Throws away what was typed. */
  discard: () => void;
}

export function useWorkUnitEditing(unit: WorkUnit, state: ResourceFormState): WorkUnitEditing {
  const client = useQueryClient();
  const [conflict, setConflict] = useState(false);
  const { update } = useWorkUnitSave();
  const { form } = state;
  const draft = useUnitDraft(unit, state);
  const changed = state.names.filter((name) => form.formState.dirtyFields[name]);
  const collisions = changed.length > 0 ? collisionsOf(changed, state.base(), form.getValues(), unit) : [];
  useUnsavedGuard(state.isDirty, 'workUnitId', draft.drop);

  const submit = form.handleSubmit(async (values) => {
    const operations = patchOf(state.base(), values, changed);
    if (operations.length === 0) return;
    try {
      await update.mutateAsync({ id: unit.workUnitId, operations });
      setConflict(false);
      // What was typed while the answer was under way is not saved yet.
      state.rebase(Object.fromEntries(changed.map((name) => [name, values[name]])));
      toast.success(workUnitTexts.saved);
    } catch (error) {
      setConflict(isConflict(error));
      // What collides is seen only in the unit as it is now.
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
    restored: draft.restored,
    isSaving: update.isPending,
    submit: () => void submit(),
    discard: () => {
      setConflict(false);
      draft.drop();
      state.restart();
    },
  };
}
