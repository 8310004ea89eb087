import { useEffect, useMemo } from 'react';
import { ListPage } from '../../resource/list-page.tsx';
import { onDemand } from '../../components/on-demand.tsx';
import { communicationPanel } from './communication-panel-lazy.tsx';
import { communicationsView } from './communications.view.tsx';
import { useOpenReport } from './use-report.ts';

const reportDialog = onDemand(() => import('./report-dialog.tsx').then((module) => module.ReportDialog));

export function CommunicationsPage() {
  const report = useOpenReport();
  const { open } = report;
  const view = useMemo(() => communicationsView(open), [open]);
  useEffect(() => {
    const timer = setTimeout(() => void communicationPanel.load(), 400);
    return () => clearTimeout(timer);
  }, []);
  return (
    <>
      <ListPage view={view} />
      {report.type && <reportDialog.Component type={report.type} number={report.number} onClose={report.close} />}
    </>
  );
}
