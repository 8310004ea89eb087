/** Operations that a policy sets on a device. */
import type { EffectiveItem, OperationTerms } from '@cloudfit/contract/policies/effective.ts';
import type { ParameterValue } from '@cloudfit/contract/packages/parameters.ts';
import type { Ctx } from '../../context/ctx.ts';
import { servedDeviceOperations } from '../../features/devices/operations/device-operations.served.ts';
import { create } from '../../resources/create.ts';
import { get } from '../../resources/get.ts';
import { remove } from '../../resources/remove.ts';
import { update } from '../../resources/update.ts';
import type { Applied, Device } from './applied.ts';
import type { DevicePolicy, StoredItem } from './policies-of-device.ts';

const present = `select device_operation_id as id from device_operation
where device_id = $1 and operation_id = $2 and not is_deleted and (device_operation_id = $4 or lower(label) = lower($3))
order by device_operation_id = $4 desc nulls last, created limit 1`;

const byName = (list: readonly ParameterValue[]): string =>
  JSON.stringify(list.map(({ Name, Source, Value }) => [Name, Source, Value]).toSorted((a, b) => (String(a[0]) < String(b[0]) ? -1 : 1)));

const secondsOf = (interval: string): number => interval.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);

/** Adds the operation, or gives the one that the device has under the label the terms of the policy. */
export async function applyOperation(
  ctx: Ctx,
  device: Device,
  target: { operationId: string; label: string } & OperationTerms,
  before: StoredItem | undefined,
): Promise<Applied> {
  const { operationId, label, frequencyTypeId, interval, parameters } = target;
  const [row] = await ctx.db.query<{ id: string }>({
    name: 'policy-operation-present',
    text: present,
    values: [device.deviceId, operationId, label, before?.deviceOperationId ?? null],
  });
  const terms = { enabled: true, frequencyTypeId, interval, parameters: [...parameters] };
  if (!row) {
    const added = await create(ctx, servedDeviceOperations, { deviceId: device.deviceId, operationId, label, ...terms });
    // The operations of a policy do not keep a device from being deleted.
    await ctx.db.query({
      text: 'update device_operation set is_standard = true where device_operation_id = $1',
      values: [added.deviceOperationId],
    });
    return { isChanged: true, deviceOperationId: added.deviceOperationId };
  }
  const has = await get(ctx, servedDeviceOperations, row.id, { lock: 'edit' });
  const isSame =
    has.enabled &&
    has.label === label &&
    has.frequencyTypeId === frequencyTypeId &&
    secondsOf(has.interval) === secondsOf(interval) &&
    byName(has.parameters) === byName(parameters);
  if (!isSame) await update(ctx, servedDeviceOperations, row.id, { label, ...terms });
  const had = before
    ? {}
    : { had: { enabled: has.enabled, frequencyTypeId: has.frequencyTypeId, interval: has.interval, parameters: has.parameters } };
  return { isChanged: !isSame, deviceOperationId: row.id, ...had };
}

/** Removes the operation, or gives it back what it had before the policy. One that was deleted meanwhile stays so. */
export async function leaveOperation(ctx: Ctx, { kind, deviceOperationId, had }: StoredItem): Promise<void> {
  const [row] = await ctx.db.query<{ id: string }>({
    name: 'policy-operation-still',
    text: 'select device_operation_id as id from device_operation where device_operation_id = $1 and not is_deleted',
    values: [deviceOperationId],
  });
  if (!row) return;
  if (had === null && kind === 'OtherOperation') return;
  if (had === null) await remove(ctx, servedDeviceOperations, row.id);
  else await update(ctx, servedDeviceOperations, row.id, had as OperationTerms & { enabled: boolean; parameters: ParameterValue[] });
}

const othersText = `select o.device_operation_id as "deviceOperationId", o.label from device_operation o where o.device_id = $1 and not o.is_deleted
  and (o.enabled or exists (select from policy_item i where i.device_id = $1 and i.key = 'OtherOperation ' || o.device_operation_id))
  and not exists (select from jsonb_to_recordset($2::jsonb) as w ("operationId" uuid, label text) where w."operationId" = o.operation_id and lower(w.label) = lower(o.label))
order by o.device_operation_id`;

/** The operations that no policy sets, if the first policy that says anything about them forbids them. */
export async function otherOperations(
  ctx: Ctx,
  device: Device,
  policies: readonly DevicePolicy[],
  effective: readonly EffectiveItem[],
): Promise<EffectiveItem[]> {
  const policy = policies.find(({ forbidsOthers }) => forbidsOthers);
  if (!policy) return [];
  const set = effective.flatMap((item) => (item.kind === 'Operation' ? [{ operationId: item.of.operationId, label: item.of.label }] : []));
  const rows = await ctx.db.query<{ deviceOperationId: string; label: string }>({
    name: 'policy-other-operations',
    text: othersText,
    values: [device.deviceId, JSON.stringify(set)],
  });
  const { policyId, onLeave } = policy;
  return rows.map((of): EffectiveItem => ({
    kind: 'OtherOperation',
    key: `OtherOperation ${of.deviceOperationId}`,
    of,
    policyId,
    onLeave,
    over: [],
  }));
}

/** Disables an operation that no policy sets. */
export async function applyOther(
  ctx: Ctx,
  { deviceOperationId }: { deviceOperationId: string },
  before: StoredItem | undefined,
): Promise<Applied> {
  const { enabled } = await get(ctx, servedDeviceOperations, deviceOperationId, { lock: 'edit' });
  if (enabled) await update(ctx, servedDeviceOperations, deviceOperationId, { enabled: false });
  return { isChanged: enabled, deviceOperationId, ...(before ? {} : { had: { enabled } }) };
}
