/** The panel for a call: `intake=new` in the address, or the index of a draft. */
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { en } from '@cloudfit/contract/messages/en.ts';
import { intakeTexts as t } from '@cloudfit/contract/messages/intake.en.ts';
import { useCurrentUser, usePermissions, useMay } from '../../api/lookups.ts';
import { Button } from '../../components/button.tsx';
import { SidePanel } from '../../components/side-panel.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../components/states.tsx';
import { newId, usePanel } from '../../hooks/use-panel.ts';
import { draftsOf, type IntakeDraft } from './drafts.ts';
import { IntakeEditor } from './intake-editor.tsx';

type StartingPoint = IntakeDraft | 'new' | 'gone' | 'invalid';

function find(personId: string, id: string): StartingPoint {
  if (id === newId) return 'new';
  try {
    return draftsOf(personId).read(/^\d+$/.test(id) ? Number(id) : Number.NaN) ?? 'gone';
  } catch {
    return 'invalid';
  }
}

/** Shows a new call, or the draft that the address named when the panel opened. */
function Opened({ id, personId, onClose }: { id: string; personId: string; onClose: () => void }) {
  const [startingPoint] = useState(() => find(personId, id));
  const { open } = usePanel('intake');
  if (startingPoint === 'new') return <IntakeEditor drafts={draftsOf(personId)} draft={undefined} onClose={onClose} />;
  if (typeof startingPoint === 'object') return <IntakeEditor drafts={draftsOf(personId)} draft={startingPoint} onClose={onClose} />;
  return (
    <SidePanel title={t.title} onClose={onClose}>
      <div className="body">
        {startingPoint === 'invalid' ? (
          <ErrorState title={t.invalidIndex} text={t.invalidIndexText} />
        ) : (
          <EmptyState title={t.draftNotFound} text={t.draftNotFoundText}>
            <Button onClick={() => open(newId)}>{t.newIntake}</Button>
          </EmptyState>
        )}
      </div>
    </SidePanel>
  );
}

export function IntakePanel() {
  const [params] = useSearchParams();
  const { close } = usePanel('intake');
  const { data: user } = useCurrentUser();
  const { data: permissions } = usePermissions();
  const may = useMay();
  const id = params.get('intake');
  if (id === null) return null;
  const onClose = () => close();
  if (user && permissions && may('WorkUnits', 'create')) return <Opened key={id} id={id} personId={user.personId} onClose={onClose} />;
  return (
    <SidePanel title={t.title} onClose={onClose}>
      <div className="body">
        {user && permissions ? <EmptyState icon="lock" title={en.auth.deniedTitle} text={en.auth.deniedText} /> : <Skeleton width="60%" />}
      </div>
    </SidePanel>
  );
}
