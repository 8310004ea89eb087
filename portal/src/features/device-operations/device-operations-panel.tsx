/** The operations of one device: settings, latest values and actions; as a panel of their own, or as a tab of the device. */
import { operationTexts as t } from '@cloudfit/contract/messages/device-operations.en.ts';
import { deviceOperations as resource } from '@cloudfit/contract/resources/device-operations.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { runOperations } from '@cloudfit/contract/permissions.ts';
import { devices } from '@cloudfit/contract/resources/devices.ts';
import { useMarks } from '../../api/live.ts';
import { useHas, useMay } from '../../api/lookups.ts';
import { Button } from '../../components/button.tsx';
import { CopyId } from '../../components/chips.tsx';
import { DataTable } from '../../components/table/data-table.tsx';
import { SidePanel } from '../../components/side-panel.tsx';
import { EmptyState } from '../../components/states.tsx';
import { Checkbox } from '../../components/fields/checkbox.tsx';
import { useRow } from '../../rows/use-rows.ts';
import { deviceOperationColumns } from './device-operation-columns.tsx';
import { OverOperations } from './over-operations.tsx';
import { packetInfoOf, shownOf, useDeviceOperations, useLatestRuns, usePacketsOf } from './use-device-operations.ts';
import { useOperationPanels } from './use-operation-panels.ts';
import { LoadFailure } from '../../rows/load-failure.tsx';
import './device-operations.css';

/** The list of a device's operations, and the panels over it. */
export function DeviceOperations({ deviceId }: { deviceId: string }) {
  const may = useMay();
  const mayRun = useHas(runOperations);
  const panels = useOperationPanels();
  const isMarked = useMarks(resource.name);
  const device = useRow(devices, deviceId);
  const list = useDeviceOperations(deviceId, { withDisabled: panels.showsDisabled });
  const rows = list.data?.rows ?? [];
  const packets = usePacketsOf(rows.map((row) => row.deviceOperationId));
  const latest = useLatestRuns(deviceId);
  const error = device.error ?? list.error;
  const refetch = () => Promise.all([device.refetch(), list.refetch()]);
  const mayCreate = may(resource.area, 'create') && device.data !== undefined;

  const columns = deviceOperationColumns({
    packetOf: (row) => shownOf(packetInfoOf(packets.data?.get(row.deviceOperationId)), latest.data?.get(row.deviceOperationId)),
    runOf: (row) => latest.data?.get(row.deviceOperationId),
    rights: {
      edit: may(resource.area, 'edit'),
      run: mayRun || may(resource.area, 'edit'),
      remove: may(resource.area, 'delete'),
      packets: may('Packets', 'view'),
    },
    configure: (row) => panels.open('edit', row.deviceOperationId),
    showRuns: (row) => panels.open('runs', row.deviceOperationId),
    showLogs: (row) => panels.open('logs', row.deviceOperationId),
    showPackets: (row) => panels.open('packets', row.deviceOperationId),
  });

  return (
    <>
      <div className="operations-bar">
        <Checkbox label={t.showDisabled} checked={panels.showsDisabled} onChange={(checked) => panels.showDisabled(checked)} />
        <span className="grow" />
        {mayCreate && (
          <>
            <Button icon="copy" onClick={() => panels.open('clone', 'open')}>
              {t.clone}
            </Button>
            <Button look="primary" icon="plus" onClick={() => panels.open('add', 'list')}>
              {en.grid.create}
            </Button>
          </>
        )}
      </div>
      {error && !list.data ? (
        <LoadFailure query={{ error, refetch }} failed={t.failed} missing={t.notFound} />
      ) : list.data && rows.length === 0 ? (
        <EmptyState
          icon="actions"
          title={panels.showsDisabled ? t.none : t.noneEnabled}
          text={panels.showsDisabled ? t.noneText : t.noneEnabledText}
        />
      ) : (
        <div className="operations-grid all">
          <DataTable
            label={t.title}
            columns={columns}
            rows={rows}
            rowKey={(row) => row.deviceOperationId}
            rowName={(row) => row.label}
            openKey={panels.shown('edit') ?? panels.shown('runs') ?? panels.shown('logs') ?? panels.shown('packets') ?? undefined}
            onOpen={(row) => panels.open('edit', row.deviceOperationId)}
            isMarked={isMarked}
            skeletonRows={list.data ? 0 : 4}
          />
        </div>
      )}
      {device.data && <OverOperations device={device.data} rows={rows} />}
    </>
  );
}

export function DeviceOperationsPanel({ deviceId }: { deviceId: string }) {
  const panels = useOperationPanels();
  const device = useRow(devices, deviceId);
  return (
    <SidePanel
      wide
      title={device.data ? t.titleOf(device.data.name) : t.title}
      onClose={() => panels.close()}
      meta={<CopyId id={deviceId} label={devices.fields.deviceId.label} />}
      footer={<Button onClick={() => panels.close()}>{en.common.close}</Button>}
    >
      <div className="body">
        <DeviceOperations deviceId={deviceId} />
      </div>
    </SidePanel>
  );
}
