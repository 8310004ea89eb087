/**
 * Starts a campaign for the outdated devices of a package, with the search and filters of the list. It covers the subscription
 * of the header, unless the list is filtered by subscription.
 */
import { and, eq } from '@cloudfit/contract/query/build.ts';
import { limits } from '@cloudfit/contract/limits.ts';
import { versionReportTexts as t } from '@cloudfit/contract/messages/version-report.en.ts';
import { complianceReport } from '@cloudfit/contract/resources/compliance-report.ts';
import { packageVersions } from '@cloudfit/contract/resources/package-versions.ts';
import { useContextNow } from '../../api/context.ts';
import { MenuButton } from '../../components/overlay/menu-button.tsx';
import { toast } from '../../components/toasts.tsx';
import { listFilter } from '../../filters/list-query.ts';
import type { ListState } from '../../filters/list-state.ts';
import type { FiltersOf } from '../../filters/listing.ts';
import { toastFailure } from '../../hooks/toast-failure.ts';
import { fetchGroups, fetchPage, useGroups } from '../../rows/use-rows.ts';
import { useScope } from '../../rows/use-scope.ts';
import { versionReportView } from './version-report.view.tsx';

export interface OutdatedDevices {
  tenantId: string;
  deviceIds: readonly string[];
  version: { packageId: string; packageVersionId?: string };
}

interface OutdatedPackage {
  packageId: string;
  packageName: string;
  latestVersion: string;
  n: number;
}

interface UpdateMenuProps {
  state: ListState;
  onUpdate: (outdated: OutdatedDevices) => void;
}

export function UpdateMenu({ state, onUpdate }: UpdateMenuProps) {
  const scope = useScope();
  const { tenantId } = scope;
  const { subscriptionId, subscriptionName } = useContextNow(tenantId ?? undefined);
  const chosen: FiltersOf<typeof complianceReport> = state.filters;
  const isChosen = chosen.subscriptionName !== undefined;
  const filter = and(
    listFilter(versionReportView, state, scope),
    subscriptionId && !isChosen ? eq(complianceReport, 'subscriptionId', subscriptionId) : undefined,
    eq(complianceReport, 'versionStatus', 'Outdated'),
  );
  const packages = useGroups<OutdatedPackage>(
    complianceReport,
    { apply: `filter(${filter})/groupby((packageId,packageName,latestVersion),aggregate(deviceId with countdistinct as n))` },
    { enabled: tenantId !== null },
  );
  const outdatedPackages = packages.data?.rows ?? [];
  if (!tenantId || outdatedPackages.length === 0) return null;

  const update = async ({ packageId, latestVersion, n }: OutdatedPackage) => {
    try {
      const of = and(filter, eq(complianceReport, 'packageId', packageId), eq(complianceReport, 'latestVersion', latestVersion));
      const [devices, versions] = await Promise.all([
        fetchGroups<{ deviceId: string }>(complianceReport, { apply: `filter(${of})/groupby((deviceId))`, top: limits.pageMax }),
        fetchPage(packageVersions, {
          filter: and(eq(packageVersions, 'packageId', packageId), eq(packageVersions, 'version', latestVersion)),
          top: 1,
        }),
      ]);
      const deviceIds = devices.rows.map(({ deviceId }) => deviceId);
      const [version] = versions.rows;
      if (deviceIds.length < n) toast.info(deviceIds.length === 0 ? t.nothingToUpdate : t.onlySome(deviceIds.length, n));
      if (deviceIds.length === 0) return;
      onUpdate({ tenantId, deviceIds, version: { packageId, ...(version ? { packageVersionId: version.packageVersionId } : {}) } });
    } catch (error) {
      toastFailure(error);
    }
  };
  return (
    <MenuButton
      label={subscriptionName && !isChosen ? t.updateIn(subscriptionName) : t.update}
      entries={outdatedPackages.map((outdatedPackage) => ({
        id: `${outdatedPackage.packageId} ${outdatedPackage.latestVersion}`,
        label: t.updateTo(outdatedPackage.packageName, outdatedPackage.latestVersion, outdatedPackage.n),
        icon: 'packages',
        run: () => void update(outdatedPackage),
      }))}
    />
  );
}
