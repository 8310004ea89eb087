import { useMemo } from 'react';
import { useSearchParams } from 'react-router';
import { massEditTexts as t } from '@cloudfit/contract/messages/mass-edit.en.ts';
import { workUnits } from '@cloudfit/contract/resources/work-units.ts';
import { failureText } from '../../api/client.ts';
import { usePermissions, useMay } from '../../api/lookups.ts';
import { SidePanel } from '../../components/side-panel.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../components/states.tsx';
import { clearSelection } from '../../hooks/use-selection.ts';
import { useAddress } from '../../hooks/use-address.ts';
import { MassEditEditor } from './mass-edit-editor.tsx';
import { massEditParam, printIds, readIds } from '../../entities/work-units/selected-ids.ts';
import { useUnits } from './use-units.ts';
import './mass-edit.css';

/** Edits the work units in the address. */
export function MassEditPanel() {
  const [params] = useSearchParams();
  const setAddress = useAddress();
  const text = params.get(massEditParam) ?? '';
  const ids = useMemo(() => readIds(text), [text]);
  const { data: loaded, error, refetch, keepOnly } = useUnits(ids);
  const permissions = usePermissions();
  const isAllowed = useMay()('WorkUnits', 'edit');
  const close = ({ saved = false }: { saved?: boolean } = {}) => {
    if (saved) clearSelection(workUnits.name);
    setAddress(
      (next) => {
        next.delete(massEditParam);
        return undefined;
      },
      { saved, now: true },
    );
  };
  const keep = (ids: readonly number[]) => {
    keepOnly(ids);
    setAddress(
      (next) => {
        next.set(massEditParam, printIds(ids));
        return undefined;
      },
      { replace: true, saved: true },
    );
  };
  if (loaded && isAllowed && loaded.length > 0)
    return (
      <MassEditEditor units={loaded} missing={ids.length - loaded.length} onKeep={keep} onRefresh={() => void refetch()} onClose={close} />
    );
  const isNothing = ids.length === 0 || loaded?.length === 0;
  return (
    <SidePanel title={t.title} onClose={close}>
      <div className="body">
        {permissions.data && !isAllowed ? (
          <EmptyState icon="lock" title={t.noRight} />
        ) : isNothing ? (
          <EmptyState title={t.none} text={t.noneText} />
        ) : error ? (
          <ErrorState title={t.failedToLoad} text={failureText(error)} onRetry={() => void refetch()} />
        ) : (
          <Skeleton width="60%" />
        )}
      </div>
    </SidePanel>
  );
}
