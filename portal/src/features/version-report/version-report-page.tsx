import { useMemo } from 'react';
import { useNavigate } from 'react-router';
import { FilterBar } from '../../filters/filter-bar.tsx';
import { listAddress } from '../../filters/list-state.ts';
import { useListState } from '../../filters/use-list-state.ts';
import { usePanel } from '../../hooks/use-panel.ts';
import { ListGrid } from '../../resource/list-grid.tsx';
import { ListPager } from '../../resource/list-pager.tsx';
import { ListToolbar } from '../../resource/list-toolbar.tsx';
import { useListScreen } from '../../resource/use-list-screen.ts';
import { DeviceCounters } from './device-counters.tsx';
import { versionReportView, type ReportLine } from './version-report.view.tsx';
import '../../resource/list-page.css';

const pageSizes = [25, 50, 100];
const address = listAddress(versionReportView);

/** A row links to its device. */
const deviceOf = (line: ReportLine) => `/${line.tenantId}/devices?id=${line.deviceId}`;

export function VersionReportPage() {
  const navigate = useNavigate();
  const { open } = usePanel();
  const screen = useListScreen(versionReportView, useListState(address));
  const opening = useMemo(() => ({ href: deviceOf, open: (line: ReportLine) => void navigate(deviceOf(line)) }), [navigate]);
  const { state, change } = screen;
  return (
    <div className="page">
      <ListToolbar screen={screen} open={open} />
      <FilterBar listing={versionReportView} state={state} onChange={change}>
        <span className="grow" />
        <DeviceCounters state={state} />
      </FilterBar>
      <div className="page-middle">
        <ListGrid screen={screen} opening={opening} />
      </div>
      <ListPager screen={screen} sizes={pageSizes} />
    </div>
  );
}
