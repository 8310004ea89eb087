/** Which packages a device can have, has, and should have installed. */
import { sql } from 'kysely';
import { packageInstalls, saveInstallations, type PackageInstall as Install } from '@cloudfit/contract/actions/devices.ts';
import type { InstallStatus } from '@cloudfit/contract/enums.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import type { devices } from '@cloudfit/contract/resources/devices.ts';
import { validationFailed } from '@cloudfit/contract/errors.ts';
import { permission } from '@cloudfit/contract/permissions.ts';
import { forbidden } from '@cloudfit/contract/errors.ts';
import { inTransaction, type Ctx } from '../../../context/ctx.ts';
import { implement, type Implemented } from '../../../resources/action.ts';
import { get } from '../../../resources/get.ts';
import { writeRecorded } from '../../../resources/record.ts';
import { mayWrite } from '../../../resources/references.ts';
import type { FieldError } from '../../../resources/served.ts';
import { servedDevices } from '../devices.served.ts';
import { announceConfiguration } from '../announce.ts';
import { logDevice } from '../log.served.ts';
import { servedDeviceInstallations } from './installations.served.ts';

/**
 * Packages of the device's tenant and global ones that run on the device's platform or are installed, each with the
 * versions for that platform.
 */
async function installsOf(ctx: Ctx, deviceId: string): Promise<Install[]> {
  const rows = await ctx.db.query<{ install: Install }>({
    name: 'package-installs',
    text: `select json_build_object(
        'installPackage', json_build_object('packageId', p.package_id, 'packageName', p.name, 'packageVersionId', i.package_version_id,
          'installedVersionId', i.installed_version_id, 'installStatus', coalesce(i.install_status, 'AvailableForInstall'), 'statusDetail', i.status_detail),
        'packageVersions', v.versions) as install
      from device d
      join package p on p.tenant_id = d.tenant_id or p.tenant_id is null
      left join device_installation i on i.device_id = d.device_id and i.package_id = p.package_id
      cross join lateral (
        select coalesce(json_agg(json_build_object('version', version, 'packageVersionId', package_version_id) order by precedence desc), '[]') as versions, count(*) as n
        from package_version where package_id = p.package_id
          and (operating_system_rids_id in (0, 7) or operating_system_rids_id & d.operating_system_id <> 0 or package_version_id in (i.package_version_id, i.installed_version_id))
      ) v
      where d.device_id = $1 and (v.n > 0 or i.device_id is not null) order by p.name, p.package_id`,
    values: [deviceId],
  });
  return rows.map((row) => row.install);
}

/** What the agent has to do, from the requested version and the installed one. */
function statusOf(requested: string | null, installed: string | null): InstallStatus {
  if (requested === installed) return installed === null ? 'AvailableForInstall' : 'Installed';
  return requested === null ? 'UninstallPending' : 'InstallPending';
}

interface WantedVersion {
  packageId: string;
  deviceId?: string | undefined;
  packageVersionId: string | null;
}

function faultsOf(requested: readonly WantedVersion[], deviceId: string, offered: readonly Install[]): FieldError[] {
  const byPackage = new Map(offered.map((o) => [o.installPackage.packageId, o]));
  const packageIds = new Set<string>();
  return requested.flatMap((one, index): FieldError[] => {
    const target = (name: string) => `items.${index}.${name}`;
    if (one.deviceId !== undefined && one.deviceId !== deviceId)
      return [{ target: target('deviceId'), message: 'The device is another than that of the address.' }];
    if (packageIds.has(one.packageId)) return [{ target: target('packageId'), message: 'This package is named twice.' }];
    packageIds.add(one.packageId);
    const install = byPackage.get(one.packageId);
    if (!install) return [{ target: target('packageId'), message: 'Package was not found for this device.' }];
    if (one.packageVersionId === null || install.packageVersions.some((v) => v.packageVersionId === one.packageVersionId)) return [];
    return [
      { target: target('packageVersionId'), message: `Version was not found in ${install.installPackage.packageName} for this device.` },
    ];
  });
}

/** Writes one requested installation. A request that changes nothing writes nothing. */
async function wish(ctx: Ctx, device: Row<typeof devices>, one: WantedVersion): Promise<boolean> {
  const [row] = await ctx.db.query<{ id: string }>({
    text: 'select device_installation_id as id from device_installation where device_id = $1 and package_id = $2',
    values: [device.deviceId, one.packageId],
  });
  if (!row) {
    if (one.packageVersionId === null) return false;
    const write = sql`insert into device_installation (tenant_id, device_id, package_id, package_version_id, install_status)
      values (${device.tenantId}, ${device.deviceId}, ${one.packageId}, ${one.packageVersionId}, ${statusOf(one.packageVersionId, null)}) returning *`;
    await writeRecorded(ctx, servedDeviceInstallations, 'create', write, null);
    return true;
  }
  const before = await get(ctx, servedDeviceInstallations, row.id, { lock: 'edit' });
  if (before.packageVersionId === one.packageVersionId && before.installStatus !== 'InstallFailed') return false;
  const installed = before.installedVersionId;
  const is = sql`where device_installation_id = ${row.id} returning *`;
  if (one.packageVersionId === null && installed === null) {
    await writeRecorded(ctx, servedDeviceInstallations, 'delete', sql`delete from device_installation ${is}`, before);
    return true;
  }
  const write = sql`update device_installation set package_version_id = ${one.packageVersionId}, install_status = ${statusOf(one.packageVersionId, installed)},
    status_detail = null, modified = now(), version = version + 1 ${is}`;
  await writeRecorded(ctx, servedDeviceInstallations, 'update', write, before);
  return true;
}

const list = implement(packageInstalls, async (ctx, { deviceId }) => {
  await get(ctx, servedDevices, deviceId);
  return { value: await installsOf(ctx, deviceId) };
});

const save = implement(saveInstallations, async (ctx, { deviceId, items }) =>
  inTransaction(ctx, async (ctx) => {
    // The device is locked, so that two people who save at once are serialised.
    const device = await get(ctx, servedDevices, deviceId, { lock: 'edit' });
    if (!mayWrite(ctx, servedDevices, 'edit', device))
      throw forbidden(`You do not have the permission ${permission('Devices', 'edit')} there.`);
    const wrong = faultsOf(items, deviceId, await installsOf(ctx, deviceId));
    if (wrong.length > 0) throw validationFailed(wrong);
    let changes = 0;
    for (const one of items) if (await wish(ctx, device, one)) changes += 1;
    if (changes > 0) {
      await announceConfiguration(ctx, deviceId);
      await logDevice(ctx, { tenantId: device.tenantId, deviceId, detail: `Installations were changed: ${changes}.` });
    }
    return { value: await installsOf(ctx, deviceId) };
  }),
);

export const installationActions: readonly Implemented[] = [list, save];
