/** Packages that a policy sets on a device. */
import { packageVersionStatus } from '@cloudfit/contract/enums.ts';
import { ApiError } from '@cloudfit/contract/errors.ts';
import type { Ctx } from '../../context/ctx.ts';
import { wishVersions } from '../../features/devices/installations/installations.action.ts';
import { trusted } from '../../features/devices/installations/trust.ts';
import type { Applied, Device } from './applied.ts';
import type { StoredItem } from './policies-of-device.ts';

const newest = `select v.package_version_id as id from package_version v join device d on d.device_id = $1 join tenant t on t.tenant_id = d.tenant_id
where v.package_id = $2 and v.package_version_status_id = any($3::int[]) and (v.operating_system_rids_id in (0, 7) or v.operating_system_rids_id & d.operating_system_id <> 0) and ${trusted}
order by v.precedence desc limit 1`;

interface Wish {
  versionId: string | null;
  isNeeded: boolean;
}

const wishes = `select i.package_version_id as "versionId", exists (select from device_operation o join operation c on c.operation_id = o.operation_id
    where o.device_id = i.device_id and c.package_id = i.package_id and o.enabled and not o.is_deleted) as "isNeeded"
from device_installation i where i.device_id = $1 and i.package_id = $2`;

async function wishOf(ctx: Ctx, deviceId: string, packageId: string): Promise<Wish | undefined> {
  const [row] = await ctx.db.query<Wish>({ name: 'policy-package-wish', text: wishes, values: [deviceId, packageId] });
  return row;
}

/** Requests the version of the policy, or the newest release that the device accepts. A failed installation is not tried again here. */
export async function applyPackage(
  ctx: Ctx,
  { deviceId }: Device,
  target: { packageId: string; packageVersionId: string | null; preReleases?: boolean | undefined },
  before: StoredItem | undefined,
): Promise<Applied> {
  const { packageId } = target;
  const has = await wishOf(ctx, deviceId, packageId);
  const had = before ? {} : { had: has ? { versionId: has.versionId } : null };
  const { latest, preRelease } = packageVersionStatus;
  const channel = target.preReleases ? [latest, preRelease] : [latest];
  let versionId = target.packageVersionId;
  if (versionId === null) {
    const [version] = await ctx.db.query<{ id: string }>({
      name: 'policy-package-newest',
      text: newest,
      values: [deviceId, packageId, channel],
    });
    if (!version)
      throw new ApiError('ValidationFailed', 'No release of the package is for this device. Upload one, or trust its publisher.');
    versionId = version.id;
  }
  if (has?.versionId === versionId) return { isChanged: false, ...had };
  await wishVersions(ctx, deviceId, [{ packageId, packageVersionId: versionId }]);
  // A newer release is no change that somebody has made on the device.
  return { isChanged: target.packageVersionId !== null || (has?.versionId ?? null) === null, ...had };
}

/** Requests what was there before the policy. A package that enabled operations of the device still need stays. */
export async function leavePackage(ctx: Ctx, { deviceId }: Device, item: StoredItem): Promise<void> {
  const { packageId } = item.value as { packageId: string };
  const has = await wishOf(ctx, deviceId, packageId);
  if (!has) return;
  const before = (item.had as { versionId: string | null } | null)?.versionId ?? null;
  if (before === null && has.isNeeded) return;
  if (has.versionId !== before) await wishVersions(ctx, deviceId, [{ packageId, packageVersionId: before }], true);
}
