import { useState } from 'react';
import { devices } from '@cloudfit/contract/resources/devices.ts';
import { useMay } from '../api/lookups.ts';
import { onDemand } from '../components/on-demand.tsx';
import { VersionReportPage, type OutdatedDevices } from '../features/version-report/version-report-page.tsx';

const { Component: StartDialog } = onDemand(() => import('../features/campaigns/start-dialog.tsx').then((module) => module.StartDialog));

/** The version report; its outdated devices can be updated by a campaign. */
export function VersionReportRoute() {
  const mayEdit = useMay()(devices.area, 'edit');
  const [outdated, setOutdated] = useState<OutdatedDevices>();
  return (
    <>
      <VersionReportPage onUpdate={mayEdit ? setOutdated : undefined} />
      {outdated && (
        <StartDialog
          kind="InstallVersion"
          tenantId={outdated.tenantId}
          selected={outdated.deviceIds}
          first={outdated.version}
          onClose={() => setOutdated(undefined)}
        />
      )}
    </>
  );
}
