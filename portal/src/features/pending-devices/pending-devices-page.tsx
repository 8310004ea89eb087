/** Machines that wait to become devices: ticked, then promoted or deleted together. */
import { useSearchParams } from 'react-router';
import { limits } from '@cloudfit/contract/limits.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { pendingTexts as t } from '@cloudfit/contract/messages/pending-devices.en.ts';
import { addDevicesTexts } from '@cloudfit/contract/messages/add-devices.en.ts';
import { Button } from '../../components/button.tsx';
import { onDemand } from '../../components/on-demand.tsx';
import { pendingDevices } from '@cloudfit/contract/resources/pending-devices.ts';
import { useMay } from '../../api/lookups.ts';
import { useScope } from '../../rows/use-scope.ts';
import { listAddress, type ListState } from '../../filters/list-state.ts';
import { useListState, type ChangeList } from '../../filters/use-list-state.ts';
import { useInterval } from '../../hooks/use-interval.ts';
import { usePanelParams } from '../../hooks/use-panel-params.ts';
import { usePanel } from '../../hooks/use-panel.ts';
import { selectedKeys, useSelection } from '../../hooks/use-selection.ts';
import { ListGrid } from '../../resource/list-grid.tsx';
import { ListPager } from '../../resource/list-pager.tsx';
import { ListPanel } from '../../resource/list-panel.tsx';
import { ListToolbar } from '../../resource/list-toolbar.tsx';
import { SelectionLine } from '../../resource/selection-line.tsx';
import { useListScreen } from '../../resource/use-list-screen.ts';
import { usePanelOpening } from '../../resource/use-opening.ts';
import '../../resource/list-page.css';
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

function InactiveToggle({ state, change }: { state: ListState; change: ChangeList }) {
  const hides = state.quick.includes(activeFlag);
  return (
    <Button title={t.toggleHint} onClick={() => change({ quick: hides ? [] : [activeFlag] })}>
      {hides ? t.showInactive : t.hideInactive}
    </Button>
  );
}

/** Poll interval in milliseconds, as of the list of devices (LIM-009). Live changes do not announce pings. */
const pingPollMs = 30_000;

const panels = ['add'] as const;
const { Component: AddDevicesPanel } = onDemand(() => import('./add-devices-panel.tsx').then((module) => module.AddDevicesPanel));

const address = listAddress(pendingDevicesView);

export function PendingDevicesPage() {
  const batch = usePendingBatch();
  const panel = usePanel();
  const may = useMay();
  const { tenantId } = useScope();
  const [params] = useSearchParams();
  const { open, close } = usePanelParams(panels);
  const mayAdd = tenantId !== null && may('Tokens', 'create') && may(pendingDevices.area, 'create');
  const screen = useListScreen(pendingDevicesView, useListState(address));
  const opening = usePanelOpening(pendingDevicesView, panel);
  const [selection, setSelection] = useSelection(pendingDevices.name);
  const { state, change, list, rows } = screen;
  const opened = panel.id ? rows.find((device) => device.pendingDeviceId === panel.id) : undefined;
  useInterval(() => void list.refetch(), panel.id || list.error ? null : pingPollMs);
  return (
    <div className="page">
      <ListToolbar
        screen={screen}
        open={panel.open}
        bar={
          <>
            {mayAdd && (
              <Button icon="plus" onClick={() => open('add', 'new')}>
                {addDevicesTexts.title}
              </Button>
            )}
            <InactiveToggle state={state} change={change} />
            <span className="row" data-acts>
              <BatchButtons selected={selectedKeys(selection)} batch={batch} />
            </span>
          </>
        }
      />
      <div className="page-middle">
        <ListGrid
          screen={screen}
          opening={opening}
          opened={opened}
          selection={{ value: selection, onChange: setSelection, locked: batch.isPromoting }}
        />
      </div>
      <ListPager screen={screen}>
        <SelectionLine screen={screen} selection={selection} locked={batch.isPromoting} onChange={setSelection} />
      </ListPager>
      {mayAdd && params.has('add') && <AddDevicesPanel tenantId={tenantId} onClose={close} />}
      <ListPanel view={pendingDevicesView} panel={panel} row={opened} />
    </div>
  );
}
