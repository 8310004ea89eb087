/** Which packages a device can have, has, and should have installed. */
import { packageInstalls, saveInstallations, type PackageInstall as Install } from '@cloudfit/contract/actions/devices.ts';
import { validationFailed } from '@cloudfit/contract/errors.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { forbidden } from '@cloudfit/contract/errors.ts';
import { deviceOperations } from '@cloudfit/contract/resources/device-operations.ts';
import { inTransaction, type Ctx } from '../../../context/ctx.ts';
import { implement, type ImplementedAction } from '../../../resources/action.ts';
import { get } from '../../../resources/get.ts';
import { mayWrite } from '../../../resources/references.ts';
import type { FieldError } from '../../../resources/served.ts';
import { update } from '../../../resources/update.ts';
import { servedDevices } from '../devices.served.ts';
import { announceConfiguration } from '../announce.ts';
import { logDevice } from '../log.served.ts';
import { whyUntrusted } from './trust.ts';
import { wish } from './wish.ts';
import { servedOf } from '../../../resources/served.ts';

/**
 * Packages of the device's tenant and global ones that run on the device's platform or have an installation, each with the
 * versions for that platform, and the requested and the installed one.
 */
async function installsOf(ctx: Ctx, deviceId: string): Promise<Install[]> {
  const rows = await ctx.db.query<{ install: Install }>({
    name: 'package-installs',
    text: `select json_build_object(
        'installPackage', json_build_object('packageId', p.package_id, 'packageName', p.name, 'packageVersionId', i.package_version_id,
          'installedVersionId', i.installed_version_id, 'installStatus', coalesce(i.install_status, 'AvailableForInstall'), 'statusDetail', i.status_detail, 'progress', i.progress,
          'statusChanged', i.status_changed, 'failure', i.failure, 'failed', i.failed, 'operations', n.operations, 'operationLabels', n.labels),
        'packageVersions', v.versions) as install
      from device d
      join package p on p.tenant_id = d.tenant_id or p.tenant_id is null
      left join device_installation i on i.device_id = d.device_id and i.package_id = p.package_id
      cross join lateral (
        select coalesce(json_agg(json_build_object('version', version, 'packageVersionId', package_version_id) order by precedence desc), '[]') as versions, count(*) as n
        from package_version where package_id = p.package_id
          and (operating_system_rids_id in (0, 7) or operating_system_rids_id & d.operating_system_id <> 0 or package_version_id in (i.package_version_id, i.installed_version_id))
      ) v
      cross join lateral (
        select count(*)::int as operations, coalesce(json_agg(o.label order by o.label, o.device_operation_id), '[]') as labels
        from device_operation o join operation c on c.operation_id = o.operation_id
        where o.device_id = d.device_id and c.package_id = p.package_id and o.enabled and not o.is_deleted
      ) n
      where d.device_id = $1 and (v.n > 0 or i.device_id is not null) order by p.name collate natural_order, p.package_id`,
    values: [deviceId],
  });
  return rows.map((row) => row.install);
}

/** The maximum number of operations that a refusal names. */
const namedMax = 10;

interface RequestedVersion {
  packageId: string;
  deviceId?: string | undefined;
  packageVersionId: string | null;
  /** Whether the enabled operations that need the package are disabled when it is removed; otherwise that is refused. */
  disableOperations?: boolean | undefined;
}

/** Returns why a package is not removed, if enabled operations need it: they would fail at each run. */
function neededBy({ packageName, operations, operationLabels, packageVersionId, installedVersionId }: Install['installPackage']) {
  if (operations === 0 || (packageVersionId === null && installedVersionId === null)) return undefined;
  const others = operations - namedMax > 0 ? ` and ${operations - namedMax} more` : '';
  const names = `${operationLabels.slice(0, namedMax).join(', ')}${others}`;
  return `Enabled operations of this device need ${packageName}: ${names}. Disable them, or send disableOperations: true to disable them with it.`;
}

/** Disables the enabled operations of a device that need a package. */
async function disableOperationsOf(ctx: Ctx, deviceId: string, packageId: string): Promise<void> {
  const rows = await ctx.db.query<{ id: string }>({
    name: 'operations-of-package',
    text: `select o.device_operation_id as id from device_operation o join operation c on c.operation_id = o.operation_id
      where o.device_id = $1 and c.package_id = $2 and o.enabled and not o.is_deleted order by o.device_operation_id`,
    values: [deviceId, packageId],
  });
  for (const { id } of rows) await update(ctx, servedOf(deviceOperations), id, { enabled: false });
}

function faultsOf(
  requested: readonly RequestedVersion[],
  deviceId: string,
  offered: readonly Install[],
  untrusted: ReadonlyMap<string, string>,
  isReturn: boolean,
): FieldError[] {
  const byPackage = new Map(offered.map((o) => [o.installPackage.packageId, o]));
  const packageIds = new Set<string>();
  return requested.flatMap((item, index): FieldError[] => {
    const target = (name: string) => `items.${index}.${name}`;
    if (item.deviceId !== undefined && item.deviceId !== deviceId)
      return [{ target: target('deviceId'), message: 'deviceId differs from the device in the address. Send the same id.' }];
    if (packageIds.has(item.packageId))
      return [{ target: target('packageId'), message: 'This package is in the list twice. Send it once.' }];
    packageIds.add(item.packageId);
    const install = byPackage.get(item.packageId);
    if (!install) return [{ target: target('packageId'), message: 'Package was not found for this device.' }];
    if (item.packageVersionId === null) {
      const need = item.disableOperations || isReturn ? undefined : neededBy(install.installPackage);
      return need === undefined ? [] : [{ target: target('packageVersionId'), message: need }];
    }
    const { packageVersionId, installedVersionId } = install.installPackage;
    const reason = untrusted.get(item.packageVersionId);
    // A version that is already requested or installed may stay.
    if (reason !== undefined && packageVersionId !== item.packageVersionId && installedVersionId !== item.packageVersionId)
      return [{ target: target('packageVersionId'), message: reason }];
    if (install.packageVersions.some((v) => v.packageVersionId === item.packageVersionId)) return [];
    return [
      { target: target('packageVersionId'), message: `Version was not found in ${install.installPackage.packageName} for this device.` },
    ];
  });
}

const list = implement(packageInstalls, async (ctx, { deviceId }) => {
  await get(ctx, servedDevices, deviceId);
  return { value: await installsOf(ctx, deviceId) };
});

/**
 * Sets the wanted versions of one device, which the caller must be allowed to edit. `isReturn`: restores what was wished before, so it
 * also removes a package that operations need.
 */
export function wishVersions(ctx: Ctx, deviceId: string, items: readonly RequestedVersion[], isReturn = false): Promise<Install[]> {
  return inTransaction(ctx, async (ctx) => {
    // The device is locked, so that two people who save at once are serialised.
    const device = await get(ctx, servedDevices, deviceId, { lock: 'edit' });
    if (!mayWrite(ctx, servedDevices, 'edit', device))
      throw forbidden(`You do not have the permission ${permission('Devices', 'edit')} there.`);
    const versions = items.flatMap(({ packageVersionId }) => packageVersionId ?? []);
    const untrusted = await whyUntrusted(ctx, device.tenantId, versions);
    const errors = faultsOf(items, deviceId, await installsOf(ctx, deviceId), untrusted, isReturn);
    if (errors.length > 0) throw validationFailed(errors);
    let changes = 0;
    for (const one of items) {
      if (one.packageVersionId === null && one.disableOperations) await disableOperationsOf(ctx, deviceId, one.packageId);
      if (await wish(ctx, device, one)) changes += 1;
    }
    if (changes > 0) {
      await announceConfiguration(ctx, deviceId);
      await logDevice(ctx, { tenantId: device.tenantId, deviceId, detail: `Installations were changed: ${changes}.` });
    }
    return installsOf(ctx, deviceId);
  });
}

const save = implement(saveInstallations, async (ctx, { deviceId, items }) => ({ value: await wishVersions(ctx, deviceId, items) }));

export const installationActions: readonly ImplementedAction[] = [list, save];
