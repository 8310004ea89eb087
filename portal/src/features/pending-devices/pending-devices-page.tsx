/** Machines that wait to become devices: ticked, then promoted or deleted together. */
import { limits } from '@cloudfit/contract/limits.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { pendingTexts as t } from '@cloudfit/contract/messages/pending-devices.en.ts';
import { Button } from '../../components/button.tsx';
import { ListPage, type ListTools } from '../../resource/list-page.tsx';
import { activeFlag, pendingDevicesView } from './pending-devices.view.tsx';
import { usePendingBatch, type PendingBatch } from './use-pending-batch.ts';
import './pending-devices.css';

/** Actions on the selected rows: at least one and fewer than 25 (PEND-016..020). */
function BatchButtons({ selected, batch }: { selected: readonly string[]; batch: PendingBatch }) {
  const isTooMany = selected.length >= limits.pendingBatchBelow;
  const isOff = selected.length === 0 || isTooMany || batch.isBusy;
  return (
    <>
      <span role="status" className="too-many">
        {isTooMany && t.tooMany}
      </span>
      {batch.mayPromote && (
        <Button look="primary" disabled={isOff} onClick={() => void batch.promote(selected)}>
          {batch.isPromoting ? t.promoting : t.promote}
        </Button>
      )}
      {batch.mayDelete && (
        <Button look="danger" icon="trash" disabled={isOff} onClick={() => void batch.remove(selected)}>
          {en.common.delete}
        </Button>
      )}
    </>
  );
}

function InactiveToggle({ state, change }: Pick<ListTools, 'state' | 'change'>) {
  const hides = state.quick.includes(activeFlag);
  return (
    <Button title={t.toggleHint} onClick={() => change({ quick: hides ? [] : [activeFlag] })}>
      {hides ? t.showInactive : t.hideInactive}
    </Button>
  );
}

export function PendingDevicesPage() {
  const batch = usePendingBatch();
  return (
    <ListPage
      view={pendingDevicesView}
      selectable
      locked={batch.isPromoting}
      bar={({ state, change, selected }) => (
        <>
          <InactiveToggle state={state} change={change} />
          <BatchButtons selected={selected} batch={batch} />
        </>
      )}
    />
  );
}
