/** Writes which version of a package a device should have. */
import { sql } from '../../../db/sql.ts';
import type { InstallStatus } from '@cloudfit/contract/enums.ts';
import type { Ctx } from '../../../context/ctx.ts';
import { get } from '../../../resources/get.ts';
import { writeRecorded } from '../../../resources/record.ts';
import { announceConfiguration } from '../announce.ts';
import { logDevice } from '../log.served.ts';
import { servedDeviceInstallations } from './installations.served.ts';
import { trusted, whyUntrusted } from './trust.ts';

interface WishingDevice {
  deviceId: string;
  tenantId: string;
}

interface WishedVersion {
  packageId: string;
  /** Null if the package should not be installed. */
  packageVersionId: string | null;
}

/** With these statuses, a repeated wish is a new wish, so that the agent tries at once. */
const failedStatuses: readonly string[] = ['InstallFailed', 'RolledBack', 'UninstallFailed'] satisfies InstallStatus[];

/** Returns the status that follows from the requested and the installed version: what the agent has to do. */
export function statusOf(requested: string | null, installed: string | null): InstallStatus {
  if (requested === installed) return installed === null ? 'AvailableForInstall' : 'Installed';
  return requested === null ? 'UninstallPending' : 'InstallPending';
}

/**
 * Writes one requested installation; returns false, without writing, if the request changes nothing. The caller has locked the
 * device.
 */
export async function wish(ctx: Ctx, device: WishingDevice, wishedVersion: WishedVersion): Promise<boolean> {
  const [row] = await ctx.db.query<{ id: string }>({
    text: 'select device_installation_id as id from device_installation where device_id = $1 and package_id = $2',
    values: [device.deviceId, wishedVersion.packageId],
  });
  if (!row) {
    if (wishedVersion.packageVersionId === null) return false;
    const write = sql`insert into device_installation (tenant_id, device_id, package_id, package_version_id, install_status, wish_number, status_changed)
      values (${device.tenantId}, ${device.deviceId}, ${wishedVersion.packageId}, ${wishedVersion.packageVersionId}, ${statusOf(wishedVersion.packageVersionId, null)}, 1, now()) returning *`;
    await writeRecorded(ctx, servedDeviceInstallations, 'create', write, null);
    return true;
  }
  const before = await get(ctx, servedDeviceInstallations, row.id, { lock: 'edit' });
  if (before.packageVersionId === wishedVersion.packageVersionId && !failedStatuses.includes(before.installStatus)) return false;
  const installed = before.installedVersionId;
  const is = sql`where device_installation_id = ${row.id} returning *`;
  // The package is not installed, so its row is deleted. An installation that the agent has begun is removed by the agent
  // itself, also without a row.
  if (wishedVersion.packageVersionId === null && installed === null) {
    await writeRecorded(ctx, servedDeviceInstallations, 'delete', sql`delete from device_installation ${is}`, before);
    return true;
  }
  const write = sql`update device_installation set package_version_id = ${wishedVersion.packageVersionId}, install_status = ${statusOf(wishedVersion.packageVersionId, installed)},
    status_detail = null, progress = null, wish_number = wish_number + 1, status_changed = now(), modified = now(), version = version + 1 ${is}`;
  await writeRecorded(ctx, servedDeviceInstallations, 'update', write, before);
  return true;
}

const latestFor = `select p.package_id, p.name, n.package_version_id, n.version, n.trusted
  from device d cross join operation o
  join package p on p.package_id = o.package_id
  join tenant t on t.tenant_id = d.tenant_id
  cross join lateral (
    select v.package_version_id, v.version, w.trusted from package_version v cross join lateral (select ${trusted} as trusted) w
    where v.package_id = o.package_id and v.package_version_status_id <> 3
      and (v.operating_system_rids_id in (0, 7) or v.operating_system_rids_id & d.operating_system_id <> 0)
    order by w.trusted desc, v.precedence desc limit 1
  ) n
  where d.device_id = $1 and o.operation_id = $2
    and not exists (select from device_installation i where i.device_id = d.device_id and i.package_id = o.package_id)`;

/**
 * Requests the package of an operation, without which the operation cannot run, for a device that has no row for the package:
 * the newest release that the device would accept. If it would accept none, its log says why. The caller has locked the device.
 */
export async function wishForOperation(ctx: Ctx, device: WishingDevice, operationId: string): Promise<void> {
  const [needed] = await ctx.db.query<{ package_id: string; name: string; package_version_id: string; version: string; trusted: boolean }>({
    name: 'package-for-operation',
    text: latestFor,
    values: [device.deviceId, operationId],
  });
  if (!needed) return;
  if (!needed.trusted) {
    const reasons = await whyUntrusted(ctx, device.tenantId, [needed.package_version_id]);
    const detail = `An operation needs ${needed.name}. ${[...reasons.values()].join(' ')}`;
    await logDevice(ctx, { tenantId: device.tenantId, deviceId: device.deviceId, detail });
    return;
  }
  await wish(ctx, device, { packageId: needed.package_id, packageVersionId: needed.package_version_id });
  await announceConfiguration(ctx, device.deviceId);
  await logDevice(ctx, {
    tenantId: device.tenantId,
    deviceId: device.deviceId,
    detail: `${needed.name} ${needed.version} will be installed, because an operation needs it.`,
  });
}
