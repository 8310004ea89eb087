import { deviceOperations as resource } from '@cloudfit/contract/resources/device-operations.ts';
import { operationLogList } from '@cloudfit/contract/calls.ts';
import { operationTexts } from '@cloudfit/contract/messages/device-operations.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { Button } from '../../components/button.tsx';
import { CopyId } from '../../components/chips.tsx';
import { SidePanel } from '../../components/side-panel.tsx';
import { LogList } from '../../entities/logs/log-list.tsx';
import { MissingRow } from '../../rows/missing-row.tsx';
import { useRow } from '../../rows/use-rows.ts';
import { isLogging, useLatestRuns, type DeviceOperation } from './use-device-operations.ts';
import { labelOf } from '../../rows/row.ts';

const t = operationTexts.logsPanel;

export interface OfOperationProps {
  id: string;
  /** The row that the list has already loaded. */
  listed: DeviceOperation | undefined;
  onClose: () => void;
}

function OperationLog({ id, deviceId }: Pick<DeviceOperation, 'deviceId'> & { id: string }) {
  const runs = useLatestRuns(deviceId);
  return <LogList of={operationLogList} id={id} noneText={t.noneText} isGrowing={() => isLogging(runs.data?.get(id))} />;
}

/** The log of one operation, followed while it runs. */
export function OperationLogsPanel({ id, listed, onClose }: OfOperationProps) {
  const { data, error, refetch } = useRow(resource, id, { listed });
  if (!data) return <MissingRow label={resource.label} error={error} onRetry={() => void refetch()} onClose={onClose} />;
  return (
    <SidePanel
      title={t.titleOf(data.label)}
      onClose={onClose}
      meta={<CopyId id={id} label={labelOf(resource)} />}
      footer={<Button onClick={onClose}>{en.common.close}</Button>}
    >
      <div className="body">
        <OperationLog id={id} deviceId={data.deviceId} />
      </div>
    </SidePanel>
  );
}
