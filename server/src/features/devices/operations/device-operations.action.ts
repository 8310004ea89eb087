/** The calls on operations of devices: requests and reports of runs, logs, copies. */
import { randomUUID } from 'node:crypto';
import { sql } from '../../../db/sql.ts';
import {
  cloneOperations,
  dequeue,
  dequeueByGet,
  enqueue,
  enqueueByGet,
  latestRunList,
  operationLogList,
} from '@cloudfit/contract/actions/device-operations.ts';
import { sendAgentRuns } from '@cloudfit/contract/actions/agent.ts';
import { frequencyType } from '@cloudfit/contract/enums.ts';
import type { RowInput } from '@cloudfit/contract/resource.ts';
import { deviceOperations, queuedRunHours } from '@cloudfit/contract/resources/device-operations.ts';
import { ApiError, validationFailed } from '@cloudfit/contract/errors.ts';
import { permission, runOperations } from '@cloudfit/contract/permissions.ts';
import { inTransaction, may, type Ctx } from '../../../context/ctx.ts';
import { implement, implementList, type ImplementedAction } from '../../../resources/action.ts';
import { create } from '../../../resources/create.ts';
import { get } from '../../../resources/get.ts';
import { setFields } from '../../../resources/update.ts';
import { servedDevices } from '../devices.served.ts';
import { logDevice } from '../log.served.ts';
import { storeAgentRuns } from './store-runs.ts';
import { servedDeviceOperations, type DeviceOperationRow } from './device-operations.served.ts';
import { servedOf } from '../../../resources/served.ts';

/** Whether a run is requested and has not ended (OPR-032). */
function isQueued(operation: DeviceOperationRow): boolean {
  return !operation.operationComplete && operation.completionToken !== null;
}

/** The caller with the right to request runs of this operation, which people have who run operations without editing devices. */
async function asRunner(ctx: Ctx, id: string): Promise<Ctx> {
  const { tenantId } = await get(ctx, servedDeviceOperations, id);
  const edit = permission('Devices', 'edit');
  if (may(ctx, edit, tenantId) || !may(ctx, runOperations, tenantId)) return ctx;
  const here = new Set([...(ctx.permissions.get(tenantId) ?? []), edit]);
  return { ...ctx, permissions: new Map([...ctx.permissions, [tenantId, here]]) };
}

/** Requests a run, or withdraws the requested run. A repeated call changes nothing and returns the present row. */
export function setQueued(ctx: Ctx, id: string, queued: boolean): Promise<DeviceOperationRow> {
  return inTransaction(ctx, async (ctx) => {
    let changes = false;
    const row = await setFields(await asRunner(ctx, id), servedDeviceOperations, id, (before) => {
      if (before.frequencyTypeId !== frequencyType.onDemand)
        throw validationFailed([{ target: 'frequencyTypeId', message: 'Only an operation that runs on demand can be queued.' }]);
      if (queued && !before.enabled)
        throw validationFailed([{ target: 'enabled', message: 'The operation is disabled; enable it before you queue it.' }]);
      changes = isQueued(before) !== queued;
      if (!changes) return {};
      const until = new Date(ctx.now().getTime() + queuedRunHours * 3_600_000).toISOString();
      return { completionToken: queued ? randomUUID() : null, queuedUntil: queued ? until : null, operationComplete: false };
    });
    const detail = queued ? 'A run was requested.' : 'The requested run was withdrawn.';
    if (changes) await logDevice(ctx, { tenantId: row.tenantId, deviceId: row.deviceId, deviceOperationId: id, detail });
    return row;
  });
}

const logs = implementList(operationLogList, async (ctx, { id }, t) => {
  await get(ctx, servedDeviceOperations, id);
  return sql<boolean>`${sql.ref(`${t}.device_operation_id`)} = ${id}::uuid`;
});

const latestRuns = implementList(latestRunList, async (ctx, { id }, t) => {
  await get(ctx, servedDevices, id);
  return sql<boolean>`${sql.ref(`${t}.operation_run_id`)} in (select r.operation_run_id from device_operation o
    cross join lateral (select k.operation_run_id from operation_run k where k.device_operation_id = o.device_operation_id
      order by k.started desc, k.operation_run_id limit 1) r
    where o.device_id = ${id}::uuid and not o.is_deleted)`;
});

/** Returns the fields that people set. A copy has not run and is not queued. */
export function copyOf(source: DeviceOperationRow): RowInput<typeof deviceOperations> {
  const { operationId, label, referenceId, globalSettingId, enabled, frequencyTypeId, interval, parameters, isInteractive } = source;
  return { operationId, label, referenceId, globalSettingId, enabled, frequencyTypeId, interval, parameters, isInteractive };
}

const clone = implement(cloneOperations, (ctx, { fromDeviceId, toDeviceId, deviceOperationIdsToClone }) =>
  inTransaction(ctx, async (ctx) => {
    const value: DeviceOperationRow[] = [];
    await get(ctx, servedDevices, toDeviceId).catch((error: unknown) => {
      if (!(error instanceof ApiError) || error.code !== 'NotFound') throw error;
      throw validationFailed([{ target: 'toDeviceId', message: 'Device was not found.' }]);
    });
    for (const [index, id] of deviceOperationIdsToClone.entries()) {
      const source = await get(ctx, servedDeviceOperations, id);
      if (source.deviceId !== fromDeviceId)
        throw validationFailed([
          { target: `deviceOperationIdsToClone.${index}`, message: `${source.label} is not an operation of the source device.` },
        ]);
      value.push(
        await create(ctx, servedOf(deviceOperations), { ...copyOf(source), deviceId: toDeviceId }).catch((error: unknown) =>
          Promise.reject(named(error, source)),
        ),
      );
    }
    return { message: 'Device Operations Cloned Successfully.', value };
  }),
);

/** Returns the error with the names of the request: the device is `toDeviceId`, and the message names the operation. */
function named(error: unknown, source: DeviceOperationRow): unknown {
  if (!(error instanceof ApiError) || error.code !== 'ValidationFailed') return error;
  return validationFailed(
    error.details.map(({ target, message }) => ({
      target: target === 'deviceId' ? 'toDeviceId' : 'deviceOperationIdsToClone',
      message: target === 'deviceId' ? message : `${source.label}: ${message}`,
    })),
  );
}

export const deviceOperationActions: readonly ImplementedAction[] = [
  latestRuns,
  implement(sendAgentRuns, storeAgentRuns),
  implement(enqueueByGet, (ctx, { id }) => setQueued(ctx, id, true)),
  implement(enqueue, (ctx, { id }) => setQueued(ctx, id, true)),
  implement(dequeueByGet, (ctx, { id }) => setQueued(ctx, id, false)),
  implement(dequeue, (ctx, { id }) => setQueued(ctx, id, false)),
  logs,
  clone,
];
