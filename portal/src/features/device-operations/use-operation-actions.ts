/** The actions in the row of an operation. Each shows a message about its result. */
import { dequeue, enqueue } from '@cloudfit/contract/calls.ts';
import { operationTexts as t } from '@cloudfit/contract/messages/device-operations.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { deviceOperations as resource } from '@cloudfit/contract/resources/device-operations.ts';
import { call } from '../../api/call.ts';
import { changeRow, removeRow } from '../../api/row-calls.ts';
import { command } from '../../calls/command.ts';
import type { DeviceOperation } from './use-device-operations.ts';

type Queued = Pick<DeviceOperation, 'deviceOperationId'>;

const refreshes = [resource.name];

const setEnabled = (enabled: boolean) =>
  command(({ deviceOperationId }: Queued) => changeRow(resource, deviceOperationId, { enabled }), {
    done: () => (enabled ? t.updated : t.disabled),
    refreshes,
  });

/** What a button of the row does. */
export const operationActions = {
  enable: setEnabled(true),
  disable: setEnabled(false),
  enqueue: command(({ deviceOperationId: id }: Queued) => call(enqueue, { id }), { done: () => t.enqueued, refreshes }),
  dequeue: command(({ deviceOperationId: id }: Queued) => call(dequeue, { id }), { done: () => t.dequeued, refreshes }),
  remove: command((row: DeviceOperation) => removeRow(resource, row.deviceOperationId), {
    confirm: () => ({ title: t.remove, text: t.removeQuestion, yes: en.common.delete, danger: true }),
    done: (_answer, row) => en.form.deleted(row.label),
    refreshes,
  }),
};
