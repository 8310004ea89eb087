/** Changes that a campaign makes on the server alone, without waiting for the device. */
import type { CampaignKind } from '@cloudfit/contract/enums.ts';
import { ApiError } from '@cloudfit/contract/errors.ts';
import type { Ctx } from '../../context/ctx.ts';
import { create } from '../../resources/create.ts';
import { get } from '../../resources/get.ts';
import { update } from '../../resources/update.ts';
import { servedDevices } from '../../features/devices/devices.served.ts';
import { copyOf } from '../../features/devices/operations/device-operations.action.ts';
import { servedDeviceOperations } from '../../features/devices/operations/device-operations.served.ts';
import { setTracing } from '../../features/devices/tracing.ts';

export interface CampaignSettings {
  deviceOperationIds?: string[];
  /** For a run: devices that do not have the operation get it first. */
  addMissing?: boolean;
  /** For a removal: enabled operations that need the package are disabled with it. */
  disableOperations?: boolean;
  traceMinutes?: number;
  addTags?: string[];
  removeTags?: string[];
  locationId?: string | null;
  subscriptionId?: string;
}

export interface DeviceEditResult {
  done: string | null;
  /** Device operations that were added. */
  added?: string[];
}

const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();

/** Returns the edited tags. The tags of a device are one text with commas; case does not matter. */
export function editedTags(text: string | null, { addTags = [], removeTags = [] }: CampaignSettings): string | null {
  const before = (text ?? '')
    .split(/[,;]/)
    .map((tag) => tag.trim())
    .filter(Boolean);
  const remaining = before.filter((tag) => !removeTags.some((removeTag) => same(removeTag, tag)));
  const added = addTags.filter((tag, at) => ![...remaining, ...addTags.slice(0, at)].some((item) => same(item, tag)));
  if (added.length === 0 && remaining.length === before.length) return text;
  return [...remaining, ...added].join(', ') || null;
}

async function copyOperations(ctx: Ctx, deviceId: string, { deviceOperationIds = [] }: CampaignSettings): Promise<DeviceEditResult> {
  // Locks the device first, so that two campaigns do not both add the operation.
  await get(ctx, servedDevices, deviceId, { lock: 'edit' });
  const present = await ctx.db.query<{ operation_id: string; label: string }>({
    name: 'campaign-present-operations',
    text: 'select operation_id, label from device_operation where device_id = $1 and not is_deleted',
    values: [deviceId],
  });
  const added: string[] = [];
  for (const id of deviceOperationIds) {
    const source = await get(ctx, servedDeviceOperations, id);
    if (present.some((candidate) => candidate.operation_id === source.operationId && same(candidate.label, source.label))) continue;
    const copy = await create(ctx, servedDeviceOperations, { ...copyOf(source), deviceId }).catch((error: unknown) => {
      if (!(error instanceof ApiError) || error.status >= 500) throw error;
      throw new ApiError('ValidationFailed', `${source.label}: ${error.details[0]?.message ?? error.message}`);
    });
    added.push(copy.deviceOperationId);
  }
  if (added.length === deviceOperationIds.length) return { done: null, added };
  const done =
    added.length === 0 ? 'The device had these operations already.' : `${added.length} added; the device had the others already.`;
  return { done, added };
}

export async function editDevice(ctx: Ctx, kind: CampaignKind, deviceId: string, settings: CampaignSettings): Promise<DeviceEditResult> {
  const { traceMinutes = 0, locationId, subscriptionId } = settings;
  if (kind === 'AddOperations') return copyOperations(ctx, deviceId, settings);
  if (kind === 'SetTracing') await setTracing(ctx, deviceId, traceMinutes);
  if (kind === 'EditTags') await update(ctx, servedDevices, deviceId, ({ tags }) => ({ tags: editedTags(tags, settings) }));
  if (kind === 'Move')
    await update(ctx, servedDevices, deviceId, {
      ...(locationId === undefined ? {} : { locationId }),
      ...(subscriptionId === undefined ? {} : { subscriptionId }),
    });
  return { done: null };
}
