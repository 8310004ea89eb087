import type { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { workUnitTexts } from '@cloudfit/contract/messages/work-unit.en.ts';
import { workUnitPanelTexts } from '@cloudfit/contract/messages/work-unit-panel.en.ts';
import { usePersonName } from '../../../api/people-names.ts';
import { Button } from '../../../components/button.tsx';
import { RelativeTime } from '../../../components/relative-time.tsx';
import type { ResourceFormState } from '../../../forms/use-resource-form.ts';
import type { WorkUnitEditing } from './use-work-unit-editing.ts';
import type { PanelWorkUnit } from '../work-unit.rules.ts';

const t = en.workUnits;

interface FooterProps {
  unit: PanelWorkUnit;
  state: ResourceFormState<typeof workUnits>;
  editing: WorkUnitEditing;
  onClose: () => void;
}

/** The panel's buttons, and its faults, unsaved changes or time of the last save. */
export function WorkUnitFooter({ unit, state, editing, onClose }: FooterProps) {
  const nameOf = usePersonName();
  const { readOnly, isDirty } = state;
  const faults = Object.keys(state.form.formState.errors).length;
  return (
    <>
      {!readOnly && (
        <Button look="primary" type="submit" form={state.id} disabled={editing.isSaving || !isDirty}>
          {editing.isSaving ? en.common.saving : en.common.save}
        </Button>
      )}
      {isDirty ? <Button onClick={editing.discard}>{en.common.discard}</Button> : <Button onClick={onClose}>{en.common.close}</Button>}
      <span className="grow" />
      <span className={faults > 0 ? 'saved-line danger' : 'faint saved-line'}>
        {faults > 0 ? (
          workUnitPanelTexts.attention(faults)
        ) : isDirty ? (
          workUnitTexts.changes(editing.changed.length)
        ) : (
          <>
            {t.savedAt('')}
            <RelativeTime value={unit.modified} /> <span title={unit.modifiedBy}>{workUnitTexts.modifiedBy(nameOf(unit.modifiedBy))}</span>
          </>
        )}
      </span>
      {!readOnly && (
        <kbd className="only-wide" aria-hidden>
          {workUnitPanelTexts.saveKeys}
        </kbd>
      )}
    </>
  );
}
