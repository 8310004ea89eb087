/** Copies operations of a device to another device. */
import { useId, useState, type SyntheticEvent } from 'react';
import { cloneOperations } from '@cloudfit/contract/calls.ts';
import { operationTexts } from '@cloudfit/contract/messages/device-operations.en.ts';
import { deviceOperations as resource } from '@cloudfit/contract/resources/device-operations.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { call } from '../../api/call.ts';
import { failureText, RequestFailed } from '../../api/client.ts';
import { refresh } from '../../calls/command.ts';
import { Button } from '../../components/button.tsx';
import { Chip } from '../../components/chips.tsx';
import { DataTable } from '../../components/table/data-table.tsx';
import { SidePanel } from '../../components/side-panel.tsx';
import { EmptyState, ErrorNotice, ErrorState } from '../../components/states.tsx';
import type { TableColumn } from '../../components/table/table-column.ts';
import { tellOfRow } from '../../hooks/tell-of-row.ts';
import { toastFailure } from '../../hooks/toast-failure.ts';
import { selectedKeys } from '../../hooks/use-selection.ts';
import { useUnsavedGuard } from '../../hooks/use-unsaved-guard.ts';
import { TargetInput, type CloneTarget } from './target-input.tsx';
import { useDeviceOperations, type DeviceOperation } from './use-device-operations.ts';
import { overParam, useOperationPanels } from './use-operation-panels.ts';
import type { RowSelection } from '../../components/table/table-state.ts';

const t = operationTexts.clonePanel;
const { columns: names } = operationTexts;

const columns: readonly TableColumn<DeviceOperation>[] = [
  { id: 'label', header: names.label, width: 150, grow: true, tone: 'strong', cell: (row) => row.label },
  {
    id: 'operation',
    header: names.operation,
    width: 130,
    tone: 'soft',
    below: 'sm',
    cell: (row) => row.operation?.name ?? row.packageName,
  },
  {
    id: 'enabled',
    header: names.enabled,
    width: 84,
    cell: (row) => (
      <Chip tone={row.enabled ? 'ok' : 'plain'} dot>
        {row.enabled ? en.common.yesValue : en.common.noValue}
      </Chip>
    ),
  },
];

interface ClonePanelProps {
  device: { deviceId: string; name: string; tenantId: string };
  onClose: () => void;
}

export function ClonePanel({ device, onClose }: ClonePanelProps) {
  const id = useId();
  const panels = useOperationPanels();
  const list = useDeviceOperations(device.deviceId, { withDisabled: true });
  const [target, setTarget] = useState<CloneTarget | null>(null);
  const [picked, setPicked] = useState<RowSelection>({});
  const [isTried, setTried] = useState(false);
  const [isRunning, setRunning] = useState(false);
  const [refused, setRefused] = useState<{ target?: string | undefined; operations?: string | undefined }>({});
  const rows = list.data?.rows ?? [];
  const chosen = selectedKeys(picked).filter((key) => rows.some((row) => row.deviceOperationId === key));
  const problems = {
    target: isTried && !target ? t.targetRequired : refused.target,
    operations: isTried && chosen.length === 0 ? t.operationsRequired : refused.operations,
  };
  useUnsavedGuard(target !== null || chosen.length > 0, overParam.clone);

  const clone = async (event: SyntheticEvent) => {
    event.preventDefault();
    setTried(true);
    setRefused({});
    if (!target) return document.getElementById(`${id}-target`)?.querySelector('input')?.focus();
    if (chosen.length === 0 || isRunning) return;
    setRunning(true);
    try {
      const input = { fromDeviceId: device.deviceId, toDeviceId: target.deviceId, deviceOperationIdsToClone: chosen.join(',') };
      const { message } = await call(cloneOperations, input);
      tellOfRow(target, message);
      panels.saved();
      await refresh([resource.name]);
    } catch (error) {
      toastFailure(error);
      const of = (name: string) =>
        error instanceof RequestFailed ? error.details.find((detail) => detail.target?.startsWith(name))?.message : undefined;
      setRefused({ target: of('toDeviceId'), operations: of('deviceOperationIdsToClone') });
      setRunning(false);
    }
  };

  return (
    <SidePanel
      title={t.titleOf(device.name)}
      onClose={onClose}
      footer={
        <>
          <Button look="primary" type="submit" form={id} disabled={isRunning}>
            {isRunning ? t.running : t.submit}
          </Button>
          <Button onClick={onClose}>{en.common.cancel}</Button>
          <span className="grow" />
          {chosen.length > 0 && <span className="faint">{en.common.selected(chosen.length)}</span>}
        </>
      }
    >
      <form id={id} className="body" noValidate onSubmit={(event) => void clone(event)}>
        <div id={`${id}-target`} className="clone-target">
          <TargetInput device={device} value={target} onChange={setTarget} error={problems.target} />
        </div>
        <section className="form-section" aria-label={t.operations}>
          <h3>{t.operations}</h3>
          <ErrorNotice text={problems.operations} />
          {list.error && !list.data ? (
            <ErrorState title={operationTexts.failed} text={failureText(list.error)} onRetry={() => void list.refetch()} />
          ) : list.data && rows.length === 0 ? (
            <EmptyState small title={t.none} text={operationTexts.noneText} />
          ) : (
            <div className="operations-grid">
              <DataTable
                label={t.operations}
                columns={columns}
                rows={rows}
                rowKey={(row) => row.deviceOperationId}
                rowName={(row) => row.label}
                selection={{ value: picked, onChange: setPicked, locked: isRunning }}
                skeletonRows={list.data ? 0 : 4}
              />
            </div>
          )}
        </section>
      </form>
    </SidePanel>
  );
}
