/** The actions in the row of an operation. Each shows a message about its result. */
import { deviceOperations as resource } from '@cloudfit/contract/resources/device-operations.ts';
import { useQueryClient } from '@tanstack/react-query';
import { operationTexts as t } from '@cloudfit/contract/messages/device-operations.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { callJson } from '../../api/client.ts';
import { confirm } from '../../components/overlay/confirm.tsx';
import { toast } from '../../components/toasts.tsx';
import { toastFailure } from '../../hooks/toast-failure.ts';
import { useRemove, useSave } from '../../rows/use-rows.ts';
import type { DeviceOperation } from './use-device-operations.ts';

/** Runs the action and shows the message `done`, or the server's message on failure. */
async function tell(done: string, work: () => Promise<unknown>) {
  try {
    await work();
    toast.success(done);
  } catch (error) {
    toastFailure(error);
  }
}

export function useOperationActions() {
  const client = useQueryClient();
  const save = useSave(resource);
  const removeRow = useRemove(resource);
  const enable = (row: DeviceOperation, enabled: boolean) =>
    tell(enabled ? t.updated : t.disabled, () => save.mutateAsync({ id: row.deviceOperationId, values: { enabled } }));
  const queue = (row: Pick<DeviceOperation, 'deviceOperationId'>, call: 'enqueueOnDemand' | 'dequeueOnDemand') =>
    tell(call === 'enqueueOnDemand' ? t.enqueued : t.dequeued, async () => {
      await callJson(`/v1/deviceOperations/${row.deviceOperationId}/${call}`, { method: 'POST', body: {} });
      await client.invalidateQueries({ queryKey: [resource.name] });
    });
  const remove = async (row: DeviceOperation) => {
    const { yes } = await confirm({ title: t.remove, text: t.removeQuestion, yes: en.common.delete, no: en.common.cancel, danger: true });
    if (yes) await tell(en.form.deleted(row.label), () => removeRow(row.deviceOperationId));
  };
  return {
    enable: (row: DeviceOperation) => void enable(row, true),
    disable: (row: DeviceOperation) => void enable(row, false),
    enqueue: (row: Pick<DeviceOperation, 'deviceOperationId'>) => void queue(row, 'enqueueOnDemand'),
    dequeue: (row: DeviceOperation) => void queue(row, 'dequeueOnDemand'),
    remove: (row: DeviceOperation) => void remove(row),
  };
}

export type OperationActions = ReturnType<typeof useOperationActions>;
