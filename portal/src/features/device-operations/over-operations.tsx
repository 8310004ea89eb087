/** The panels that are open over a device's operations, from the address. */
import type { Row } from '@cloudfit/contract/resource.ts';
import type { devices } from '@cloudfit/contract/resources/devices.ts';
import { AddOperationPanel } from './add-operation-panel.tsx';
import { ClonePanel } from './clone-panel.tsx';
import { CreateOperationPanel, EditOperationPanel } from './device-operation-panel.tsx';
import { OperationLogsPanel } from './operation-logs-panel.tsx';
import { OperationRunsPanel } from './operation-runs-panel.tsx';
import { OperationPacketsPanel } from './operation-packets-panel.tsx';
import type { DeviceOperation } from './use-device-operations.ts';
import { useOperationPanels } from './use-operation-panels.ts';

export type Device = Row<typeof devices>;

/** `rows`: the loaded rows of the list, which panels show at once. */
export function OverOperations({ device, rows }: { device: Device; rows: readonly DeviceOperation[] }) {
  const { shown, open, leave } = useOperationPanels();
  const [edited, created, logged, reported, history] = [shown('edit'), shown('create'), shown('logs'), shown('packets'), shown('runs')];
  const listed = (id: string) => rows.find((row) => row.deviceOperationId === id);
  return (
    <>
      {shown('add') && <AddOperationPanel device={device} onAdd={(id) => open('create', id)} onClose={() => leave('add')} />}
      {created && <CreateOperationPanel key={created} id={created} device={device} onClose={() => leave('create')} />}
      {edited && <EditOperationPanel key={edited} id={edited} device={device} listed={listed(edited)} onClose={() => leave('edit')} />}
      {history && <OperationRunsPanel key={history} id={history} listed={listed(history)} onClose={() => leave('runs')} />}
      {logged && <OperationLogsPanel key={logged} id={logged} listed={listed(logged)} onClose={() => leave('logs')} />}
      {reported && <OperationPacketsPanel key={reported} id={reported} listed={listed(reported)} onClose={() => leave('packets')} />}
      {shown('clone') && <ClonePanel device={device} onClose={() => leave('clone')} />}
    </>
  );
}
