import { notFound } from '@cloudfit/contract/errors.ts';
import { inTransaction, requirePermission, type Ctx } from '../../../ctx.ts';
import { create } from '../../../resources/create.ts';
import { servedDevices } from '../devices.served.ts';
import { record } from './record.ts';

export interface Home {
  tenantId: string;
  subscriptionId: string;
}

export interface Promoted {
  pendingDeviceId: string;
  deviceId: string;
  /** False: it had been promoted before. */
  created: boolean;
}

interface Pending {
  pending_device_id: string;
  tenant_id: string;
  machine_name: string;
  operating_system: string;
  architecture: string;
  device_id: string | null;
}

/** Makes devices of pending devices. All or none; those promoted before keep their device. */
export function promotePendingDevices(
  ctx: Ctx,
  ids: readonly string[],
  home: Home,
  options: { heartbeatInterval?: number } = {},
): Promise<Promoted[]> {
  requirePermission(ctx, 'PendingDevices', 'edit', home.tenantId);
  requirePermission(ctx, 'Devices', 'create', home.tenantId);
  return inTransaction(ctx, async (ctx) => {
    // Locked in key order, so that two people who promote the same ones wait for each other.
    const rows = await ctx.db.query<Pending>({
      text: `select pending_device_id, tenant_id, machine_name, operating_system, architecture, device_id
        from pending_device where pending_device_id = any($1::uuid[]) and tenant_id = $2 order by pending_device_id for update`,
      values: [ids, home.tenantId],
    });
    if (rows.length < new Set(ids).size) throw notFound('A pending device');
    const promoted: Promoted[] = [];
    for (const row of rows) promoted.push(await promoteOne(ctx, row, home, options.heartbeatInterval));
    return promoted;
  });
}

async function promoteOne(ctx: Ctx, pending: Pending, home: Home, heartbeatInterval: number | undefined): Promise<Promoted> {
  const pendingDeviceId = pending.pending_device_id;
  if (pending.device_id !== null) return { pendingDeviceId, deviceId: pending.device_id, created: false };
  const device = await create(ctx, servedDevices, {
    ...home,
    name: pending.machine_name,
    operatingSystemId: operatingSystemId(pending.operating_system, pending.architecture),
    ...(heartbeatInterval === undefined ? {} : { heartbeatInterval }),
  });
  const deviceId = String(device.deviceId);
  await ctx.db.query({
    text: 'update pending_device set device_id = $2 where pending_device_id = $1',
    values: [pendingDeviceId, deviceId],
  });
  await record(ctx, {
    verb: 'update',
    entity: 'pendingDevices',
    entityId: pendingDeviceId,
    tenantId: home.tenantId,
    before: { deviceId: null },
    after: { deviceId },
  });
  return { pendingDeviceId, deviceId, created: true };
}

/** The enumeration knows x64 machines only; anything else is Unknown. */
function operatingSystemId(operatingSystem: string, architecture: string): number {
  if (architecture !== 'x64') return 0;
  if (/^windows/i.test(operatingSystem)) return 1;
  if (/^(macos|darwin)/i.test(operatingSystem)) return 2;
  return /linux/i.test(operatingSystem) ? 4 : 0;
}
