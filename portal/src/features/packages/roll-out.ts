/** Prepares a campaign that installs a package on the devices that can run it. */
import { operatingSystemRids } from '@cloudfit/contract/enums.ts';
import { packageTexts as t } from '@cloudfit/contract/messages/packages.en.ts';
import { and, eq, or } from '@cloudfit/contract/query/build.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { devices } from '@cloudfit/contract/resources/devices.ts';
import { packageVersions } from '@cloudfit/contract/resources/package-versions.ts';
import type { packages } from '@cloudfit/contract/resources/packages.ts';
import { toast } from '../../components/toasts.tsx';
import { toastFailure } from '../../hooks/toast-failure.ts';
import { fetchGroups, fetchPage } from '../../rows/use-rows.ts';
import { systemsIn } from './operating-systems.tsx';

type Package = Pick<Row<typeof packages>, 'packageId' | 'operatingSystemRidsId'>;

export interface RollOut {
  tenantId: string;
  devices: { filter: string; count: number };
  version: { packageId: string; packageVersionId: string };
}

/** Where a package is rolled out: in one subscription, or in the whole tenant if `subscriptionId` is null. */
export interface RollOutScope {
  tenantId: string;
  subscriptionId: string | null;
}

/** The enabled devices whose operating system the package supports. */
function devicesFor({ tenantId, subscriptionId }: RollOutScope, { operatingSystemRidsId: sum }: Package): string {
  const systems = sum === operatingSystemRids.all ? [] : systemsIn(sum);
  return (
    and(
      eq(devices, 'tenantId', tenantId),
      subscriptionId ? eq(devices, 'subscriptionId', subscriptionId) : undefined,
      eq(devices, 'enabled', true),
      or(...systems.map((value) => eq(devices, 'operatingSystemId', value))),
    ) ?? ''
  );
}

/**
 * Chooses the version with the status Latest or, without it, the newest version. Returns undefined, after a message, if the
 * package has no version, or no device can run it.
 */
export async function prepareRollOut(scope: RollOutScope, chosen: Package): Promise<RollOut | undefined> {
  const { packageId } = chosen;
  const { tenantId } = scope;
  const filter = devicesFor(scope, chosen);
  try {
    // The first row has the status Latest if a version has it, because the order of the statuses begins with Latest.
    const [versions, counted] = await Promise.all([
      fetchPage(packageVersions, {
        filter: eq(packageVersions, 'packageId', packageId),
        orderBy: ['packageVersionStatusId asc', 'created desc'],
        top: 1,
      }),
      fetchGroups<{ n: number }>(devices, { apply: `filter(${filter})/aggregate($count as n)` }),
    ]);
    const [version] = versions.rows;
    const count = counted.rows[0]?.n ?? 0;
    if (version && count > 0)
      return { tenantId, devices: { filter, count }, version: { packageId, packageVersionId: version.packageVersionId } };
    toast.info(version ? t.rollOut.noDevices : t.rollOut.noVersion);
  } catch (error) {
    toastFailure(error);
  }
  return undefined;
}
