import { sql } from '../../../db/sql.ts';
import { ApiError, validationFailed } from '@cloudfit/contract/errors.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { inTransaction, may, requirePermission, type Ctx } from '../../../context/ctx.ts';
import { create } from '../../../resources/create.ts';
import { writeRecorded } from '../../../resources/record.ts';
import { servedDevices } from '../devices.served.ts';
import { addStandardOperations } from '../operations/standard.ts';
import { servedPendingDevices } from '../pending.served.ts';

export interface SubscriptionIds {
  tenantId: string;
  subscriptionId: string;
}

export interface PromotedDevice {
  pendingDeviceId: string;
  deviceId: string;
  /** False when the machine had been promoted before. */
  created: boolean;
}

interface PendingMachine {
  pending_device_id: string;
  tenant_id: string;
  machine_name: string;
  operating_system: string;
  architecture: string;
  device_id: string | null;
  token_grant_id: string | null;
}

interface PromoteOptions {
  heartbeatInterval?: number;
  locationId?: string;
}

/** Returns a 404 error with a reason for each id. */
export function pendingNotFound(ids: readonly string[]): ApiError {
  const message = ids.length === 1 ? 'A pending device was not found.' : `${ids.length} pending devices were not found.`;
  const details = ids.map((target) => ({ code: 'NotFound' as const, target, message: 'This pending device was not found.' }));
  return new ApiError('NotFound', message, { target: ids[0], details });
}

/** Promotes pending devices to devices: all or none. A device that was promoted before does not change. */
export function promotePendingDevices(
  ctx: Ctx,
  ids: readonly string[],
  home: SubscriptionIds,
  options: PromoteOptions = {},
): Promise<PromotedDevice[]> {
  requirePermission(ctx, 'PendingDevices', 'edit', home.tenantId);
  requirePermission(ctx, 'Devices', 'create', home.tenantId);
  return inTransaction(ctx, async (ctx) => {
    // Locked in the order of keys, so that two people who promote the same devices wait instead of deadlocking.
    const rows = await ctx.db.query<PendingMachine>({
      text: `select pending_device_id, tenant_id, machine_name, operating_system, architecture, device_id, token_grant_id
        from pending_device where pending_device_id = any($1::uuid[]) order by pending_device_id for update`,
      values: [ids],
    });
    requireAll(ctx, ids, rows, home);
    const promoted: PromotedDevice[] = [];
    for (const row of rows) promoted.push(await promoteOne(ctx, row, home, options));
    return promoted;
  });
}

/**
 * Throws for machines that are not visible or belong to another tenant: an agent acts for the tenant of its token, so its
 * device cannot have another one.
 */
function requireAll(ctx: Ctx, ids: readonly string[], rows: readonly PendingMachine[], home: SubscriptionIds): void {
  const rowsById = new Map(
    rows.filter((row) => may(ctx, permission('PendingDevices', 'view'), row.tenant_id)).map((row) => [row.pending_device_id, row]),
  );
  const missing = ids.filter((id) => !rowsById.has(id));
  if (missing.length > 0) throw pendingNotFound(missing);
  const elsewhere = [...rowsById.values()].filter((row) => row.tenant_id !== home.tenantId);
  if (elsewhere.length > 0)
    throw validationFailed(
      elsewhere.map((row) => ({
        target: row.pending_device_id,
        message: `${row.machine_name} registered for another tenant than that of the subscription.`,
      })),
    );
}

async function promoteOne(ctx: Ctx, pending: PendingMachine, home: SubscriptionIds, options: PromoteOptions): Promise<PromotedDevice> {
  const pendingDeviceId = pending.pending_device_id;
  if (pending.device_id !== null) return { pendingDeviceId, deviceId: pending.device_id, created: false };
  const { tenantId, subscriptionId } = home;
  const device = await create(
    ctx,
    servedDevices,
    {
      tenantId,
      subscriptionId,
      name: pending.machine_name,
      operatingSystemId: operatingSystemId(pending.operating_system, pending.architecture),
      ...options,
    },
    { columns: { enrolled_by: pending.token_grant_id } },
  );
  const deviceId = String(device?.deviceId);
  await addStandardOperations(ctx, deviceId);
  const write = sql`update pending_device set device_id = ${deviceId} where pending_device_id = ${pendingDeviceId} returning *`;
  await writeRecorded(ctx, servedPendingDevices, 'update', write, { pendingDeviceId, tenantId, deviceId: null });
  return { pendingDeviceId, deviceId, created: true };
}

/** Returns the id of the platform. The enumeration has x64 platforms only; any other is Unknown. */
function operatingSystemId(operatingSystem: string, architecture: string): number {
  if (architecture !== 'x64') return 0;
  if (/^(microsoft )?windows/i.test(operatingSystem)) return 1;
  if (/^(macos|mac os|os x|darwin\b)/i.test(operatingSystem)) return 2;
  return /linux/i.test(operatingSystem) ? 4 : 0;
}
