import { useMemo, type ReactNode } from 'react';
import { useNavigate, useSearchParams } from 'react-router';
import { versionReportTexts as t } from '@cloudfit/contract/messages/version-report.en.ts';
import { Button } from '../../components/button.tsx';
import { FilterBar } from '../../filters/filter-bar.tsx';
import { listAddress } from '../../filters/list-state.ts';
import { useListState } from '../../filters/use-list-state.ts';
import { useAddress } from '../../hooks/use-address.ts';
import { usePanel } from '../../hooks/use-panel.ts';
import { ListGrid } from '../../resource/list-grid.tsx';
import { ListPager } from '../../resource/list-pager.tsx';
import { ListToolbar } from '../../resource/list-toolbar.tsx';
import { useListScreen } from '../../resource/use-list-screen.ts';
import { DeviceCounters } from './device-counters.tsx';
import { UpdateMenu, type OutdatedDevices } from './update-menu.tsx';
import { VersionsOverTime } from './versions-over-time.tsx';
import { versionReportView, type ReportLine } from './version-report.view.tsx';
import '../../resource/list-page.css';

export type { OutdatedDevices };

interface VersionReportPageProps {
  /** Starts an update of outdated devices. Without this function, the page offers no update. */
  onUpdate?: ((outdated: OutdatedDevices) => void) | undefined;
}

const pageSizes = [25, 50, 100];
const address = listAddress(versionReportView);

/** A row links to its device. */
const deviceOf = (line: ReportLine) => `/${line.tenantId}/devices?id=${line.deviceId}`;

/** The list of installed versions; with `view=time` in the address, a chart over time instead. */
export function VersionReportPage({ onUpdate }: VersionReportPageProps) {
  const [params] = useSearchParams();
  const changeAddress = useAddress();
  const isOverTime = params.get('view') === 'time';
  const toggle = (
    <Button
      icon={isOverTime ? 'left' : 'report'}
      onClick={() =>
        changeAddress((next) => {
          if (isOverTime) for (const name of ['view', 'package', 'days', 'share', 'as']) next.delete(name);
          else next.set('view', 'time');
          return undefined;
        })
      }
    >
      {isOverTime ? t.asList : t.overTime}
    </Button>
  );
  return isOverTime ? <VersionsOverTime toggle={toggle} /> : <VersionList toggle={toggle} onUpdate={onUpdate} />;
}

function VersionList({ toggle, onUpdate }: VersionReportPageProps & { toggle: ReactNode }) {
  const navigate = useNavigate();
  const { open } = usePanel();
  const screen = useListScreen(versionReportView, useListState(address));
  const opening = useMemo(() => ({ href: deviceOf, open: (line: ReportLine) => void navigate(deviceOf(line)) }), [navigate]);
  const { state, change } = screen;
  return (
    <div className="page">
      <ListToolbar
        screen={screen}
        open={open}
        bar={
          <>
            {onUpdate && <UpdateMenu state={state} onUpdate={onUpdate} />}
            {toggle}
          </>
        }
      />
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
