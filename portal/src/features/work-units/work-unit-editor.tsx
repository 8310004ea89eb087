import { useState } from 'react';
import { createPortal } from 'react-dom';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import type { Resource } from '@cloudfit/contract/resource.ts';
import { useMay } from '../../api/lookups.ts';
import { Button } from '../../components/button.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { toast } from '../../components/toasts.tsx';
import { FormFields } from '../../resource/resource-form.tsx';
import { showFieldErrors, useResourceForm } from '../../resource/use-resource-form.ts';
import { useUnsavedGuard } from '../../resource/use-unsaved-guard.ts';
import { Cause } from './cause.tsx';
import { Feed } from './feed.tsx';
import { useAcknowledge, useWorkUnitSave } from './use-work-unit.ts';
import { isConflict, patchOf, personName, saveFailureText, type WorkUnit } from './work-unit.rules.ts';
import { workUnitLayout } from './work-unit-form.ts';

const t = en.workUnits;

interface EditorProps {
  unit: WorkUnit;
  footer: HTMLElement | null;
  onClose: () => void;
}

export function WorkUnitEditor({ unit, footer, onClose }: EditorProps) {
  const readOnly = !useMay()('WorkUnits', 'edit');
  const [conflict, setConflict] = useState(false);
  const acknowledge = useAcknowledge();
  const { update } = useWorkUnitSave();
  const [type, setType] = useState(unit.workUnitTypeId);
  const state = useResourceForm({
    resource: workUnits as unknown as Resource,
    mode: 'edit',
    row: unit,
    layout: workUnitLayout(type),
    readOnly,
  });
  const { form } = state;
  const watched = Number(form.watch('workUnitTypeId'));
  if (watched && watched !== type) setType(watched);
  const changed = state.names.filter((name) => form.formState.dirtyFields[name]);
  useUnsavedGuard(state.isDirty, 'workUnitId');

  const submit = form.handleSubmit(async (values) => {
    const operations = patchOf(state.base(), values, changed);
    if (operations.length === 0) return;
    try {
      await update.mutateAsync({ id: unit.workUnitId, operations });
      setConflict(false);
      form.reset({ ...state.base(), ...values });
      toast.success(t.saved);
    } catch (error) {
      setConflict(isConflict(error));
      showFieldErrors(form, state.names, error);
      toast.error(saveFailureText(error));
    }
  });
  const discard = () => {
    setConflict(false);
    state.restart();
  };

  return (
    <>
      <form
        id={state.id}
        noValidate
        onSubmit={(event) => void submit(event)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void submit();
        }}
      >
        {conflict && (
          <div className="notice error" role="alert">
            <span className="grow">{t.conflict}</span>
            <Button small onClick={discard}>
              {t.discardAndRefresh}
            </Button>
          </div>
        )}
        <Cause unit={unit} />
        <FormFields state={state} />
      </form>
      <Feed unit={unit} />
      {footer &&
        createPortal(
          <>
            {!readOnly && (
              <Button look="primary" type="submit" form={state.id} disabled={update.isPending || !state.isDirty}>
                {update.isPending ? en.common.saving : en.common.save}
              </Button>
            )}
            {state.isDirty ? <Button onClick={discard}>{en.common.discard}</Button> : <Button onClick={onClose}>{en.common.close}</Button>}
            {!readOnly && unit.stateId === 'New' && !state.isDirty && (
              <Button icon="check" onClick={() => void acknowledge(unit)}>
                {t.acknowledge}
              </Button>
            )}
            <span className="grow" />
            <span className="faint saved-line">
              {state.isDirty ? (
                t.changes(changed.length)
              ) : (
                <>
                  {t.savedAt('')}
                  <RelativeTime value={unit.modified} /> <span title={unit.modifiedBy}>{t.modifiedBy(personName(unit.modifiedBy))}</span>
                </>
              )}
            </span>
            {!readOnly && (
              <kbd className="only-wide" aria-hidden>
                Ctrl ↵
              </kbd>
            )}
          </>,
          footer,
        )}
    </>
  );
}
