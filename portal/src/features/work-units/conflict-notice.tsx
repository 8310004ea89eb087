import { en } from '@cloudfit/contract/messages/en.ts';
import { Button } from '../../components/button.tsx';
import type { WorkUnitEditing } from './use-work-unit-editing.ts';

/** Says above the form that somebody else changed the same field, and what to do. */
export function ConflictNotice({ editing }: { editing: WorkUnitEditing }) {
  if (!editing.conflict) return null;
  return (
    <div className="notice error" role="alert">
      <span className="grow">{en.workUnits.conflict}</span>
      <Button small onClick={editing.discard}>
        {en.workUnits.discardAndRefresh}
      </Button>
    </div>
  );
}
