/** Configures one operation of a device, or adds one from the catalog. */
import { deviceOperations as resource } from '@cloudfit/contract/resources/device-operations.ts';
import { operationTexts } from '@cloudfit/contract/messages/device-operations.en.ts';
import { MissingRow } from '../../rows/missing-row.tsx';
import { useRow } from '../../rows/use-rows.ts';
import { DeviceOperationForm, type DeviceOfForm } from './device-operation-form.tsx';
import { useOperationExpand, useOperation, type DeviceOperation } from './use-device-operations.ts';

interface PanelOfDeviceProps {
  id: string;
  device: DeviceOfForm;
  onClose: () => void;
}

/** `listed`: the row that the list has already loaded. */
export function EditOperationPanel({ id, listed, ...of }: PanelOfDeviceProps & { listed: DeviceOperation | undefined }) {
  const expand = useOperationExpand();
  const { data, error, refetch } = useRow(resource, id, { expand, listed });
  if (data) return <DeviceOperationForm {...of} row={data} operation={data.operation ?? undefined} />;
  return <MissingRow label={resource.label} error={error} onRetry={() => void refetch()} onClose={of.onClose} />;
}

/** `id`: the id of the operation that the package declares. */
export function CreateOperationPanel({ id, ...of }: PanelOfDeviceProps) {
  const { data, error, refetch } = useOperation(id, of.device);
  if (data) return <DeviceOperationForm {...of} row={undefined} operation={data} />;
  return <MissingRow label={operationTexts.form.create} error={error} onRetry={() => void refetch()} onClose={of.onClose} />;
}
