/** The form of an existing unit with its feed beneath; the buttons stand in the panel's footer. */
import { createPortal } from 'react-dom';
import { useMay } from '../../api/lookups.ts';
import { FormFields } from '../../resource/resource-form.tsx';
import { Cause } from './cause.tsx';
import { ConflictNotice } from './conflict-notice.tsx';
import { Feed } from './feed.tsx';
import { useUnitForm } from './use-unit-form.ts';
import { useWorkUnitEditing } from './use-work-unit-editing.ts';
import { WorkUnitFooter } from './work-unit-footer.tsx';
import type { WorkUnit } from './work-unit.rules.ts';

interface EditorProps {
  unit: WorkUnit;
  footer: HTMLElement | null;
  onClose: () => void;
}

export function WorkUnitEditor({ unit, footer, onClose }: EditorProps) {
  const readOnly = !useMay()('WorkUnits', 'edit');
  const state = useUnitForm({ unit, readOnly });
  const editing = useWorkUnitEditing(unit, state);
  return (
    <>
      <form
        id={state.id}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          editing.submit();
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) editing.submit();
        }}
      >
        <ConflictNotice editing={editing} />
        <Cause unit={unit} />
        <FormFields state={state} />
      </form>
      <Feed unit={unit} />
      {footer && createPortal(<WorkUnitFooter unit={unit} state={state} editing={editing} onClose={onClose} />, footer)}
    </>
  );
}
