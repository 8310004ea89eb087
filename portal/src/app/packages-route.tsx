import { useState } from 'react';
import { devices } from '@cloudfit/contract/resources/devices.ts';
import { useMay } from '../api/lookups.ts';
import { onDemand } from '../components/on-demand.tsx';
import { PackagesPage, type RollOut } from '../features/packages/packages-page.tsx';

const { Component: StartDialog } = onDemand(() => import('../features/campaigns/start-dialog.tsx').then((module) => module.StartDialog));

/** The package catalog; a package can be rolled out by a campaign. */
export function PackagesRoute() {
  const mayEdit = useMay()(devices.area, 'edit');
  const [rollOut, setRollOut] = useState<RollOut>();
  return (
    <>
      <PackagesPage onRollOut={mayEdit ? setRollOut : undefined} />
      {rollOut && (
        <StartDialog
          kind="InstallVersion"
          tenantId={rollOut.tenantId}
          selected={rollOut.devices}
          first={rollOut.version}
          onClose={() => setRollOut(undefined)}
        />
      )}
    </>
  );
}
