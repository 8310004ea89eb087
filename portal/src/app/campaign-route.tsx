import { onDemand } from '../components/on-demand.tsx';
import { outputParam } from '../features/campaigns/campaign-devices.view.tsx';
import { CampaignPage } from '../features/campaigns/campaign-page.tsx';
import { usePanel } from '../hooks/use-panel.ts';

const { Component: OperationRunsPanel } = onDemand(() =>
  import('../features/device-operations/operation-runs-panel.tsx').then((module) => module.OperationRunsPanel),
);

/** A campaign, with a panel for the runs and the output of one of its devices. */
export function CampaignRoute() {
  const { id, close } = usePanel(outputParam);
  return (
    <>
      <CampaignPage />
      {id && <OperationRunsPanel key={id} id={id} listed={undefined} onClose={close} />}
    </>
  );
}
